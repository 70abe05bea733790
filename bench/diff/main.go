// Command diff runs the same commands on the same pages through agent-browser from npm and through usher called by that name,
// both with --json, and prints every field in which the answers differ. A difference is either a fault, or an improvement
// that improvements.txt states with its reason; it exits 1 while there are unstated ones.
//
//	make diff
//	make diff DIFF='-scenario find -v'
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/usher-browser/usher/internal/cdptest"
	"github.com/usher-browser/usher/internal/cdptest/peer"
	"github.com/usher-browser/usher/internal/cdptest/program"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	faults, err := run(ctx)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "diff:", err)
	}
	if err != nil || faults > 0 {
		os.Exit(1)
	}
}

func run(ctx context.Context) (faults int, err error) {
	choose := flag.String("scenario", "", "run the scenarios whose name matches this regular expression")
	binary := flag.String("binary", "bin/agent-browser", "usher by its other name")
	verbose := flag.Bool("v", false, "print both answers of every command that differs")
	flag.Parse()
	wanted, err := regexp.Compile(*choose)
	if err != nil {
		return 0, fmt.Errorf("read -scenario: %w", err)
	}
	meant, err := improvements(stated)
	if err != nil {
		return 0, err
	}
	all, err := scenarios(commands)
	if err != nil {
		return 0, err
	}
	site, err := cdptest.Open()
	if err != nil {
		return 0, err
	}
	defer site.Close()
	theirs, err := peer.AgentBrowser(ctx, "bench/package.json", ".cache/bench")
	if err != nil {
		return 0, err
	}
	defer end(theirs)
	ours, err := peer.Usher(*binary)
	if err != nil {
		return 0, fmt.Errorf("%w; run make build", err)
	}
	defer end(ours)

	if _, err := exec.LookPath("ffmpeg"); err != nil {
		fmt.Println("without ffmpeg, agent-browser cannot record: the commands of the scenario record differ for that reason")
	}

	r := &report{meant: meant, verbose: *verbose, sites: strings.NewReplacer("{site}", strings.TrimSuffix(site.URL(""), "/"), "{cross}", strings.TrimSuffix(site.Cross(""), "/"))}
	for _, s := range all {
		if !wanted.MatchString(s.name) {
			continue
		}
		fmt.Printf("\n== %s\n", s.name)
		if err := r.scenario(ctx, s, theirs, ours); err != nil {
			return r.faults, fmt.Errorf("%s: %w", s.name, err)
		}
	}
	r.end(*choose == "")
	return r.faults, nil
}

// end ends all that a program left running.
func end(p *program.Program) {
	if _, err := p.End(); err != nil {
		fmt.Fprintf(os.Stderr, "end %s: %v\n", p.Name, err)
	}
}

// report gathers differences and prints them as they are found.
type report struct {
	meant    []*improvement
	verbose  bool
	sites    *strings.Replacer
	commands int
	alike    int
	improved int
	faults   int
}

func (r *report) scenario(ctx context.Context, s scenario, theirs, ours *program.Program) error {
	sides := [2]*player{}
	for i, pattern := range []*program.Program{theirs, ours} {
		fresh, err := pattern.Again()
		if err != nil {
			return err
		}
		defer end(fresh)
		sides[i] = &player{program: fresh, sites: r.sites, ids: map[string]string{}}
		for _, f := range s.files {
			if err := os.WriteFile(filepath.Join(fresh.Home, f.name), []byte(r.sites.Replace(f.content)), 0o600); err != nil {
				return err
			}
		}
	}
	for _, step := range s.steps {
		var answers [2]answer
		for i, side := range sides {
			var err error
			if answers[i], err = side.play(ctx, step); err != nil {
				if ctx.Err() != nil {
					return context.Cause(ctx)
				}
				// It differs from the other's answer, whatever that is.
				answers[i] = answer{decoded: map[string]any{"unanswered by " + side.program.Name: err.Error()}}
			}
		}
		r.judge(step.String(), answers[0], answers[1])
	}
	return nil
}

