package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/usher-browser/usher/internal/cdptest"
)

var update = flag.Bool("update", false, "write what was seen into testdata/execute.golden")

// varying are the parts of texts that differ from run to run.
var varying = []struct {
	what *regexp.Regexp
	as   string
}{
	{regexp.MustCompile(`http://127\.0\.0\.1:\d+`), "SITE"},
	{regexp.MustCompile(`not reconnected within \d+s`), "not reconnected within TIME"},
	{regexp.MustCompile(`all of it is in \S+`), "all of it is in FILE"},
	{regexp.MustCompile(`(x{100})x{1000,}`), "$1…"},
}

// TestExecuteGolden checks the texts that an agent reads of execute and reset in the user's Chrome, word for word: results, the limit of output,
// errors, and what the user's settings refuse. A line of the golden file that begins with ">" is the code.
func TestExecuteGolden(t *testing.T) {
	site := cdptest.NewSite(t)
	o := newOwner(t)
	user := o.page(site.URL("/small"))
	o.until(user, "document.title", `"Small"`)
	a := o.agent(t, "golden")
	var seen strings.Builder
	note := func(what, content string, data map[string]any) {
		text := "> " + what + "\n" + content
		for _, v := range varying {
			text = v.what.ReplaceAllString(text, v.as)
		}
		fmt.Fprintln(&seen, text)
		if code, ok := data["code"]; ok {
			fmt.Fprintf(&seen, "code: %v\n", code)
		}
		seen.WriteString("\n")
	}
	run := func(code string, more ...any) {
		content, data := a.execute(code, more...)
		note(code, content, data)
	}
	set := func(settings, shown string) {
		o.evaluate(o.popup, "chrome.storage.local.set({settings: "+settings+"})")
		for limit := time.Now().Add(cdptest.Timeout); !strings.Contains(o.usher("relay", "status"), shown); {
			if time.Now().After(limit) {
				t.Fatalf("no %q in %s", shown, o.usher("relay", "status"))
			}
		}
		fmt.Fprintf(&seen, "# The user sets %s\n\n", settings)
	}

	run("state.page = context.pages().find((p) => p.url().endsWith('/small')); return await state.page.title()")
	run("return {title: await state.page.title(), tags: ['a', 1, null, true]}")
	run("console.log('said'); console.warn({a: 1})")
	run("return [undefined, null, '', 0]")
	run("state.page")
	run("await snapshot({locator: state.page.locator('body'), showDiffSinceLastCall: false})")
	run("return 'x'.repeat(30000)")
	run("await state.page.click('#nowhere', {timeout: 300})")
	run("await page.request.get('/small')")
	run("return null.x")
	run("throw new Error('of my own')")
	run("let x = ;")
	run("require('fs')")
	run("await new Promise(() => {})", "timeout", 500)
	run("while (true) {}", "timeout", 500)
	run(" ")
	run("await context.browser().newContext()")
	run("const p = await context.newPage(); await p.close(); return await p.title()")
	content, data := a.contentOf("reset", nil)
	note("reset", content, data)
	run("return Object.keys(state).length")

	set("{noNewTabs: true}", "no-new-tabs")
	run("await context.newPage()")
	set("{lockUrl: true, instructions: 'Only read the desk.'}", "lock-url")
	run("await context.pages().find((p) => p.url().endsWith('/small')).goto('" + site.URL("/forms") + "')")
	set("{readOnly: true}", "read-only")
	run("const p = context.pages().find((p) => p.url().endsWith('/small')); return await p.evaluate(() => document.title)")
	run("await context.pages().find((p) => p.url().endsWith('/small')).evaluate(() => { document.title = 'changed' })")
	run("await context.pages().find((p) => p.url().endsWith('/small')).click('h1', {timeout: 2000})")
	o.usher("relay", "stop")
	seen.WriteString("# The relay ends\n\n")
	content, data = a.execute("return context.pages().length")
	note("return context.pages().length", content, data)

	golden := filepath.Join("testdata", "execute.golden")
	if *update {
		if err := os.WriteFile(golden, []byte(seen.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	wants, gots := strings.Split(string(want), "\n\n"), strings.Split(seen.String(), "\n\n")
	for i := range max(len(wants), len(gots)) {
		w, g := "", ""
		if i < len(wants) {
			w = wants[i]
		}
		if i < len(gots) {
			g = gots[i]
		}
		if w != g {
			t.Fatalf("the agent reads\n%s\nthe golden file has\n%s", g, w)
		}
	}
}
