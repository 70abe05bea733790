package main

import (
	"io"
	"regexp"
	"testing"
)

func reader(ref, gone string) *agent {
	c := &contender{ref: regexp.MustCompile(ref), shows: func(tool string) bool { return tool == "browser_snapshot" }}
	if gone != "" {
		c.gone = regexp.MustCompile(gone)
		c.byText = func(text string) string { return "text=" + text }
	}
	return &agent{contender: c, log: io.Discard}
}

func ours() *agent   { return reader(ourRef, ourGone) }
func theirs() *agent { return reader(theirRef, "") }

func TestKnown(t *testing.T) {
	const page, theirPage = `
- button "add" [ref=e1]
- textbox [focused, ref=e2]: New Tiddler
- textbox [ref=e3]
- combobox "time type" [expanded=false, ref=e4]: none
- article
  - button "Edit" [ref=e5]
  - heading "One" [level=2, ref=e6]
- article
  - button "Edit" [ref=e7]
  - heading "Two" [level=2, ref=e8]
- list
  - StaticText "Rename"
`, `
- button "add" [ref=e1] [cursor=pointer]
- textbox [active] [ref=e2]: New Tiddler
- textbox [ref=e3]
- combobox [ref=e4]:
  - option "none" [selected]
- generic [ref=f1e9]: inject
- button "Edit" [ref=e5]
- heading "One" [level=2] [ref=e6]
- button "Edit" [ref=e7]
- heading "Two" [level=2] [ref=e8]
- listitem [ref=e10]: ☰ Rename
`
	for _, test := range []struct {
		agent *agent
		page  string
		on    element
		want  string
	}{
		{ours(), page, el("button", "add"), "e1"},
		{ours(), page, el("button", "ad"), ""},
		{ours(), page, el("textbox", "New Tiddler"), "e2"},
		{ours(), page, unnamed("textbox"), "e3"},
		{ours(), page, repeat, "e4"},
		{ours(), page, el("button", "Edit").above(el("heading", "Two")), "e7"},
		{ours(), page, el("button", "Remove|Edit|Add"), "e5"},
		{ours(), page, item("Rename"), "text=Rename"},
		{theirs(), theirPage, el("button", "add"), "e1"},
		{theirs(), theirPage, el("textbox", "New Tiddler"), "e2"},
		{theirs(), theirPage, unnamed("textbox"), "e3"},
		{theirs(), theirPage, repeat, "e4"},
		{theirs(), theirPage, el("generic", "inject"), "f1e9"},
		{theirs(), theirPage, el("button", "Edit").above(el("heading", "Two")), "e7"},
		{theirs(), theirPage, item("Rename"), "e10"},
	} {
		test.agent.learn("browser_snapshot", test.page)
		if got := test.agent.known(test.on); got != test.want {
			t.Errorf("%s is %q, want %q", test.on.line, got, test.want)
		}
	}
}

func TestForget(t *testing.T) {
	a := ours()
	a.learn("browser_snapshot", "- button \"A\" [ref=e1]\n- button \"B\" [ref=e2]\n- button \"C\" [ref=e12]\n")
	a.learn("browser_click", "  - removed: @e2, @e7-@e9 (4 lines)\n- new: button \"B\" [ref=e13]\n")
	for name, want := range map[string]string{"A": "e1", "B": "e13", "C": "e12"} {
		if got := a.known(el("button", name)); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
}

func TestPlain(t *testing.T) {
	for expression, want := range map[string]string{`report\.txt`: "report", `[^"]*Name`: "Name", `(?:\S )?Upload`: "Upload", `Plain text.*`: "Plain text"} {
		if got := plain(expression); got != want {
			t.Errorf("plain(%s) is %q, want %q", expression, got, want)
		}
	}
}
