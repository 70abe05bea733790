package main

import (
	"context"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/usher-browser/usher/internal/cdptest"
)

const playwrightTools = "browser,playwright"

// execute runs code with the tool execute. It returns the content without marks, an image as its type, and the structured result.
func (a agent) execute(code string, more ...any) (content string, data map[string]any) {
	a.t.Helper()
	args := map[string]any{"code": code}
	for i := 0; i+1 < len(more); i += 2 {
		args[more[i].(string)] = more[i+1]
	}
	return a.contentOf("execute", args)
}

// contentOf calls a tool, and returns its content as execute does.
func (a agent) contentOf(name string, args map[string]any) (content string, data map[string]any) {
	a.t.Helper()
	ctx, cancel := context.WithTimeout(a.t.Context(), cdptest.Timeout)
	defer cancel()
	res, err := a.CallTool(ctx, &mcp.CallToolParams{Name: name, Arguments: args})
	if err != nil {
		a.t.Fatalf("%s %v: %v", name, args, err)
	}
	var texts []string
	for _, c := range res.Content {
		switch c := c.(type) {
		case *mcp.TextContent:
			texts = append(texts, unmarked(c.Text))
		case *mcp.ImageContent:
			texts = append(texts, c.MIMEType)
		}
	}
	data, _ = res.StructuredContent.(map[string]any)
	if data == nil || data["success"] == res.IsError {
		a.t.Fatalf("%s %v: isError %v, %v", name, args, res.IsError, res.StructuredContent)
	}
	return strings.Join(texts, "\n"), data
}

// TestExecuteTool: what code returns is what the agent gets; state and its live objects are there in the next call, until reset.
func TestExecuteTool(t *testing.T) {
	site := cdptest.NewSite(t)
	a, shell := connectAgent(t, nil, "--toolsets", playwrightTools)
	list, err := a.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, tool := range list.Tools {
		if tool.Name == "execute" && len(tool.Description) > 3_000 {
			t.Errorf("the description has %d bytes", len(tool.Description))
		}
	}
	small, forms := site.URL("/small"), site.URL("/forms")
	for _, c := range []struct{ code, want string }{
		{"page.url()", "about:blank"}, // the browser starts by itself
		{"await page.goto('" + small + "')", "[response 200 " + small + "]"},
		{"await page.title()", "Small"},
		{"return 'a \\n b'", "a \n b"},
		{"return {b: 1, a: [2]}", "{\n  \"b\": 1,\n  \"a\": [\n    2\n  ]\n}"},
		{"return null", "null"},
		{"const quiet = 1", "(nothing was returned)"},
		{"console.log('said'); return 1", "said\n1"},
		{"await page.screenshot()", "image/png"},
		{"return {shot: await page.screenshot(), n: 1}", "image/png\n{\n  \"shot\": \"[image/png"},
		{"return await page.pdf()", "[application/pdf"},
		{"page", "[page " + small + "]"},
		{"[page.locator('h1'), page.mainFrame(), context]", "[\n  \"[locator h1]\",\n  \"[page " + small + "]\",\n  \"[the context]\"\n]"},
		{"await page.evaluateHandle(() => document.body)", "return what you need of it"},
		{"async () => 1", "[a function: call it"},
		{"const a = {}; a.self = a; return a", "\"self\": \"[Circular]\""},
		{"await screenshotWithAccessibilityLabels()", "image/png\n"},
		// state
		{"state.n = 1; state.page = page; state.body = await page.$('body'); state.handle = await page.evaluateHandle(() => ({deep: {n: 7}})); state.add = (x) => x + state.n", "(nothing"},
		{"return [state.n, state.page === page, await state.body.evaluate((b) => b.tagName), await state.handle.evaluate((h) => h.deep.n), state.add(2)].join()", "1,true,BODY,7,3"},
		{"state = {replaced: true}", ""},
		{"return state.replaced", "true"},
		{"context.pages().length", "1"},
		{"state.second = await context.newPage(); await state.second.goto('" + forms + "')", "(nothing"},
		{"page === state.second && page.url()", forms}, // a new page is the active one
		{"await snapshot({search: 'Five letters', showDiffSinceLastCall: false})", "textbox \"Five letters\""},
		{"const ref = /textbox \"Text\".*ref=(e\\d+)/.exec(await snapshot({showDiffSinceLastCall: false}))[1]; await refToLocator({ref}).fill('Ada'); return await page.locator(refToLocator({ref})).inputValue()", "Ada"},
		{"await snapshot()", "Ada"},
		{"await snapshot()", "(nothing changed)"},
		{"await page.locator('#text').fill('Bob'); return (await snapshot()).includes('Bob') && (await snapshot({selector: '#form', interactiveOnly: true})).includes('Bob')", "true"},
		{"const s = await getCDPSession({page}); return (await s.send('DOM.getDocument')).root.nodeName", "#document"},
		{"await waitForPageLoad({timeout: 5000})", "\"readyState\": \"complete\""},
		{"await page.evaluate(() => { console.log('one'); console.warn('two') }); return await getLogs({count: 1})", "[warning] two"},
		{"await clearLogs(); await page.evaluate(() => console.error('three')); return (await getLogs()).length + (await getLogs({search: /thr/})).join()", "1[error] three"},
		{"await cleanHTML('fieldset', {search: 'One'})", "<input id=\"r1\" type=\"radio\" name=\"radio\" value=\"one\">"},
		{"(await pageMarkdown()).split('\\n')[0]", "# Forms"},
		{"page.once('dialog', d => d.accept('x')); return await page.evaluate(() => prompt('name?'))", "x"},
		{"page.on('dialog', d => d.accept('later'))", "[page "},
		{"await page.evaluate(() => prompt('again?'))", "later"}, // a listener goes on in later calls
		{"new URL('/a?b=1', 'http://x').searchParams.get('b') + Buffer.from('hi').toString('hex')", "16869"},
		{"await context.cookies()", "[]"},
	} {
		content, data := a.execute(c.code)
		if data["success"] != true || !strings.Contains(content, c.want) {
			t.Errorf("%s: %q, %v, wanted %q", c.code, content, data, c.want)
		}
	}
	if content, _ := a.contentOf("reset", nil); content != "The state was reset. The browser and its tabs stay." {
		t.Errorf("reset: %q", content)
	}
	if content, _ := a.execute("return Object.keys(state).length + ' ' + page.url() + ' ' + page.listenerCount('dialog')"); content != "0 "+forms+" 0" {
		t.Errorf("after reset: %q", content)
	}
	if content, _ := a.contentOf("reset", nil); !strings.HasPrefix(content, "The state") {
		t.Errorf("reset again: %q", content)
	}
	if content, _ := a.contentOf("reset", nil); content != "There was no state to reset." {
		t.Errorf("reset of nothing: %q", content)
	}
	if out := shell("--session", "shared", "tab", "list"); strings.Count(out, "[t") != 2 {
		t.Errorf("the command line sees\n%s", out)
	}
}

