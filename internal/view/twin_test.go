package view_test

import (
	"testing"

	"github.com/usher-browser/usher/internal/view"
)

// TestHiddenOptions has lists that a component writes for assistive technology in addition to the visible one, and one
// whose options have no size while it is closed.
func TestHiddenOptions(t *testing.T) {
	b := start(t)
	for _, test := range []struct{ name, markup, want string }{
		{
			"a list drawn beside", `<style>.one{cursor:pointer}</style><div><div role=listbox id=l style="width:0;height:0;overflow:hidden">
			<div role=option aria-label=Tea aria-selected=true>t</div><div role=option aria-label=Rum aria-selected=false>r</div></div>
			<div style="width:90px"><div class=group>Drinks</div><div class="item one"><div>Tea</div></div><div class="item one">Rum</div><div class="item one">Gin</div></div></div>`,
			"- option \"Tea\" [selected, ref]\n- option \"Rum\" [ref]\n- option \"Gin\" [ref]",
		},
		{
			"a closed list without size", `<div role=combobox aria-label=Drink tabindex=0 aria-expanded=false aria-controls=l>Tea</div><div style="height:0;overflow:hidden">
			<div role=listbox id=l><div role=option style="height:0">Tea</div><div role=option style="height:0">Rum</div></div></div>`,
			`- combobox "Drink" [expanded=false, ref] 2 options: Tea`,
		},
		{
			"a list that nothing else shows", `<div role=listbox aria-label=Drinks style="width:0;height:0;overflow:hidden"><div role=option>Tea</div></div><p>Rum</p>`,
			"- listbox \"Drinks\" [ref]\n  - option \"Tea\" [ref]",
		},
		{
			"a list that shows", `<div role=combobox aria-label=Drink tabindex=0 aria-expanded=true aria-controls=l>Tea</div><div role=listbox id=l><div role=option>Tea</div></div>`,
			"- combobox \"Drink\" [expanded=true, ref]: Tea\n- listbox [ref]\n  - option \"Tea\" [ref]",
		},
		{
			"more of a name than options", `<div><div role=listbox aria-label=Drinks style="width:0;height:0;overflow:hidden"><div role=option>Tea</div></div><p>Tea</p><p>Tea</p></div>`,
			"- listbox \"Drinks\" [ref]\n  - option \"Tea\" [ref]",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := refsOut(b.content(t, test.markup, view.Options{Interactive: true}).Text); got != test.want {
				t.Errorf("got\n%s\nwant\n%s", got, test.want)
			}
		})
	}
}
