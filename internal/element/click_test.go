package element_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/element"
	"github.com/usher-browser/usher/internal/element/failure"
	"github.com/usher-browser/usher/internal/element/geometry"
	"github.com/usher-browser/usher/internal/element/input"
	"github.com/usher-browser/usher/internal/element/locate"
)

func TestClickIsWhatAHandDoes(t *testing.T) {
	p := open(t, site(t).URL("/keys"))
	p.eval("window.log.length = 0", nil)
	out, err := p.Click(p.ctx(), sel(t, "#target"), element.ClickOptions{})
	ok(t, err)
	equal(t, "click events at the target", out.Events["click"], 1)
	equal(t, "events", p.text(`window.log.filter(e => e.id === 'target').map(e => e.type + (e.trusted ? '' : '!')).join(' ')`),
		"pointerover pointerdown mousedown focus pointerup mouseup click")
	equal(t, "role", out.Element.Role, "button")

	p.eval("window.log.length = 0", nil)
	out, err = p.Click(p.ctx(), sel(t, "#target"), element.ClickOptions{Count: 2})
	ok(t, err)
	equal(t, "double click", p.text(`window.log.filter(e => /click|mousedown/.test(e.type)).map(e => e.type + e.detail).join(' ')`),
		"mousedown1 click1 mousedown2 click2 dblclick2")
	equal(t, "clicks witnessed", out.Events["click"], 2)

	p.eval("window.log.length = 0", nil)
	_, err = p.Click(p.ctx(), sel(t, "#target"), element.ClickOptions{Button: input.Right})
	ok(t, err)
	equal(t, "right click", p.text(`window.log.filter(e => /mousedown|mouseup|click|menu/.test(e.type)).map(e => e.type + e.button).join(' ')`),
		"mousedown2 contextmenu2 mouseup2 auxclick2")
}

func TestClickRefusesWhatIsCovered(t *testing.T) {
	p := open(t, site(t).URL("/covered?ms=600"))
	_, err := p.Click(p.ctx(), briefly(sel(t, "#under")), element.ClickOptions{})
	refused(t, err, api.ElementCovered, "click #under", "div#veil")
	for _, id := range []string{"soon", "through", "part", "inside", "behind-header"} {
		_, err := p.Click(p.ctx(), sel(t, "#"+id), element.ClickOptions{})
		ok(t, err)
	}
	equal(t, "hit", strings.TrimSpace(p.text("document.getElementById('hit').textContent")), "soon through part inside behind-header")
	_, err = p.Click(p.ctx(), sel(t, "#words"), element.ClickOptions{})
	ok(t, err)
}

// A page that locks the mouse pointer or takes the screen gives it up for Escape, which it does not get then, as in a browser's window.
func TestEscapeEndsPointerLock(t *testing.T) {
	p := page(t, `<button id=lock onclick="document.body.requestPointerLock()">lock</button> <button id=full onclick="document.documentElement.requestFullscreen()">full</button>
		<button id=other onclick="this.textContent = 'clicked'">other</button><script>keys = 0; onkeydown = () => keys++</script>`)
	until := func(member string) {
		t.Helper()
		p.eval("new Promise(done => { const look = () => document."+member+" ? done(1) : setTimeout(look, 10); look() })", nil)
	}
	_, err := p.Click(p.ctx(), sel(t, "#lock"), element.ClickOptions{})
	ok(t, err)
	until("pointerLockElement")
	_, err = p.Click(p.ctx(), sel(t, "#other"), element.ClickOptions{})
	refused(t, err, api.ElementCovered, "locked the mouse pointer to <body>", "press Escape")
	_, err = p.Press(p.ctx(), "Escape")
	ok(t, err)
	_, err = p.Click(p.ctx(), sel(t, "#other"), element.ClickOptions{})
	ok(t, err)
	equal(t, "other", p.text("other.textContent"), "clicked")
	_, err = p.Click(p.ctx(), sel(t, "#full"), element.ClickOptions{})
	ok(t, err)
	until("fullscreenElement")
	_, err = p.Press(p.ctx(), "Escape")
	ok(t, err)
	equal(t, "state", p.text("[document.fullscreenElement, document.pointerLockElement, keys].join()"), ",,0")
	_, err = p.Press(p.ctx(), "Escape")
	ok(t, err)
	equal(t, "the next one", p.text("keys"), "1")
}

