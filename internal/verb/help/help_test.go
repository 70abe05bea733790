package help_test

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/usher-browser/usher/internal/program"
	"github.com/usher-browser/usher/internal/verb"
	"github.com/usher-browser/usher/internal/verb/help"
	"github.com/usher-browser/usher/internal/verb/settings"

	"github.com/usher-browser/usher/internal/cdptest/golden"
)

//go:generate go test -run Golden -update

var table = program.Table()

// TestGolden compares all of help with testdata/help.txt.
func TestGolden(t *testing.T) {
	var b strings.Builder
	topics := [][]string{nil, {"flags"}, {"config"}}
	for _, f := range table.Families() {
		topics = append(topics, []string{f.Name})
	}
	for i := range table.All() {
		topics = append(topics, strings.Fields(table.All()[i].Name))
	}
	for _, topic := range topics {
		text, err := help.Text(table, verb.Usher, topic...)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&b, "-- help %s --\n%s", strings.Join(topic, " "), text)
	}
	golden.Check(t, filepath.Join("testdata", "help.txt"), b.String(), "go generate ./internal/verb/help")

	for row := range strings.Lines(b.String()) {
		if n := utf8.RuneCountInString(strings.TrimSuffix(row, "\n")); n > 110 {
			t.Errorf("a line of help has %d columns, more than 110: %s", n, row)
		}
	}

	overview, _ := help.Text(table, verb.Usher)
	if len(overview) > 6000 {
		t.Errorf("the overview has %d bytes; an agent reads it whole, so it must stay under 6000", len(overview))
	}
	for i := range table.All() {
		first, _, _ := strings.Cut(table.All()[i].Name, " ")
		named := strings.Contains(overview, "\n  "+first) || strings.Contains(overview, ", "+first)
		if missing := verb.MissingCommand(first).Name != ""; named == missing { // only those that do something
			t.Errorf("the overview names %s: %v", first, named)
		}
	}
	for _, name := range regexp.MustCompile(`--[a-z-]+`).FindAllString(overview[strings.Index(overview, "\nFlags for every command"):], -1) {
		if verb.GlobalFlag(name[2:]) == nil {
			t.Errorf("the overview names %s, which does not exist", name)
		}
	}
	for topic, want := range map[string]string{"get txt": "Did you mean get text?", "GET": "Did you mean get?", "tab nwe": "tab new", "deamon": "daemon"} {
		_, err := help.Text(table, verb.Usher, strings.Fields(topic)...)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("help %s: %v, want %q", topic, err, want)
		}
		if _, err := table.Parse(append([]string{"help"}, strings.Fields(topic)...), verb.Usher); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("parsing help %s: %v, want %q", topic, err, want)
		}
	}
	if _, err := help.Text(table, verb.Usher, "nonsense"); err == nil {
		t.Error("help for a word that is no topic")
	}
	other, _ := help.Text(table, verb.AgentBrowser, "doctor")
	if strings.Contains(other, "usher") {
		t.Errorf("called agent-browser, help says usher:\n%s", other)
	}
}

// The help of settings has every key.
func TestSettings(t *testing.T) {
	text, err := help.Text(table, verb.Usher, "config")
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range settings.All() {
		if s.Example == "" || s.Type == "" || s.Default == "" || s.Doc == "" {
			t.Errorf("%s lacks a type, default, example or meaning: %+v", s.Key, s)
		}
		if !strings.Contains(text, s.YAML()+"\n") {
			t.Errorf("help config does not tell of %s", s.Key)
		}
	}
	line := strings.Join(strings.Fields(text), " ") // as if nothing had been wrapped
	for _, f := range verb.LineFlags() {
		if f.Name != "config" && !strings.Contains(line, f.UsherEnv()+"; --"+f.Name) {
			t.Errorf("help config does not tell of --%s", f.Name)
		}
	}
	one, err := help.Text(table, verb.Usher, "config", "viewport")
	if err != nil || !strings.HasPrefix(one, "viewport: 1280x720@2\n") || strings.Contains(one, "headed") {
		t.Errorf("help config viewport: %v\n%s", err, one)
	}
	if _, err := help.Text(table, verb.Usher, "config", "viewprot"); err == nil || !strings.Contains(err.Error(), "Did you mean help config viewport?") {
		t.Errorf("help for a setting that does not exist: %v", err)
	}
}
