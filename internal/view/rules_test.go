package view_test

import (
	"strings"
	"testing"

	"github.com/usher-browser/usher/internal/view"
)

// content shows markup in a tab and returns its snapshot.
func (b *bench) content(t *testing.T, markup string, opt view.Options) *view.Snapshot {
	t.Helper()
	tab := b.open(t, b.site.URL("/small"))
	b.script(t, tab, "document.body.innerHTML = "+quoted(markup))
	return b.look(t, tab, opt)
}

func quoted(text string) string {
	return "`" + strings.NewReplacer("\\", `\\`, "`", "\\`", "${", `\${`).Replace(text) + "`"
}

// TestRulesOfEveryKind has style sheets with all kinds of rules that are not style rules.
func TestRulesOfEveryKind(t *testing.T) {
	b := start(t)
	for _, rule := range []string{
		"@position-try --below { top: anchor(bottom) }", "@function --twice(--x) { result: calc(2 * var(--x)) }",
		"@property --p { syntax: '*'; inherits: false }", "@counter-style thumbs { system: cyclic; symbols: x; suffix: ' ' }",
		"@font-feature-values Font { @styleset { nice: 12 } }", "@font-palette-values --p { font-family: Font }", "@view-transition { navigation: auto }",
		"@page { margin: 1cm; @top-left { content: 'x' } }", "@keyframes k { from { text-transform: uppercase } }", "@layer one, two;",
		"@media print { p { @media screen { color: red } } }", "@starting-style { p { color: red } }", "@scope (p) { b { color: red } }",
	} {
		tab := b.open(t, b.site.URL("/small"))
		b.script(t, tab, "document.body.innerHTML = "+quoted("<style>"+rule+" .big::after { content: ' more' }</style><button class=big>Save</button>")+
			"; if (!document.querySelector('style').sheet.cssRules.length) throw 'no rules'")
		snap := b.look(t, tab, view.Options{})
		if len(snap.Failed) > 0 || !strings.Contains(snap.Text, `button "Save more"`) {
			t.Errorf("%s: %v\n%s", rule, snap.Failed, snap.Text)
		}
	}
}

// TestOwnersThatAreNotReported has controls owned by elements that are not in the outline: they stay at their place in
// the DOM.
func TestOwnersThatAreNotReported(t *testing.T) {
	b := start(t)
	const owned = `<button id=owned>Owned</button>`
	for _, owner := range []string{
		`<div aria-owns=owned hidden>x</div>`, `<div aria-owns=owned aria-hidden=true>x</div>`, `<div aria-hidden=true><p aria-owns=owned>x</p></div>`,
		`<div inert><p aria-owns=owned>x</p></div>`, `<div aria-owns=owned style="visibility:hidden">x</div>`, `<details><p aria-owns=owned>x</p></details>`,
		`<canvas><p aria-owns=owned>x</p></canvas>`, `<video><p aria-owns=owned>x</p></video>`, `<svg width=10 height=10><g aria-owns=owned></g></svg>`,
		`<div style="display:none"><div style="display:contents" aria-owns=owned>x</div></div>`,
	} {
		for _, markup := range []string{owner + owned, owned + owner} {
			snap := b.content(t, markup, view.Options{Interactive: true})
			if strings.Count(snap.Text, `button "Owned"`) != 1 {
				t.Errorf("%s:\n%s", markup, snap.Text)
			}
		}
	}
}

// TestOwnersOutsideOfTheSnapshot takes the snapshot of a part with an element whose owner is outside of it.
func TestOwnersOutsideOfTheSnapshot(t *testing.T) {
	b := start(t)
	tab := b.open(t, b.site.URL("/small"))
	b.script(t, tab, "document.body.innerHTML = `<div role=group aria-label=Owner aria-owns=owned></div><p id=part><button id=owned>Owned</button></p>"+
		"<dialog aria-label=D aria-owns=mine><button id=inner>Inner</button></dialog><div aria-owns=inner>x</div>`")
	if snap := b.look(t, tab, view.Options{Selector: "#part"}); !strings.Contains(snap.Text, `button "Owned"`) {
		t.Errorf("the part is\n%s", snap.Text)
	}
	if snap := b.look(t, tab, view.Options{}); strings.Count(snap.Text, `button "Owned"`) != 1 {
		t.Errorf("the whole is\n%s", snap.Text)
	}
	b.script(t, tab, "document.querySelector('dialog').showModal()")
	if snap := b.look(t, tab, view.Options{}); !strings.Contains(snap.Text, `button "Inner"`) {
		t.Errorf("with a modal dialog:\n%s", snap.Text)
	}
}

