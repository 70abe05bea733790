package view_test

import (
	"testing"

	"github.com/usher-browser/usher/internal/view"
)

// TestFieldsForTheFormOnly has components that keep a native field for the form and draw another: only that has a row, and it says what
// the label of the other is.
func TestFieldsForTheFormOnly(t *testing.T) {
	b := start(t)
	const gone = `style="position:absolute;left:-9999px;transform:scale(0)"`
	for _, test := range []struct{ name, markup, want string }{
		{
			"tags", `<label for=t>Tags</label><div><b>one</b><span contenteditable role=textbox aria-label="Tag input" style="display:inline-block;width:80px"></span></div>
			<input id=t tabindex=-1 value='[{"value":"one"}]' ` + gone + `>`,
			`- textbox "Tag input" [ref] [for "Tags"]`,
		},
		{
			"a list beside", `<label id=l>Country</label><select tabindex=-1 style="width:1px;border:0;padding:0;position:absolute"><option>France</select><div><input role=combobox aria-labelledby=l aria-expanded=false></div>`,
			`- combobox "Country" [expanded=false, ref]`,
		},
		{
			"a list inside", `<label for=c>Car</label><div role=combobox tabindex=0 class=choices aria-expanded=false><select id=c hidden tabindex=-1 style="width:1px;border:0;padding:0;position:absolute;display:block"><option>Volvo<option>BMW</select>
			<div role=listbox><div role=option aria-selected=true>Volvo</div></div><div style="visibility:hidden"><div role=listbox><div role=option aria-selected=true>Volvo</div><div role=option>BMW</div></div></div></div>`,
			"- combobox \"Car\" [expanded=false, ref]: Volvo\n  - listbox \"Car\" [ref]: Volvo\n    - option \"Volvo\" [selected, ref]",
		},
		{
			"chosen for a closed list that searches", `<div role=combobox tabindex=0 aria-label=Dogs aria-expanded=false><input aria-label=Search><div style="visibility:hidden" role=listbox><div role=option aria-selected=true>Pug</div></div></div>`,
			"- combobox \"Dogs\" [expanded=false, ref]\n  - textbox \"Search\" [ref]",
		},
		{"reached with the keyboard", `<input aria-label=Proxy ` + gone + `><input aria-label=Seen>`, "- textbox \"Proxy\" [ref]\n- textbox \"Seen\" [ref]"},
		{"nothing drawn for it", `<input aria-label=Proxy tabindex=-1 ` + gone + `>`, `- textbox "Proxy" [ref]`},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := refsOut(b.content(t, test.markup, view.Options{Interactive: true}).Text); got != test.want {
				t.Errorf("got\n%s\nwant\n%s", got, test.want)
			}
		})
	}
}