// What may be given up early is given up when nothing in the page changes, and not before.
func TestClickGivesUpOnAStillPage(t *testing.T) {
	p := page(t, `<button id=off disabled>off</button> <button id=soon disabled>soon</button> <button id=hidden hidden>h</button>
		<div style="position:relative;width:90px;height:30px"><button id=under>under</button><div id=veil style="position:absolute;inset:0;background:red"></div></div>
		<button id=loads disabled>loads</button> <div id=box style="width:9px;height:9px;background:blue"></div> <select id=list><option>one</select>`)
	early := func(s string) locate.Target {
		target := sel(t, s)
		target.Timeout, target.FailEarly = time.Minute, true // the test has less
		return target
	}
	for id, code := range map[string]api.Code{"#off": api.ElementDisabled, "#under": api.ElementCovered, "#hidden": api.ElementNotVisible} {
		_, err := p.Click(p.ctx(), early(id), element.ClickOptions{})
		refused(t, err, code, id)
	}
	_, err := p.Select(p.ctx(), early("#list"), "two")
	refused(t, err, api.OptionNotFound, "two")

	// Changes, an animation and a request keep it waiting.
	p.eval(`let n = 0; const tick = setInterval(() => { document.title = ++n; if (n === 8) { soon.disabled = false; clearInterval(tick) } }, 200); 0`, nil)
	_, err = p.Click(p.ctx(), early("#soon"), element.ClickOptions{})
	ok(t, err)
	p.eval(`soon.disabled = true; box.animate({ marginLeft: ['0px', '90px'] }, 1500).onfinish = () => soon.disabled = false; 0`, nil)
	_, err = p.Click(p.ctx(), early("#soon"), element.ClickOptions{})
	ok(t, err)
	asked := 0
	p.Busy = func() bool {
		if asked++; asked == 4 {
			p.eval("loads.disabled = false; 0", nil)
		}
		return true
	}
	_, err = p.Click(p.ctx(), early("#loads"), element.ClickOptions{})
	ok(t, err)
	if asked < 4 {
		t.Errorf("clicked after %d looks for requests, want 4", asked)
	}
}

