package element_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/element"
	"github.com/usher-browser/usher/internal/element/failure"
	"github.com/usher-browser/usher/internal/element/locate"
	"github.com/usher-browser/usher/internal/view"
)

// Controls that pages hide behind a label or a drawing are clicked there.
func TestControlsBehindTheirLabelOrComponent(t *testing.T) {
	p := page(t, `<style>.gone { position: absolute; clip: rect(0 0 0 0); pointer-events: none } .zero { width: 0; height: 0; opacity: 0; margin: 0; position: absolute }</style>
		<input type=checkbox id=labelled class=gone><label for=labelled>By a label</label>
		<div id=switch onclick="inner.click()"><input type=checkbox id=inner class=zero onclick="event.stopPropagation()"><span style="display:inline-block;width:40px;height:20px;background:#9cf"></span></div>
		<p><div id=field style="position:relative;width:200px;height:30px" onmousedown="event.preventDefault(); combo.focus()"><input id=combo role=combobox style="width:150px">
			<div style="position:absolute;inset:0;background:#eee">Choose</div></div></p>
		<form><div id=wrap><input id=lost type=checkbox class=zero><button type=button id=other>Other</button></div></form>`)
	for _, id := range []string{"labelled", "inner"} {
		_, err := p.Click(p.ctx(), sel(t, "#"+id), element.ClickOptions{})
		ok(t, err)
		equal(t, id+" after a click", p.text(id+".checked"), "true")
		_, err = p.Check(p.ctx(), sel(t, "#"+id), false)
		ok(t, err)
		equal(t, id+" after uncheck", p.text(id+".checked"), "false")
	}
	_, err := p.Click(p.ctx(), sel(t, "#combo"), element.ClickOptions{})
	ok(t, err)
	equal(t, "focus", p.text("document.activeElement.id"), "combo")
	// What is around it belongs to another control.
	_, err = p.Click(p.ctx(), briefly(sel(t, "#lost")), element.ClickOptions{})
	refused(t, err, api.ElementNotVisible)
	equal(t, "other", p.text("document.activeElement.id"), "combo")
}

// A list that closes covers the field of the next component for a moment. A press on that one's label would only give it the focus.
func TestCoverThatGoesIsWaitedFor(t *testing.T) {
	p := page(t, `<style>@keyframes out { to { opacity: 0 } } .out { animation: out .4s forwards }</style>
		<label for=field>Animal</label><p style="position:relative"><input id=field role=combobox onmousedown="opened = true" style="width:200px">
		<span id=list style="position:absolute;inset:-5px;background:#eee">Apple</span></p>`)
	p.text("(opened = false, list.onanimationend = () => list.remove(), list.className = 'out')")
	_, err := p.Click(p.ctx(), sel(t, "#field"), element.ClickOptions{})
	ok(t, err)
	equal(t, "opened", p.text("opened"), "true")
}

func TestRefusalNamesWhatCanBeClickedAround(t *testing.T) {
	p := page(t, `<div id=row role=button tabindex=0><span id=icon style="pointer-events:none;width:0;height:0;overflow:hidden;display:inline-block"></span>Row</div>`)
	_, err := p.Click(p.ctx(), briefly(sel(t, "#icon")), element.ClickOptions{})
	refused(t, err, api.ElementNotVisible)
	var instead *failure.InsteadError
	if !errors.As(err, &instead) || instead.Instead.Tag != "div" || instead.Instead.Name != "Row" {
		t.Errorf("error %#v, want one that names the row", err)
	}
}