// TestEmptyCells has rows with cells that have no content: the cells after them stay in their columns.
func TestEmptyCells(t *testing.T) {
	b := start(t)
	const row = "- row\n  - cell \"Ann\" [ref]\n  - cell [ref]\n  - cell \"111\" [ref]"
	for _, test := range []struct{ markup, interactive, whole string }{
		{`<table><tr><th>Name<th>Home<th>Work<tr><td>Ann<td><td>111</table>`, "- row\n  - columnheader \"Name\" [ref]\n  - columnheader \"Home\" [ref]\n  - columnheader \"Work\" [ref]\n" + row, ""},
		{`<table border=1><tr><td>Ann<td> &nbsp;<td>111</table>`, row, ""},
		{`<table border=1><tr><td>Ann<td><img alt="" src=data:,><td>111</table>`, row, ""},
		{`<div role=table><div role=row><div role=cell>Ann</div><div role=cell><i></i></div><div role=cell>111</div></div></div>`, row, "- table\n  " + strings.ReplaceAll(row, "\n", "\n  ")},
		{`<table border=1><tr><td>Ann<td><input type=checkbox><td>111</table>`, strings.Replace(row, "cell [ref]", `checkbox "111" [checked=false, ref]`, 1), ""},
		{`<table border=1><tr><th><th>A<tr><td colspan=2><tr><th>1<td></table>`, "- row\n  - columnheader [ref]\n  - columnheader \"A\" [ref]\n- row\n  - rowheader \"1\" [ref]\n  - cell [ref]", ""},
		{`<table border=1><tr><td><td></table>`, "- row\n  - cell [ref]\n  - cell [ref]", "- table\n  - rowgroup\n    - row\n      - cell [ref]\n      - cell [ref]"},
		{`<table border=1><tr><td></table><table><tr><td>Layout<td><td><a href=x>go</a></table>`, "- link \"go\" [ref]", "- generic\n  - StaticText \"Layout\"\n  - link \"go\" [ref]"},
		{`<table role=presentation border=1><tr><td>Layout<td></table>`, "(no interactive elements)", `- StaticText "Layout"`},
	} {
		if got := refsOut(b.content(t, test.markup, view.Options{Interactive: true}).Text); got != test.interactive {
			t.Errorf("%s, interactive:\n%s\nwant\n%s", test.markup, got, test.interactive)
		}
		if got := refsOut(b.content(t, test.markup, view.Options{}).Text); test.whole != "" && got != test.whole {
			t.Errorf("%s:\n%s\nwant\n%s", test.markup, got, test.whole)
		}
	}
}

