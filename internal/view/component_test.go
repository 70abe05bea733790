package view_test

import (
	"testing"

	"github.com/usher-browser/usher/internal/view"
)

// TestRowsOfComponents has components as libraries write them, each with its rows of -i.
func TestRowsOfComponents(t *testing.T) {
	b := start(t)
	for _, test := range []struct{ name, markup, script, want string }{
		{
			"a switch around the native one", `<div role=switch tabindex=0 aria-checked=true aria-label=Wifi><label for=n><span id=text>Wifi</span><input type=checkbox role=switch id=n checked><i id=track style="display:inline-block;width:30px;height:9px"></i></label></div>`,
			`text.onclick = () => {}; track.onmousedown = () => {}`, `- switch "Wifi" [checked=true, ref]`,
		},
		{
			"a switch whose name is in a slot", `<x-switch role=switch tabindex=0 aria-checked=false>Wifi</x-switch>`,
			`document.querySelector('x-switch').attachShadow({ mode: 'open' }).innerHTML = '<label><input type=checkbox role=switch><div id=text><slot></slot></div></label>';` +
				`document.querySelector('x-switch').shadowRoot.getElementById('text').onclick = () => {}`, `- switch "Wifi" [checked=false, ref]`,
		},
		{
			"a chosen day", `<style>i{color:red}</style><div><i class="cell -day- -selected-" id=one>1</i><i class="cell -day-" id=two>2</i></div>`, `one.onclick = two.onclick = () => {}`,
			"- generic \"1\" [ref] clickable [click, selected by class]\n- generic \"2\" [ref] clickable [click]",
		},
		{
			"a chip with a cross", `<div role=checkbox tabindex=0 aria-checked=true>Chip <span id=x>✕</span></div>`, `x.onclick = () => {}`,
			"- checkbox \"Chip ✕\" [checked=true, ref]\n  - generic \"✕\" [ref] clickable [click]",
		},
		{
			"ticks of a grid", `<div role=grid><div role=row><div role=gridcell tabindex=0 aria-checked=true><svg width=9 height=9><path d="M0 0 9 9"/></svg></div><div role=gridcell aria-checked=false tabindex=0></div></div></div>`, ``,
			"- row\n  - gridcell [checked=true, ref] focusable [tabindex]\n  - gridcell [checked=false, ref]",
		},
		{
			"a combobox around the field", `<div role=combobox aria-expanded=false aria-controls=m><input role=combobox aria-label=Fruit aria-expanded=false value=Apple></div>`, ``,
			`- combobox "Fruit" [expanded=false, ref]: Apple`,
		},
		{
			"the text of a combobox", `<span role=combobox tabindex=0 aria-expanded=false aria-label=Country><span role=textbox aria-readonly=true>Germany</span></span>`, ``,
			`- combobox "Country" [expanded=false, ref]: Germany`,
		},
		{
			"a choice with its cross", `<div role=combobox tabindex=0 aria-expanded=false aria-label=Dogs><div role=listbox><div role=option aria-selected=true>Pug<button>Remove</button></div></div></div>`, ``,
			"- combobox \"Dogs\" [expanded=false, ref]: Pug\n  - listbox [ref]: Pug\n    - option \"Pug Remove\" [selected, ref]\n      - button \"Remove\" [ref]",
		},
		{
			"the menu of a column", `<table role=grid><tr><th role=columnheader aria-haspopup=menu>Name<button aria-hidden=true aria-label=" " style="width:9px;height:9px"></button><th>Age<button aria-hidden=true>v</button></table>`, ``,
			"- row \"Name Age\"\n  - columnheader \"Name\" [haspopup=menu, ref]\n    - button \"menu Name\" [ref]\n  - columnheader \"Age\" [ref]",
		},
		{
			"a component with its text in its shadow", `<x-file tabindex=0></x-file>`,
			`document.querySelector('x-file').attachShadow({ mode: 'open' }).innerHTML = '<div>a.txt</div><button aria-label=Remove></button>'`,
			"- generic \"a.txt\" [ref] focusable [tabindex]\n  - button \"Remove\" [ref]",
		},
		{
			"steps", `<ul><li role=presentation aria-current=step><button role=tab>1 First</button></li><li role=presentation aria-current=false><button role=tab>2 Second</button></li></ul>` +
				`<style>a{color:red}</style><ol><li class="p-steps-item p-steps-current"><a href=x>Cart</a></li><li class=p-steps-item><a href=y>Pay</a></li></ol>`, ``,
			"- tab \"1 First\" [current=step, ref]\n- tab \"2 Second\" [ref]\n- link \"Cart\" [ref] [selected by class]\n- link \"Pay\" [ref]",
		},
		{
			"names of icons", `<button><my-icon name=slim-arrow-down></my-icon></button><button><x-icon icon="mdi:home"></x-icon></button><ui-icon id=named accessible-name="Select options" class=inputIcon style="display:inline-block;width:9px;height:9px"></ui-icon>` +
				`<div class=nav--action id=prev data-action=prev style="width:9px;height:9px"></div><button class="mantine-focus-auto mantine-active m_32 mantine-Pagination-control"></button>`,
			`named.onclick = () => {}; prev.onclick = () => {}`,
			"- button \"slim arrow down\" [ref]\n- button \"home\" [ref]\n- generic \"Select options\" [ref] clickable [click]\n- generic \"prev\" [ref] clickable [click]\n- button \"mantine Pagination control\" [ref]",
		},
		{
			"an editor that draws its lines", `<div class=editor><div style="overflow:hidden;height:0;width:3px"><textarea aria-label=Code></textarea></div><div style="visibility:hidden;height:0"><pre class=CodeMirror-line>measured</pre></div><pre class=CodeMirror-line>let a = 1</pre><pre class=CodeMirror-line>let b = 2</pre></div>`, ``,
			`- textbox "Code" [multiline, ref]: let a = 1\nlet b = 2`,
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