// What a dialog covers as well is nothing to click instead. The dialog has to be answered first.
func TestRefusalUnderADialog(t *testing.T) {
	p := page(t, `<div id=card onclick="0" role=group aria-label=Card style="width:300px;padding:20px"><button id=buy>Buy</button>
		<span id=part style="position:relative"><button id=under>Under</button><i style="position:absolute;inset:0;background:#eee"></i></span></div>
		<div role=dialog aria-label=Cookies style="position:fixed;inset:0"><button>Accept</button><button>Settings</button><button hidden>Never</button></div>`)
	_, err := p.Click(p.ctx(), briefly(sel(t, "#buy")), element.ClickOptions{})
	refused(t, err, api.ElementCovered, `(dialog "Cookies")`)
	var instead *failure.InsteadError
	if errors.As(err, &instead) {
		t.Errorf("%v offers %+v, which is covered, too", err, instead.Instead)
	}
	var refusal *failure.RefusedError
	if !errors.As(err, &refusal) || len(refusal.Closers) != 2 || refusal.Closers[0].Name != "Accept" {
		t.Errorf("error %#v, want one with what closes the dialog", err)
	}
	p.text("document.querySelector('[role=dialog]').remove()")
	_, err = p.Click(p.ctx(), briefly(sel(t, "#under")), element.ClickOptions{})
	refused(t, err, api.ElementCovered)
	if !errors.As(err, &instead) || instead.Instead.Name != "Card" {
		t.Errorf("error %#v, want one that names the card", err)
	}
}

func TestTypeIntoElementWithoutBox(t *testing.T) {
	p := page(t, `<div style="overflow:hidden;width:0;height:0"><input id=zero style="width:0;height:0;border:0;padding:0"></div>
		<textarea id=away style="position:absolute;left:-9999px"></textarea> <input id=none style="display:none">`)
	for _, id := range []string{"zero", "away"} {
		_, err := p.Focus(p.ctx(), sel(t, "#"+id))
		ok(t, err)
		_, err = p.Fill(p.ctx(), sel(t, "#"+id), "ab")
		ok(t, err)
		equal(t, id+" filled", p.text(id+".value"), "ab")
		_, err = p.Type(p.ctx(), sel(t, "#"+id), "c", element.TypeOptions{Clear: true})
		ok(t, err)
		equal(t, id+" typed into", p.text(id+".value"), "c")
	}
	_, err := p.Fill(p.ctx(), briefly(sel(t, "#none")), "x")
	refused(t, err, api.ElementNotVisible, "display: none")
}

func TestClickChoosesOptions(t *testing.T) {
	p := page(t, `<select id=one><option>a<option id=b>b<option id=off disabled>c</select>
		<select id=many multiple><option id=m1 selected>1<option>2<option id=m3>3</select>
		<select id=passes onfocus="drawn.focus()"><option>x<option id=y>y</select><input id=drawn>
		<script>log = []; for (const s of document.querySelectorAll('select')) s.onchange = s.oninput = e => log.push(s.id + ' ' + e.type);</script>`)
	out, err := p.Click(p.ctx(), sel(t, "#b"), element.ClickOptions{})
	ok(t, err)
	equal(t, "role", out.Element.Role, "option")
	equal(t, "list", p.text("one.value"), "b")
	_, err = p.Click(p.ctx(), sel(t, "#m3"), element.ClickOptions{})
	ok(t, err)
	equal(t, "list of several", p.text("[...many.selectedOptions].map(o => o.text).join()"), "1,3")
	equal(t, "events", p.text("log.join()"), "one input,one change,many input,many change")
	_, err = p.Click(p.ctx(), briefly(sel(t, "#off")), element.ClickOptions{})
	refused(t, err, api.ElementDisabled)
	_, err = p.Select(p.ctx(), sel(t, "#passes"), "y")
	ok(t, err)
	equal(t, "list that passes its focus on", p.text("passes.value"), "y")
}

