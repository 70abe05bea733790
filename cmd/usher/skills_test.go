package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/usher-browser/usher/internal/program"
	"github.com/usher-browser/usher/internal/skills"
	"github.com/usher-browser/usher/internal/verb"
	"github.com/usher-browser/usher/internal/verb/shell"
)

// skillCommands returns the command lines of a text, without the program's name: those in blocks of code, by the heading
// above, and those in the running text, under "".
func skillCommands(content string) map[string][]string {
	out := map[string][]string{}
	heading, inBlock := "", false
	inline := regexp.MustCompile("`usher ([^`]+)`")
	for line := range strings.SplitSeq(content, "\n") {
		switch {
		case strings.HasPrefix(line, "```"):
			inBlock = !inBlock
		case inBlock:
			line = regexp.MustCompile(`\s+# .*$`).ReplaceAllString(line, "")
			if command, ok := strings.CutPrefix(line, "usher "); ok {
				out[heading] = append(out[heading], command)
			} else if m := regexp.MustCompile(`\$\(usher ([^)]+)\)`).FindStringSubmatch(line); m != nil {
				out[""] = append(out[""], m[1])
			}
		case strings.HasPrefix(line, "#"):
			heading = strings.TrimLeft(line, "# ")
		default:
			for _, m := range inline.FindAllStringSubmatch(line, -1) {
				out[""] = append(out[""], m[1])
			}
		}
	}
	return out
}

// TestSkillCommands checks that every command line of the skills is accepted by the parser, under both names.
func TestSkillCommands(t *testing.T) {
	all, err := skills.BuiltIn()
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, k := range all {
		if k.Description == "" || !strings.HasPrefix(k.Content, "---\nname: "+k.Name+"\n") {
			t.Errorf("%s has no description, or a head with another name", k.Name)
		}
		for _, lines := range skillCommands(k.Content) {
			for _, line := range lines {
				n++
				line, _, _ = strings.Cut(strings.ReplaceAll(line, "$SESSION", "s"), " < ") // standard input
				words, err := shell.Split(line)
				if err == nil {
					_, err = program.Table().Parse(words, verb.AgentBrowser)
				}
				if err == nil {
					_, err = program.Table().Parse(words, verb.Usher)
				}
				if err != nil && !strings.Contains(line, "<") { // a placeholder
					t.Errorf("%s: usher %s: %v", k.Name, line, err)
				}
			}
		}
	}
	if n < 150 {
		t.Errorf("only %d command lines were found in the skills", n)
	}
}

// skillPage is what the flows of the skills are run on in place of example.com.
const skillPage = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Example</title><h1>Example</h1>
<form onsubmit="return false"><label>Name <input id="name"></label> <button id="go" onclick="thanks.textContent='Thank you, '+document.querySelector('#name').value">Send</button>
<label>E-mail <input type="email"></label></form>
<button id="load" onclick="fetch('/data.json').then(r=>r.text())">Load</button>
<a href="#more">More</a><p id="thanks"></p><p id="banner">Banner</p><ul id="cart"><li>Tea, total 3</li></ul></html>`

// TestSkillFlows runs the main flows of the skills, as they are printed, in a real browser.
func TestSkillFlows(t *testing.T) {
	t.Parallel()
	all, err := skills.BuiltIn()
	if err != nil {
		t.Fatal(err)
	}
	s := startHostile(t, map[string]string{"/": skillPage, "/data.json": `[{"n":1}]`})
	if err := os.Mkdir(filepath.Join(s.p.Home, "qa"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, flow := range []struct {
		skill, heading string
		before         []string // commands that the text expects to have been run
		want           string   // in the output of one of the commands
	}{
		{skill: "core", heading: "The loop", want: `button "Send" [ref=e3]`},
		{skill: "core", heading: "Read", before: []string{"open https://example.com", "snapshot -i"}, want: "total 3"},
		{skill: "login", heading: "A state as a file", want: "visited=yes"},
		{skill: "network", heading: "Answer or block requests", before: []string{"open https://example.com"}, want: "[]"},
		{skill: "network", heading: "Bad connections", before: []string{"open https://example.com"}, want: "slow-3g"},
		{skill: "debug", heading: "What went wrong?", want: "events --since"},
		{skill: "debug", heading: "How fast is it?", before: []string{"open https://example.com"}, want: "Trace saved"},
		{skill: "debug", heading: "Show it", before: []string{"open https://example.com"}, want: "bug.webm"},
		{skill: "dogfood", heading: "Prove it", want: "1.webm"},
		{skill: "derive-client", heading: "Record", want: "data.json"},
	} {
		t.Run(flow.skill+" "+flow.heading, func(t *testing.T) {
			lines := flow.before
			for _, k := range all {
				if k.Name == flow.skill {
					lines = append(lines, skillCommands(k.Content)[flow.heading]...)
				}
			}
			if len(lines) < 2+len(flow.before) {
				t.Fatalf("the skill %s has no commands under %q", flow.skill, flow.heading)
			}
			var printed strings.Builder
			for _, line := range lines {
				words, err := shell.Split(strings.ReplaceAll(line, "https://example.com", s.url))
				if err != nil {
					t.Fatal(err)
				}
				out, err := s.p.Run(t.Context(), words...)
				if err == nil {
					err = out.Failed()
				}
				if err != nil {
					t.Fatalf("usher %s: %v\nbefore it:\n%s", line, err, printed.String())
				}
				printed.WriteString("$ " + line + "\n" + out.Stdout + out.Stderr)
			}
			if _, err := s.p.Run(t.Context(), "close", "--all"); err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(printed.String(), flow.want) {
				t.Errorf("nothing printed %q:\n%s", flow.want, printed.String())
			}
		})
	}
}
