package view_test

import (
	"strings"
	"testing"

	"github.com/usher-browser/usher/internal/view"
)

// TestStateThatThePageKeeps has a click that the page prevents after it has set the state: the browser takes the input back.
func TestStateThatThePageKeeps(t *testing.T) {
	b := start(t)
	tab := b.open(t, b.site.URL("/small"))
	b.script(t, tab, `document.body.innerHTML = '<input type=checkbox role=switch aria-label=Instant aria-checked=false>';
		document.querySelector('input').onclick = e => { e.preventDefault(); e.target.ariaChecked = e.target.ariaChecked !== 'true' }`)
	for _, want := range []string{"false", "true", "false"} {
		if got := refsOut(b.look(t, tab, view.Options{Interactive: true}).Text); got != `- switch "Instant" [checked=`+want+`, ref]` {
			t.Errorf("got %s, want %s", got, want)
		}
		b.script(t, tab, "document.querySelector('input').click()")
	}
}

// TestValuesAndStates has controls in different states, each with its expected row of -i.
func TestValuesAndStates(t *testing.T) {
	b := start(t)
	for _, test := range []struct{ name, markup, script, want string }{
		{
			"readonly", `<input aria-label=a readonly><textarea aria-label=b readonly></textarea><input type=checkbox aria-label=c readonly><div role=textbox aria-label=d aria-readonly=true>x</div>`, ``,
			"- textbox \"a\" [readonly, ref]\n- textbox \"b\" [readonly, multiline, ref]\n- checkbox \"c\" [checked=false, ref]\n- textbox \"d\" [readonly, ref]: x",
		},
		{
			"invalid by ARIA, with its message", `<input aria-label=a aria-invalid=true aria-errormessage=m value=x><p id=m>No such <b>town</b>]</p><input aria-label=b aria-invalid=false aria-errormessage=m>`, ``,
			"- textbox \"a\" [invalid, ref] error \"No such town]\": x\n- textbox \"b\" [ref]",
		},
		{
			"invalid by the browser, once it was used", `<form><input aria-label=a type=email required><button>Go</button></form>`,
			`document.querySelector('form').requestSubmit()`,
			"- textbox \"a\" [required, invalid, focused, ref] error \"Please fill out this field.\"\n- button \"Go\" [ref]",
		},
		{
			"fields of several lines", `<textarea aria-label=a></textarea><div role=textbox aria-label=b aria-multiline=true>x</div><div role=textbox aria-label=c aria-multiline=false></div>`, ``,
			"- textbox \"a\" [multiline, ref]\n- textbox \"b\" [multiline, ref]: x\n- textbox \"c\" [ref]",
		},
		{"not invalid before", `<input aria-label=a required>`, ``, `- textbox "a" [required, ref]`},
		{
			"current", `<a href=x aria-current=page>Home</a><a href=y aria-current=true>Here</a><a href=z aria-current=false>There</a>`, ``,
			"- link \"Home\" [current=page, ref]\n- link \"Here\" [current, ref]\n- link \"There\" [ref]",
		},
		{
			"sorted columns, and selected rows", `<table role=grid><tr><th aria-sort=descending>Name<th aria-sort=none>Age<tr aria-selected=true><td>Ada<td>36<tr><td>Bob<td>7</table>`, ``,
			"- row \"Name Age\"\n  - columnheader \"Name\" [sort=descending, ref]\n  - columnheader \"Age\" [ref]\n- row \"Ada 36\" [selected]\n  - gridcell \"Ada\" [ref]\n  - gridcell \"36\" [ref]\n- row \"Bob 7\"\n  - gridcell \"Bob\" [ref]\n  - gridcell \"7\" [ref]",
		},
		{
			"popups", `<button aria-haspopup=true>M</button><button aria-haspopup=dialog>D</button><div role=combobox aria-haspopup=listbox tabindex=0 aria-label=C>One</div>`, ``,
			"- button \"M\" [haspopup=menu, ref]\n- button \"D\" [haspopup=dialog, ref]\n- combobox \"C\" [ref]: One",
		},
		{"the keyboard", `<button>A</button><input aria-label=b>`, `document.querySelector('input').focus()`, "- button \"A\" [ref]\n- textbox \"b\" [focused, ref]"},
		{
			"what the keyboard means", `<input role=combobox aria-label=c aria-controls=l aria-activedescendant=o2><ul role=listbox id=l><li role=option>1<li role=option id=o2>2</ul>`, `document.querySelector('input').focus()`,
			"- combobox \"c\" [focused, ref]\n- listbox [ref]\n  - option \"1\" [ref]\n  - option \"2\" [active, ref]",
		},
		{"files", `<input type=file aria-label=a><input type=file multiple aria-label=b>`, ``, "- button \"a\" [file, ref]\n- button \"b\" [file, multiple, ref]"},
		{
			"alerts and what is reported", `<div role=alert>Name is <b>missing</b></div><output>7 found</output><div role=alert></div><p>Other text</p>`, ``,
			"- alert\n  - StaticText \"Name is missing\"\n- status\n  - StaticText \"7 found\"",
		},
		{
			"text in an editor", `<div contenteditable role=textbox aria-label=t><p>Hello <b>world</b></p><ul><li>one</li><li>two</li></ul></div>`, ``,
			`- textbox "t" [ref]: Hello world\none\ntwo`,
		},
		{
			"selected by a class", `<ul><li class=active><a href=x>Home</a></li><li><a href=y>News</a></li></ul><div class="tab">A</div><div class="tab tab--active">B</div>` +
				`<ol><li class="file current-file">a.txt</li><li class=file>b.txt</li></ol><button class="btn is-selected">On</button><button class=btn>Off</button>`,
			`document.querySelector('ol').onclick = () => {}; for (const one of document.querySelectorAll('.tab')) one.onclick = () => {}`,
			"- link \"Home\" [ref] [selected by class]\n- link \"News\" [ref]\n- generic \"A\" [ref] clickable [click]\n- generic \"B\" [ref] clickable [click, selected by class]\n" +
				"- list [ref] clickable [click]\n  - listitem \"a.txt\" [ref] clickable [delegated click, selected by class]\n  - listitem \"b.txt\" [ref] clickable [delegated click]\n" +
				"- button \"On\" [ref] [selected by class]\n- button \"Off\" [ref]",
		},
		{
			"a class that is no such sign", `<p><a href=x class="l active">1</a><a href=y class="l active">2</a><a href=z class=l>3</a></p><p><button class="b active">Alone</button><i>x</i></p>` +
				`<p><a href=x class="u user-active">4</a><a href=y class=u>5</a></p><p role=tablist><b role=tab class="t active" aria-selected=false>6</b><b role=tab class=t aria-selected=true>7</b></p>`, ``,
			"- link \"1\" [ref]\n- link \"2\" [ref]\n- link \"3\" [ref]\n- button \"Alone\" [ref]\n- link \"4\" [ref]\n- link \"5\" [ref]\n- tab \"6\" [ref]\n- tab \"7\" [selected, ref]",
		},
		{
			"fields without a label, after a text", `<p><label>Repeat</label><select id=inject-time-type-select><option>none</select></p><div>Topic:</div><input name=user_topic>` +
				`<table><tr><td>Name<td><input id=the-name></table><p><input type=checkbox name=keep> Keep me</p><p>` + strings.Repeat("A long text. ", 9) + `<input id=after-text></p>` +
				`<p>First <input id=the-first><input id=second-one></p>`, ``,
			"- combobox \"Repeat\" [expanded=false, ref]: none\n  - option \"none\" [selected, ref]\n- textbox \"Topic\" [ref]\n- textbox \"Name\" [ref]\n- checkbox \"Keep me\" [checked=false, ref]\n" +
				"- textbox \"after text\" [ref]\n- textbox \"First\" [ref]\n- textbox \"second one\" [ref]",
		},
		{
			"shapes of a drawing, by the text at them", `<svg width=300 height=200><g id=layer><rect width=300 height=200 fill=white /><g class=node><rect id=a class=main width=90 height=30 fill=red />` +
				`<g><text y=20>Every</text><text y=30>hour</text></g><g><circle id=p class=the-port cx=90 cy=15 r=5 /></g></g><circle id=c cx=200 cy=150 r=9 /></g></svg>`,
			`for (const one of [a, p, c, layer]) one.onmousedown = () => {}`,
			"- generic [ref] clickable [mousedown]\n  - generic \"Every hour\" [ref] clickable [mousedown]\n  - generic \"Every hour, the port\" [ref] clickable [mousedown]\n  - generic \"circle\" [ref] clickable [mousedown]",
		},
		{"inert", `<div inert><button disabled>Save</button></div><p inert>Only text</p>`, ``, "- button \"Save\" [inert, disabled]\n- paragraph \"Only text\" [inert]"},
		{
			"a form that waits, and the page behind a dialog", `<form inert><h2>Ship to</h2><input aria-label=Street><input aria-label=City></form><div inert>` + strings.Repeat("<p>Behind <a href=x>it</a></p>", 30) + `</div><button>Close</button>`, ``,
			"- form \"Ship to\" [inert]: 2 controls\n- generic \"" + strings.Repeat("Behind it ", 8) + "… (299 characters)\" [inert]: 30 controls\n- button \"Close\" [ref]",
		},
		{
			"inert and not to be seen", `<div style="width:200px;overflow:hidden;display:flex"><div style="flex:0 0 200px">One</div><div inert style="flex:0 0 200px">Two</div></div>` +
				`<div style="height:0;overflow:hidden"><p inert>Folded</p></div><p inert aria-hidden=true>Hidden</p><p inert style="opacity:0">Clear</p><button inert style="display:none">None</button>`, ``, view.NoInteractive,
		},
		{"text in an editor without a role", `<div contenteditable><div>a</div><div>b<br>c</div></div>`, ``, `- generic [ref] editable [contenteditable]: a\nb\nc`},
		{
			"what a list by hand shows as chosen", `<div class=control style="height:38px"><div><span>Ocean blue</span><div><input role=combobox aria-label=Colour style="width:2px;border:0"></div></div></div>`, ``,
			`- combobox "Colour" [ref]: Ocean blue`,
		},
		{
			"but not its label, nor what is beside it", `<div style="height:38px"><label for=c>Colour</label><input id=c role=combobox></div><div style="height:200px"><p>Text</p><input role=combobox aria-label=d></div>`, ``,
			"- combobox \"Colour\" [ref]\n- combobox \"d\" [ref]",
		},
		{
			"nor the words of other controls", `<div style="height:40px"><input role=combobox aria-label=Who><span role=radio aria-checked=false>Sea</span><span role=checkbox aria-checked=false>Rain</span></div>`, ``,
			"- combobox \"Who\" [ref]\n- radio \"Sea\" [checked=false, ref]\n- checkbox \"Rain\" [checked=false, ref]",
		},
		{
			"what a button that opens a list shows", `<button aria-haspopup=listbox aria-label=Size>Medium</button>`, ``, `- button "Size" [haspopup=listbox, ref]: Medium`,
		},
		{
			"what is chosen in a list that is there", `<div role=combobox tabindex=0 aria-label=C><span>Tea</span><ul role=listbox style="display:none"><li role=option>Tea<li role=option>Rum</ul></div>`, ``,
			`- combobox "C" [ref]: Tea`,
		},
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

// TestEditorInAFrame has frames whose document is editable as a whole.
func TestEditorInAFrame(t *testing.T) {
	b := start(t)
	tab := b.open(t, b.site.URL("/small"))
	b.script(t, tab, "document.body.innerHTML = `<iframe title=One srcdoc='<body contenteditable aria-label=Area><p>a</p><p>b</p>'></iframe><iframe title=Two srcdoc='<p>c</p>'></iframe><iframe title=Three srcdoc='<div contenteditable>d</div>'></iframe>`;"+
		"new Promise(done => setTimeout(() => { frames[1].document.designMode = 'on'; done() }, 300))")
	b.awaitStable(t, tab)
	want := "- Iframe \"One\" [ref] editable [contenteditable]\n  - generic \"Area\" [ref] editable [contenteditable]: a\\nb\n- Iframe \"Two\" [ref] editable [designMode]\n  - generic [ref] editable [designMode]: c" +
		"\n- Iframe \"Three\" [ref]\n  - generic [ref] editable [contenteditable]: d"
	if got := refsOut(b.look(t, tab, view.Options{Interactive: true}).Text); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestElementInternalsSetLater has a component that gets its role after a snapshot, and one that has no attribute
// showing that it is more than a clickable element.
func TestElementInternalsSetLater(t *testing.T) {
	b := start(t)
	tab := b.open(t, b.site.URL("/small"))
	b.script(t, tab, `document.body.innerHTML = "<x-late tabindex=0>Late</x-late> <x-press style='cursor:pointer'>Press</x-press>";
		for (const name of ["x-late", "x-press"]) customElements.define(name, class extends HTMLElement { i = this.attachInternals() });
		document.querySelector("x-press").i.role = "tab"`)
	look := func(want string) {
		t.Helper()
		if got := refsOut(b.look(t, tab, view.Options{Interactive: true}).Text); got != want {
			t.Errorf("got\n%s\nwant\n%s", got, want)
		}
	}
	look("- generic \"Late\" [ref] focusable [tabindex]\n- tab \"Press\" [ref]")
	b.script(t, tab, `document.querySelector("x-late").i.role = "button"`)
	look("- button \"Late\" [ref]\n- tab \"Press\" [ref]")
}

// TestElementInternals has custom elements whose role, name and states are set by ElementInternals, and change between two
// snapshots.
func TestElementInternals(t *testing.T) {
	b := start(t)
	tab := b.open(t, b.site.URL("/small"))
	b.script(t, tab, `document.body.innerHTML = "<x-tick tabindex=0></x-tick><label for=f>Colour</label><x-form id=f></x-form><x-plain tabindex=0>Text</x-plain><x-box></x-box>";
		const define = (name, set, more) => customElements.define(name, class extends HTMLElement {
			static formAssociated = true;
			constructor() { super(); this.style.cssText = "display:inline-block;width:60px;height:20px"; set(this.i = this.attachInternals(), this); }
		});
		define("x-tick", (i) => Object.assign(i, {role: "checkbox", ariaChecked: "false", ariaLabel: "Tick"}));
		define("x-form", (i) => Object.assign(i, {role: "slider", ariaValueNow: "7", ariaRequired: "true"}));
		customElements.define("x-plain", class extends HTMLElement {});
		customElements.define("x-box", class extends HTMLElement { constructor() { super(); this.attachShadow({mode: "closed"}).innerHTML = "<x-tick tabindex=0></x-tick>" } });`)
	look := func(want string) {
		t.Helper()
		if got := refsOut(b.look(t, tab, view.Options{Interactive: true}).Text); got != want {
			t.Errorf("got\n%s\nwant\n%s", got, want)
		}
	}
	look("- checkbox \"Tick\" [checked=false, ref]\n- slider \"Colour\" [ref]: 7\n- generic \"Text\" [ref] focusable [tabindex]\n- checkbox \"Tick\" [checked=false, ref]")
	b.script(t, tab, `{ const tick = document.querySelector("x-tick"); tick.i.ariaChecked = "mixed"; tick.i.ariaLabel = "Other"; document.querySelector("x-form").setAttribute("disabled", "") }`)
	look("- checkbox \"Other\" [checked=mixed, ref]\n- slider \"Colour\" [disabled, ref]: 7\n- generic \"Text\" [ref] focusable [tabindex]\n- checkbox \"Tick\" [checked=false, ref]")
}

// TestFieldsWithOtherRoles has fields whose author wrote a role that no field can have: they stay fields.
func TestFieldsWithOtherRoles(t *testing.T) {
	b := start(t)
	for _, test := range []struct{ markup, want string }{
		{`<label>Count <input type=number role=alert value=3></label>`, `- spinbutton "Count" [ref]: 3`},
		{`<input role=status aria-label=Name value=Ada>`, `- textbox "Name" [ref]: Ada`},
		{`<textarea role=region aria-label=Notes>Text</textarea>`, `- textbox "Notes" [multiline, ref]: Text`},
		{`<input role=combobox aria-label=City value=Rome>`, `- combobox "City" [ref]: Rome`},
		{`<input role="unknown searchbox" aria-label=Find>`, `- searchbox "Find" [ref]`},
	} {
		if got := refsOut(b.content(t, test.markup, view.Options{Interactive: true}).Text); got != test.want {
			t.Errorf("%s: got\n%s\nwant\n%s", test.markup, got, test.want)
		}
	}
}
