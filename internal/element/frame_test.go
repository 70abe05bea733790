package element_test

import (
	"strings"
	"testing"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/element"
	"github.com/usher-browser/usher/internal/element/geometry"
	"github.com/usher-browser/usher/internal/element/locate"
	"github.com/usher-browser/usher/internal/supervisor/model"
)

func TestActionsInFrames(t *testing.T) {
	site := site(t)
	p := page(t, `<div style="height:900px"></div>
		<div style="transform:rotate(12deg) scale(.9);margin:40px">
		<iframe style="border:7px solid;padding:9px;width:620px;height:300px" src="`+site.Cross("/nest?inner="+site.URL("/keys"))+`"></iframe></div>
		<iframe id=g style="border:3px solid;width:300px;height:200px;transform:scale(1.2);transform-origin:0 0"
			srcdoc='<body style="margin:0"><button id=b style="margin:40px 60px;width:120px;height:30px" onclick="this.textContent=1">Deep</button>'></iframe>
		<div style="height:900px"></div>`)
	keys := p.frame("/keys")
	in := sel(t, "#target")
	in.Frame = keys
	for range 3 {
		out, err := p.Click(p.ctx(), in, element.ClickOptions{})
		ok(t, err)
		if out.Events["click"] != 1 {
			t.Fatalf("outcome %+v, want one click", out)
		}
	}
	var log string
	p.evalIn(keys, "window.log.filter(e => e.type === 'click').map(e => e.id).join(' ')", &log)
	equal(t, "clicks in the nested cross-origin frame", log, "target target target")

	// A selector without a frame finds the element in the only frame that has it.
	out, err := p.Click(p.ctx(), sel(t, "#b"), element.ClickOptions{})
	ok(t, err)
	equal(t, "click events", out.Events["click"], 1)
	equal(t, "in the same-origin frame", p.text("g.contentDocument.getElementById('b').textContent"), "1")

	for range 3 {
		filled, err := p.Fill(p.ctx(), sel(t, "#area"), "in a frame of another site")
		ok(t, err)
		equal(t, "filled", filled.Value, "in a frame of another site")
		typed, err := p.Type(p.ctx(), sel(t, "#field"), "Typed", element.TypeOptions{Clear: true})
		ok(t, err)
		equal(t, "typed", typed.Value, "Typed")
		// The focus goes away to the main frame, and has to come back.
		p.eval("document.body.tabIndex = 0, document.body.focus()", nil)
	}
	box, err := p.Box(p.ctx(), sel(t, "#b"))
	ok(t, err)
	var want element.Box
	p.eval(`(() => { const f = g.getBoundingClientRect(), b = g.contentDocument.getElementById('b').getBoundingClientRect();
		return { x: f.x + 3.6 + b.x * 1.2, y: f.y + 3.6 + b.y * 1.2, width: b.width * 1.2, height: b.height * 1.2 } })()`, &want)
	for what, d := range map[string]float64{"x": box.X - want.X, "y": box.Y - want.Y, "width": box.Width - want.Width, "height": box.Height - want.Height} {
		if d > 1 || d < -1 {
			t.Errorf("box %+v, want %+v: %s is %v off", box, want, what, d)
		}
	}
}

func TestCoveredFrame(t *testing.T) {
	site := site(t)
	p := page(t, `<iframe style="width:500px;height:300px" src="`+site.Cross("/keys")+`"></iframe>
		<div id=curtain style="position:fixed;inset:0;background:#0008"></div>`)
	p.frame("/keys")
	_, err := p.Click(p.ctx(), briefly(sel(t, "#target")), element.ClickOptions{})
	refused(t, err, api.ElementCovered, "div#curtain")
	p.eval("curtain.remove()", nil)
	_, err = p.Click(p.ctx(), sel(t, "#target"), element.ClickOptions{})
	ok(t, err)
}

func TestSelectorInTwoFramesIsNotGuessed(t *testing.T) {
	p := page(t, `<iframe srcdoc="<button class=pay>Pay</button>"></iframe><iframe srcdoc="<button class=pay>Pay</button>"></iframe>`)
	_, err := p.Click(p.ctx(), briefly(sel(t, ".pay")), element.ClickOptions{})
	refused(t, err, api.ElementNotFound, "in 2 child frames")
}

// TestElementsAroundFrames: where a frame in the target takes the events, a point of the target's own is hit if there is one; else
// what happens in the frame is no reason to say that nothing was delivered.
func TestElementsAroundFrames(t *testing.T) {
	const inner = `srcdoc="<body style='margin:0'><button style='width:200px;height:100px' onclick='parent.log.push(1)'>In</button>" style="border:0;width:200px;height:100px;display:block"`
	site := site(t)
	p := page(t, `<script>log = []</script><div id=full style="width:200px"><iframe `+inner+`></iframe></div>
		<div id=part style="width:200px;padding-bottom:80px" onclick="log.push('own')"><iframe `+inner+`></iframe></div>
		<div id=far style="width:500px"><iframe style="border:0;width:500px;height:300px" src="`+site.Cross("/keys")+`"></iframe></div>`)
	at := geometry.Point{X: 20, Y: 20}
	for _, c := range []struct {
		selector string
		at       *geometry.Point
		log      string
	}{{"#full", nil, "1"}, {"#part", nil, "own"}, {"#part", &at, "1"}, {"body", &geometry.Point{X: 30, Y: 30}, "1"}} {
		p.eval("log.length = 0", nil)
		_, err := p.Click(p.ctx(), sel(t, c.selector), element.ClickOptions{At: c.at})
		ok(t, err)
		equal(t, c.selector, p.text("log.join()"), c.log)
	}
	keys := p.frame("/keys")
	_, err := p.Click(p.ctx(), sel(t, "#far"), element.ClickOptions{})
	ok(t, err)
	var presses int
	p.evalIn(keys, "window.log.filter(e => e.type === 'mousedown').length", &presses)
	equal(t, "presses in the frame of another site", presses, 1)
	_, err = p.Hover(p.ctx(), sel(t, "#full"))
	ok(t, err)
}

