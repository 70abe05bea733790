package element_test

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/element"
	"github.com/usher-browser/usher/internal/element/geometry"
	"github.com/usher-browser/usher/internal/element/input"
	"github.com/usher-browser/usher/internal/element/locate"
)

func TestLocators(t *testing.T) {
	p := page(t, `<script>/* Hello hidden */</script><style>/* Hello */</style>
		<p id=p>Hello <b id=b>big</b> world</p><p id=other>Say hello</p><p style="display:none">Exact</p><p id=exact>Not Exact</p>
		<p id=nbsp>Two&nbsp;words</p><button id=save>Save draft</button><button id=only>Save</button>
		<label id=l>Your <i>mail</i> <input id=mail placeholder="you@example.com" title="Mail address"></label>
		<input id=aria aria-label="Search shop"><span id=lab>Phone</span><input id=phone aria-labelledby=lab>
		<img id=img alt="A red car" src="data:,"><div id=tid data-testid=card>card</div><a id=link href="/x">Learn <em>more</em></a>
		<ul><li class=i>one</li><li class=i>two</li><li class=i>three</li></ul><input id=submit type=submit value="Send it">
		<div id=hid aria-hidden=true><button>Ghost</button></div>`)
	find := func(target locate.Target) string {
		t.Helper()
		target.Timeout = -1
		el, _, err := p.Find(p.ctx(), target)
		if err != nil {
			return string(api.CodeOf(err))
		}
		id, err := p.Attribute(p.ctx(), el.Target(), "id")
		ok(t, err)
		if id == nil {
			text, err := p.Text(p.ctx(), el.Target())
			ok(t, err)
			return text
		}
		return *id
	}
	nth := func(s string, i int) locate.Target {
		target := sel(t, s)
		target.Nth = &i
		return target
	}
	for s, want := range map[string]string{
		"text=Hello big world": "p", "text=Hello": "p", "text=hello": "other", "text=big": "b", `text="Exact"`: "Exact", `text="Not"`: "element_not_found",
		"text=Exact": "exact", "text=Two words": "nbsp", "text=Save": "only", "text=Send it": "submit", "text=Hello hidden": "element_not_found",
		"role=button[name=Save]": "only", "role=button[name=save draft]": "save", `role=button[name="save"]`: "element_not_found",
		"role=button[name=Ghost]": "element_not_found", "role=link": "link", "role=img": "img", "role=textbox[name=Phone]": "phone",
		"label=Your mail": "mail", "label=search": "aria", "label=Phone": "phone", "placeholder=you@": "mail", "title=Mail address": "mail",
		"alt=red": "img", "testid=card": "tid", "testid=car": "element_not_found", "//button": "save", "xpath=//li[2]": "two", "(//li)[3]": "three",
		"css=#p > b": "b", "#p b": "b", ".i": "one",
	} {
		if got := find(sel(t, s)); got != want {
			t.Errorf("%s found %s, want %s", s, got, want)
		}
	}
	for i, want := range map[int]string{0: "one", 2: "three", -1: "three", -3: "one", 3: "element_not_found", -4: "element_not_found"} {
		if got := find(nth(".i", i)); got != want {
			t.Errorf(".i at %d found %s, want %s", i, got, want)
		}
	}
	_, _, err := p.Find(p.ctx(), briefly(nth(".i", 7)))
	refused(t, err, api.ElementNotFound, "3 elements match", "none at index 7")
	n, err := p.Count(p.ctx(), sel(t, ".none"))
	ok(t, err)
	equal(t, "count", n, 0)
	_, matched, err := p.Find(p.ctx(), sel(t, ".i"))
	ok(t, err)
	equal(t, "matched", matched, 3)
}

func TestLabelsInsteadOfAMissingOne(t *testing.T) {
	p := page(t, `<div role=dialog aria-label="Gone dialog" style="display:none"></div><input aria-label=Here>
		<label>Box <input type=checkbox style="display:none"></label><img alt="Gone image" style="visibility:hidden">`)
	_, _, err := p.Find(p.ctx(), briefly(sel(t, "label=Nope")))
	refused(t, err, api.ElementNotFound, `there are: "Here", "Box"`)
	if strings.Contains(err.Error(), "Gone") {
		t.Errorf("it names what is hidden: %v", err)
	}
	_, _, err = p.Find(p.ctx(), briefly(sel(t, "alt=Nope")))
	refused(t, err, api.ElementNotFound, `there are only hidden ones: "Gone image"`)
}

