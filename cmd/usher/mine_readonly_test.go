package main

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/usher-browser/usher/internal/cdptest"
)

// set changes the settings as the popup does, and waits until the relay knows them.
func (o *owner) set(settings, shown string) {
	o.t.Helper()
	o.evaluate(o.popup, "chrome.storage.local.set({settings: "+settings+"})")
	for limit := time.Now().Add(cdptest.Timeout); !strings.Contains(o.usher("relay", "status"), shown); {
		if time.Now().After(limit) {
			o.t.Fatalf("the settings do not arrive: %s", o.usher("relay", "status"))
		}
	}
}

// TestReadOnly: while the user allows reading only, everything that reads works, and everything that acts is refused with the reason.
func TestReadOnly(t *testing.T) {
	o := newOwner(t)
	site := cdptest.NewSite(t)
	page := o.page(site.URL("/forms"))
	o.until(page, "document.readyState", `"complete"`)
	o.usher("--browser", "mine", "tab", "list")
	o.set("{readOnly: true, mode: 'auto'}", "read-only")
	o.usher("--browser", "mine", "tab", "t2")
	before := o.evaluate(page, "document.documentElement.outerHTML + scrollY")
	for _, c := range []struct{ command, want string }{
		{"snapshot -i", `textbox "Text" [ref=e2]`}, {"snapshot --find Telephone", "Telephone"}, {"get text h1", "Every control"},
		{"get html h1", "Every control"}, {"get attr #text name", "text"}, {"get value #readonly", "fixed"}, {"is visible h1", "true"},
		{"is enabled #text", "true"}, {"get count input", ""}, {"get box h1", ""}, {"get styles h1", "font-size"},
		{"wait h1", ""}, {"wait --text Telephone", ""}, {"generate-locator h1", "getByRole"}, {"read", "Every control"},
		{"storage local", ""}, {"vitals", ""}, {"eval document.title", "Forms"}, {"cookies", ""}, {"screenshot", "Screenshot saved"},
		{"get text @e2", ""}, {"console", ""}, {"errors", ""}, {"network requests", ""}, {"tab list", "Forms"},
		{"diff snapshot", ""}, {"find role heading text", "Every control"},
	} {
		out, err := o.try(append([]string{"--browser", "mine"}, strings.Fields(c.command)...)...)
		if err != nil || !strings.Contains(out, c.want) || strings.Contains(out, "page_script_failed") {
			t.Errorf("%s: %v, want %q in\n%s", c.command, err, c.want, out)
		}
	}
	for code, want := range map[string]string{
		"return await page.title()":                                                      `"Forms"`,
		"return await page.evaluate(() => document.title)":                               `"Forms"`,
		"return await page.evaluate((a) => ({a, b: [1]}), 'x')":                          `{"a":"x","b":[1]}`,
		"return await page.locator('h1').first().textContent()":                          `"Every control"`,
		"return await page.evaluate(() => ({n: NaN, d: [-0]}))":                          `{"d":[0],"n":null}`,
		"return (await page.$$eval('h1', (l) => l.map((e) => ({t: e.textContent}))))[0]": `{"t":"Every control"}`,
		"return await tab.evaluate('location.pathname')":                                 `"/forms"`,
	} {
		out, err := o.try("--browser", "mine", "--json", "run", "--code", code)
		var got struct {
			Data struct{ Value json.RawMessage }
		}
		if err != nil || json.Unmarshal([]byte(out), &got) != nil || string(got.Data.Value) != want {
			t.Errorf("%s: %v, want %s in\n%s", code, err, want, out)
		}
	}
	for _, c := range []string{
		"click h1", "fill #text x", "type #text x", "press Enter", "hover h1", "check #checkbox", "select #one red", "scroll down 100", "scrollintoview #rich",
		"focus #text", "reload", "open " + site.URL("/small"), "cookies set a b", "storage local set a b", "tab close t2", "screenshot h1", "cdp Page.reload {}",
		"drag h1 #text", "dblclick h1", "find role heading click",
	} {
		out, err := o.try(append([]string{"--browser", "mine", "--json"}, strings.Fields(c)...)...)
		var got struct{ Code string }
		_ = json.Unmarshal([]byte(out), &got)
		if err == nil || got.Code != "user_refused" || !strings.Contains(out, "the user allows reading only (settings of usher's extension in Chrome)") {
			t.Errorf("%s: %v\n%s", c, err, out)
		}
	}
	out, err := o.try("--browser", "mine", "eval", "document.title = 'changed'")
	if err == nil || !strings.Contains(out, "the user allows reading only") {
		t.Errorf("a script that changes something: %v\n%s", err, out)
	}
	if now := o.evaluate(page, "document.documentElement.outerHTML + scrollY"); now != before {
		t.Errorf("the page has changed from\n%s\nto\n%s", before, now)
	}
	o.usher("--browser", "mine", "tab", "new")
	o.usher("--browser", "mine", "tab", "close") // which is not the user's
}