// An option is only chosen where its user could choose it. Where a component draws another list, the option of that one is meant.
func TestOptionsOfListsThatAreHidden(t *testing.T) {
	p := page(t, `<style>.shrunk { position: absolute; width: 1px; border: 0; overflow: hidden; clip-path: inset(50%) }</style>
		<select id=native multiple class=shrunk><option id=hidden>London<option>Paris</select>
		<div role=listbox style="position:relative;background:#eee"><div role=option id=drawn onclick="pressed += this.id">London</div></div>
		<div style="position:relative;width:100px"><select id=one><option>a<option id=b>b</select><div id=over style="position:absolute;inset:0;background:#eee"></div></div>
		<select id=clear style="opacity:0"><option>c<option id=d>d</select><select id=gone style="display:none"><option>e<option id=f>f</select><script>pressed = ''</script>`)
	for _, target := range []locate.Target{{By: locate.ByRole, Value: "option", Name: "London"}, chained(t, `body >> role=option[name="London"]`)} {
		_, err := p.Click(p.ctx(), target, element.ClickOptions{})
		ok(t, err)
	}
	equal(t, "pressed", p.text("pressed"), "drawndrawn")
	for id, code := range map[string]api.Code{"hidden": api.ElementCovered, "b": api.ElementCovered, "f": api.ElementNotVisible} {
		_, err := p.Click(p.ctx(), briefly(sel(t, "#"+id)), element.ClickOptions{})
		refused(t, err, code)
	}
	_, err := p.Check(p.ctx(), briefly(sel(t, "#hidden")), true)
	refused(t, err, api.ElementCovered)
	_, err = p.Click(p.ctx(), sel(t, "#d"), element.ClickOptions{})
	ok(t, err)
	equal(t, "chosen", p.text("[native.value, one.value, clear.value, gone.value].join()"), ",a,d,e")
	_, err = p.Select(p.ctx(), sel(t, "#native"), "London")
	ok(t, err)
	equal(t, "selected", p.text("native.value"), "London")
}

func TestClickAreasOfAPicture(t *testing.T) {
	p := page(t, `<img usemap="#m" width=200 height=100 style="border:5px solid;padding:3px" src="data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' width='200' height='100'/>">
		<map name=m><area id=rect coords="0,0,50,100" href="#rect" alt=First><area id=circle shape=circle coords="100,50,20" href="#circle" alt=Second>
		<area id=poly shape=poly coords="140,0,200,0,200,100,140,100,190,50" href="#poly"></map>
		<map name=unused><area href="#none" alt=First></map>
		<script>hits = []; onclick = e => hits.push(e.target.id);</script>`)
	for _, id := range []string{"rect", "circle", "poly"} {
		_, err := p.Click(p.ctx(), sel(t, "#"+id), element.ClickOptions{})
		ok(t, err)
	}
	equal(t, "areas hit", p.text("hits.join()"), "rect,circle,poly")
	_, err := p.Click(p.ctx(), locate.Target{By: locate.ByRole, Value: "link", Name: "Second"}, element.ClickOptions{})
	ok(t, err)
	_, err = p.Click(p.ctx(), chained(t, `map >> role=link[name="First"]`), element.ClickOptions{})
	ok(t, err)
	equal(t, "areas hit by their names", p.text("hits.slice(3).join()"), "circle,rect")
	n, err := p.Count(p.ctx(), sel(t, "role=link"))
	ok(t, err)
	equal(t, "links that are shown", n, 3)
}

// The host of a component stands for the only field in it.
func TestHostsOfComponents(t *testing.T) {
	p := page(t, `<x-field id=field></x-field> <x-box id=box></x-box> <x-both id=both></x-both><script>
		const define = (name, html) => customElements.define(name, class extends HTMLElement {
			constructor() { super(); this.attachShadow({ mode: 'open' }).innerHTML = html } });
		define('x-inner', '<span><input></span>'); define('x-field', '<label>Name</label><x-inner></x-inner>');
		define('x-box', '<label><input type=checkbox> Tick</label>'); define('x-both', '<input><input>');
		const value = el => el.shadowRoot.querySelector('x-inner').shadowRoot.querySelector('input').value;</script>`)
	_, err := p.Fill(p.ctx(), sel(t, "#field"), "ab")
	ok(t, err)
	_, err = p.Type(p.ctx(), sel(t, "#field"), "c", element.TypeOptions{})
	ok(t, err)
	equal(t, "field", p.text("value(field)"), "abc")
	held, err := p.Value(p.ctx(), sel(t, "#field"))
	ok(t, err)
	if held == nil || *held != "abc" {
		t.Errorf("the host has the value %v, want that of its field", held)
	}
	_, err = p.Check(p.ctx(), sel(t, "#box"), true)
	ok(t, err)
	equal(t, "box", p.text("box.shadowRoot.querySelector('input').checked"), "true")
	_, err = p.Fill(p.ctx(), briefly(sel(t, "#both")), "x")
	refused(t, err, api.ElementUnsuitable)
}