func TestClickRefusesWhatAPersonCouldNotClick(t *testing.T) {
	p := page(t, `
		<button id=none style="display:none">none</button>
		<button id=invisible style="visibility:hidden">invisible</button>
		<div style="display:none"><button id=within>within</button></div>
		<button id=empty style="width:0;height:0;padding:0;border:0;overflow:hidden"></button>
		<button id=off disabled>off</button>
		<fieldset disabled><button id=set>set</button></fieldset>
		<button id=aria aria-disabled=true>aria</button>
		<div inert><button id=inert>inert</button></div>
		<button id=nohit style="pointer-events:none">nohit</button><div id=held style="pointer-events:none"><p><button id=nohits>nohits</button></p></div>
		<div style="pointer-events:none;position:relative"><button id=under>under</button><p id=over style="position:absolute;inset:0;margin:0;pointer-events:auto"></p></div>
		<button id=away style="position:absolute;left:-500px">away</button>
		<button>Save draft</button><button>Save all</button>`)
	for _, c := range []struct {
		id   string
		code api.Code
		part string
	}{
		{"none", api.ElementNotVisible, "display: none"},
		{"invisible", api.ElementNotVisible, "visibility is hidden"},
		{"within", api.ElementNotVisible, "around it has display: none"},
		{"empty", api.ElementNotVisible, "empty"},
		{"off", api.ElementDisabled, "attribute disabled"},
		{"set", api.ElementDisabled, "<fieldset>"},
		{"aria", api.ElementDisabled, "aria-disabled"},
		{"inert", api.ElementDisabled, "inert"},
		{"nohit", api.ElementCovered, "takes no clicks: it has pointer-events: none"},
		{"nohits", api.ElementCovered, "takes no clicks: <div#held> around it has pointer-events: none"},
		{"under", api.ElementCovered, "is covered by <p#over>"},
		{"away", api.ElementNotVisible, "outside"},
		{"missing", api.ElementNotFound, `nothing matches the selector "#missing"`},
	} {
		_, err := p.Click(p.ctx(), briefly(sel(t, "#"+c.id)), element.ClickOptions{})
		refused(t, err, c.code, c.part)
	}
	_, err := p.Click(p.ctx(), briefly(sel(t, "#nohit")), element.ClickOptions{})
	through := api.AsError(err)
	if strings.Contains(through.NextStep(), "cover") || through.Data["blocker"] != nil {
		t.Errorf("advice for what nothing covers: %q, %v", through.NextStep(), through.Data)
	}
	_, err = p.Click(p.ctx(), briefly(sel(t, `role=button[name=Publish]`)), element.ClickOptions{})
	refused(t, err, api.ElementNotFound, `"Save draft"`, `"Save all"`)
	_, err = p.Click(p.ctx(), briefly(sel(t, `role=slider`)), element.ClickOptions{})
	refused(t, err, api.ElementNotFound, `role button`)
	_, err = p.Click(p.ctx(), briefly(sel(t, `div[`)), element.ClickOptions{})
	refused(t, err, api.InvalidSelector, "div[")
	_, err = p.Click(p.ctx(), briefly(sel(t, `//div[`)), element.ClickOptions{})
	refused(t, err, api.InvalidSelector)
	_, err = p.Click(p.ctx(), sel(t, `@e5`), element.ClickOptions{})
	refused(t, err, api.UnknownRef)
}

func TestClickWaitsForVisibility(t *testing.T) {
	p := page(t, `<div id=log></div><script>
		setTimeout(() => { document.body.insertAdjacentHTML('beforeend', '<button id=late disabled onclick="log.textContent=1">x</button>') }, 200);
		setTimeout(() => { late.disabled = false }, 400);</script>`)
	_, err := p.Click(p.ctx(), sel(t, "#late"), element.ClickOptions{})
	ok(t, err)
	equal(t, "log", p.text("log.textContent"), "1")
}

func TestClickOnWhatMoves(t *testing.T) {
	p := open(t, site(t).URL("/moving"))
	for _, id := range []string{"arrives", "scripted", "spins"} {
		_, err := p.Click(p.ctx(), sel(t, "#"+id), element.ClickOptions{})
		ok(t, err)
	}
	equal(t, "hit", strings.TrimSpace(p.text("document.getElementById('hit').textContent")), "arrives scripted spins")
	_, err := p.Click(p.ctx(), briefly(sel(t, "#forever")), element.ClickOptions{})
	refused(t, err, api.ElementNotStable, "moving")
}

func TestAPressNeverLandsOnAnotherElement(t *testing.T) {
	p := open(t, site(t).URL("/vanishing"))
	out, err := p.Click(p.ctx(), sel(t, "#shifts"), element.ClickOptions{})
	ok(t, err)
	if out.Attempts < 2 {
		t.Errorf("it jumped, yet the first press hit it: %+v", out)
	}
	equal(t, "log", strings.TrimSpace(p.text("document.getElementById('log').textContent")), "shifted body:shifts")
	_, err = p.Click(p.ctx(), briefly(sel(t, "#on-hover")), element.ClickOptions{})
	refused(t, err, api.ElementNotFound)
	_, err = p.Click(p.ctx(), sel(t, "#on-press"), element.ClickOptions{})
	ok(t, err)
	out, err = p.Click(p.ctx(), sel(t, "#leaves"), element.ClickOptions{})
	ok(t, err)
	if out.Navigation == nil || !strings.HasSuffix(out.Navigation.URL, "/small") || !out.Navigation.Committed {
		t.Errorf("navigation %+v, want /small, committed", out.Navigation)
	}
}

