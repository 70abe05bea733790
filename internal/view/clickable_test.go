package view_test

import (
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/usher-browser/usher/internal/cdptest"
	"github.com/usher-browser/usher/internal/supervisor"
	"github.com/usher-browser/usher/internal/supervisor/model"
	"github.com/usher-browser/usher/internal/view"
	"github.com/usher-browser/usher/internal/world"
)

// refsOut removes the numbers of refs.
func refsOut(text string) string { return regexp.MustCompile(`ref=e\d+`).ReplaceAllString(text, "ref") }

// TestEverythingClickableHasARef has elements that can be clicked, each with its expected row of -i.
func TestEverythingClickableHasARef(t *testing.T) {
	b := start(t)
	for _, test := range []struct{ name, markup, script, want string }{
		{
			"cursor without attributes", `<style>p > strong { cursor: pointer }</style><p>Not <strong>Only this</strong></p>`, ``,
			`- strong "Only this" [ref] clickable [cursor:pointer]`,
		},
		{
			"a row with its star and its bin", `<style>.mail{cursor:pointer;width:300px}</style><div class=mail><span class=who>Ada</span> <span class=star>★</span> <span class=bin>✕</span></div>`,
			`for (const one of document.querySelectorAll('.mail, .star, .bin')) one.addEventListener('click', () => {})`,
			"- generic \"Ada\" [ref] clickable [cursor:pointer]\n  - generic \"★\" [ref] clickable [click]\n  - generic \"✕\" [ref] clickable [click]",
		},
		{
			"a list by hand, one listener for all", `<style>.drop{cursor:pointer;width:200px}.drop .item{cursor:pointer}</style><div class=drop><span>Pick</span><ul><li class=item>Tea</li><li class=item>Rum</li></ul></div>`,
			`document.addEventListener('click', () => {})`,
			"- generic \"Pick\" [ref] clickable [cursor:pointer]\n  - listitem \"Tea\" [ref] clickable [cursor:pointer]\n  - listitem \"Rum\" [ref] clickable [cursor:pointer]",
		},
		{"a listener alone", `<span id=next>Next</span><span>Else</span>`, `next.addEventListener('click', () => {})`, `- generic "Next" [ref] clickable [click]`},
		{"a property alone", `<span id=next>Next</span>`, `next.onclick = () => {}`, `- generic "Next" [ref] clickable [click]`},
		{"pressed, not clicked", `<div id=knob style="width:30px;height:30px">K</div>`, `knob.onpointerdown = () => {}`, `- generic "K" [ref] clickable [pointerdown]`},
		{
			"twice, and by the menu", `<div id=file>Report.txt</div><table><tr><td id=cell>A1<th>x</table>`, `file.ondblclick = () => {}; cell.addEventListener('contextmenu', () => {})`,
			"- generic \"Report.txt\" [ref] clickable [dblclick]\n- row\n  - cell \"A1\" [ref] clickable [contextmenu]\n  - columnheader \"x\" [ref]",
		},
		{"dragged", `<ul><li draggable=true>One</li></ul><a href=x draggable=true>L</a>`, ``, "- listitem \"One\" [ref] draggable\n- link \"L\" [ref] [draggable]"},
		{"a canvas", `<canvas width=50 height=50></canvas><canvas width=0></canvas>`, ``, `- Canvas [ref]`},
		{
			"the expander of an item", `<ul role=tree><li role=treeitem aria-label=Root tabindex=-1><i class=open style="display:inline-block;width:9px;height:9px"></i>Root</li></ul>`,
			`document.querySelector('i').addEventListener('click', () => {})`, "- treeitem \"Root\" [ref]\n  - generic \"open\" [ref] clickable [click]",
		},
		{
			"an item opened by two clicks", `<ul role=tree><li role=treeitem tabindex=0>Leaf</li></ul>`, `document.querySelector('li').ondblclick = () => {}`,
			`- treeitem "Leaf" [ref] [dblclick]`,
		},
		{"the cross in a button", `<button id=tab>Tab <span id=x>✕</span></button>`, `x.onclick = () => {}`, "- button \"Tab ✕\" [ref]\n  - generic \"✕\" [ref] clickable [click]"},
		{
			"not what listens for all in it", `<div id=app style="width:99vw;height:90vh"><button>In</button></div><div id=root><p>t</p></div>`,
			`app.onclick = () => {}; for (let i = 0; i < 40; i++) root.addEventListener(i ? 'e' + i : 'click', () => {})`, `- button "In" [ref]`,
		},
		{"not what cannot be seen", `<span id=none style="display:inline-block;width:0;height:0"></span><b hidden id=off>x</b>`, `none.onclick = off.onclick = () => {}`, view.NoInteractive},
		{
			"a grid's headers, cells without words, and not the edges of its columns",
			`<div role=grid><div role=row><div role=columnheader id=h><b id=b>Make</b></div><i id=edge class=handle style="display:inline-block;width:6px;height:20px"></i></div><div role=row><div role=gridcell class=one id=c style="width:9px;height:9px"></div><div role=gridcell>x</div></div></div>`,
			`for (const one of [h, b, edge, c]) one.onclick = () => {}`,
			"- row \"Make\"\n  - columnheader \"Make\" [ref] clickable [click]\n    - generic \"Make\" [ref] clickable [click]\n- row \"x\"\n  - gridcell [ref] clickable [click]\n  - gridcell \"x\" [ref]",
		},
		{
			"the dots of a drawing, and not a thin line", `<svg width=60 height=20><circle cx=9 cy=9 r=4 fill=blue /><circle cx=39 cy=9 r=3 /><rect x=50 width=3 height=20 /></svg>`,
			`for (const one of document.querySelectorAll('circle, rect')) one.onclick = () => {}`, "- generic \"circle blue\" [ref] clickable [click]\n- generic \"circle\" [ref] clickable [click]",
		},
		{
			"the shapes of a small drawing that have a cursor", `<svg width=60 height=60><rect x=7 y=7 width=30 height=30 fill=blue style="cursor:pointer" /><circle cx=50 cy=50 r=5 /></svg>`,
			``, "- generic \"rect blue\" [ref] clickable [cursor:pointer]",
		},
		{"not what is no click", `<p id=p>x</p>`, `p.onmouseover = () => {}; p.onkeydown = () => {}`, view.NoInteractive},
		{"not the inside of a label", `<style>label{cursor:pointer}</style><label>Yes <span>sure</span><input type=checkbox></label>`, ``, `- checkbox "Yes sure" [checked=false, ref]`},
		{"never the role none", `<table><tr><th role=presentation id=h>Sort</th><td>x</table>`, `h.onclick = () => {}`, "- row\n  - generic \"Sort\" [ref] clickable [click]\n  - cell \"x\" [ref]"},
	} {
		t.Run(test.name, func(t *testing.T) {
			tab := b.open(t, b.site.URL("/small"))
			b.script(t, tab, "document.body.innerHTML = "+quoted(test.markup)+";"+test.script)
			if got := refsOut(b.look(t, tab, view.Options{Interactive: true}).Text); got != test.want {
				t.Errorf("got\n%s\nwant\n%s", got, test.want)
			}
		})
	}
}