// What is written in a host and shows in a slot is not covered by the host, whether its root is open or closed.
func TestSlottedText(t *testing.T) {
	for _, mode := range []string{"open", "closed"} {
		p := page(t, `<x-host id=host>Slotted text</x-host><br><x-host id=second><b>Slotted element</b></x-host><script>
			hits = [];
			for (const host of [document.getElementById('host'), second]) {
				const root = host.attachShadow({ mode: '`+mode+`' });
				root.innerHTML = '<button><slot></slot></button>';
				root.firstChild.onclick = () => hits.push(host.id);
			}</script>`)
		adoptClosedRoots(t, p)
		for _, s := range []string{"text=Slotted text", "text=Slotted element"} {
			out, err := p.Click(p.ctx(), sel(t, s), element.ClickOptions{})
			ok(t, err)
			if out.Element.Tag == "slot" {
				t.Errorf("%s is the slot, want what it is in", s)
			}
		}
		for _, name := range []string{"Slotted text", "Slotted element"} {
			_, err := p.Click(p.ctx(), locate.Target{By: locate.ByRole, Value: "button", Name: name}, element.ClickOptions{})
			if err != nil {
				t.Fatalf("%s roots: %v", mode, err)
			}
		}
		equal(t, mode+" roots", p.text("hits.join()"), "host,second,host,second")
	}
}

// adoptClosedRoots has our script know the closed roots of a page, as a snapshot does.
func adoptClosedRoots(t *testing.T, p *tab) {
	t.Helper()
	_, err := view.New(p.worlds, view.NewRefs()).Snapshot(p.ctx(), p.id, view.Options{})
	ok(t, err)
}

// A press that opens a menu may move what it was on: the click then falls beside it, and the menu is open.
func TestPressThatOpensAMenu(t *testing.T) {
	p := page(t, `<div id=pad></div><button id=prevents>prevents</button><button id=expands aria-expanded=false>expands</button><button id=moves>moves</button><script>
		opened = [];
		for (const b of document.querySelectorAll('button')) b.onpointerdown = e => {
			opened.push(b.id); pad.style.height = (pad.offsetHeight + 200) + 'px';
			if (b.id === 'prevents') e.preventDefault();
			if (b.id === 'expands') b.setAttribute('aria-expanded', 'true');
		};</script>`)
	for _, id := range []string{"prevents", "expands"} {
		_, err := p.Click(p.ctx(), sel(t, "#"+id), element.ClickOptions{})
		ok(t, err)
	}
	equal(t, "presses", p.text("opened.join()"), "prevents,expands")
	_, err := p.Click(p.ctx(), briefly(sel(t, "#moves")), element.ClickOptions{})
	refused(t, err, api.ElementCovered)
}

// A control that a page makes of an empty element is pressed on the label that it names.
func TestCheckByTheLabelThatAnElementNames(t *testing.T) {
	p := page(t, `<div style="width:600px"><span id=box role=radio tabindex=0 aria-checked=false aria-labelledby=name></span><label id=name for=box>Business</label></div>
		<script>document.getElementById('name').onclick = () => box.setAttribute('aria-checked', 'true')</script>`)
	_, err := p.Check(p.ctx(), sel(t, "#box"), true)
	ok(t, err)
	equal(t, "state", p.text("box.getAttribute('aria-checked')"), "true")
}

// A component whose only control lets the pointer through is what a person presses.
func TestPressTheHostOfAControlThatLetsThePointerThrough(t *testing.T) {
	p := page(t, `<x-tab id=one><template shadowrootmode=open><button role=tab style="pointer-events:none">One</button></template></x-tab>
		<x-tabs id=two><template shadowrootmode=open><button role=tab style="pointer-events:none">A</button><button role=tab>B</button></template></x-tabs>
		<script>let pressed = ''; for (const tab of [one, two]) tab.onclick = () => pressed += tab.id</script>`)
	one := sel(t, "role=tab")
	one.Name = "One"
	_, err := p.Click(p.ctx(), one, element.ClickOptions{})
	ok(t, err)
	equal(t, "pressed", p.text("pressed"), "one")
	several := sel(t, "role=tab")
	several.Name = "A"
	_, err = p.Click(p.ctx(), briefly(several), element.ClickOptions{})
	refused(t, err, api.ElementCovered)
	equal(t, "pressed", p.text("pressed"), "one")
}