// TestExecuteDescription: every call that the description of the tool shows works.
func TestExecuteDescription(t *testing.T) {
	site := cdptest.NewSite(t)
	a, _ := connectAgent(t, nil, "--toolsets", playwrightTools)
	list, err := a.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	doc := ""
	for _, tool := range list.Tools {
		if tool.Name == "execute" {
			doc = tool.Description
		}
	}
	a.execute("await page.goto('" + site.URL("/small") + "')")
	setUp := "await page.setContent('<a href=\"/forms\" target=_blank>a</a><button>b</button>')"
	for _, c := range []struct{ shown, code, want string }{
		{`await page.goto("https://example.com"); return await snapshot()`, `await page.goto("` + site.URL("/forms") + `"); return await snapshot()`, "Every control"},
		{`await refToLocator({ref: "e5"}).click()`, setUp + `; const ref = /button.*ref=(e\d+)/.exec(await snapshot({showDiffSinceLastCall: false}))[1]; await refToLocator({ref}).click(); return 1`, "1"},
		{`return await page.screenshot()`, `return await page.screenshot()`, "image/png"},
		{`page.once("dialog", d => d.accept())`, `page.once("dialog", d => d.accept()); return await page.evaluate(() => confirm("?"))`, "true"},
		{`const [popup] = await Promise.all([page.waitForEvent("popup"), page.click("a")]); state.popup = popup`, setUp + `; const [popup] = await Promise.all([page.waitForEvent("popup"), page.click("a")]); state.popup = popup; await popup.waitForURL("**/forms"); return popup.url()`, site.URL("/forms")},
		{`context (pages(), newPage(), cookies(), waitForEvent("page"), ...)`, `const [p] = await Promise.all([context.waitForEvent("page"), context.newPage()]); await p.close(); return [context.pages().length > 0, await context.cookies()]`, "true"},
		{`snapshot({selector, frame, locator, interactiveOnly, search, showDiffSinceLastCall})`, `return [await snapshot({selector: "body"}), await snapshot({frame: page.mainFrame(), interactiveOnly: true}), await snapshot({locator: page.locator("body"), search: "text"})].length`, "3"},
		{`waitForPageLoad({timeout})`, `return (await waitForPageLoad({timeout: 3000})).success`, "true"},
		{`getLogs({count, search}), clearLogs()`, `await clearLogs(); return await getLogs({count: 5, search: "x"})`, "[]"},
		{`screenshotWithAccessibilityLabels({selector})`, `return await screenshotWithAccessibilityLabels({selector: "body"})`, "image/jpeg"},
		{`cleanHTML(selector, {search}), pageMarkdown({search})`, `return [await cleanHTML("body", {search: "a"}), await pageMarkdown({search: "a"})].length`, "2"},
		{`getCDPSession({page})`, `await (await getCDPSession({page})).send("DOM.getDocument"); return 2`, "2"},
	} {
		if !strings.Contains(doc, c.shown) {
			t.Errorf("the description does not show %s", c.shown)
		}
		if content, data := a.execute(c.code); data["success"] != true || !strings.Contains(content, c.want) {
			t.Errorf("%s: %q, %v", c.code, content, data)
		}
	}
}

