package help_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/usher-browser/usher/internal/verb"
	"github.com/usher-browser/usher/internal/verb/help"

	"github.com/usher-browser/usher/internal/cdptest/golden"
)

// TestDropinGolden compares help under the name agent-browser with testdata/agent-browser.txt.
func TestDropinGolden(t *testing.T) {
	var b strings.Builder
	for _, topic := range append([]string{""}, firstWords()...) {
		text, err := help.Text(table, verb.AgentBrowser, strings.Fields(topic)...)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&b, "-- help %s --\n%s", topic, text)
		if strings.Contains(text, "usher ") || !strings.HasPrefix(text, "Usage: agent-browser ") {
			t.Errorf("help %s under the name agent-browser:\n%s", topic, text)
		}
	}
	golden.Check(t, filepath.Join("testdata", "agent-browser.txt"), b.String(), "go generate ./internal/verb/help")
}

// firstWords returns the first word of every command, once.
func firstWords() []string {
	var out []string
	for i := range table.All() {
		if first, _, _ := strings.Cut(table.All()[i].Name, " "); !slices.Contains(out, first) {
			out = append(out, first)
		}
	}
	return out
}

// TestNotation checks that agent-browser's notation tells only of what exists: each verb that notation.go names is in
// the table, and each of its forms begins with the verb and has only flags that it takes.
func TestNotation(t *testing.T) {
	source, err := os.ReadFile("notation.go")
	if err != nil {
		t.Fatal(err)
	}
	verbs, _, _ := strings.Cut(string(source), "// valueNames")
	quoted := regexp.MustCompile(`"([^"]+)"`)
	flag := regexp.MustCompile(`--([a-z-]+)`)
	n := 0
	for _, line := range regexp.MustCompile(`(?m)^\tcase .*:$`).FindAllString(verbs, -1) {
		for _, m := range quoted.FindAllStringSubmatch(line, -1) {
			name := m[1]
			v := table.Find(name)
			if v == nil {
				t.Errorf("notation.go names %s, which is not a command", name)
				continue
			}
			n++
			first, _, _ := strings.Cut(name, " ")
			for _, form := range help.Notation(name) {
				if !strings.HasPrefix(form, first) {
					t.Errorf("a form of %s is %q", name, form)
				}
				for _, f := range flag.FindAllStringSubmatch(form, -1) {
					own := slices.ContainsFunc(v.Flags, func(g verb.Flag) bool { return g.Name == f[1] })
					if !own && verb.GlobalFlag(f[1]) == nil {
						t.Errorf("%q has --%s, which %s does not take", form, f[1], name)
					}
				}
			}
		}
	}
	if n < 50 {
		t.Errorf("only %d verbs with a notation were found in notation.go", n)
	}
}

// Programs look these up in help: names of flags with the names of their values, and environment variables.
func TestDropinTokens(t *testing.T) {
	for topic, tokens := range map[string][]string{
		"":           {"fill <sel> <text>", "wait <sel|ms>", "Get Info:  agent-browser get <what> [selector]", "--max-output <chars>", "AGENT_BROWSER_DEFAULT_TIMEOUT", "--cdp <port>", "HTTP_PROXY / HTTPS_PROXY", "--restore-check-fn <js>", "AGENT_BROWSER_STATE_EXPIRE_DAYS", "agent-browser -p ios device list"},
		"key":        {"Usage: agent-browser press <key>", "Aliases: key"},
		"open":       {"its aliases still require a URL."},
		"find":       {"action  click, fill, check, hover, text, "},
		"close":      {"Aliases: quit, exit"},
		"eval":       {"-b, --base64"},
		"state":      {"rename <old-name> <new-name>", "clear [session-name] [--all]"},
		"auth":       {"--username <user>", "--submit-selector <s>", "--password-stdin"},
		"network":    {"request <requestId>", "--content <mode>", "--status <code>"},
		"wait":       {"--url <pattern>", "--fn <expression>"},
		"profiler":   {"--categories <list>"},
		"a11y":       {"-s, --selector <css>", "--tags <tag1,tag2>"},
		"screenshot": {"--full, -f", "screenshot [selector] [path]"},
	} {
		text, err := help.Text(table, verb.AgentBrowser, strings.Fields(topic)...)
		if err != nil {
			t.Fatal(err)
		}
		for _, token := range tokens {
			if !strings.Contains(text, token) {
				t.Errorf("help %s under the name agent-browser lacks %q", topic, token)
			}
		}
	}
}