// A label that a group has, too, is that of the control in it.
func TestLabelOfAGroupAndItsControl(t *testing.T) {
	p := page(t, `<div id=group role=textbox aria-label=Level>0 <input id=slider type=range aria-label=Level></div><div role=group aria-label=Size><input type=radio aria-label="Size S"></div>`)
	level, size := locate.Target{By: "label", Value: "Level"}, locate.Target{By: "label", Value: "Size"}
	_, err := p.Fill(p.ctx(), level, "40")
	ok(t, err)
	equal(t, "value", p.text("slider.value"), "40")
	_, err = p.Click(p.ctx(), size, element.ClickOptions{})
	ok(t, err)
	equal(t, "checked", p.text("String(document.querySelector('[type=radio]').checked)"), "false")
}

// A component whose only control is clipped to nothing, for assistive technology, is pressed where it is drawn; so is one in whose
// control text shows that lets the pointer through. Text beside a control of another component is not that.
func TestPressTheHostOfAnUnseenControl(t *testing.T) {
	const control = `<button style="position:absolute;inset:0;width:100%;height:100%;clip:rect(0 0 0 0);opacity:0" aria-label="Fruit, Pick"></button>`
	p := page(t, `<x-select id=select style="display:block;position:relative;width:200px;height:40px"><template shadowrootmode=open><div style="position:relative;height:40px">Pick`+control+`</div></template></x-select>
		<x-tab id=tab style="display:block;width:200px"><template shadowrootmode=open><button tabindex=-1 style="pointer-events:none"><slot></slot></button></template><b id=label style="pointer-events:none">Favorites</b></x-tab>
		<x-card id=card style="display:block;width:200px"><template shadowrootmode=open><slot></slot><button>Open</button></template><b id=text style="pointer-events:none">Gone</b></x-card>
		<script>let pressed = ''; for (const part of [select, tab, card]) part.onclick = () => pressed += part.id + ' '</script>`)
	fruit := sel(t, "role=button")
	fruit.Name = "Fruit, Pick"
	for _, target := range []locate.Target{fruit, sel(t, "#label")} {
		_, err := p.Click(p.ctx(), target, element.ClickOptions{})
		ok(t, err)
	}
	_, err := p.Click(p.ctx(), briefly(sel(t, "#text")), element.ClickOptions{})
	refused(t, err, api.ElementCovered)
	equal(t, "pressed", p.text("pressed"), "select tab ")
}

// An item of a tree that has the state itself is checked on its box; a click beside it selects the item.
func TestCheckDrawnCheckBox(t *testing.T) {
	p := page(t, `<div role=tree><div id=item role=treeitem aria-checked=false aria-expanded=true><i id=box role=checkbox aria-hidden=true style="display:inline-block;width:12px;height:12px;background:#9cf"></i>
		<span>Fruit</span><div role=group><div role=treeitem aria-checked=false><i role=checkbox aria-hidden=true style="display:inline-block;width:12px;height:12px"></i>Apple</div></div></div></div>
		<script>box.onclick = () => item.setAttribute('aria-checked', item.getAttribute('aria-checked') !== 'true')</script>`)
	for _, on := range []bool{true, false} {
		_, err := p.Check(p.ctx(), sel(t, "#item"), on)
		ok(t, err)
		equal(t, "state", p.text("item.getAttribute('aria-checked') === 'true'"), map[bool]string{true: "true", false: "false"}[on])
	}
}

