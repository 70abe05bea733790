package view_test

import (
	"testing"

	"github.com/usher-browser/usher/internal/view"
)

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
