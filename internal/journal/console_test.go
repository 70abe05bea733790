package journal_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/target"

	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/cdptest"
	"github.com/usher-browser/usher/internal/journal"
)

func TestConsoleText(t *testing.T) {
	w := watch(t)
	site := cdptest.NewSite(t)
	tab := w.open(site.URL("/small"))
	for _, c := range []struct{ script, kind, text string }{
		{`console.log('plain words', 1, true, null, undefined, 'more')`, "log", "plain words 1 true null undefined more"},
		{`console.log({key: 'value', n: 1, deep: {a: 1}, f() {}, get g() { return 1 }})`, "log", "{key: 'value', n: 1, deep: {…}, f: ƒ, g: (…)}"},
		{`console.log([1, 'two', [3]], [])`, "log", "[1, 'two', Array(1)] []"},
		{`console.log(new Map([['k', {v: 1}]]), new Set([1]))`, "log", "Map(1) {'k' => {v: 1}} Set(1) {1}"},
		{`console.warn('a %s of %d and %i, %f %o %c%%', 'line', '42.9px', 7.9, 1.5, {a: 'b'}, 'color: red', 'rest', 2)`, "warning", "a line of 42 and 7, 1.5 {a: 'b'} % rest 2"},
		{`console.info('%s')`, "info", "%s"},
		{`console.log('100%', 'done %d', 5)`, "log", "100% done %d 5"},
		{`console.debug(-0, NaN, 12345678901234567890n, Infinity, Symbol('s'))`, "debug", "-0 NaN 12345678901234567890n Infinity Symbol(s)"},
		{`console.log(document.querySelector('h1'), /a+/g, () => 1)`, "log", "h1 /a+/g () => 1"},
		{`console.log(new (class Thing { x = "it's" }))`, "log", `Thing {x: 'it\'s'}`},
		{`console.log(new Uint8Array([1, 2]))`, "log", "Uint8Array(2) [1, 2]"},
		{`console.assert(false, 'not so')`, "assert", "not so"},
		{`console.log('\u001b[31mred\u001b[0m\n[error] forged')`, "log", "\x1b[31mred\x1b[0m\n[error] forged"},
	} {
		w.journal.ClearConsole(tab)
		w.eval(tab, c.script)
		messages, _ := w.journal.Console(tab)
		if len(messages) != 1 {
			t.Errorf("%s: %d messages", c.script, len(messages))
			continue
		}
		m := messages[0]
		if m.Type != c.kind || m.Text != c.text {
			t.Errorf("%s:\n got %s %q\nwant %s %q", c.script, m.Type, m.Text, c.kind, c.text)
		}
		if string(m.Frame) != string(tab) || m.Timestamp < 1e12 {
			t.Errorf("%s: frame %s at %d", c.script, m.Frame, m.Timestamp)
		}
	}
	w.eval(tab, `console.log(1, 'two')`)
	messages, _ := w.journal.Console(tab)
	if m := messages[len(messages)-1]; fmt.Sprint(m.Args) != `[{"type":"number","value":1,"description":"1"} {"type":"string","value":"two"}]` {
		t.Errorf("args are %s", m.Args)
	}
}