func TestAnElementReplacedUnderTheMouseIsStaleByRef(t *testing.T) {
	p := open(t, site(t).URL("/vanishing"))
	el, _, err := p.Find(p.ctx(), sel(t, "#replaced"))
	ok(t, err)
	byRef := el.Target()
	byRef.Timeout = time.Second
	_, err = p.Click(p.ctx(), byRef, element.ClickOptions{})
	refused(t, err, api.StaleRef)
	var stale *failure.StaleError
	if !errors.As(err, &stale) || stale.Successor == nil || stale.Successor.Name != "Replaced when the mouse comes" {
		t.Fatalf("%v has no successor: %+v", err, stale)
	}
	_, err = p.Click(p.ctx(), stale.Successor.Target(), element.ClickOptions{})
	ok(t, err)
	equal(t, "log", strings.Fields(p.text("document.getElementById('log').textContent"))[0], "successor")
}

func TestClickScrolls(t *testing.T) {
	p := open(t, site(t).URL("/offscreen"))
	for _, id := range []string{"near", "in-box", "in-inner", "below", "right"} {
		_, err := p.Click(p.ctx(), sel(t, "#"+id), element.ClickOptions{})
		ok(t, err)
	}
	equal(t, "hit", strings.TrimSpace(p.text("document.getElementById('hit').textContent")), "near in-box in-inner below right")
}

// Less than a pixel of the button is left in the window: no place to click.
func TestClickOnLessThanAPixel(t *testing.T) {
	p := page(t, `<style>body{margin:0}div{height:40.3px}</style><script>
		for (let i = 0; i < 60; i++) document.write('<div><button id=b' + i + ' style="height:40.3px" onclick="document.title=this.id">' + i + '</button></div>');
		</script>`)
	for _, left := range []string{"0.2", "0.6", "0.9"} {
		p.eval("scrollTo(0, b5.getBoundingClientRect().bottom + scrollY - "+left+")", nil)
		_, err := p.Click(p.ctx(), sel(t, "#b5"), element.ClickOptions{})
		ok(t, err)
		equal(t, "clicked", p.text("document.title"), "b5")
		p.eval("document.title = ''", nil)
	}
}

// The page moves the button when it is pressed, for the first three presses.
// A part of an item that its list cuts off lies on the box around the list, which is interactive itself.
func TestClickOnWhatAListCutsOff(t *testing.T) {
	p := page(t, `<div tabindex=-1 style="position:absolute;top:0;left:0;border:1px solid red;width:100px;height:100px">
		<div style="height:100%;overflow:auto"><ul style="margin:0;padding:0"><li style="height:40px">one<li style="height:40px">two<li id=three style="height:40px">three<li style="height:40px">four</ul></div></div>
		<button id=b style="margin-top:200px"><span id=through style="pointer-events:none">through</span></button>
		<div style="overflow:auto;width:50px;height:50px"><button style="position:fixed;left:300px;top:300px"><span id=fixed style="pointer-events:none">fixed</span></button></div>`)
	p.eval(`for (const el of document.querySelectorAll('li, button')) el.onclick = () => { document.title = el.textContent }; 0`, nil)
	for selector, title := range map[string]string{"#three": "three", "#through": "through", "#fixed": "fixed"} {
		_, err := p.Click(p.ctx(), sel(t, selector), element.ClickOptions{})
		ok(t, err)
		equal(t, "title after a click on "+selector, p.text("document.title"), title)
	}
}

