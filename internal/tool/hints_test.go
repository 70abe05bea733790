package tool

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	commands "github.com/usher-browser/usher/internal/command"
	"github.com/usher-browser/usher/internal/verb"
)

// TestReplaceCommands: hints name tools in place of commands.
func TestReplaceCommands(t *testing.T) {
	for said, want := range map[string]string{
		"Chrome lets no extension end a script: close the tab with `tab close t1`, after `tab new` if it is the last one, or wait for it with a longer --timeout.": "Chrome lets no extension end a script: close the tab with browser_tabs with action close and tab t1, after browser_tabs with action new if it is the last one, or try again later.",
		"Stop the script with `tab interrupt`, or wait for it with a longer --timeout.":                                                                            "Stop the script with browser_tabs with action interrupt, or try again later.",
		"Close it with `tab close`, after `tab new` if it is the last one.":                                                                                        "Close it with browser_tabs with action close, after browser_tabs with action new if it is the last one.",
		"Switch to it with `tab t2`.":                                                          "Switch to it with browser_tabs with action switch and tab t2.",
		"Reopen the last page with `open https://example.com/a`.":                              "Reopen the last page with browser_navigate to https://example.com/a.",
		"answer with `interrupt answer i-1 allow` or `interrupt answer i-1 deny`":              "answer with `usher interrupt answer i-1 allow` in a shell or browser_dialog with dialog_id i-1 and action dismiss",
		"The work is large. Give it more time with --timeout; `reload` starts the page again.": "The work is large. Do less at once; browser_navigate to its address starts the page again.",
		"see `network requests`.":                                                              "see `usher network requests` in a shell.",
		"<url>: The address is empty. Usage: usher open [url] [-s|--snapshot]":                 "<url>: The address is empty.",
		"Usage: usher wait [target] [--state <visible|hidden>]":                                "",
		"A ref is @e and a number, such as @e4. Usage: usher click [selector] [--new-tab]":     "A ref is @e and a number, such as @e4.",
	} {
		if got := ReplaceCommands(said); got != want {
			t.Errorf("%s\nis %s\nwant %s", said, got, want)
		}
	}
}

// No tool runs the commands of these families: who reads their hints has a shell.
var (
	familiesWithoutTool = []string{"auth", "clipboard", "codegen", "debug", "diff", "emulation", "initscript", "plugin", "react", "record", "state", "webmcp"}
	commandsWithoutTool = []string{"addinitscript", "removeinitscript", "initscripts", "react", "auth", "clipboard", "trace", "profiler", "vitals", "a11y", "inspect", "codegen", "webmcp", "diff", "set", "record", "cookies", "storage", "state", "plugin", "connect", "device"}
)

// TestHintsNameTools: no hint in code that agents reach names a command that has a tool, or --timeout, which tools do
// not have.
func TestHintsNameTools(t *testing.T) {
	hint := regexp.MustCompile(`Hint\("((?:[^"\\]|\\.)*)"|^\t\{\w+, \d, \w+, "(?:[^"\\]|\\.)*", "((?:[^"\\]|\\.)*)"`)
	named := regexp.MustCompile("`([a-z]+)[^`]*`")
	verbs := map[string]bool{}
	for _, v := range verb.NewTable(commands.Grammar()...).All() {
		if first := strings.Fields(v.Name)[0]; !slices.Contains(commandsWithoutTool, first) {
			verbs[first] = true
		}
	}
	found := 0
	for _, pattern := range []string{"../command/*/*.go", "../element/*.go", "../session/*.go", "../session/*/*.go", "../api/codes.go"} {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %v", pattern, err)
		}
		for _, name := range files {
			if slices.Contains(familiesWithoutTool, filepath.Base(filepath.Dir(name))) {
				continue
			}
			source, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			for line := range strings.Lines(string(source)) {
				m := hint.FindStringSubmatch(line)
				if m == nil {
					continue
				}
				said := strings.ReplaceAll(strings.ReplaceAll(m[1]+m[2], "%s", "t1"), "%d", "1")
				found++
				got := ReplaceCommands(said)
				for _, c := range named.FindAllStringSubmatch(got, -1) {
					if verbs[c[1]] {
						t.Errorf("%s: %s\nsays to agents: %s", filepath.Base(name), said, got)
					}
				}
				if strings.Contains(got, "--timeout") {
					t.Errorf("%s: %s\nsays to agents: %s", filepath.Base(name), said, got)
				}
			}
		}
	}
	if found < 100 {
		t.Errorf("only %d hints were found", found)
	}
}