func TestConsolePage(t *testing.T) {
	w := watch(t)
	site := cdptest.NewSite(t)
	tab := w.open(site.URL("/console?auto"))
	w.until("all is told", func() bool {
		errors, _ := w.journal.Errors(tab)
		return len(errors) == 2
	})
	messages, _ := w.journal.Console(tab)
	var lines []string
	for _, m := range messages {
		lines = append(lines, m.Type+" "+m.Text)
		if m.URL != site.URL("/console?auto") || m.Line < 20 || m.Column < 1 {
			t.Errorf("%s stands at %s:%d:%d", m.Text, m.URL, m.Line, m.Column)
		}
	}
	if got := strings.Join(lines, "; "); got != "log early line; warning early warning; error early error" {
		t.Errorf("got %s", got)
	}
	errors, _ := w.journal.Errors(tab)
	texts := map[string]bool{}
	for _, e := range errors {
		texts[e.Text] = true
		if e.URL != site.URL("/console?auto") || e.Line < 20 || !strings.Contains(e.Stack, "\n    at ") || e.Timestamp < 1e12 {
			t.Errorf("error is %+v", e)
		}
	}
	if !texts["Uncaught RangeError: early throw"] || !texts["Uncaught (in promise) Error: early rejection"] {
		t.Errorf("errors are %+v", errors)
	}

	w.journal.ClearConsole(tab)
	if n := w.journal.ClearErrors(tab); n != 2 {
		t.Errorf("%d errors were cleared", n)
	}
	w.eval(tab, `document.getElementById('worker').click()`)
	w.until("the worker is told of", func() bool {
		m, _ := w.journal.Console(tab)
		e, _ := w.journal.Errors(tab)
		return len(m) > 0 && len(e) > 0
	})
	messages, _ = w.journal.Console(tab)
	errors, _ = w.journal.Errors(tab)
	if len(messages) != 1 || messages[0].Text != "from a worker" || !messages[0].Worker {
		t.Errorf("the worker said %+v", messages)
	}
	for _, e := range errors {
		if e.Text != "Uncaught Error: in a worker" {
			t.Errorf("the worker threw %+v", e)
		}
	}

	w.eval(tab, `document.getElementById('flood').click()`)
	w.until("the flood is over", func() bool {
		m, _ := w.journal.Console(tab)
		return m[len(m)-1].Text == "line 5000"
	})
	messages, dropped := w.journal.Console(tab)
	if len(messages) != journal.DefaultLimits.Messages || dropped != 5001-len(messages) || messages[0].Text != "line 3001" {
		t.Errorf("%d messages, %d dropped, the first %q", len(messages), dropped, messages[0].Text)
	}
	w.eval(tab, `document.getElementById('long').click()`)
	messages, _ = w.journal.Console(tab)
	long := messages[len(messages)-1]
	if len(long.Text) > 300<<10 || !strings.HasSuffix(long.Text, "xxx… (cut)") || len(long.Args[0]) > 64<<10 {
		t.Errorf("a line of a million letters is kept with %d and %d bytes", len(long.Text), len(long.Args[0]))
	}
}

func TestThrownValues(t *testing.T) {
	w := watch(t)
	site := cdptest.NewSite(t)
	tab := w.open(site.URL("/small"))
	for i, script := range []string{
		`setTimeout(() => { throw 'a word' })`,
		`setTimeout(() => { throw {code: 7} })`,
		`setTimeout(() => Promise.reject(undefined))`,
		`setTimeout(() => { window.late = Promise.reject(new Error('caught later')) })`,
		`setTimeout(() => { throw new Error('two\nlines') })`,
	} {
		w.eval(tab, script)
		w.until(script+" is told", func() bool {
			errors, _ := w.journal.Errors(tab)
			return len(errors) == i+1
		})
	}
	w.eval(tab, `late.catch(() => {}), new Promise(done => setTimeout(done))`)
	w.until("the promise is known to be caught", func() bool {
		errors, _ := w.journal.Errors(tab)
		for _, e := range errors {
			if e.Handled {
				return true
			}
		}
		return false
	})
	errors, _ := w.journal.Errors(tab)
	var lines []string
	for _, e := range errors {
		lines = append(lines, fmt.Sprintf("%s %v", e.Text, e.Handled))
	}
	got := strings.Join(lines, "\n")
	want := `Uncaught a word false
Uncaught {code: 7} false
Uncaught (in promise) undefined false
Uncaught (in promise) Error: caught later true
Uncaught Error: two
lines false`
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestRecordsEndWithTheirTab(t *testing.T) {
	w := watch(t)
	site := cdptest.NewSite(t)
	one, two := w.open(site.URL("/small?one")), w.open(site.URL("/small?two"))
	w.eval(one, `console.log('one')`)
	w.eval(two, `console.log('two')`)
	w.eval(one, `console.log('three')`)
	messages, _ := w.journal.Console(one, two)
	if len(messages) != 3 || messages[0].Text != "one" || messages[1].Text != "two" || messages[2].Text != "three" {
		t.Errorf("both tabs say %+v", messages)
	}
	if got := w.journal.Tabs(w.context); len(got) != 2 {
		t.Errorf("the context has %v", got)
	}
	if _, err := cdp.Do(w.deadline(), w.Session(""), target.CloseTarget, target.CloseTargetParams{TargetID: target.ID(one)}); err != nil {
		t.Fatal(err)
	}
	w.until("the tab is gone", func() bool { return w.State().Tabs[one] == nil })
	if got := w.journal.Tabs(w.context); len(got) != 1 || got[0] != two {
		t.Errorf("after one was closed the context has %v", got)
	}
	if messages, _ := w.journal.Console(one); len(messages) != 0 {
		t.Errorf("the closed tab still says %+v", messages)
	}
}