func TestReading(t *testing.T) {
	p := page(t, `<div id=d style="width:100px;height:50px;color:rgb(1,2,3)"><b>Bold</b><script>1</script></div><input id=i value=v>
		<select id=s><option value=x>X</option></select><button id=off disabled>o</button><p id=gone style="display:none">g</p>`)
	text, err := p.Text(p.ctx(), sel(t, "#d"))
	ok(t, err)
	equal(t, "text", text, "Bold")
	html, err := p.HTML(p.ctx(), sel(t, "#d"))
	ok(t, err)
	equal(t, "html", html, "<b>Bold</b><script>1</script>")
	value, err := p.Value(p.ctx(), sel(t, "#i"))
	ok(t, err)
	equal(t, "value", *value, "v")
	value, err = p.Value(p.ctx(), sel(t, "#d"))
	ok(t, err)
	if value != nil {
		t.Errorf("a div has the value %q", *value)
	}
	attr, err := p.Attribute(p.ctx(), sel(t, "#d"), "style")
	ok(t, err)
	equal(t, "style", strings.HasPrefix(*attr, "width:100px"), true)
	attr, err = p.Attribute(p.ctx(), sel(t, "#d"), "none")
	ok(t, err)
	equal(t, "absent", attr == nil, true)
	box, err := p.Box(p.ctx(), sel(t, "#d"))
	ok(t, err)
	equal(t, "box", box, element.Box{X: 8, Y: 8, Width: 100, Height: 50})
	styles, err := p.Styles(p.ctx(), sel(t, "#d"))
	ok(t, err)
	equal(t, "colour", styles["color"], "rgb(1, 2, 3)")
	st, err := p.Status(p.ctx(), sel(t, "#off"))
	ok(t, err)
	equal(t, "status", st, element.Status{Visible: true, Checked: "none"})
	st, err = p.Status(p.ctx(), sel(t, "#gone"))
	ok(t, err)
	equal(t, "status", st, element.Status{Enabled: true, Checked: "none"})
}

func TestWait(t *testing.T) {
	p := page(t, `<p id=p>p</p><script>function begin() { setTimeout(() => { p.style.display = 'none' }, 150); setTimeout(() => p.remove(), 300);
		setTimeout(() => document.body.insertAdjacentHTML('beforeend', '<p id=late>late</p>'), 450) }</script>`)
	el, _, err := p.Find(p.ctx(), sel(t, "#p"))
	ok(t, err)
	p.eval("begin(), 0", nil)
	ok(t, p.Wait(p.ctx(), el.Target(), element.Hidden))
	ok(t, p.Wait(p.ctx(), el.Target(), element.Detached))
	ok(t, p.Wait(p.ctx(), sel(t, "#late"), element.Visible))
	ok(t, p.Wait(p.ctx(), sel(t, "#never"), element.Hidden))
	err = p.Wait(p.ctx(), briefly(sel(t, "#never")), element.Attached)
	refused(t, err, api.Timeout, `nothing matches the selector "#never"`)
	err = p.Wait(p.ctx(), briefly(sel(t, "#late")), element.Hidden)
	refused(t, err, api.Timeout, "is visible")
	gone := el.Target()
	gone.Timeout = 300 * time.Millisecond
	refused(t, p.Wait(p.ctx(), gone, element.Visible), api.StaleRef)
	_, err = element.ParseState("shown")
	refused(t, err, api.InvalidArgument, "shown")
}