// A list that opens under the resting mouse ignores the first move after that, as that of jQuery UI does, so that the
// item under the mouse is not chosen by accident.
func TestClickInAListUnderTheMouse(t *testing.T) {
	p := page(t, `<input id=field style="display:block;width:90px"><button id=b style="width:90px;height:30px">b</button>
		<ul id=list hidden style="position:absolute;top:30px;left:0;width:90px;margin:0;padding:0;list-style:none"><li style="height:30px">one<li style="height:30px">two<li id=three style="height:30px">three</ul>`)
	p.eval(`let moves = 0, active
		field.oninput = () => { list.hidden = false; moves = 0 }
		list.onmousemove = e => { if (moves++ > 0) active = e.target }
		list.onclick = () => { document.title = active ? active.textContent : 'nothing' }; 0`, nil)
	for range 2 {
		_, err := p.Click(p.ctx(), sel(t, "#b"), element.ClickOptions{})
		ok(t, err)
		_, err = p.Type(p.ctx(), sel(t, "#field"), "t", element.TypeOptions{})
		ok(t, err)
		_, err = p.Click(p.ctx(), sel(t, "#three"), element.ClickOptions{})
		ok(t, err)
		equal(t, "chosen", p.text("document.title"), "three")
		p.eval("list.hidden = true; document.title = ''; 0", nil)
	}
}

// A page that takes over what was entered when the field loses the focus, and needs a moment for it, has it by the time the
// button is released, as it does under a hand.
func TestClickLeavesAFieldTimeToTakeItsText(t *testing.T) {
	p := page(t, `<input id=field><button id=b style="margin:20px">Add</button>`)
	p.eval(`let taken = ''
		field.onblur = () => { const text = field.value; setTimeout(() => { taken = text }, 2) }
		b.onclick = () => { document.title = taken; field.value = taken = '' }; 0`, nil)
	enter := map[string]func(string) error{
		"fill": func(text string) error { _, err := p.Fill(p.ctx(), sel(t, "#field"), text); return err },
		"type": func(text string) error {
			_, err := p.Type(p.ctx(), sel(t, "#field"), text, element.TypeOptions{})
			return err
		},
	}
	for _, text := range []string{"42.10", "7"} { // the second time the mouse is on the button already
		for how, enter := range enter {
			ok(t, enter(text))
			_, err := p.Click(p.ctx(), sel(t, "#b"), element.ClickOptions{})
			ok(t, err)
			equal(t, "added after "+how, p.text("document.title"), text)
			p.eval("document.title = ''; 0", nil)
		}
	}
}

// A page that is busy with the press for longer than the hold waits for its timers is clicked all the same.
func TestClickAfterTextInABusyPage(t *testing.T) {
	p := page(t, `<input id=field><button id=b>Add</button>`)
	p.eval(`b.onmousedown = () => { for (const end = Date.now() + 400; Date.now() < end;); }
		b.onclick = () => { document.title += field.value + ' ' }; document.title = ''; 0`, nil)
	_, err := p.Fill(p.ctx(), sel(t, "#field"), "42")
	ok(t, err)
	_, err = p.Click(p.ctx(), sel(t, "#b"), element.ClickOptions{})
	ok(t, err)
	equal(t, "added", p.text("document.title"), "42")
}

// The button that such a page moves a moment after the press is still clicked.
func TestClickOnWhatMovesAfterAFieldWasLeft(t *testing.T) {
	p := page(t, `<input id=field><p id=error style="margin:0;height:0"></p><button id=b style="display:block;height:20px">Send</button>`)
	p.eval(`field.onblur = () => setTimeout(() => { error.style.height = '60px' }, 2)
		addEventListener('click', e => { document.title += e.target.id + ' ' }); 0`, nil)
	_, err := p.Fill(p.ctx(), sel(t, "#field"), "Ada")
	ok(t, err)
	p.eval("document.title = ''; 0", nil)
	_, err = p.Click(p.ctx(), sel(t, "#b"), element.ClickOptions{})
	ok(t, err)
	equal(t, "clicked", p.text("document.title"), "b")
}

