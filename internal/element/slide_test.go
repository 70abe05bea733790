package element_test

import (
	"testing"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/element"
)

// drawn returns a slider that a page draws and moves by its arrow keys. It follows a key only in a later task.
func drawn(attributes, keys string) string {
	return `<div id=s role=slider tabindex=0 ` + attributes + ` style="width:20px;height:20px"></div><script>
	const steps = ` + keys + `, attr = n => Number(s.getAttribute('aria-value' + n));
	let now = attr('now'), last = '';
	s.onkeydown = e => { if (steps[e.key]) { now = Math.min(attr('max'), Math.max(attr('min'), now + steps[e.key])); setTimeout(() => s.setAttribute('aria-valuenow', now)) } };
	s.onkeyup = e => last = e.key;</script>`
}

func TestFillMovesSliders(t *testing.T) {
	const level = "aria-valuemin=0 aria-valuemax=100 aria-valuenow=20"
	for _, c := range []struct{ name, markup, fill, holds string }{
		{"forward", drawn(level, "{ArrowRight: 1, ArrowLeft: -1}"), "70", "70"},
		{"back", drawn(level, "{ArrowRight: 1, ArrowLeft: -1}"), "3", "3"},
		{"where it is", drawn(level, "{}"), "20", "20"},
		{"right to left", drawn(level, "{ArrowRight: -5, ArrowLeft: 5}"), "45", "45"},
		{"upright", drawn(level, "{ArrowUp: 10, ArrowDown: -10}"), "0", "0"},
		{"fractions", drawn("aria-valuemin=0 aria-valuemax=1 aria-valuenow=0", "{ArrowRight: .1, ArrowLeft: -.1}"), "0.3", "0.3"},
		{"steps that pass by", drawn(level, "{ArrowRight: 10, ArrowLeft: -10}"), "44", "40"},
	} {
		p := page(t, c.markup)
		out, err := p.Fill(p.ctx(), sel(t, "#s"), c.fill)
		ok(t, err)
		equal(t, c.name, out.Value, c.holds)
	}
}

// TestFillMovesSlidersByElementInternals has a slider whose role and value only the accessibility tree knows.
func TestFillMovesSlidersByElementInternals(t *testing.T) {
	p := page(t, `<x-slider id=s tabindex=0></x-slider><x-plain id=plain tabindex=0>Text</x-plain><script>
	customElements.define("x-plain", class extends HTMLElement {});
	customElements.define("x-slider", class extends HTMLElement {
		constructor() { super(); this.i = this.attachInternals(); Object.assign(this.i, {role: "slider", ariaValueMin: "0", ariaValueMax: "100", ariaValueNow: "25"}); }
		connectedCallback() {
			this.style.cssText = "display:inline-block;width:60px;height:20px";
			const steps = {ArrowRight: 5, ArrowLeft: -5};
			this.onkeydown = e => { if (steps[e.key]) setTimeout(() => { this.i.ariaValueNow = String(Number(this.i.ariaValueNow) + steps[e.key]) }) };
		}
	})</script>`)
	for _, want := range []string{"70", "10"} {
		out, err := p.Fill(p.ctx(), sel(t, "#s"), want)
		ok(t, err)
		equal(t, "told", out.Value, want)
		equal(t, "really", p.text("s.i.ariaValueNow"), want)
	}
	_, err := p.Fill(p.ctx(), briefly(sel(t, "#plain")), "70")
	refused(t, err, api.ElementUnsuitable, "not an editable field")
}

func TestFillRefusesWhatASliderCannotHold(t *testing.T) {
	p := page(t, drawn("aria-valuemin=0 aria-valuemax=100 aria-valuenow=20", "{}"))
	for text, why := range map[string]string{"high": "from 0 to 100", "101": "from 0 to 100", "": "takes a number"} {
		_, err := p.Fill(p.ctx(), briefly(sel(t, "#s")), text)
		refused(t, err, api.InvalidArgument, why)
	}
	_, err := p.Fill(p.ctx(), briefly(sel(t, "#s")), "50")
	refused(t, err, api.ElementUnsuitable, "no key moves")
}

// A field that is drawn over may be read-only; HTML has no such state for ranges.
func TestFillMovesARangeThatThePageKeeps(t *testing.T) {
	p := page(t, `<input id=s type=range readonly value=10 onkeydown="if (event.key === 'ArrowRight') { event.preventDefault(); value = Number(value) + 1 }">`)
	out, err := p.Fill(p.ctx(), sel(t, "#s"), "25")
	ok(t, err)
	equal(t, "value", out.Value, "25")
}

// A mask keeps what it thinks the field holds, and hears of a deletion by its key.
func TestClearingSendsAKeyToMaskedFields(t *testing.T) {
	p := page(t, `<input id=f value="(555) 777"><script>
		let held = '555777';
		const show = () => f.value = held.replace(/^(\d{3})(\d*)$/, '($1) $2');
		f.onkeydown = e => {
			if (e.key === 'Delete' && f.selectionEnd - f.selectionStart === f.value.length) held = '';
			else if (/^\d$/.test(e.key)) held = (held + e.key).slice(0, 6);
			else return;
			e.preventDefault();
			setTimeout(show);
		};
		f.oninput = () => setTimeout(show);</script>`)
	_, err := p.Type(p.ctx(), sel(t, "#f"), "123456", element.TypeOptions{Clear: true})
	ok(t, err)
	var held string
	p.eval("new Promise(done => setTimeout(() => done(f.value)))", &held)
	equal(t, "value", held, "(123) 456")
}

// A page that works long on every key is pressed no further ahead than it can follow, and answers in between.
func TestFillMovesSlowSliders(t *testing.T) {
	p := page(t, `<div id=s role=slider tabindex=0 aria-valuemin=0 aria-valuemax=100 aria-valuenow=0 style="width:20px;height:20px"></div><script>
		s.onkeydown = e => {
			for (const until = performance.now() + 40; performance.now() < until;);
			s.setAttribute('aria-valuenow', Number(s.getAttribute('aria-valuenow')) + 1);
		}</script>`)
	target := sel(t, "#s")
	target.Timeout = 0
	out, err := p.Fill(p.ctx(), target, "70")
	ok(t, err)
	equal(t, "value", out.Value, "70")
}