// TestExecuteNews: pages that open and close, and dialogs that wait, are told with the result.
func TestExecuteNews(t *testing.T) {
	site := cdptest.NewSite(t)
	a, shell := connectAgent(t, nil, "--toolsets", playwrightTools)
	a.execute("await page.goto('" + site.URL("/small") + "')")
	content, data := a.execute("await page.setContent('<a href=\"/forms\" target=_blank>a</a>'); await page.click('a'); await wait(() => context.pages().length > 1)")
	if !strings.Contains(content, "warning: a new page opened: context.pages()[1] (") || len(data["warnings"].([]any)) != 1 {
		t.Errorf("a popup: %q, %v", content, data)
	}
	if content, data = a.execute("const p = await context.newPage(); await p.close()"); data["warnings"] != nil {
		t.Errorf("the code's own page: %q", content)
	}
	content, _ = a.execute("await context.pages()[1].close(); return 1") // its own doing, too
	if content != "1" {
		t.Errorf("a page that the code closed: %q", content)
	}
	shell("--session", "shared", "tab", "new", site.URL("/forms"))
	if content, _ = a.execute("return page.url()"); !strings.Contains(content, site.URL("/forms")) || !strings.Contains(content, "a new page opened") {
		t.Errorf("a page that somebody opened: %q", content)
	}
	shell("--session", "shared", "tab", "close")
	if content, _ = a.execute("return page.url()"); !strings.Contains(content, "closed ("+site.URL("/forms")+")") {
		t.Errorf("a page that somebody closed: %q", content)
	}
	content, data = a.execute("setTimeout(() => {}, 1); await page.evaluate(() => { setTimeout(() => alert('hey'), 0) }); await wait(300); return 2")
	if !strings.Contains(content, "2") || !strings.Contains(content, `alert "hey"`) {
		t.Errorf("a dialog: %q, %v", content, data)
	}
	a.must("browser_dialog", map[string]any{"action": "accept"})
	content, data = a.execute("const gone = page; await context.newPage(); await gone.close(); return await gone.title()")
	if data["success"] != false || !strings.Contains(content, "closed") {
		t.Errorf("a closed page: %q, %v", content, data)
	}
	if content, data = a.execute("return page.url()"); data["success"] != true {
		t.Errorf("after the page was closed: %q, %v", content, data)
	}
}

