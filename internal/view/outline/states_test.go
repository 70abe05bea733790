package outline

import "testing"

// TestStatesLast: scripts search for a role, a name and the bracket of the ref.
func TestStatesLast(t *testing.T) {
	for _, c := range [][2]string{
		{`- button "Next" [focused, ref=e3]`, `- button "Next" [ref=e3] [focused]`},
		{`  - textbox "Note [x]" [required, multiline, focused, ref=e4]: a [b, ref=e9]`, `  - textbox "Note [x]" [required, ref=e4] [multiline, focused]: a [b, ref=e9]`},
		{`- button "Menu" [expanded=true, haspopup=menu, ref=e5]`, `- button "Menu" [expanded=true, ref=e5] [haspopup=menu]`},
		{`- textbox "Search" [focused, ref=e6]: abc`, `- textbox "Search" [ref=e6] [focused]: abc`},
		{`- generic "Card" [pressed=true, ref=e7] clickable [onclick]`, `- generic "Card" [ref=e7] [pressed=true] clickable [onclick]`},
		{`- link "Here" [current=page, ref=e8, url=http://[::1]/x]`, `- link "Here" [ref=e8, current=page, url=http://[::1]/x]`},
		{`- heading "Title" [level=1, ref=e1]`, `- heading "Title" [level=1, ref=e1]`},
		{`- checkbox "Yes" [checked=mixed, disabled, ref=e2]`, `- checkbox "Yes" [checked=mixed, disabled, ref=e2]`},
		{`- option "A" [selected, ref=e2]`, `- option "A" [selected, ref=e2]`},
		{`- grid [readonly]`, `- grid [readonly]`},
		{`- StaticText "[focused, ref=e3]"`, `- StaticText "[focused, ref=e3]"`},
		{`- paragraph: [focused, ref=e3]`, `- paragraph: [focused, ref=e3]`},
		{"- main\n  - button [focused, ref=e3]\n", "- main\n  - button [ref=e3] [focused]\n"},
		{"(no interactive elements)", "(no interactive elements)"},
		{"", ""},
	} {
		if got := StatesLast(c[0]); got != c[1] {
			t.Errorf("StatesLast(%q)\n got %q\nwant %q", c[0], got, c[1])
		}
		if got := StatesLast(c[1]); got != c[1] {
			t.Errorf("again, StatesLast(%q) is %q", c[1], got)
		}
	}
}