func TestClickOnMovedElement(t *testing.T) {
	p := page(t, `<div id=around style="padding:50px"><button id=b>Go</button></div><script>
		window.log = []; let n = 0;
		b.addEventListener('mousedown', () => { if (n++ < 3) around.style.paddingLeft = 50 + 200 * n + 'px' });
		addEventListener('click', e => log.push(e.target.id));
		</script>`)
	out, err := p.Click(p.ctx(), sel(t, "#b"), element.ClickOptions{})
	ok(t, err)
	equal(t, "clicks", p.text("log"), "b")
	equal(t, "attempts", out.Attempts, 4)
}

// What is moved until its edge is where the mouse is has slipped away, too: the pixel at the right and at the bottom is
// not its own.
func TestClickOnElementMovedToItsEdge(t *testing.T) {
	for _, edge := range []string{"top = '-10px'", "left = '-30px'", "top = '10px'", "left = '30px'"} {
		p := page(t, `<style>#b{position:relative;width:60px;height:20px;padding:0;border:0}</style>
			<div id=around style="padding:50px"><button id=b>Go</button></div><script>
			window.log = []; let moved = false;
			b.addEventListener('mousedown', () => { if (!moved) { moved = true; b.style.`+edge+` } });
			addEventListener('click', e => log.push(e.target.id));
			</script>`)
		_, err := p.Click(p.ctx(), sel(t, "#b"), element.ClickOptions{})
		ok(t, err)
		equal(t, "clicks after "+edge, p.text("log"), "b")
	}
}

// A menu that closes when it is pressed has had its press.
func TestClickOnWhatClosesWhenPressed(t *testing.T) {
	p := page(t, `<div id=around><button id=b>Choose</button><p>text</p></div><script>
		window.log = [];
		b.addEventListener('mousedown', () => { b.style.display = 'none'; log.push('chosen') });
		</script>`)
	_, err := p.Click(p.ctx(), sel(t, "#b"), element.ClickOptions{})
	ok(t, err)
	equal(t, "log", p.text("log"), "chosen")
}

func TestAThousandClicksHitEach(t *testing.T) {
	p := page(t, `<style>button{width:60px;height:20px;padding:0}</style><div id=all></div><script>
		window.hits = [];
		for (let i = 0; i < 400; i++) { const b = document.createElement('button'); b.id = 'b' + i; b.textContent = i; all.append(b) }
		addEventListener('click', e => hits.push(e.target.id));
		addEventListener('scroll', () => all.style.paddingTop = (Math.random() * 20 | 0) + 'px');
		</script>`)
	n := 1000
	if testing.Short() {
		n = 100
	}
	ctx := within(t, 2*time.Minute)
	began := time.Now()
	for i := range n {
		_, err := p.Click(ctx, sel(t, fmt.Sprintf("#b%d", (i*37)%400)), element.ClickOptions{})
		ok(t, err)
	}
	t.Logf("%d clicks, %v each", n, time.Since(began)/time.Duration(n))
	var hits []string
	p.eval("hits", &hits)
	equal(t, "clicks", len(hits), n)
	for i, id := range hits {
		equal(t, fmt.Sprintf("click %d", i), id, fmt.Sprintf("b%d", (i*37)%400))
	}
}

func TestHover(t *testing.T) {
	p := page(t, `<style>#menu:hover #item{display:block}#item{display:none}</style>
		<div id=menu style="width:200px">menu<div id=item onclick="document.title='chosen'">item</div></div><p id=other>other</p>`)
	for range 2 { // the second time the mouse does not move
		out, err := p.Hover(p.ctx(), sel(t, "#menu"))
		ok(t, err)
		if out.Events["mousemove"] == 0 {
			t.Fatalf("no mousemove seen: %+v", out)
		}
	}
	_, err := p.Click(p.ctx(), sel(t, "#item"), element.ClickOptions{})
	ok(t, err)
	equal(t, "title", p.text("document.title"), "chosen")
}

