package element_test

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	jsonv2 "github.com/go-json-experiment/json"

	"github.com/usher-browser/usher/internal/cdptest"
	"github.com/usher-browser/usher/internal/element/locate"
	"github.com/usher-browser/usher/internal/verb/chain"
)

var update = flag.Bool("update", false, "write testdata/locators.txt and edges.txt anew, with what Playwright matches")

// locatorCase is a locator of Playwright, the chain for it, and the names of the elements that Playwright matches.
type locatorCase struct{ playwright, chain, matches string }

func readLocators(t *testing.T, locatorFile string) []locatorCase {
	t.Helper()
	text, err := os.ReadFile(locatorFile)
	ok(t, err)
	var list []locatorCase
	for block := range strings.SplitSeq(strings.TrimSpace(string(text)), "\n\n") {
		lines := strings.Split(block, "\n")
		if len(lines) != 3 || !strings.HasPrefix(lines[2], "=") {
			t.Fatalf("%s: %q is no locator, chain and matches", locatorFile, block)
		}
		list = append(list, locatorCase{lines[0], lines[1], strings.TrimSpace(lines[2][1:])})
	}
	return list
}

// TestPlaywrightLocators compares the matches of chains with those that Playwright had for the same page: locators.html is a page
// like many, edges.html has what is rare (roles out of context, form controls with names of properties, combinators across shadow
// roots). With a playwright-core in USHER_PLAYWRIGHT they are compared with its matches now: `make locators`.
func TestPlaywrightLocators(t *testing.T) {
	for _, name := range []string{"locators", "edges"} {
		t.Run(name, func(t *testing.T) { comparePlaywright(t, "testdata/"+name+".html", "testdata/"+name+".txt") })
	}
}

func comparePlaywright(t *testing.T, fixtureFile, locatorFile string) {
	fixture, err := os.ReadFile(fixtureFile)
	ok(t, err)
	p := page(t, string(fixture))
	p.eval("new Promise(done => document.readyState === 'complete' ? setTimeout(done, 0) : addEventListener('load', () => setTimeout(done, 0)))", nil)
	list := readLocators(t, locatorFile)
	if library := os.Getenv("USHER_PLAYWRIGHT"); library != "" {
		compareRecorded(t, locatorFile, list, playwrightMatches(t, library, p.text("location.href"), list))
	}
	for _, c := range list {
		names := namesOf(t, p, chained(t, c.chain))
		if got := strings.Join(names, " "); got != c.matches {
			t.Errorf("%s\n%s\nmatches    %s\nPlaywright %s", c.playwright, c.chain, got, c.matches)
		}
	}
}

// chained returns the target of a chain without refs.
func chained(t *testing.T, s string) locate.Target {
	t.Helper()
	parts, err := chain.Parse(s)
	if err != nil {
		t.Fatalf("%s: %v", s, err)
	}
	return locate.Target{By: locate.ByChain, Value: s, Parts: parts, Timeout: 3 * time.Second}
}

// namesOf returns the names that the page gave to what a target matches.
func namesOf(t *testing.T, p *tab, target locate.Target) []string {
	t.Helper()
	found, err := p.Refs(p.ctx(), target)
	if err != nil {
		t.Errorf("%s: %v", target, err)
	}
	names := make([]string, 0, len(found))
	for _, el := range found {
		name, err := p.Attribute(p.ctx(), el.Target(), "data-n")
		ok(t, err)
		if name == nil {
			t.Fatalf("%s: <%s> has no name", target, el.Tag)
		}
		names = append(names, *name)
	}
	return names
}

func playwrightMatches(t *testing.T, library, url string, list []locatorCase) []string {
	t.Helper()
	library, err := filepath.Abs(library)
	ok(t, err)
	codes := make([]string, len(list))
	for i, c := range list {
		codes[i] = c.playwright
	}
	input, err := jsonv2.Marshal(codes)
	ok(t, err)
	run := exec.CommandContext(within(t, 2*time.Minute), "node", "testdata/locators.mjs", library, cdptest.Chromium(t), url)
	run.Stdin, run.Stderr = strings.NewReader(string(input)), os.Stderr
	out, err := run.Output()
	ok(t, err)
	var results []struct {
		Matches []string `json:"matches"`
		Error   string   `json:"error"`
	}
	ok(t, jsonv2.Unmarshal(out, &results))
	matches := make([]string, len(list))
	for i, r := range results {
		if r.Error != "" {
			t.Errorf("Playwright: %s: %s", codes[i], r.Error)
		}
		matches[i] = strings.Join(r.Matches, " ")
	}
	return matches
}

// compareRecorded compares the recorded matches with those of Playwright now, or records these.
func compareRecorded(t *testing.T, locatorFile string, list []locatorCase, now []string) {
	t.Helper()
	var file strings.Builder
	for i := range list {
		if *update {
			list[i].matches = now[i]
		} else if list[i].matches != now[i] {
			t.Errorf("%s: %s has %q, and Playwright %q", locatorFile, list[i].playwright, list[i].matches, now[i])
		}
		if i > 0 {
			file.WriteString("\n")
		}
		file.WriteString(list[i].playwright + "\n" + list[i].chain + "\n" + strings.TrimSpace("= "+list[i].matches) + "\n")
	}
	if *update {
		ok(t, os.WriteFile(locatorFile, []byte(file.String()), 0o644))
	}
}