// TestVisibleWithoutABox has elements with display: contents, which are visible if something in them is.
func TestVisibleWithoutABox(t *testing.T) {
	p := page(t, `<style>.c { display: contents }</style><ul class=c id=list><li class=c id=item>In contents</li></ul>
		<div class=c id=nested><div class=c><b>Inner</b></div></div><div class=c id=slotted></div>
		<div style="display:none"><p class=c id=none>Not shown</p></div><p class=c style="visibility:hidden" id=made>Made invisible</p>
		<p class=c id=empty> </p><p class=c id=hidden><b style="display:none">Hidden</b></p>
		<div style="content-visibility:hidden"><p class=c id=skipped>Skipped</p></div>
		<script>slotted.attachShadow({mode: "open"}).innerHTML = "<slot></slot>"; slotted.append("In a slot")</script>
		<p style="height:3000px"></p><section><button class=c onclick="hit = true" id=far>Far down</button></section>`)
	for id, want := range map[string]bool{
		"list": true, "item": true, "nested": true, "slotted": true, "none": false, "made": false, "empty": false, "hidden": false, "skipped": false,
	} {
		st, err := p.Status(p.ctx(), sel(t, "#"+id))
		ok(t, err)
		equal(t, id, st.Visible, want)
	}
	for _, text := range []string{"In contents", "Inner", "In a slot"} {
		ok(t, p.Wait(p.ctx(), sel(t, "text="+text), element.Visible))
	}
	for _, text := range []string{"Not shown", "Made invisible", "Skipped"} {
		refused(t, p.Wait(p.ctx(), briefly(sel(t, "text="+text)), element.Visible), api.Timeout, "not visible")
	}
	_, err := p.Click(p.ctx(), sel(t, "#far"), element.ClickOptions{})
	ok(t, err)
	equal(t, "hit", p.text("hit"), "true")
}

func TestScroll(t *testing.T) {
	p := page(t, `<div id=box style="width:200px;height:100px;overflow:auto"><div style="height:1000px;width:900px">x</div></div>
		<div style="height:3000px">y</div><script>window.scrolls = 0; addEventListener('scroll', () => scrolls++, true)</script>`)
	s, err := p.Scroll(p.ctx(), nil, 0, 500)
	ok(t, err)
	equal(t, "moved", s.Moved, geometry.Point{Y: 500})
	equal(t, "scroller", s.Scroller, "the page")
	equal(t, "page", p.text("scrollY"), "500")
	s, err = p.Scroll(p.ctx(), nil, 0, 1e6)
	ok(t, err)
	equal(t, "end", s.AtEnd(), true)
	s, err = p.Scroll(p.ctx(), nil, 0, 100)
	ok(t, err)
	equal(t, "moved at the end", s.Moved, geometry.Point{})
	equal(t, "wheel", s.Wheel, false)
	box := sel(t, "#box")
	s, err = p.Scroll(p.ctx(), &box, 150, 0)
	ok(t, err)
	equal(t, "moved", s.Moved, geometry.Point{X: 150})
	p.eval("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done))).then(() => 1)", nil)
	equal(t, "box", p.text("box.scrollLeft + ' ' + (scrolls > 0)"), "150 true")
	_, _, err = element.ParseDirection("sideways", 10)
	refused(t, err, api.InvalidArgument, "sideways")
	_, err = p.ScrollIntoView(p.ctx(), box)
	ok(t, err)
	equal(t, "into view", p.text("scrollY < 10"), "true")
}

func TestScrollOfAnApplication(t *testing.T) {
	p := page(t, `<style>html,body{height:100%;margin:0;overflow:hidden}</style>
		<div id=side style="float:left;width:100px;height:100%;overflow:auto"><div style="height:4000px"></div></div>
		<div id=main style="height:100%;overflow:auto;scroll-behavior:smooth"><div style="height:4000px"></div></div>`)
	s, err := p.Scroll(p.ctx(), nil, 0, 300)
	ok(t, err)
	equal(t, "main", p.text("main.scrollTop + ' ' + side.scrollTop"), "300 0")
	equal(t, "left", s.Left.Y > 1000, true)
}

// A component is scrolled by what it has inside for that, not by the page around it; what is small in it is not meant.
func TestScrollInAComponent(t *testing.T) {
	const tall = `<div style="height:2000px">tall</div>`
	p := page(t, `<div id=wrapper><div class=head>Head</div><div id=inner style="height:150px;overflow:auto">`+tall+`</div></div><div id=host></div>
		<div id=list style="height:150px;overflow:auto"><p id=row style="height:60px">Row <textarea rows=1 style="height:10px">a

			b</textarea></p>`+tall+`</div><p id=text>text</p>`+tall+`<script>
		host.attachShadow({mode: 'open'}).innerHTML = '<div style="height:150px;overflow:auto"><slot>`+tall+`</slot></div>';</script>`)
	for _, c := range []struct {
		element, scroller string
		outside           bool
	}{{"#wrapper", "<div#inner>", false}, {"#host", "<div>", false}, {"#row", "<div#list>", true}, {"#text", "the page", true}, {"body", "the page", false}} {
		target := sel(t, c.element)
		s, err := p.Scroll(p.ctx(), &target, 0, 100)
		ok(t, err)
		equal(t, c.element+": scroller", s.Scroller, c.scroller)
		equal(t, c.element+": outside", s.Outside, c.outside)
		equal(t, c.element+": moved", s.Moved, geometry.Point{Y: 100})
	}
}