// What the page does when the mouse comes is done, and told, when Hover returns, whether or not the page lets the event
// pass.
func TestHoverReportsAfterPageHandlers(t *testing.T) {
	for _, at := range []struct{ name, does, url string }{
		{name: "lets it pass", does: "slow(); document.title = 'done'"},
		{name: "stops it", does: "event.stopPropagation(); slow(); document.title = 'done'"},
		{name: "stops it at once", does: "event.stopImmediatePropagation(); slow(); document.title = 'done'"},
		{name: "leaves", does: "event.stopPropagation(); slow(); location = '/small?hovered'", url: "/small?hovered"},
	} {
		s := site(t)
		p := open(t, s.URL("/small"))
		p.eval("window.slow = () => { const end = performance.now() + 60; while (performance.now() < end); };"+
			"document.body.innerHTML = '<p id=other>other</p><p id=it>it</p>'; it.onmousemove = event => { it.onmousemove = null; "+at.does+" }; 0", nil)
		out, err := p.Hover(p.ctx(), sel(t, "#it"))
		ok(t, err)
		if at.url != "" {
			if out.Navigation == nil || !strings.HasSuffix(out.Navigation.URL, at.url) {
				t.Errorf("%s: the navigation is %+v", at.name, out.Navigation)
			}
			continue
		}
		equal(t, at.name, p.text("document.title"), "done")
		if out.Events["mousemove"] == 0 {
			t.Errorf("%s: seen were %v", at.name, out.Events)
		}
	}
	p := page(t, `<p id=it onmousemove="this.onmousemove = null; alert('hovered')">it</p>`)
	out, err := p.Hover(p.ctx(), sel(t, "#it"))
	ok(t, err)
	if out.Dialog == nil || out.Dialog.Message != "hovered" {
		t.Errorf("the dialog is %+v", out.Dialog)
	}
}

// The pointer's arrival is made to count at once by letting go of no button; a
// page that listens for everything must not notice.
func TestHoverCausesMovesOnly(t *testing.T) {
	p := page(t, `<input id=field value=words><p id=a>one</p><p id=b>two</p><script>
		window.seen = {};
		const names = new Set(['focusin','focusout','compositionstart','beforeinput','textInput']);
		for (const o of [window, document, Element.prototype, HTMLElement.prototype])
			for (const key in o) if (key.startsWith('on')) names.add(key.slice(2));
		for (const name of names) addEventListener(name, e => seen[e.type] = (seen[e.type] || 0) + 1, true);
		document.addEventListener('selectionchange', e => seen[e.type] = 1);
		</script>`)
	_, err := p.Focus(p.ctx(), sel(t, "#field"))
	ok(t, err)
	equal(t, "value", p.text("(field.select(), seen = {}, field.value)"), "words")
	for _, target := range []string{"#a", "#b", "#a"} {
		_, err := p.Hover(p.ctx(), sel(t, target))
		ok(t, err)
	}
	ok(t, p.MouseMove(p.ctx(), geometry.Point{X: 3, Y: 3}, element.MoveOptions{Steps: 3}))
	var seen map[string]int
	p.eval("seen", &seen)
	for name := range seen {
		switch name {
		case "selectionchange", "select": // of field.select() above
		case "devicemotion", "deviceorientation", "deviceorientationabsolute": // come once to whoever listens
		case "mousemove", "mouseover", "mouseout", "mouseenter", "mouseleave",
			"pointermove", "pointerover", "pointerout", "pointerenter", "pointerleave", "pointerrawupdate":
		default:
			t.Errorf("the page saw %s", name)
		}
	}
	if seen["mousemove"] < 6 {
		t.Errorf("the page saw %d moves, want each of 6: %v", seen["mousemove"], seen)
	}
	equal(t, "selection", p.text("getSelection().toString()"), "words")
}

// A form's properties can be hidden behind controls of those names.
func TestClickInFormThatHidesItsProperties(t *testing.T) {
	p := page(t, `<form onsubmit="document.title='sent'; return false"><input name=parentElement><input name=assignedSlot>
		<input name=matches><input name=parentNode><button id=go>Go</button></form>`)
	_, err := p.Click(p.ctx(), sel(t, "#go"), element.ClickOptions{})
	ok(t, err)
	equal(t, "title", p.text("document.title"), "sent")
}