// An option that is only there for assistive technology is pressed where it is drawn; one of a closed list is refused
// at once, with what opens the list.
func TestHiddenOptions(t *testing.T) {
	p := page(t, `<div><div role=listbox style="width:0;height:0;overflow:hidden"><div role=option id=unseen>Tea</div></div><div id=drawn onclick="hit = this.id">Tea</div></div>
		<div role=combobox id=opener aria-label=Drink aria-expanded=false aria-controls=closed>Rum</div>
		<div role=listbox id=closed><div role=option id=inside style="height:0;overflow:hidden">Rum</div></div><script>hit = ''</script>`)
	_, err := p.Click(p.ctx(), sel(t, "#unseen"), element.ClickOptions{})
	ok(t, err)
	equal(t, "hit", p.text("hit"), "drawn")
	// The page changes all the time: without an end of its own the refusal would take until the deadline.
	p.text("void setInterval(() => document.body.dataset.n = Math.random(), 20)")
	_, err = p.Click(p.ctx(), sel(t, "#inside"), element.ClickOptions{})
	refused(t, err, api.ElementNotVisible, "is closed")
	var instead *failure.InsteadError
	if !errors.As(err, &instead) || !instead.Opens || instead.Instead.Role != "combobox" || instead.Instead.Name != "Drink" {
		t.Errorf("error %#v, want one that names what opens the list", err)
	}
}

// What is disabled until a clock has run down is waited for while the clock is seen to run; what stays disabled is given up
// before its time is up, and the error says how to wait longer.
func TestDisabledUntilACountdownEnds(t *testing.T) {
	p := page(t, `<button id=again disabled>Send again in 3 s</button><button id=never disabled>Never</button><script>
		let left = 3;
		const clock = setInterval(() => {
			again.textContent = --left ? 'Send again in ' + left + ' s' : 'Send again';
			if (!left) { clearInterval(clock); again.disabled = false; }
		}, 700);</script>`)
	target := sel(t, "#again")
	target.FailEarly = true
	out, err := p.Click(p.ctx(), target, element.ClickOptions{})
	ok(t, err)
	equal(t, "clicks", out.Events["click"], 1)
	target = sel(t, "#never")
	target.FailEarly = true
	_, err = p.Click(p.ctx(), target, element.ClickOptions{})
	refused(t, err, api.ElementDisabled, "`--timeout 10s` waits that long")
	_, err = p.Click(p.ctx(), briefly(sel(t, "#never")), element.ClickOptions{})
	if err == nil || strings.Contains(err.Error(), "--timeout") {
		t.Errorf("where a time was set the error is %v", err)
	}
}

// A label element whose control is a component stands for the field in that.
func TestLabelsOfComponents(t *testing.T) {
	p := page(t, `<script>
		class Box extends HTMLElement {
			static formAssociated = true;
			constructor() { super(); this.attachShadow({mode: 'open'}).innerHTML = '<input type=' + (this.getAttribute('kind') ?? 'checkbox') + '>'; }
			get inner() { return this.shadowRoot.firstChild; }
		}
		addEventListener('DOMContentLoaded', () => customElements.define('x-box', Box));</script>
		<label><x-box id=around></x-box>Around</label><label for=named>Named</label><x-box id=named></x-box><label for=text>Text</label><x-box id=text kind=text></x-box>`)
	find := func(by locate.By, name string) locate.Target {
		target := sel(t, name)
		target.By = by
		return target
	}
	_, err := p.Check(p.ctx(), find(locate.ByLabel, "Around"), true)
	ok(t, err)
	_, err = p.Check(p.ctx(), find(locate.ByLabel, "Named"), true)
	ok(t, err)
	_, err = p.Fill(p.ctx(), find(locate.ByLabel, "Text"), "Ada")
	ok(t, err)
	equal(t, "states", p.text("[around.inner.checked, named.inner.checked, text.inner.value].join()"), "true,true,Ada")
}

// TestLabelsThatSlotsFill has components that write the label of their field into a slot.
func TestLabelsThatSlotsFill(t *testing.T) {
	p := page(t, `<script>
		addEventListener('DOMContentLoaded', () => customElements.define('x-box', class extends HTMLElement {
			constructor() { super(); this.attachShadow({mode: 'open'}).innerHTML = '<label><input type=checkbox><b><slot>Nothing</slot></b></label>'; }
			get on() { return this.shadowRoot.querySelector('input').checked; }
		}));</script>
		<x-box id=one>I <i>agree</i></x-box><x-box id=two></x-box>`)
	for _, name := range []string{"I agree", "Nothing"} {
		target := sel(t, name)
		target.By = locate.ByLabel
		_, err := p.Check(p.ctx(), target, true)
		ok(t, err)
	}
	equal(t, "checked", p.text("[one.on, two.on].join()"), "true,true")
}