// TestRolesOfElements has elements whose role depends on their context, or is obsolete.
func TestRolesOfElements(t *testing.T) {
	b := start(t)
	for markup, want := range map[string]string{
		`<hgroup><h1>a</h1><p>b</p></hgroup>`: "- group\n  - heading \"a\" [level=1, ref]\n  - paragraph\n    - StaticText \"b\"",
		`<dir><li>a<li>b</dir>`:               "- list\n  - listitem\n    - StaticText \"a\"\n  - listitem\n    - StaticText \"b\"",
		`<pre>a</pre>`:                        `- StaticText "a"`,
		`<div><li>a</div>`:                    `- StaticText "a"`,
		`<svg width=90 height=90><g aria-label=G><text y=20>x</text><text y=50>y</text></g></svg>`:          "- SvgRoot\n  - group \"G\"\n    - StaticText \"x\"\n    - StaticText \"y\"",
		`<figure><p>x</p><figcaption>Said</figcaption></figure>`:                                            "- figure \"Said\"\n  - paragraph\n    - StaticText \"x\"",
		`<p role=listitem>a</p><div role=listitem>b</div>`:                                                  "- paragraph\n  - StaticText \"a\"\n- StaticText \"b\"",
		`<table><tr><td><th>a<th>b<tr><td>1<th>c<td>2</table>`:                                              "- table\n  - rowgroup\n    - row\n      - cell [ref]\n      - columnheader \"a\" [ref]\n      - columnheader \"b\" [ref]\n    - row\n      - cell \"1\" [ref]\n      - rowheader \"c\" [ref]\n      - cell \"2\" [ref]",
		`<div role=listitem aria-label=L>a</div>`:                                                           "- listitem \"L\" [ref]\n  - StaticText \"a\"",
		`<div role=list><div><p role=listitem>a</p></div></div>`:                                            "- list\n  - listitem\n    - StaticText \"a\"",
		`<ul role=none><li role=listitem>a</ul>`:                                                            "- listitem\n  - StaticText \"a\"",
		`<img src=data:, alt="" aria-label=" ">a`:                                                           `- StaticText "a"`,
		`<ul role=none aria-label=""><li>a</ul>`:                                                            `- StaticText "a"`,
		`<svg width=90 height=90><g><title>G</title><rect width=9 height=9 /></g></svg>`:                    "- SvgRoot\n  - group \"G\"",
		`<button>Go<svg width=90 height=90><g><title>G</title><rect width=9 height=9 /></g></svg></button>`: `- button "Go G" [ref]`,
	} {
		if got := refsOut(b.content(t, markup, view.Options{}).Text); got != want {
			t.Errorf("%s:\n%s\nwant\n%s", markup, got, want)
		}
	}
}

// TestGeneratedText has controls with generated content: counters are shown as rendered, images are not text.
func TestGeneratedText(t *testing.T) {
	b := start(t)
	for _, test := range []struct{ name, markup, want string }{
		{
			"pictures", `<style>.a::before { content: url("data:image/png;base64,iVBO") } .b::before { content: image-set(linear-gradient(rgb(1,2,3), red) 1x, url("arrow(1).png") 2x) } .c::before { content: url("bin.png") / "Delete" }</style>` +
				`<button class=a>Open</button><button class=b>Next</button><button class=c>row</button>`,
			"- button \"Open\" [ref]\n- button \"Next\" [ref]\n- button \"Delete row\" [ref]",
		},
		{
			"numbered headings", `<style>div { counter-reset: chapter } h2 { counter-reset: part; counter-increment: chapter } h2::before { content: counter(chapter, upper-roman) ". " }` +
				`h3::before { counter-increment: part; content: counter(chapter) "." counter(part, lower-alpha) " " }</style>` +
				`<div><h2>Air</h2><h3>Wind</h3><h3>Rain</h3><h2 hidden>Fire</h2><h2>Sea</h2><section><h3>Tides</h3></section></div>`,
			"- heading \"I. Air\" [level=2, ref]\n- heading \"1.a Wind\" [level=3, ref]\n- heading \"1.b Rain\" [level=3, ref]\n- heading \"II. Sea\" [level=2, ref]\n- heading \"2.a Tides\" [level=3, ref]",
		},
		{
			"lists inside each other", `<style>ol { counter-reset: n } li { counter-increment: n } li > a::before { content: counters(n, "-") ") " } li > a::after { content: " #" counter(n, decimal-leading-zero) }</style>` +
				`<ol><li><a href=x>One</a><ol><li><a href=x>Two</a><li><a href=x>Three</a></ol><li><a href=x>Four</a></ol><ol><li><a href=x>Five</a></ol>`,
			"- link \"1) One #01\" [ref]\n- link \"1-1) Two #01\" [ref]\n- link \"1-2) Three #02\" [ref]\n- link \"2) Four #02\" [ref]\n- link \"1) Five #01\" [ref]",
		},
		{
			"nobody reset it", `<style>section b { counter-increment: k } section b::before { content: counter(k) " " } button::after { counter-increment: j 26; content: "" / counter(j, upper-alpha) }</style>` +
				`<section><a href=x><b>a</b></a></section><section><a href=x><b>b</b> <b>c</b></a></section><button>d</button>`,
			"- link \"1 a\" [ref]\n- link \"1 b 2 c\" [ref]\n- button \"d Z\" [ref]",
		},
		{
			"the browser's own numbers", `<style>li > a::before { content: counters(list-item, ".") " " }</style>` +
				`<ol start=3><li><a href=x>a</a><ol reversed><li><a href=x>b</a><li><a href=x>c</a></ol><li value=9><a href=x>d</a><li><a href=x>e</a></ol>`,
			"- link \"3 a\" [ref]\n- link \"3.2 b\" [ref]\n- link \"3.1 c\" [ref]\n- link \"9 d\" [ref]\n- link \"10 e\" [ref]",
		},
		{
			"rules in rules, and for several at once", `<style>p, div { &.n { counter-increment: q; & b::before { content: counter(q) " " } } } h2, i > ::before { color: red }</style>` +
				`<div class=n><a href=x><b>x</b></a></div><p class=n style="counter-increment: q 5"><a href=x><b>y</b></a></p>`,
			"- link \"1 x\" [ref]\n- link \"6 y\" [ref]",
		},
	} {
		if got := refsOut(b.content(t, test.markup, view.Options{Interactive: true}).Text); got != test.want {
			t.Errorf("%s:\n%s\nwant\n%s", test.name, got, test.want)
		}
	}
}

