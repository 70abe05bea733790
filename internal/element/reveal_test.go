package element_test

import (
	"testing"

	"github.com/usher-browser/usher/internal/element"
)

// Buttons that have no size, or let the pointer through, until the mouse is over what holds them.
func TestClickOfWhatShowsUnderTheMouse(t *testing.T) {
	p := page(t, `<style>
		.field { position: relative; width: 120px; height: 30px; background: #eee }
		.steps { position: absolute; inset: 0 20px 0 auto; width: 0; overflow: hidden; opacity: 0 }
		.field:hover .steps { width: 22px; opacity: 1 }
		.steps span { display: block; width: 12px; height: 30px }
		.row { width: 200px; height: 30px; background: #ddd }
		.row button { pointer-events: none; opacity: 0 }
		.row:hover button { pointer-events: auto; opacity: 1 }
		</style>
		<div class=field><div class=steps><span id=more role=button tabindex=-1 onclick="n++">+</span></div></div>
		<div class=row>Row <button id=drop onclick="n += 10">Delete</button></div>
		<div style="height:2000px"></div>
		<div class=row>Row <button id=far onclick="n += 100">Delete</button></div><script>n = 0</script>`)
	for _, id := range []string{"#more", "#drop", "#far"} {
		_, err := p.Click(p.ctx(), briefly(sel(t, id)), element.ClickOptions{})
		ok(t, err)
	}
	equal(t, "clicks", p.text("String(n)"), "111")
}

// A check box without a state of its own stands for its item.
func TestCheckBoxOfAnItem(t *testing.T) {
	p := page(t, `<ul role=tree><li role=treeitem id=item aria-selected=false>
		<i id=open role=button>+</i> <i id=box role=checkbox style="display:inline-block;width:16px;height:16px;background:#ccc"></i> <b>File</b></li></ul>
		<script>box.onclick = () => item.setAttribute('aria-selected', item.getAttribute('aria-selected') !== 'true')</script>`)
	got, err := p.Check(p.ctx(), briefly(sel(t, "#box")), true)
	ok(t, err)
	equal(t, "changed", got.Changed, true)
	equal(t, "selected", p.text("item.getAttribute('aria-selected')"), "true")
	got, err = p.Check(p.ctx(), briefly(sel(t, "#box")), true)
	ok(t, err)
	equal(t, "changed again", got.Changed, false)
	_, err = p.Check(p.ctx(), briefly(sel(t, "#box")), false)
	ok(t, err)
	equal(t, "selected in the end", p.text("item.getAttribute('aria-selected')"), "false")
}

// A list within a popup that closes when its field loses the focus, unless a press in the popup took it.
func TestSelectInAPopupOfAField(t *testing.T) {
	p := page(t, `<input id=day><div id=popup hidden><select id=month><option>May</option><option>June</option></select></div>
		<script>let inside = false;
		day.onfocus = () => popup.hidden = false;
		popup.onmousedown = () => inside = true;
		day.onblur = () => { if (!inside) popup.hidden = true; inside = false }</script>`)
	_, err := p.Click(p.ctx(), sel(t, "#day"), element.ClickOptions{})
	ok(t, err)
	_, err = p.Select(p.ctx(), briefly(sel(t, "#month")), "June")
	ok(t, err)
	equal(t, "month, hidden", p.text("month.value + ' ' + popup.hidden"), "June false")
}

// A hidden box that opens a list: its label only gives it the focus, its component opens it; an arrow beside it is no
// other control.
func TestClickOfAHiddenBoxThatOpens(t *testing.T) {
	p := page(t, `<style>.hide { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%) } .list { position: relative; width: 150px; height: 30px; background: #eee }</style>
		<label for=a>Cities</label>
		<div class=list onclick="opened += 'a'"><div class=hide><input id=a role=combobox aria-haspopup=listbox aria-expanded=false readonly></div><div>Choose</div></div>
		<div class=list onclick="opened += 'b'"><div class=hide><input id=b role=combobox aria-haspopup=tree aria-expanded=false readonly></div><div>Where</div>
			<div role=button aria-haspopup=tree aria-expanded=false style="position:absolute;right:0;top:0;width:20px;height:30px">v</div></div>
		<script>opened = ''</script>`)
	for _, id := range []string{"#a", "#b"} {
		_, err := p.Click(p.ctx(), briefly(sel(t, id)), element.ClickOptions{})
		ok(t, err)
	}
	equal(t, "opened", p.text("opened"), "ab")
}

// An animation in a shadow root, and a change there, are waited for like others.
func TestOverlaysThatFadeInShadowRoots(t *testing.T) {
	for _, how := range []string{
		"o.style.animation = 'fade 1.5s linear forwards'; o.onanimationend = () => o.remove()",
		"o.animate([{ opacity: 1 }, { opacity: 0 }], 1500).onfinish = () => o.remove()",
		"let left = 15; const clock = setInterval(() => { o.textContent = --left; if (!left) { clearInterval(clock); o.remove(); } }, 100)",
	} {
		p := page(t, `<button id=go>Go</button><div id=host></div><script>
			const root = host.attachShadow({ mode: 'open' });
			root.innerHTML = '<style>@keyframes fade { to { opacity: 0 } }</style><div style="position:fixed;inset:0;background:#0008"></div>';
			const o = root.lastChild; `+how+`</script>`)
		target := sel(t, "#go")
		target.FailEarly = true
		out, err := p.Click(p.ctx(), target, element.ClickOptions{})
		ok(t, err)
		equal(t, "clicks", out.Events["click"], 1)
	}
}

// A component draws its own list over the native one, which it makes transparent: the option that is drawn is meant.
func TestOptionsOfATransparentList(t *testing.T) {
	p := page(t, `<div style="position:relative;pointer-events:none"><select multiple style="position:absolute;opacity:0"><option>One<option>Two</select></div>
		<div role=listbox style="margin-top:90px"><div role=option>One</div><div role=option onclick="got = 'drawn'">Two</div></div><script>got = ''</script>`)
	target := sel(t, "role=option[name=Two]")
	target.FailEarly = true
	_, err := p.Click(p.ctx(), target, element.ClickOptions{})
	ok(t, err)
	equal(t, "clicked", p.text("got"), "drawn")
}