func TestNothingIsObservable(t *testing.T) {
	p := page(t, `<div id=host><button id=b style="margin-top:1500px">b</button><input id=i></div><script>
		window.touched = 'nothing'; window.records = 0;
		new MutationObserver(r => records += r.length).observe(document, {subtree:true, childList:true, attributes:true, characterData:true});
		for (const [holder, name] of [[EventTarget.prototype,'addEventListener'],[EventTarget.prototype,'dispatchEvent'],[Document.prototype,'querySelector'],
				[Document.prototype,'elementFromPoint'],[HTMLElement.prototype,'focus'],[Element.prototype,'scrollIntoView']]) {
			const own = holder[name];
			holder[name] = function(...a) { window.touched = name; return own.apply(this, a) };
		}
		window.globals = 0; window.globals = Object.getOwnPropertyNames(window).length;</script>`)
	_, err := p.Click(p.ctx(), sel(t, "#b"), element.ClickOptions{})
	ok(t, err)
	_, err = p.Fill(p.ctx(), sel(t, "#i"), "x")
	ok(t, err)
	equal(t, "seen by the page", p.text("records + ' ' + touched + ' ' + (Object.getOwnPropertyNames(window).length - globals)"), "0 nothing 0")
}

// TestClickDeliveredLate: the page is busy for long between the check and the press, and
// another element is in the place then. It gets no press, however late that comes.
func TestClickDeliveredLate(t *testing.T) {
	p := page(t, `<div id=place><button id=a>First</button></div><script>
		window.pressed = [];
		document.addEventListener('mousemove', () => {
			for (const end = performance.now() + 3300; performance.now() < end;);
			const b = document.createElement('button');
			b.textContent = 'Other';
			b.onmousedown = b.onclick = event => pressed.push(event.type);
			document.querySelector('#a').replaceWith(b);
		}, {once: true});
	</script>`)
	_, err := p.Click(p.ctx(), sel(t, "#a"), element.ClickOptions{})
	if err == nil {
		t.Error("the click is said to have succeeded")
	}
	var got string
	if p.eval("pressed.join()", &got); got != "" {
		t.Errorf("the other element got %s", got)
	}
}

// TestPointOutsideOfTarget: a point that no part of the target reaches is said to be wrong, and the target not to be hidden or covered.
func TestPointOutsideOfTarget(t *testing.T) {
	p := page(t, `<canvas id=c width=40 height=20 style="display:block"></canvas><p style="height:300px">below</p>`)
	for _, at := range []geometry.Point{{X: 10, Y: 700}, {X: 10, Y: 60}, {X: -5, Y: 5}} {
		_, err := p.Click(p.ctx(), briefly(sel(t, "#c")), element.ClickOptions{At: &at})
		refused(t, err, api.InvalidArgument, "does not reach to", "40 by 20 pixels")
	}
}

// TestClickAtRefusesWhatIsOutside: nothing gets a click at a point outside of the viewport.
func TestClickAtRefusesWhatIsOutside(t *testing.T) {
	p := page(t, `<body style="margin:0;height:3000px" onclick="document.title = event.clientX + ',' + event.clientY">`)
	for _, at := range []geometry.Point{{X: 10, Y: 2900}, {X: 90000, Y: 10}, {X: -1, Y: 10}} {
		_, err := p.ClickAt(p.ctx(), at, element.ClickOptions{})
		refused(t, err, api.InvalidArgument, "outside the viewport")
	}
	out, err := p.ClickAt(p.ctx(), geometry.Point{X: 10, Y: 20}, element.ClickOptions{})
	if err != nil || out.At.Y != 20 {
		t.Errorf("inside: %+v, %v", out, err)
	}
	var title string
	p.eval("document.title", &title)
	equal(t, "the click", title, "10,20")
}
