package view_test

import (
	"testing"

	"github.com/usher-browser/usher/internal/view"
)

// TestPartsOfComponents has what people press and drag in components that write no roles for it.
func TestPartsOfComponents(t *testing.T) {
	b := start(t)
	for _, test := range []struct{ name, markup, script, want string }{
		{
			"the edges of a box", `<style>.e{cursor:e-resize;width:7px;height:80px}</style><div style="width:90px"><div class="handle e"></div><p>x</p></div><table><tr><th>A<i class="grip e" style="display:inline-block"></i><td>1</table>`, ``,
			"- generic \"handle\" [ref] draggable [cursor:e-resize]\n- row\n  - rowheader \"A\" [ref]\n  - cell \"1\" [ref]",
		},
		{
			"what is around a handle has no handle", `<div style="cursor:move;width:50px"><b>Title <i>of it</i></b></div><div style="cursor:grab;width:99vw;height:90vh">x</div>`, ``,
			`- generic "Title of it" [ref] draggable [cursor:move]`,
		},
		{
			"the entries of a list drawn in what is pressed", `<div style="cursor:pointer;width:90px" class=drop><input readonly aria-label=Colour><div><div class="d-item on">red</div><div class=d-item>blue</div></div></div>`, ``,
			"- textbox \"Colour\" [readonly, ref]\n- generic \"red\" [ref] clickable [cursor:pointer]\n- generic \"blue\" [ref] clickable [cursor:pointer]",
		},
		{
			"the expander of an item of a delegate", `<style>i{display:inline-block;width:12px;height:12px}.t-expander.on::before{content:"+"}</style><ul id=l><li><i class="t-expander on"></i><i class=t-icon></i>Fruit<li><i class=t-expander></i>Leaf</ul>`, `l.onclick = () => {}`,
			"- list [ref] clickable [click]\n  - listitem \"Fruit\" [ref] clickable [delegated click]\n    - generic \"t expander\" [ref] clickable [delegated click]\n  - listitem \"Leaf\" [ref] clickable [delegated click]",
		},
		{
			"the cross of a choice", `<style>.tag-remove{cursor:pointer}</style><span>Tea<span class=tag-remove aria-hidden=true>×</span></span><span aria-hidden=true class=star>*</span>`, ``,
			`- generic "remove Tea" [ref] clickable [cursor:pointer]`,
		},
		{
			"a part of a component without a class", `<p id=a></p>`,
			`a.attachShadow({mode: 'open'}).innerHTML = '<div part="button remove-button" style="width:9px;height:9px"></div>'; a.shadowRoot.firstChild.onclick = () => {}`,
			`- generic "remove button" [ref] clickable [click]`,
		},
		{
			"a part of a component with text of the page", `<p id=a>Paid <b>twice</b></p>`,
			`a.attachShadow({mode: 'open'}).innerHTML = '<label><i><slot></slot></i></label>'; a.shadowRoot.firstChild.onclick = () => {}`,
			`- LabelText "Paid twice" [ref] clickable [click]`,
		},
		{
			"the options in a list that became a list box", `<ul role=listbox aria-label=Speed><li><div role=option>Slow</div><li><div role=option>Fast</div></ul>`, ``,
			"- listbox \"Speed\" [ref]\n  - option \"Slow\" [ref]\n  - option \"Fast\" [ref]",
		},
		{
			"a label for what is no field", `<label for=b>Speed</label><span id=b role=combobox tabindex=0 aria-expanded=false aria-haspopup=true><i class="ui-icon-triangle"></i>Medium</span>`, ``,
			`- combobox "Speed" [expanded=false, haspopup=menu, ref]: Medium`,
		},
		{
			"a box with the state of its item", `<div role=tree><div role=treeitem aria-selected=true><span role=checkbox aria-label=Pick></span>A</div></div>`, ``,
			"- treeitem \"Pick A\" [selected, ref]\n  - checkbox \"Pick\" [checked=true, ref]",
		},
		{
			"no icon of a control is the name of what is around it", `<div onclick=1 style="width:300px;height:99px"><button aria-label=Up><i class="ui-icon-triangle"></i></button></div>`, ``,
			"- generic [ref] clickable [onclick]\n  - button \"Up\" [ref]",
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