func TestFrameThatGoesAway(t *testing.T) {
	p := page(t, `<iframe id=f srcdoc="<button id=b onmousedown='parent.f.remove()'>Pay</button>"></iframe>`)
	el, _, err := p.Find(p.ctx(), sel(t, "#b"))
	ok(t, err)
	_, err = p.Click(p.ctx(), el.Target(), element.ClickOptions{})
	ok(t, err)
	again := briefly(el.Target())
	_, err = p.Click(p.ctx(), again, element.ClickOptions{})
	refused(t, err, api.StaleRef)
}

func TestActionsInShadowTrees(t *testing.T) {
	p := open(t, site(t).URL("/shadow"))
	for _, s := range []string{"#in-open", "#slotted", "#in-declared", "x-open button", "text=Slotted label", "role=button[name=Declared button]"} {
		out, err := p.Click(p.ctx(), sel(t, s), element.ClickOptions{})
		ok(t, err)
		equal(t, s, out.Events["click"], 1)
	}
	equal(t, "open button", p.text("document.getElementById('open').shadowRoot.querySelector('button').textContent"), "Open pressed")
	_, err := p.Fill(p.ctx(), sel(t, "label=Open field"), "in the shadow")
	ok(t, err)
	equal(t, "field", p.text("document.getElementById('open').shadowRoot.querySelector('input').value"), "in the shadow")
	typed, err := p.Type(p.ctx(), sel(t, "#open-field"), "!", element.TypeOptions{})
	ok(t, err)
	equal(t, "typed", typed.Value, "in the shadow!")
	n, err := p.Count(p.ctx(), sel(t, "button"))
	ok(t, err)
	if n < 3 {
		t.Errorf("%d buttons through shadow roots, want at least 3", n)
	}
	if _, err := p.Click(p.ctx(), briefly(sel(t, "#in-closed")), element.ClickOptions{}); err == nil || !strings.Contains(err.Error(), "nothing matches") {
		t.Errorf("a closed root nobody adopted was searched: %v", err)
	}
}

// Clicks go back and forth between a page and frames in its own and another
// process, scrolling the page each time: the browser may still have another frame
// drawn where the next press goes.
func TestClicksAlternateBetweenProcesses(t *testing.T) {
	p := open(t, site(t).URL("/ledger?churn=0&frames"))
	var same, cross model.FrameID
	ok(t, p.browser.Wait(p.ctx(), func(s *model.State) (bool, error) {
		for id, f := range s.Tabs[p.id].Frames {
			switch {
			case f.Loaded && strings.Contains(f.URL, "place=same"):
				same = id
			case f.Loaded && strings.Contains(f.URL, "place=cross"):
				cross = id
			}
		}
		return same != "" && cross != "", nil
	}))
	main := model.FrameID(p.id)
	n := 120
	if testing.Short() {
		n = 30
	}
	for i := range n {
		frame := []model.FrameID{main, cross, same, main, same, cross}[i%6]
		row := (i * 5) % 8
		_, err := p.Click(p.ctx(), locate.Target{By: locate.ByRole, Value: "button", Nth: &row, Frame: frame}, element.ClickOptions{})
		ok(t, err)
	}
	var clicks int
	p.eval("new Promise(done => setTimeout(() => done(ledger.length), 100))", &clicks)
	equal(t, "clicks", clicks, n)
}

// The frame's owner may be hidden: Chromium then has no box for it and returns an error, which must be reported as a
// hidden element.
func TestFrameThatIsHidden(t *testing.T) {
	site := site(t)
	p := page(t, `<iframe id=near srcdoc='<button id=b>In</button>'></iframe>
		<iframe id=far style="width:500px;height:300px" src="`+site.Cross("/keys")+`"></iframe>`)
	p.frame("/keys")
	p.eval("near.style.display = far.style.display = 'none'", nil)
	for _, selector := range []string{"#b", "#target"} {
		_, err := p.Box(p.ctx(), briefly(sel(t, selector)))
		refused(t, err, api.ElementNotVisible, "not visible")
		_, err = p.Click(p.ctx(), briefly(sel(t, selector)), element.ClickOptions{})
		refused(t, err, api.ElementNotVisible, "not")
	}
	p.eval("near.style.display = far.style.display = ''", nil)
	for _, selector := range []string{"#b", "#target"} {
		_, err := p.Click(p.ctx(), sel(t, selector), element.ClickOptions{})
		ok(t, err)
	}
}
