package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/usher-browser/usher/internal/cdptest"
	"github.com/usher-browser/usher/internal/cdptest/program"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"usher": main, "agent-browser": main, "usher-reader": main, "usher-script": main, "stranger": actAsOtherUser})
}

// TestScripts runs the acceptance tests: the real program, a daemon and a browser
// of its own for each script, and the fixture site.
//
// Besides what testscript offers, a script has
//
//	reply <json>          the last standard output is exactly this; … stands for anything
//	keep NAME <a.b.c>     puts a field of the JSON that was printed last into a variable
//	end <pid>             kills a process at once
//	gone <pid>            waits until a process is gone
//	idle                  waits until no process of the script is left
//	try <command>         runs a command that may fail or not
//	retry <command>       runs a command until it succeeds
//	playwright            attaches Playwright to that browser, without a listener for dialogs
//	joins URL             lets Playwright join a session at an address
//	storagestate save|load FILE  lets Playwright save a state, or load one and print what it finds
//	listeners <n>         n TCP sockets of processes of the script's daemon listen (Linux)
//	texts NAME            writes what help and other texts print, under both names of the program, to a file
//	browser               starts a browser of the script's own; $BROWSER_PORT, $BROWSER_PID
//
// and $SITE, $CROSS (another site), $SECURE (https, certificate unknown).
func TestScripts(t *testing.T) {
	site := cdptest.NewSite(t)
	chromium := cdptest.Chromium(t)
	testscript.Run(t, testscript.Params{
		Dir:                filepath.Join("testdata", "script"),
		ContinueOnError:    true,
		RequireUniqueNames: true,
		Setup: func(env *testscript.Env) error {
			// Run is not used: the scripts start the program themselves, marked as this one's.
			p, err := program.New("usher", chromium, "USHER_HOME={home}/u", "USHER_EXECUTABLE_PATH="+chromium)
			if err != nil {
				return err
			}
			for _, assignment := range p.Env {
				name, value, _ := strings.Cut(assignment, "=")
				env.Setenv(name, value)
			}
			env.Setenv("SITE", strings.TrimSuffix(site.URL(""), "/"))
			env.Setenv("CROSS", strings.TrimSuffix(site.Cross(""), "/"))
			env.Setenv("SECURE", strings.TrimSuffix(site.Secure(""), "/"))
			env.Values["program"] = p
			env.Defer(func() {
				if _, err := p.End(); err != nil {
					t.Errorf("clear up after a script: %v", err)
				}
			})
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"reply": reply, "keep": keep, "end": end, "gone": gone, "idle": idle, "browser": browser, "try": try,
			"retry": retry, "playwright": playwright, "listeners": listeners, "storagestate": storageState, "joins": joins,
			"texts": texts,
		},
	})
}

func texts(ts *testscript.TestScript, _ bool, args []string) {
	var all strings.Builder
	for _, line := range []string{"", "--help", "help flags", "help config viewport", "click --help", "help --json get", "help nosuch", "--help --nosuch",
		"clik --help", "version --json", "completion fish", "completion tcsh", "config schema", "session --session shop", "session --json", "session id",
		"skills list", "skills get core", "skills get core --full --json", "skills get nosuch", "skills get"} {
		for _, name := range []string{"usher", "agent-browser"} {
			err := ts.Exec(name, strings.Fields(line)...)
			fmt.Fprintf(&all, "$ %s %s\n%s%s%v\n", name, line, ts.ReadFile("stdout"), ts.ReadFile("stderr"), err)
		}
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(all.String()), 0o600))
}

func reply(ts *testscript.TestScript, neg bool, args []string) {
	var pattern strings.Builder
	for i, part := range strings.Split(strings.Join(args, " "), "…") {
		if i > 0 {
			pattern.WriteString("(?s:.*?)")
		}
		pattern.WriteString(regexp.QuoteMeta(part))
	}
	got := strings.TrimSuffix(ts.ReadFile("stdout"), "\n")
	if regexp.MustCompile("^"+pattern.String()+"$").MatchString(got) == neg {
		ts.Fatalf("printed\n%s\nwanted (unless negated)\n%s", got, strings.Join(args, " "))
	}
}

func keep(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: keep NAME path.of.field")
	}
	var value any
	ts.Check(json.Unmarshal([]byte(ts.ReadFile("stdout")), &value))
	for name := range strings.SplitSeq(args[1], ".") {
		switch v := value.(type) {
		case map[string]any:
			value = v[name]
		case []any:
			i, err := strconv.Atoi(name)
			ts.Check(err)
			value = v[i]
		}
	}
	switch v := value.(type) {
	case string:
		ts.Setenv(args[0], v)
	case float64:
		ts.Setenv(args[0], strconv.FormatFloat(v, 'f', -1, 64))
	default:
		ts.Fatalf("%s is %v", args[1], value)
	}
}

func try(ts *testscript.TestScript, _ bool, args []string) {
	// Whether it fails depends on who is first; the script looks at what came of it.
	_ = ts.Exec(args[0], args[1:]...)
}

func retry(ts *testscript.TestScript, _ bool, args []string) {
	for deadline := time.Now().Add(eventually); ; time.Sleep(50 * time.Millisecond) {
		err := ts.Exec(args[0], args[1:]...)
		if err == nil {
			return
		}
		if time.Now().After(deadline) {
			ts.Fatalf("still fails: %v", err)
		}
	}
}

func process(ts *testscript.TestScript, args []string) *os.Process {
	if len(args) != 1 {
		ts.Fatalf("usage: <command> <pid>")
	}
	pid, err := strconv.Atoi(args[0])
	ts.Check(err)
	p, err := os.FindProcess(pid)
	ts.Check(err)
	return p
}

func end(ts *testscript.TestScript, _ bool, args []string) { ts.Check(process(ts, args).Kill()) }

// eventually is how long something that must happen may take on a busy machine.
const eventually = 15 * time.Second

func gone(ts *testscript.TestScript, neg bool, args []string) {
	p := process(ts, args)
	if neg {
		if !alive(p) {
			ts.Fatalf("process %s is gone", args[0])
		}
		return
	}
	for deadline := time.Now().Add(eventually); alive(p); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			ts.Fatalf("process %s is still there", args[0])
		}
	}
}

func idle(ts *testscript.TestScript, _ bool, _ []string) {
	p := ts.Value("program").(*program.Program)
	for deadline := time.Now().Add(eventually); ; time.Sleep(20 * time.Millisecond) {
		living, err := p.Processes()
		ts.Check(err)
		if len(living) == 0 {
			return
		}
		if time.Now().After(deadline) {
			ts.Fatalf("still there: %v", living)
		}
	}
}

func browser(ts *testscript.TestScript, _ bool, _ []string) {
	b, err := cdptest.Start()
	ts.Check(err)
	ts.Defer(b.Close)
	ts.Setenv("BROWSER_PORT", strconv.Itoa(b.Port))
	ts.Setenv("BROWSER_PID", strconv.Itoa(b.PID))
}
