package verb_test

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/usher-browser/usher/internal/command/act"
	. "github.com/usher-browser/usher/internal/verb"
)

//go:generate go test -run "TestGolden|TestDocs|TestReadme" -update

var update = flag.Bool("update", false, "rewrite the golden files and docs/COMMANDS.md from the table")

// golden compares text with a committed file, or rewrites the file.
func golden(t *testing.T, path, text string) {
	t.Helper()
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v; run go generate ./internal/verb", err)
	}
	if string(want) != text {
		t.Errorf("%s is not what the table makes; run go generate ./internal/verb and look at the difference", path)
	}
}

func TestGoldenHelp(t *testing.T) {
	var b strings.Builder
	topics := [][]string{nil, {"flags"}, {"config"}}
	for _, f := range table.Families() {
		topics = append(topics, []string{f.Name})
	}
	for i := range table.All() {
		topics = append(topics, strings.Fields(table.All()[i].Name))
	}
	for _, topic := range topics {
		text, err := table.Help(Usher, topic...)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&b, "-- help %s --\n%s", strings.Join(topic, " "), text)
	}
	golden(t, filepath.Join("testdata", "help.txt"), b.String())

	for row := range strings.Lines(b.String()) {
		if n := utf8.RuneCountInString(strings.TrimSuffix(row, "\n")); n > 110 {
			t.Errorf("a line of help has %d columns, more than 110: %s", n, row)
		}
	}

	overview, _ := table.Help(Usher)
	if len(overview) > 6000 {
		t.Errorf("the overview has %d bytes; an agent reads it whole, so it must stay under 6000", len(overview))
	}
	for i := range table.All() {
		first, _, _ := strings.Cut(table.All()[i].Name, " ")
		if !strings.Contains(overview, "\n  "+first) && !strings.Contains(overview, ", "+first) {
			t.Errorf("the overview does not name %s", first)
		}
	}
	for _, name := range regexp.MustCompile(`--[a-z-]+`).FindAllString(overview[strings.Index(overview, "\nFlags for every command"):], -1) {
		if GlobalFlag(name[2:]) == nil {
			t.Errorf("the overview names %s, which does not exist", name)
		}
	}
	for topic, want := range map[string]string{"get txt": "Did you mean get text?", "GET": "Did you mean get?", "tab nwe": "tab new", "deamon": "daemon"} {
		_, err := table.Help(Usher, strings.Fields(topic)...)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("help %s: %v, want %q", topic, err, want)
		}
		if _, err := table.Parse(append([]string{"help"}, strings.Fields(topic)...), Usher); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("parsing help %s: %v, want %q", topic, err, want)
		}
	}
	if _, err := table.Help(Usher, "nonsense"); err == nil {
		t.Error("help for a word that is no topic")
	}
	other, _ := table.Help(AgentBrowser, "doctor")
	if strings.Contains(other, "usher") {
		t.Errorf("called agent-browser, help says usher:\n%s", other)
	}
}

var shells = []string{"bash", "zsh", "fish", "powershell"}

func TestGoldenCompletion(t *testing.T) {
	for _, shell := range shells {
		script, err := table.Completion(shell, Usher)
		if err != nil {
			t.Fatal(err)
		}
		golden(t, filepath.Join("testdata", "completion."+shell), script)
		other, _ := table.Completion(shell, AgentBrowser)
		if strings.Contains(other, "usher") {
			t.Errorf("%s: the script for agent-browser names usher", shell)
		}
	}
	if _, err := table.Completion("tcsh", Usher); err == nil {
		t.Error("a script for a shell that is not known")
	}
}

// The script for bash is run in a bash, for a program with a dash in its name.
func TestBashCompletes(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Fatalf("find bash: %v", err)
	}
	script, err := table.Completion("bash", AgentBrowser)
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
		quoted := JoinWords(append([]string{"agent-browser"}, c.words...))
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

func TestDocs(t *testing.T) {
	golden(t, filepath.Join("..", "..", "docs", "COMMANDS.md"), commandsPage())
}

// commandsPage returns the reference of all commands for people.
func commandsPage() string {
	var b strings.Builder
	b.WriteString("# Commands\n\nMade from the verb table by `go generate ./internal/verb`; do not edit.\n\n" +
		"`<x>` is required, `[x]` is optional, `...` accepts all following words. A selector is a ref from the last snapshot\n" +
		"(`@e4`), CSS, `xpath=...` or `text=...`, in quotes (`text=\"Save\"`) for exactly that text. A time is a number of milliseconds, or has a unit: `500ms`, `30s`, `5m`, `1h`.\n")
	for _, g := range Groups() {
		b.WriteString("\n## " + string(g) + "\n")
		for i := range table.All() {
			v := &table.All()[i]
			if v.Group == g {
				describe(&b, v)
			}
		}
	}
	b.WriteString("\n## Flags of every command\n\nThey may stand anywhere on the line. A change of a flag marked *launch* needs a new browser.\n\n" +
		"| flag | meaning | default | takes effect | environment | key of `agent-browser.json` | project file |\n|---|---|---|---|---|---|---|\n")
	for _, f := range LineFlags() {
		env := "`" + f.UsherEnv() + "`"
		if f.Env != "" {
			env += ", `AGENT_BROWSER_" + f.Env + "`"
		}
		mayBeSet := "no"
		if f.ProjectMaySet {
			mayBeSet = "yes"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s | %s | %s |\n", cell(f.Pattern()), cell(f.Doc), code(f.Default), f.Scope, env, code(f.Key), mayBeSet)
	}
	b.WriteString("\n## Settings of your own file\n\nThese stand in `~/.usher/config.yaml` alone: no project's file, variable or flag sets them.\n\n" +
		"| setting | meaning | default | values |\n|---|---|---|---|\n")
	for _, f := range GlobalFlags() {
		if f.Own {
			fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", f.Section, cell(f.Doc), code(f.Default), strings.Join(f.Choices, ", "))
		}
	}
	return b.String()
}

func describe(b *strings.Builder, v *Verb) {
	fmt.Fprintf(b, "\n### %s\n\n`%s`\n\n%s%s.\n", v.Name, v.Pattern(), strings.ToUpper(v.Summary[:1]), v.Summary[1:])
	if v.Help != "" {
		b.WriteString("\n" + v.Help + "\n")
	}
	if len(v.Synonyms) > 0 {
		fmt.Fprintf(b, "\nAlso written: `%s`.\n", strings.Join(v.Synonyms, "`, `"))
	}
	if len(v.Args)+len(v.Flags) > 0 {
		b.WriteString("\n")
	}
	for i := range v.Args {
		fmt.Fprintf(b, "- `%s` %s\n", v.Args[i].ArgPattern(), v.Args[i].Doc)
	}
	for i := range v.Flags {
		if f := &v.Flags[i]; !f.Hidden {
			fmt.Fprintf(b, "- `%s` %s\n", f.Pattern(), f.FullDoc())
		}
	}
	b.WriteString("\n```sh\n")
	for _, e := range v.Examples {
		b.WriteString("usher " + e + "\n")
	}
	fmt.Fprintf(b, "```\n\nPolicy category `%s`; marks: %s.\n", v.Category, strings.Join(append(v.Marks.Names(), []string{"none"}[min(1, len(v.Marks.Names())):]...), ", "))
}

func cell(s string) string { return strings.ReplaceAll(s, "|", `\|`) }

func code(s string) string {
	if s == "" {
		return ""
	}
	return "`" + s + "`"
}
