package completion_test

import (
	"bytes"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/usher-browser/usher/internal/command/act"
	"github.com/usher-browser/usher/internal/program"
	"github.com/usher-browser/usher/internal/verb"
	"github.com/usher-browser/usher/internal/verb/completion"
	"github.com/usher-browser/usher/internal/verb/shell"

	"github.com/usher-browser/usher/internal/cdptest/golden"
)

//go:generate go test -run TestGolden -update

var table = program.Table()

var shells = []string{"bash", "zsh", "fish", "powershell"}

// TestGolden compares the scripts with those in testdata.
func TestGolden(t *testing.T) {
	for _, shell := range shells {
		script, err := completion.Script(table, shell, verb.Usher)
		if err != nil {
			t.Fatal(err)
		}
		golden.Check(t, filepath.Join("testdata", "completion."+shell), script, "go generate ./internal/verb/completion")
		other, _ := completion.Script(table, shell, verb.AgentBrowser)
		if strings.Contains(other, "usher") {
			t.Errorf("%s: the script for agent-browser names usher", shell)
		}
	}
	if _, err := completion.Script(table, "tcsh", verb.Usher); err == nil {
		t.Error("a script for a shell that is not known")
	}
}

// The script for bash is run in a bash, for a program with a dash in its name.
func TestBashCompletes(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Fatalf("find bash: %v", err)
	}
	script, err := completion.Script(table, "bash", verb.AgentBrowser)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		words []string
		want  []string
	}{
		{[]string{"sna"}, []string{"snapshot"}},
		{[]string{"go"}, []string{"goto"}},
		{[]string{"get", "t"}, []string{"text", "title"}},
		{[]string{"--session", "x", "get", "ti"}, []string{"title"}},
		{[]string{"scroll", "u"}, []string{"up"}},
		{[]string{"snapshot", "--int"}, []string{"--interactive"}},
		{[]string{"back", "--hea"}, []string{"--headed", "--headers"}},
		{[]string{"--color-scheme", "d"}, []string{"dark"}},
		{[]string{"--session", "d"}, nil},
		{[]string{"completion", ""}, shells},
		{[]string{"dae"}, []string{"daemon"}},
		{[]string{"daemon", ""}, []string{"status", "stop", "run"}},
		{[]string{"help", "daem"}, []string{"daemon"}},
		{[]string{"help", "fl"}, []string{"flags"}},
		{[]string{"help", "is", ""}, []string{"visible", "enabled", "checked"}},
		{[]string{"help", "get", "text", ""}, nil},
		{[]string{"find", "role", "button", ""}, act.FindActions()},
		{[]string{"find", "nth", "2", "li", "hov"}, []string{"hover"}},
		{[]string{"find", "role", "button", "--name", "x", "dbl"}, []string{"dblclick"}},
		{[]string{"open", ""}, nil},
		{[]string{"click", "a"}, nil},
		{[]string{"pdf", "comp"}, []string{"completion.go"}},
		{[]string{"screenshot", "comp"}, []string{"completion.go"}},
		{[]string{"upload", "comp"}, nil},
		{[]string{"upload", "#a", "comp"}, []string{"completion.go"}},
		{[]string{"upload", "#a", "b", "comp"}, []string{"completion.go"}},
		{[]string{"--config", "=", "comp"}, []string{"completion.go"}},
		{[]string{"--color-scheme", "=", "d"}, []string{"dark"}},
		{[]string{"open", "--color-scheme", "="}, []string{"dark", "light", "no-preference"}},
		{[]string{"--color-scheme=d"}, []string{"--color-scheme=dark"}},
		{[]string{"--color-scheme", "=", "dark", "sna"}, []string{"snapshot"}},
	} {
		quoted := shell.Join(append([]string{"agent-browser"}, c.words...))
		program := script + "\nCOMP_WORDS=(" + quoted + ")\nCOMP_CWORD=$((${#COMP_WORDS[@]}-1))\n_agent_browser\nprintf '%s\\n' \"${COMPREPLY[@]}\"\n"
		cmd := exec.Command(bash, "--norc", "--noprofile")
		cmd.Stdin = strings.NewReader(program)
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		out, err := cmd.Output()
		if err != nil || stderr.Len() > 0 {
			t.Fatalf("%q: %v\n%s", c.words, err, &stderr)
		}
		got := strings.Fields(string(out))
		slices.Sort(got)
		want := slices.Clone(c.want)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("%q completes to %q, want %q", c.words, got, want)
		}
	}
}