func TestScrollTurnsTheWheelWhereNothingScrolls(t *testing.T) {
	p := page(t, `<style>body{margin:0;overflow:hidden}</style><canvas id=map style="width:100vw;height:100vh"></canvas>
		<script>window.wheels = []; map.addEventListener('wheel', e => { e.preventDefault(); wheels.push(e.deltaY) }, {passive:false})</script>`)
	s, err := p.Scroll(p.ctx(), nil, 0, 120)
	ok(t, err)
	equal(t, "wheel", s.Wheel, true)
	equal(t, "wheels", p.text("wheels.join()"), "120")
}

// The wheel is turned only where something may listen to it.
func TestWheelNeedsAListener(t *testing.T) {
	const quiet = `<p id=p onclick="1">text</p><script>addEventListener('click', () => 1); document.body.onmousemove = () => 1;`
	for name, c := range map[string]struct {
		page  string
		turns bool
	}{
		"none":      {quiet + `</script>`, false},
		"window":    {quiet + `addEventListener('wheel', () => 1)</script>`, true},
		"document":  {quiet + `document.onwheel = () => 1</script>`, true},
		"old event": {quiet + `p.addEventListener('mousewheel', () => 1)</script>`, true},
		"attribute": {`<p onwheel="1">text</p>`, true},
		"shadow":    {`<div id=host></div><script>host.attachShadow({mode: 'open'}).appendChild(document.createElement('p')).onwheel = () => 1</script>`, true},
		"frame":     {`<iframe srcdoc="<p>text"></iframe>`, true},
		"many":      {`<p>text<script>for (let i = 0; i < 3000; i++) document.body.appendChild(document.createElement('br')).hidden = true</script>`, true},
	} {
		p := page(t, `<style>body{margin:0;overflow:hidden}</style>`+c.page)
		s, err := p.Scroll(p.ctx(), nil, 0, 120)
		ok(t, err)
		if s.Wheel != c.turns || !s.Fixed || s.AtEnd() == c.turns {
			t.Errorf("%s: %+v, want Wheel to be %v", name, s, c.turns)
		}
	}
}

// A page that only watches the wheel gets it without the browser waiting for it, and may be busy at that moment.
func TestWheelIsHandledWhenTheCommandReturns(t *testing.T) {
	p := page(t, `<style>body{margin:0;overflow:hidden}</style><canvas id=map style="width:100vw;height:100vh"></canvas>
		<script>window.wheels = 0; addEventListener('wheel', () => { wheels++ }, {passive: true})
		const spin = () => { for (const end = performance.now() + 12; performance.now() < end;); requestAnimationFrame(spin) }; spin()</script>`)
	for turns := 1; turns <= 5; turns++ {
		_, err := p.Scroll(p.ctx(), nil, 0, 120)
		ok(t, err)
		equal(t, "wheels", p.text("String(wheels)"), strconv.Itoa(turns))
	}
}

func TestMouse(t *testing.T) {
	p := open(t, site(t).URL("/keys"))
	p.eval("window.log.length = 0", nil)
	ok(t, p.MouseMove(p.ctx(), geometry.Point{X: 30, Y: 40}, element.MoveOptions{Steps: 5}))
	ok(t, p.KeyDown(p.ctx(), "Shift"))
	ok(t, p.MouseDown(p.ctx(), input.Middle))
	ok(t, p.MouseUp(p.ctx(), input.Middle))
	ok(t, p.KeyUp(p.ctx(), "Shift"))
	ok(t, p.MouseWheel(p.ctx(), 5, 70))
	equal(t, "events", p.text(`window.log.filter(e => /down|up|wheel/.test(e.type)).map(e => e.type + (e.button ?? e.key ?? e.y) + e.modifiers).join(' ')`),
		"keydownShiftshift pointerdown1shift mousedown1shift pointerup1shift mouseup1shift keyupShift wheel70")
	at, held := p.Mouse()
	equal(t, "at", at, geometry.Point{X: 30, Y: 40})
	equal(t, "held", held, int64(0))
	_, err := input.ParseButton("fourth")
	refused(t, err, api.InvalidArgument)
}

