package view_test

import (
	"testing"

	"github.com/usher-browser/usher/internal/view"
)

// TestDialogsOfComponents has dialogs whose heading is what a slot takes.
func TestDialogsOfComponents(t *testing.T) {
	b := start(t)
	const define = `customElements.define('x-dialog', class extends HTMLElement {
		constructor() { super(); this.attachShadow({mode: 'open'}).innerHTML = '<dialog open><slot></slot></dialog>' } })`
	for _, markup := range []string{`<h2>Sure?</h2><p>Text</p>`, `<div><p>Text</p><h2>Sure?</h2></div>`, `<h2 hidden>Other</h2><h2>Sure?</h2>`} {
		tab := b.open(t, b.site.URL("/small"))
		b.script(t, tab, "document.body.innerHTML = "+quoted("<x-dialog>"+markup+"</x-dialog>")+";"+define)
		if got, want := refsOut(b.look(t, tab, view.Options{Interactive: true}).Text), "- dialog \"Sure?\"\n  - heading \"Sure?\" [level=2, ref]"; got != want {
			t.Errorf("%s: got\n%s\nwant\n%s", markup, got, want)
		}
	}
}

// TestLabelsOfComponents has label elements whose control is a component: they name its only field.
func TestLabelsOfComponents(t *testing.T) {
	b := start(t)
	const define = `customElements.define('x-box', class extends HTMLElement {
		static formAssociated = true;
		constructor() { super(); this.attachShadow({mode: 'open'}).innerHTML = '<input type=checkbox class=input>'.repeat(this.getAttribute('n') ?? 1) } })`
	for _, test := range []struct{ name, markup, want string }{
		{"around it", `<label><x-box></x-box>Ready</label>`, `- checkbox "Ready" [checked=false, ref]`},
		{"by its id", `<p><label for=b>Ready</label></p><x-box id=b></x-box>`, `- checkbox "Ready" [checked=false, ref]`},
		{"of two fields", `<label><x-box n=2></x-box>Ready</label>`, "- checkbox [checked=false, ref]\n- checkbox [checked=false, ref]"},
	} {
		t.Run(test.name, func(t *testing.T) {
			tab := b.open(t, b.site.URL("/small"))
			b.script(t, tab, "document.body.innerHTML = "+quoted(test.markup)+";"+define)
			if got := refsOut(b.look(t, tab, view.Options{Interactive: true}).Text); got != test.want {
				t.Errorf("got\n%s\nwant\n%s", got, test.want)
			}
		})
	}
}