// TestNamesOfElements has elements that are named by something other than their text.
func TestNamesOfElements(t *testing.T) {
	b := start(t)
	for markup, want := range map[string]string{
		`<dialog open><h2 hidden>Old</h2><div><h2>Delete <i>all</i>?</h2></div><p>x</p><h2>Why</h2></dialog>`:                                           "- dialog \"Delete all?\"\n  - heading \"Delete all?\" [level=2, ref]\n  - paragraph\n    - StaticText \"x\"\n  - heading \"Why\" [level=2, ref]",
		`<div role=alertdialog title=Tip><h2>Sure?</h2></div>`:                                                                                          "- alertdialog \"Tip\"\n  - heading \"Sure?\" [level=2, ref]",
		`<div role=alertdialog>x</div>`:                                                                                                                 "- alertdialog\n  - StaticText \"x\"",
		`<figure title=Sales><p>x</p><figcaption>Said</figcaption></figure>`:                                                                            "- figure \"Sales\"\n  - paragraph\n    - StaticText \"x\"\n  - Figcaption\n    - StaticText \"Said\"",
		`<input type=file title=Photo><input type=file title=Scan aria-label=Pass>`:                                                                     "- button \"Photo\" [file, ref]\n- button \"Pass\" [file, ref]",
		`<button aria-labelledby=a>x</button><p id=a hidden>One <img alt="" title=no><img role=none title=nor> <img title=two> <b title=three></b></p>`: "- button \"One two three\" [ref]\n  - StaticText \"x\"",
	} {
		if got := refsOut(b.content(t, markup, view.Options{}).Text); got != want {
			t.Errorf("%s:\n%s\nwant\n%s", markup, got, want)
		}
	}
}

// TestListButton has buttons that open a list and show the selected option, which is in the outline once.
func TestListButton(t *testing.T) {
	b := start(t)
	for markup, want := range map[string]string{
		`<span id=l>Fruit</span> <button id=b aria-haspopup=listbox aria-labelledby="l b">Apple</button>`: "- StaticText \"Fruit\"\n- button \"Fruit Apple\" [haspopup=listbox, ref]",
		`<button aria-haspopup=listbox aria-label=Size><b>Medium</b></button>`:                            `- button "Size" [haspopup=listbox, ref]: Medium`,
		`<button aria-haspopup=listbox aria-label=Closet>Close</button>`:                                  `- button "Closet" [haspopup=listbox, ref]: Close`,
	} {
		if got := refsOut(b.content(t, markup, view.Options{}).Text); got != want {
			t.Errorf("%s:\n%s\nwant\n%s", markup, got, want)
		}
	}
}