func TestPress(t *testing.T) {
	p := open(t, site(t).URL("/keys"))
	_, err := p.Fill(p.ctx(), sel(t, "#area"), "some text")
	ok(t, err)
	press := func(chord, want string) {
		t.Helper()
		p.eval("window.log.length = 0", nil)
		_, err := p.Press(p.ctx(), chord)
		ok(t, err)
		equal(t, chord, p.text(`window.log.map(e => e.type + ':' + (e.key ?? e.inputType ?? '') + (e.modifiers ? '/' + e.modifiers : '')).join(' ')`), want)
	}
	press("Control+a", "keydown:Control/ctrl keydown:a/ctrl keyup:a/ctrl keyup:Control")
	equal(t, "selected", p.text("area.selectionEnd - area.selectionStart"), "9")
	press("Shift+a", "keydown:Shift/shift keydown:A/shift keypress:A/shift beforeinput:insertText input:insertText keyup:A/shift keyup:Shift")
	equal(t, "value", p.text("area.value"), "A")
	press("é", "keydown:é keypress:é beforeinput:insertText input:insertText keyup:é")
	press("Return", "keydown:Enter keypress:Enter beforeinput:insertLineBreak input:insertLineBreak keyup:Enter")
	press("Backspace", "keydown:Backspace beforeinput:deleteContentBackward input:deleteContentBackward keyup:Backspace")
	press("Esc", "keydown:Escape keyup:Escape")
	press("ctrl+shift+ArrowLeft", "keydown:Control/ctrl keydown:Shift/ctrl+shift keydown:ArrowLeft/ctrl+shift keyup:ArrowLeft/ctrl+shift keyup:Shift/ctrl keyup:Control")
	press("F5", "keydown:F5 keyup:F5")
	equal(t, "value", p.text("area.value"), "Aé")
	equal(t, "codes", p.text(`(() => { return area.value })()`), "Aé")
	_, err = p.Press(p.ctx(), "foo")
	refused(t, err, api.UnknownKey, "foo")

	ok(t, p.KeyDown(p.ctx(), "x"))
	p.eval("window.log.length = 0", nil)
	ok(t, p.KeyDown(p.ctx(), "x"))
	equal(t, "repeat", p.text("window.log[0].repeat"), "true")
	ok(t, p.KeyUp(p.ctx(), "x"))

	// Control held down makes a click a Control-click.
	ok(t, p.KeyDown(p.ctx(), "Control"))
	p.eval("window.log.length = 0", nil)
	_, err = p.Click(p.ctx(), sel(t, "#target"), element.ClickOptions{})
	ok(t, err)
	ok(t, p.KeyUp(p.ctx(), "Control"))
	equal(t, "click", p.text("window.log.find(e => e.type === 'click').modifiers"), "ctrl")
}

func TestPressSubmitsAForm(t *testing.T) {
	site := site(t)
	p := page(t, `<form action="`+site.URL("/small")+`"><input id=q name=q></form>`)
	_, err := p.Fill(p.ctx(), sel(t, "#q"), "shoes")
	ok(t, err)
	out, err := p.Press(p.ctx(), "Enter")
	ok(t, err)
	if n := out.Navigation; n == nil || !n.Committed || !strings.HasSuffix(n.URL, "/small?q=shoes") {
		t.Errorf("navigation %+v", n)
	}
}

func TestTap(t *testing.T) {
	p := page(t, `<button id=b style="touch-action:manipulation">b</button><script>window.log = [];
		for (const type of ['touchstart','touchend','pointerdown','click']) b.addEventListener(type, e => log.push(type + (e.pointerType ?? '') + (e.isTrusted ? '' : '!')))</script>`)
	out, err := p.Tap(p.ctx(), sel(t, "#b"))
	ok(t, err)
	equal(t, "events", p.text("log.join(' ')"), "pointerdowntouch touchstart touchend clicktouch")
	equal(t, "click", out.Events["click"], 1)
}
