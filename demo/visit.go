package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/usher-browser/usher/internal/cdptest/program"
)

// visit is one walk through the shop.
type visit struct {
	ctx      context.Context
	usher    *program.Program
	shop     string
	picture  string
	commands int
	seen     string // the last snapshot
}

// buyTeapot is the story. Every step says what must be true after it; a step that is not ends the demo.
func (v *visit) buyTeapot() error {
	receiptPath := filepath.Join(v.usher.Home, "receipt.txt")
	err := v.steps(
		step{say: "Open the shop and look at what can be acted on.", args: words("open", v.shop), want: "The Kettle"},
		step{args: words("snapshot", "-i"), want: `"Your name"`, look: true},
		step{say: "The bank's form is in a frame of another site; it is in the same snapshot.", want: `"Pay 24.00"`},

		step{say: "A veil lies over the page. A click through it is refused, and the error names the veil.",
			args: words("click", "#card", "--timeout", "1s"), fails: "cookies"},
		step{args: words("click", "{Fine by me}")},

		step{say: "Fill in the form.", args: words("fill", "{Your name}", "Ada Lovelace")},
		step{args: words("select", "{Colour}", "Green")},
		step{args: words("check", "{It is a gift}")},
		step{args: words("is", "checked", "{It is a gift}"), want: "true"},

		step{say: "The next button asks a question in a native dialog. The click comes back at once and says so.",
			args: words("click", "{Write a card}")},
		step{args: words("dialog", "status"), want: "What shall the card say?"},
		step{say: "While it is open, nothing hangs: this answers at once and names it.",
			args: words("eval", "1 + 1"), fails: "What shall the card say?"},
		step{args: words("dialog", "accept", "For Grace")},
		step{args: words("get", "text", "#words"), want: "Card: For Grace"},

		step{say: "Pay in the bank's frame, by refs: no switching between frames.", args: words("fill", "{Card number}", "4242")},
		step{args: words("click", "{Pay 24.00}")},
		step{args: words("get", "text", "#state"), want: "Paid, not placed."},

		step{say: "The warehouse is slow; the button to order comes when it answers. A click waits for it.", args: words("click", "#buy")},
		step{args: words("wait", "--text", "Ordered: green teapot for Ada Lovelace.")},

		step{say: "Take the receipt home.", args: words("download", "#receipt", receiptPath), want: "receipt.txt"},
		step{say: "What did the page say to itself?", args: words("console"), want: "order Ordered"},
		step{say: "And a picture, with the refs drawn on it.", args: words("screenshot", "--annotate", v.picture), want: filepath.Base(v.picture)},
	)
	if err != nil {
		return err
	}
	return v.verify(receiptPath)
}

// verify looks at the files with its own eyes.
func (v *visit) verify(receiptPath string) error {
	got, err := os.ReadFile(receiptPath)
	if err != nil {
		return fmt.Errorf("read the receipt: %w", err)
	}
	if string(got) != receiptText {
		return fmt.Errorf("the receipt is %q, want %q", got, receiptText)
	}
	picture, err := os.ReadFile(v.picture)
	if err != nil {
		return fmt.Errorf("read the picture: %w", err)
	}
	if !strings.HasPrefix(string(picture), "\x89PNG\r\n\x1a\n") {
		return fmt.Errorf("%s is no PNG picture", v.picture)
	}
	return nil
}

// step is one command, or, without args, a look at the last snapshot.
type step struct {
	say   string   // printed before it
	args  []string // a word in braces is the name of an element of the last snapshot, and is sent as its ref
	want  string   // what the output must hold
	fails string   // the command must fail, with this in its message
	look  bool     // keep the output as the snapshot that names are looked up in
}

func words(args ...string) []string { return args }

func (v *visit) steps(steps ...step) error {
	for _, s := range steps {
		if err := v.take(s); err != nil {
			return err
		}
	}
	return nil
}

func (v *visit) take(s step) error {
	if s.say != "" {
		fmt.Printf("\n# %s\n", s.say)
	}
	if s.args == nil {
		if !strings.Contains(v.seen, s.want) {
			return fmt.Errorf("the snapshot has no %s", s.want)
		}
		return nil
	}
	args := make([]string, len(s.args))
	for i, word := range s.args {
		ref, err := v.ref(word)
		if err != nil {
			return err
		}
		args[i] = ref
	}
	fmt.Printf("$ usher %s\n", shellWords(args))
	ctx, cancel := context.WithTimeout(v.ctx, time.Minute)
	defer cancel()
	outcome, err := v.usher.Run(ctx, args...)
	v.commands++
	printed := outcome.Stdout + outcome.Stderr
	if printed != "" {
		fmt.Println("    " + strings.ReplaceAll(strings.TrimRight(printed, "\n"), "\n", "\n    "))
	}
	if s.look {
		v.seen = outcome.Stdout
	}
	switch {
	case err != nil:
		return err
	case s.fails != "" && outcome.Exit == 0:
		return fmt.Errorf("usher %s succeeded and should not have", strings.Join(args, " "))
	case s.fails != "" && !strings.Contains(printed, s.fails):
		return fmt.Errorf("usher %s failed without naming %q", strings.Join(args, " "), s.fails)
	case s.fails == "" && outcome.Exit != 0:
		return outcome.Failed()
	case !strings.Contains(printed, s.want):
		return fmt.Errorf("usher %s did not print %q", strings.Join(args, " "), s.want)
	}
	return nil
}

// ref is the ref of the element that a word in braces names; any other word is itself. A snapshot line reads
//
//   - button "Pay 24.00" [ref=e12]
func (v *visit) ref(word string) (string, error) {
	name, braced := strings.CutPrefix(word, "{")
	if !braced {
		return word, nil
	}
	name = strings.TrimSuffix(name, "}")
	line := regexp.MustCompile(regexp.QuoteMeta(fmt.Sprintf("%q", name)) + ` \[[^\]]*\bref=(e\d+)`)
	found := line.FindStringSubmatch(v.seen)
	if found == nil {
		return "", fmt.Errorf("the last snapshot has no element named %q", name)
	}
	return "@" + found[1], nil
}

// shellWords shows a command as a person would type it.
func shellWords(args []string) string {
	shown := make([]string, len(args))
	for i, word := range args {
		shown[i] = word
		if word == "" || strings.ContainsAny(word, " ?#&()[]*'\"$") {
			shown[i] = "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
		}
	}
	return strings.Join(shown, " ")
}
