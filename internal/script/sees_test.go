package script

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"
)

// TestErrors runs the code of testdata/errors.txt, where ⏎ is a line's end. Below each is what the agent sees. Code after ! has a short
// time.
func TestErrors(t *testing.T) { seen(t, "errors.txt") }

// TestAbuse does so with the code of testdata/abuse.txt, which attacks the process, the bridge or the language. The engine runs other code
// after each.
func TestAbuse(t *testing.T) { seen(t, "abuse.txt") }

// shortTime is that of code which does not end.
const shortTime = 300 * time.Millisecond

func seen(t *testing.T, name string) {
	t.Parallel()
	e := newEngine(t)
	var golden strings.Builder
	for _, c := range cases(t, name) {
		if raceDetector && (strings.Contains(c.want, "out of memory") || strings.Contains(c.want, "stack overflow")) {
			continue // its shadow reaches the limit of the process before the engine reaches its own
		}
		code, short := strings.CutPrefix(c.code, "!")
		timeout := time.Minute
		if short {
			timeout = shortTime
		}
		r, err := e.Run(t.Context(), Run{Code: strings.ReplaceAll(code, "⏎", "\n"), Timeout: timeout, Call: AnyOrder(answer)})
		if err != nil {
			t.Fatal(c.code, err)
		}
		got := sight(r)
		if got != c.want && !*update {
			t.Errorf("%s\n got %s\nwant %s", c.code, got, c.want)
		}
		fmt.Fprintf(&golden, "%s\n  %s\n", c.code, strings.ReplaceAll(got, "\n", "\n  "))
		if r := run(t, e, "return await tab.echo(7)"); r.Text != "7" {
			t.Errorf("after %s: %+v", c.code, r)
		}
	}
	if *update {
		if err := os.WriteFile("testdata/"+name, []byte(golden.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// durations differ from run to run.
var durations = regexp.MustCompile(`\([\d.]+ m?s\)`)

// places of interrupted code do, too: the engine knows the last call only.
var places = regexp.MustCompile(`at line \d+`)

// sight is what an agent sees of a result.
func sight(r Result) string {
	var parts []string
	add := func(format string, args ...any) { parts = append(parts, fmt.Sprintf(format, args...)) }
	if r.Value != nil {
		add("value %s", shortened(string(r.Value)))
		if r.Text != string(r.Value) {
			add("text %s", shortened(r.Text))
		}
	}
	if e := r.Err; e != nil {
		add("%s", places.ReplaceAllString(durations.ReplaceAllString(e.Error(), "(…)"), "at line …"))
		if e.Line > 0 && !r.TimedOut { // of an interrupted call the engine knows about where
			add("line %d, column %d", e.Line, e.Column)
		}
		if frames := strings.Count(e.Stack, "\n"); frames > 1 {
			add("%d frames", frames)
		}
		for _, v := range [][2]string{{"hint", e.Hint}, {"code", e.Code}, {"data", string(e.Data)}} {
			if v[1] != "" {
				add("%s: %s", v[0], v[1])
			}
		}
		if e.Unhandled {
			add("unhandled")
		}
	}
	if r.TimedOut {
		add("timed out")
	}
	if r.Killed {
		add("killed")
	}
	if len(r.Waiting) > 0 {
		add("%d waiting, the first %s", len(r.Waiting), r.Waiting[0].Method)
	}
	if len(r.Outputs) > 0 {
		add("%d outputs, the first %s", len(r.Outputs), r.Outputs[0].Text)
	}
	if len(parts) == 0 {
		return "nothing"
	}
	return strings.Join(parts, "\n")
}

func shortened(s string) string {
	if len(s) > 200 {
		return fmt.Sprintf("%s… (%d bytes)", s[:200], len(s))
	}
	return s
}