func (r *report) judge(command string, theirs, ours answer) {
	r.commands++
	found := compare("$", theirs.decoded, ours.decoded)
	if theirs.exit != ours.exit {
		found = append(found, difference{field: "exit", kind: "exit", theirs: fmt.Sprint(theirs.exit), ours: fmt.Sprint(ours.exit)})
	}
	if len(found) == 0 {
		r.alike++
		return
	}
	fmt.Printf("%s\n", command)
	for _, d := range gather(found) {
		d.command = command
		verdict := "DIFFERS"
		if i := covers(r.meant, d); i != nil {
			verdict = "meant: " + i.why
			r.improved++
		} else {
			r.faults++
		}
		fmt.Printf("    %-8s %-34s theirs %s, ours %s   [%s]\n", d.kind, d.field, orNone(d.theirs), orNone(d.ours), verdict)
	}
	if r.verbose {
		fmt.Printf("    theirs: %s\n    ours:   %s\n", strings.TrimSpace(theirs.raw), strings.TrimSpace(ours.raw))
	}
}

func orNone(text string) string {
	if text == "" {
		return "-"
	}
	return text
}

func (r *report) end(whole bool) {
	fmt.Printf("\n%d commands: %d alike; %d fields differ as stated, %d differ and should not\n", r.commands, r.alike, r.improved, r.faults)
	for _, i := range r.meant {
		if whole && !i.used {
			fmt.Printf("stated but not seen: %s | %s | %s\n", i.command, i.field, i.why)
		}
	}
}

// player is one program going through a scenario.
type player struct {
	program *program.Program
	sites   *strings.Replacer
	refs    map[string]string // accessible name to ref, of the last snapshot
	ids     map[string]string // the last id of each kind: request, confirmation
}

// answer is what a program said to one command.
type answer struct {
	decoded any
	raw     string
	exit    int
}

func (p *player) play(ctx context.Context, step step) (answer, error) {
	args := make([]string, 0, len(step.words)+1)
	for _, word := range step.words {
		filled, err := p.fill(word)
		if err != nil {
			return answer{}, err
		}
		args = append(args, filled)
	}
	ctx, cancel := context.WithTimeout(ctx, 40*time.Second)
	defer cancel()
	var input []byte
	if step.input != "" {
		input = []byte(p.sites.Replace(step.input))
	}
	outcome, err := p.program.RunInput(ctx, input, append(args, "--json")...)
	if err != nil {
		return answer{}, err
	}
	a := answer{raw: outcome.Stdout, exit: outcome.Exit}
	if err := json.Unmarshal([]byte(outcome.Stdout), &a.decoded); err != nil {
		a.decoded = map[string]any{"unreadable": outcome.Stdout + outcome.Stderr}
	}
	p.remember(a.decoded)
	return a, nil
}

func (p *player) fill(word string) (string, error) {
	word = p.sites.Replace(strings.ReplaceAll(word, "{home}", p.program.Home))
	if !strings.HasPrefix(word, "{") || !strings.HasSuffix(word, "}") || word == "{}" || strings.Contains(word, "\"") {
		return word, nil
	}
	name := word[1 : len(word)-1]
	if name == "request" || name == "confirmation" {
		if p.ids[name] == "" {
			return "", fmt.Errorf("there was no %s", name)
		}
		return p.ids[name], nil
	}
	ref, known := p.refs[name]
	if !known {
		return "", fmt.Errorf("the last snapshot has no element named %q", name)
	}
	return "@" + ref, nil
}

// remember keeps the refs and ids that later steps may name.
func (p *player) remember(decoded any) {
	envelope, _ := decoded.(map[string]any)
	data, _ := envelope["data"].(map[string]any)
	if refs, is := data["refs"].(map[string]any); is {
		p.refs = map[string]string{}
		for ref, described := range refs {
			if element, is := described.(map[string]any); is {
				p.refs[fmt.Sprint(element["name"])] = ref
			}
		}
	}
	if requests, is := data["requests"].([]any); is && len(requests) > 0 {
		if last, is := requests[len(requests)-1].(map[string]any); is {
			p.ids["request"] = fmt.Sprint(last["requestId"])
		}
	}
	if id, is := data["confirmation_id"].(string); is {
		p.ids["confirmation"] = id
	}
}