// TestNameOfAClickableList: a list with a click listener does not get the text of its items as its name.
func TestNameOfAClickableList(t *testing.T) {
	b := start(t)
	tab := b.open(t, b.site.URL("/small"))
	b.script(t, tab, "document.body.innerHTML = `<ul id=l><li><i class=icon-bin></i>Ann<li>Bo</ul><table id=t><tr><th>1<td>2</table><div id=c><p>A card</div>`; for (const one of [l, t, c]) one.onclick = () => {}")
	want := "- list [ref] clickable [click]\n  - listitem \"Ann\" [ref] clickable [delegated click]\n  - listitem \"Bo\" [ref] clickable [delegated click]\n" +
		"- table [ref] clickable [click]\n  - row \"1 2\" [ref] clickable [delegated click]\n    - rowheader \"1\" [ref]\n    - cell \"2\" [ref]\n- generic \"A card\" [ref] clickable [click]"
	if got := refsOut(b.look(t, tab, view.Options{Compact: true}).Text); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestListenersUnavailable hides the browser's function behind an element, and makes it throw. The outline notes that
// once.
func TestListenersUnavailable(t *testing.T) {
	b := start(t)
	snap := b.content(t, `<form id=getEventListeners><button>B</button></form><p>Text</p>`, view.Options{})
	if strings.Count(snap.Text, "elements whose only sign is a click listener are missing: ") != 1 || !strings.Contains(snap.Text, `button "B"`) {
		t.Errorf("hidden behind an element:\n%s", snap.Text)
	}
	if snap := b.content(t, `<p>Text</p>`, view.Options{}); strings.Contains(snap.Text, "listens") {
		t.Errorf("without one:\n%s", snap.Text)
	}
}

// TestListenersAreReadUndetected has listener attributes with syntax errors: compiling them would raise an error event in
// the page.
func TestListenersAreReadUndetected(t *testing.T) {
	b := start(t)
	tab := b.open(t, b.site.URL("/small"))
	b.script(t, tab, "window.errors = []; window.onerror = (message) => errors.push(message); document.body.innerHTML = `<p ondblclick='('>x</p><p onmouseover='('>y</p><p oncontextmenu='('>z</p>`")
	snap := b.look(t, tab, view.Options{Interactive: true})
	if got := refsOut(snap.Text); got != "- paragraph \"x\" [ref] clickable [dblclick]\n- paragraph \"z\" [ref] clickable [contextmenu]" {
		t.Errorf("got\n%s", got)
	}
	b.script(t, tab, "new Promise(done => setTimeout(done, 50))")
	if errors := b.script(t, tab, "JSON.stringify(errors)"); errors != "[]" {
		t.Errorf("the page was told %v", errors)
	}
}

// TestCachedListeners changes which elements listen, and in which order, between two snapshots: the second must not use
// the first one's results.
func TestCachedListeners(t *testing.T) {
	b := start(t)
	tab := b.open(t, b.site.URL("/small"))
	b.script(t, tab, "document.body.innerHTML = `<p id=a>A</p><p id=b>B</p>`; a.onclick = () => {}")
	look := func() string { return refsOut(b.look(t, tab, view.Options{Interactive: true}).Text) }
	for _, step := range []struct{ script, want string }{
		{"0", `- paragraph "A" [ref] clickable [click]`},
		{"b.onclick = a.onclick; a.onclick = null", `- paragraph "B" [ref] clickable [click]`},
		{"a.before(b)", `- paragraph "B" [ref] clickable [click]`},
		{"b.replaceWith(Object.assign(document.createElement('p'), {id: 'c', textContent: 'C', onclick() {}}))", `- paragraph "C" [ref] clickable [click]`},
		{"c.onclick = null", view.NoInteractive},
		{"a.attachShadow({mode: 'open'}).innerHTML = '<i id=i>I</i>'; a.shadowRoot.firstChild.onclick = () => {}", `- generic "I" [ref] clickable [click]`},
	} {
		b.script(t, tab, step.script)
		if got := look(); got != step.want {
			t.Errorf("after %s:\n%s\nwant\n%s", step.script, got, step.want)
		}
	}
}

// TestListenersLoseNothing removes an element and adds a closed shadow root during the snapshot in which listeners are
// read.
func TestListenersLoseNothing(t *testing.T) {
	b := start(t)
	tab := b.open(t, b.site.URL("/small"))
	b.script(t, tab, "document.body.innerHTML = `<button id=gone>Gone</button>`")
	gone := b.look(t, tab, view.Options{}).Refs[0].Number
	b.script(t, tab, "gone.remove(); document.body.innerHTML = `<p id=p>P</p><x-y></x-y>`; p.onclick = () => {}; "+
		"document.querySelector('x-y').attachShadow({mode: 'closed'}).innerHTML = `<button>Inside</button>`")
	snap := b.look(t, tab, view.Options{Interactive: true})
	if !strings.Contains(snap.Text, `button "Inside"`) || !strings.Contains(snap.Text, `"P"`) {
		t.Errorf("got\n%s", snap.Text)
	}
	if len(snap.Removed) != 1 || snap.Removed[0] != gone {
		t.Errorf("removed %v, want %d", snap.Removed, gone)
	}
}

// TestListenersWithoutContexts reads listeners in a stealth browser, where script contexts are unknown, and in a page
// that defines a function with the name of a console function.
func TestListenersWithoutContexts(t *testing.T) {
	shared := start(t)
	browser := supervisor.New(cdptest.Shared(t).Dial(t), supervisor.Options{Stealth: true})
	t.Cleanup(func() {
		if err := browser.Close(); err != nil {
			t.Error(err)
		}
	})
	worlds := world.New(browser)
	stealthy := &bench{view.New(worlds, view.NewRefs()), browser, worlds, shared.site}
	const listens = "document.body.innerHTML = `<p id=p>P</p>`; p.onclick = () => {};"
	for _, test := range []struct {
		b            *bench
		script, want string
	}{
		{stealthy, listens, `- paragraph "P" [ref] clickable [click]`},
		{shared, listens + "window.called = 0; window.$$ = () => { called++; return [] }", `- paragraph "P" [ref] clickable [click]`},
		{stealthy, listens + "window.called = 0; window.$$ = () => { called++; return [] }", "- (elements whose only sign is a click listener are missing: ask for listeners: the page replaces the console's function $$)"},
	} {
		tab := test.b.open(t, test.b.site.URL("/small"))
		test.b.script(t, tab, test.script)
		if got := refsOut(test.b.look(t, tab, view.Options{Interactive: true}).Text); got != test.want {
			t.Errorf("after %s:\n%s\nwant\n%s", test.script, got, test.want)
		}
		if called := test.b.script(t, tab, "window.called ?? 0"); called != 0.0 {
			t.Errorf("the page's own function was called %v times", called)
		}
	}
}

// TestListenersOfNextDocument: an outline that is asked for while the server of the next document has not answered is of that document,
// with its listeners.
func TestListenersOfNextDocument(t *testing.T) {
	answer := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		if r.URL.Path == "/next" {
			<-answer
			_, _ = w.Write([]byte(`<p id=p>Next</p><script>p.onclick = () => {}</script>`))
			return
		}
		_, _ = w.Write([]byte(`<p>First</p>`))
	}))
	t.Cleanup(server.Close)
	b := start(t)
	tab := b.open(t, server.URL)
	b.script(t, tab, "void (location.href = '/next')")
	err := b.browser.Wait(deadline(t), func(s *model.State) (bool, error) { return s.Tabs[tab].MainFrame().PendingURL != "", nil })
	if err != nil {
		t.Fatal(err)
	}
	time.AfterFunc(300*time.Millisecond, func() { close(answer) })
	if got := refsOut(b.look(t, tab, view.Options{}).Text); !strings.Contains(got, `"Next"`) || !strings.Contains(got, "clickable [click]") || strings.Contains(got, "missing") {
		t.Errorf("%s", got)
	}
}