// Text is found where a person sees it: what is drawn for the eyes only comes before an announcement beside the page that holds it.
func TestTextThatIsSeen(t *testing.T) {
	const beside = `style="position:absolute;left:-9999px;top:-9999px"`
	for _, test := range []struct{ markup, want string }{
		{`<div role=status id=said ` + beside + `>Begin, item 1 of 2</div><div aria-hidden=true><p id=shown>Begin</p></div>`, "shown"},
		{`<p id=shown>To begin with</p><div role=status id=said ` + beside + `>Begin</div>`, "shown"},
		{`<div aria-hidden=true><p id=drawn>Begin</p></div><p id=read>Begin</p>`, "read"},
		{`<p id=none hidden>Begin</p><p id=drawn aria-hidden=true>Let us begin</p>`, "drawn"},
		{`<p id=none hidden>Begin</p><p id=said ` + beside + `>Begin</p>`, "said"},
	} {
		p := page(t, test.markup)
		id, err := p.Attribute(p.ctx(), sel(t, "text=Begin"), "id")
		ok(t, err)
		equal(t, test.markup, *id, test.want)
	}
}

// A field that only the form uses is filled where the component draws it.
func TestFillWhatIsDrawnForAFormField(t *testing.T) {
	p := page(t, `<label for=tags>Tags</label><div><span id=shown contenteditable role=textbox style="display:inline-block;width:80px"></span></div>
		<input id=tags tabindex=-1 value=one style="position:absolute;left:-9999px;transform:scale(0)">`)
	_, err := p.Fill(p.ctx(), sel(t, "#tags"), "two")
	ok(t, err)
	equal(t, "drawn", p.text("shown.textContent"), "two")
	equal(t, "kept for the form", p.text("tags.value"), "one")
	_, err = p.Type(p.ctx(), sel(t, "#tags"), "!", element.TypeOptions{})
	ok(t, err)
	equal(t, "drawn", p.text("shown.textContent"), "two!")
}

// What a snapshot shows in place of a missing name finds the element, too, unless another has it as its name.
func TestFindByWhatIsShownAsName(t *testing.T) {
	p := page(t, `<button data-testid="main-menu-trigger" id=menu><svg width=9 height=9></svg></button>
		<button id=shut data-tooltip="Close the panel">×</button><button id=named>main menu</button>`)
	p.eval("shut.textContent = ''; addEventListener('click', e => { document.title = e.target.closest('button').id }); 0", nil)
	find := func(name string) locate.Target {
		return locate.Target{By: locate.ByRole, Value: "button", Name: name, Timeout: 3 * time.Second}
	}
	for name, id := range map[string]string{"main menu trigger": "menu", "Close the panel": "shut", "main menu": "named"} {
		_, err := p.Click(p.ctx(), find(name), element.ClickOptions{})
		ok(t, err)
		equal(t, "clicked by "+name, p.text("document.title"), id)
	}
	_, err := p.Click(p.ctx(), briefly(find("Nothing")), element.ClickOptions{})
	refused(t, err, api.ElementNotFound, `"main menu"`, `"main menu trigger"`, `"Close the panel"`)
}

// Zero-width spaces and soft hyphens allow a line to break; nobody sees or types them.
func TestFindTextsWithInvisibleBreaks(t *testing.T) {
	p := page(t, "<button aria-label='get \u200b/pets\u200b/{id}' id=b>x</button><p id=p>Donau\u00addampf\u200bschiff</p><input id=i placeholder='Pet\u200b/id'>")
	for _, target := range []locate.Target{
		{By: locate.ByLabel, Value: "get /pets/{id}"}, {By: locate.ByText, Value: "Donaudampfschiff"}, {By: locate.ByPlaceholder, Value: "Pet/id"},
		{By: locate.ByLabel, Value: "get \u200b/pets/{id}", Exact: true}, {By: locate.ByRole, Value: "button", Name: "get \u200b/pets"},
	} {
		target.Timeout = 200 * time.Millisecond
		_, err := p.Hover(p.ctx(), target)
		ok(t, err)
	}
}