// TestExecuteAbuse: code that misbehaves ends, says why, and leaves client, state and browser usable.
func TestExecuteAbuse(t *testing.T) {
	site := cdptest.NewSite(t)
	a, _ := connectAgent(t, nil, "--toolsets", playwrightTools)
	a.execute("await page.goto('" + site.URL("/small") + "'); state.kept = {n: 1, when: new Date(0), map: new Map([['a', [1]]])}; state.kept.self = state.kept; state.page = page")
	for _, c := range []struct {
		code, errorCode, says string
		timeout               any
	}{
		{"while (true) {}", "timeout", "did not finish within 1.5 s", 1500},
		{"for (;;) await null", "timeout", "did not finish within 500 ms", 500},
		{"await new Promise(() => {})", "timeout", "did not finish within 500 ms", 500},
		{"await page.evaluate(() => { while (true) {} })", "timeout", "The tab can be used again", 1000},
		{"process.exit()", "evaluation_failed", "There is no process", nil},
		{"require('fs')", "evaluation_failed", "There is no require", nil},
		{"fetch('http://127.0.0.1:1')", "evaluation_failed", "There is no fetch", nil},
		{"setTimeout.constructor('return process.pid')()", "evaluation_failed", "process", nil},
		{"await page.click('#nowhere', {timeout: 200})", "element_not_found", "#nowhere", nil},
		{"await snapshot({serach: 'x'})", "evaluation_failed", "has no option serach", nil},
		{"refToLocator({ref: 'button'})", "evaluation_failed", "no ref of a snapshot", nil},
		{"await refToLocator({ref: 'e999'}).click({timeout: 200})", "unknown_ref", "e999", nil},
		{"console.log('so far'); null.x", "evaluation_failed", "TypeError", nil},
		{" ", "missing_argument", "empty", nil},
		{"let x = ;", "evaluation_failed", "SyntaxError", nil},
		{"const a = []; for (;;) a.push('x'.repeat(1e6) + a.length)", "evaluation_failed", "memory", nil},
	} {
		args := []any{}
		if c.timeout != nil {
			args = append(args, "timeout", c.timeout)
		}
		began := time.Now()
		content, data := a.execute(c.code, args...)
		if data["code"] != c.errorCode || !strings.Contains(content, c.says) || !strings.Contains(data["error"].(string)+" "+content, c.says) {
			t.Errorf("%s: %q, %v after %v", c.code, content, data, time.Since(began))
		}
		if content, _ = a.execute("const k = state.kept; return [k.n, k.when.getTime(), k.map.get('a')[0], k.self === k, await page.title()].join()"); !strings.HasSuffix(content, "1,0,1,true,Small") {
			t.Errorf("after %s: %q", c.code, content)
		}
	}
	content, data := a.execute("'Zürich '.repeat(43000)")
	if len([]rune(content)) > 25_200 || !strings.Contains(content, "cut off after 25000 of 301000 characters; all of it is in ") {
		t.Errorf("much text: %d characters, %.300q", len(content), content)
	}
	_, path, _ := strings.Cut(data["result"].(string), "all of it is in ")
	if text, err := os.ReadFile(strings.TrimSpace(path)); err != nil || len([]rune(string(text))) != 301_000 {
		t.Errorf("the file: %d bytes, %v", len(text), err)
	}
	for _, tamper := range []string{
		"Object.prototype.then = () => {}", "Array.prototype.map = null", "Object.getPrototypeOf(page).title = async () => 'forged'",
		"globalThis.Promise = null", "Object.defineProperty(globalThis, 'page', {value: 1, configurable: false})", "globalThis.__proto__ = null", "console.log = null",
	} {
		a.execute(tamper)
		a.contentOf("reset", nil)
		if content, data := a.execute("return [1].map((x) => x + 1)[0] + await page.title()"); content != "2Small" {
			t.Errorf("after %s and reset: %q, %v", tamper, content, data)
		}
	}
	a.execute("state.self = state; state.f = () => {}; state.page = page")
	a.execute("while (true) {}", "timeout", 300)
	if content, _ := a.execute("return [state.self === state, typeof state.f, typeof state.page].join()"); !strings.Contains(content, "state.f, state.page") || !strings.HasSuffix(content, "true,undefined,undefined") {
		t.Errorf("state after code that was stopped: %q", content)
	}
}

// TestExecuteClients: two clients have a state each; calls of one run one after the other; a reset ends the running code; and what
// a client kept ends when it leaves.
func TestExecuteClients(t *testing.T) {
	site := cdptest.NewSite(t)
	a, _ := connectAgent(t, nil, "--toolsets", playwrightTools)
	other, server := a.another()
	a.execute("await page.goto('" + site.URL("/small") + "'); state.who = 'first'")
	if content, _ := other.execute("return typeof state.who + ' ' + await page.title()"); content != "undefined Small" {
		t.Errorf("the other client: %q", content)
	}
	other.execute("state.who = 'second'")
	if content, _ := a.execute("state.who"); content != "first" {
		t.Errorf("the first client: %q", content)
	}
	type answer struct {
		content string
		data    map[string]any
	}
	ended := make(chan answer, 2)
	run := func(code string) {
		content, data := a.execute(code, "timeout", 60_000)
		ended <- answer{content, data}
	}
	go run("await page.evaluate(() => { document.title = 'running' }); await new Promise(() => {})")
	waitTitle := func(want string) {
		for deadline := time.Now().Add(cdptest.Timeout); time.Now().Before(deadline); {
			if content, _ := other.execute("await page.title()"); content == want {
				return
			}
		}
		t.Fatalf("the title is never %q", want)
	}
	waitTitle("running")
	if content, _ := a.contentOf("reset", nil); !strings.HasPrefix(content, "The state was reset") {
		t.Errorf("reset: %q", content)
	}
	if got := <-ended; got.data["code"] != "cancelled" || !strings.Contains(got.content, "its state was reset") {
		t.Errorf("the code that was reset: %q, %v", got.content, got.data)
	}
	for range 2 {
		go run("state.n = (state.n ?? 0) + 1; const n = state.n; await page.title(); return [n, state.n].join()")
	}
	if one, two := (<-ended).content, (<-ended).content; one == two || one != "1,1" && one != "2,2" {
		t.Errorf("two calls at once: %q and %q", one, two)
	}
	if content, _ := other.execute("state.who"); content != "second" {
		t.Errorf("the other client after the reset of the first: %q", content)
	}
	if err := other.Close(); err != nil {
		t.Errorf("the other server ended badly: %v", err)
	}
	_ = server
	if content, data := a.execute("return state.n"); content != "2" {
		t.Errorf("after the other has left: %q, %v", content, data)
	}
}
