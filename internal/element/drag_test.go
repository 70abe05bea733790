package element_test

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/element"
	"github.com/usher-browser/usher/internal/element/geometry"
	"github.com/usher-browser/usher/internal/element/input"
	"github.com/usher-browser/usher/internal/element/locate"
)

var held = element.DragOptions{Hold: element.DefaultHold}

func TestDrag(t *testing.T) {
	p := open(t, site(t).URL("/drag"))
	out, err := p.Drag(p.ctx(), sel(t, "#card"), sel(t, "#bin"), held)
	ok(t, err)
	equal(t, "drop by the platform", p.text("bin.textContent"), "Holds card")
	if events := p.text("window.log.map(e => e.type).join(' ')"); !strings.HasPrefix(events, "dragstart dragenter") || !strings.HasSuffix(events, "dragover drop dragend") {
		t.Errorf("drag events %q", events)
	}
	if !out.Observed || !out.Changed || out.Moved || out.Effect == "" || out.Effect == "none" {
		t.Errorf("outcome %+v, want a drop that was taken and a card that stands where it was", out)
	}
	_, err = p.Drag(p.ctx(), sel(t, "#knob"), sel(t, "#shelf"), held)
	ok(t, err)
	equal(t, "drop by pointer events", p.text("shelf.textContent"), "Holds knob")
	_, err = p.Drag(p.ctx(), sel(t, "#card"), briefly(sel(t, "#nowhere")), held)
	refused(t, err, api.ElementNotFound, "#nowhere")
	if _, buttons := p.Mouse(); buttons != 0 {
		t.Errorf("buttons %d are still down", buttons)
	}
	_, err = p.Hover(p.ctx(), sel(t, "#bin"))
	ok(t, err)
}

func TestDragToWhatIsOutOfView(t *testing.T) {
	p := page(t, `<div id=a draggable=true style="width:80px;height:30px;background:red">a</div><div style="height:3000px"></div>
		<div id=b style="height:90px;background:blue">b</div><script>
		b.ondragover = e => e.preventDefault(); b.ondrop = e => { e.preventDefault(); document.title = 'dropped' };</script>`)
	_, err := p.Drag(p.ctx(), sel(t, "#a"), sel(t, "#b"), held)
	ok(t, err)
	equal(t, "title", p.text("document.title"), "dropped")
}

// A drag ends at a place of its destination, or of the viewport.
func TestDragToAPoint(t *testing.T) {
	p := page(t, `<style>body { margin: 0 } #track { position: absolute; left: 50px; top: 100px; width: 200px; height: 20px; background: #ccc } #knob { width: 20px; height: 20px; background: #36c }</style>
		<div id=track><div id=knob></div></div><script>
		let held; last = '';
		knob.onpointerdown = () => held = true;
		onpointermove = e => { if (held) last = e.clientX + ',' + e.clientY };
		onpointerup = e => { if (held) knob.style.marginLeft = e.clientX - 60 + 'px'; held = false };</script>`)
	for _, c := range []struct {
		to   locate.Target
		at   geometry.Point
		want string
	}{{sel(t, "#track"), geometry.Point{X: 150, Y: 10}, "200,110"}, {locate.Target{}, geometry.Point{X: 90, Y: 105}, "90,105"}, {sel(t, "#knob"), geometry.Point{X: 15, Y: 5}, "95,105"}} {
		out, err := p.Drag(p.ctx(), sel(t, "#knob"), c.to, element.DragOptions{At: &c.at})
		ok(t, err)
		equal(t, "where it ended", p.text("last"), c.want)
		if !out.Observed || !out.Moved {
			t.Errorf("outcome %+v, want it moved", out)
		}
	}
	_, err := p.Drag(p.ctx(), sel(t, "#knob"), locate.Target{}, held)
	refused(t, err, api.MissingArgument, "needs a target element or a point")
	equal(t, "before", p.text("last = ''"), "")
	_, err = p.Drag(p.ctx(), sel(t, "#knob"), briefly(sel(t, "#track")), element.DragOptions{At: &geometry.Point{X: 150, Y: 90}})
	refused(t, err, api.InvalidArgument, "does not reach to 150,90")
	equal(t, "what was pressed for it", p.text("last"), "")
}

// A page that shows a drag and takes all of that away again has not changed.
func TestDragReportsNoChange(t *testing.T) {
	p := page(t, `<div id=a draggable=true style="width:80px;height:30px;background:red">a</div><p>
		<div id=b style="height:90px;background:blue">b</div><script>
		a.ondragstart = () => { a.className = 'dragged'; b.append(document.createElement('hr')) };
		a.ondragend = () => { a.className = ''; b.lastChild.remove() };</script>`)
	out, err := p.Drag(p.ctx(), sel(t, "#a"), sel(t, "#b"), held)
	ok(t, err)
	equal(t, "dropEffect", out.Effect, "none")
	if !out.Observed || out.Changed || out.Moved {
		t.Errorf("outcome %+v, want that nothing changed", out)
	}
}

// A list gives way to what has passed the middle of an item, as those of jQuery UI do: to a neighbour, too, in either
// direction.
func TestDragEndsBeyondTheMiddle(t *testing.T) {
	p := page(t, `<style>ul { margin: 0; padding: 0 } li { height: 30px; user-select: none; list-style: none }</style><ul id=list><li id=a>a<li id=b>b<li id=c>c</ul><script>
		let item, last;
		onpointerdown = e => { item = e.target.closest('li'); last = e.clientY };
		onpointermove = e => {
			const down = e.clientY > last, up = e.clientY < last;
			last = e.clientY;
			for (const one of item ? list.children : []) {
				const box = one.getBoundingClientRect(), middle = box.top + box.height / 2;
				if (one === item || e.clientY < box.top || e.clientY > box.bottom) continue;
				if (down && e.clientY > middle) one.after(item);
				if (up && e.clientY < middle) one.before(item);
			}
		};
		onpointerup = () => item = null;</script>`)
	for _, step := range []struct{ from, to, want string }{{"#a", "#b", "b a c"}, {"#c", "#a", "b c a"}, {"#b", "#a", "c a b"}} {
		_, err := p.Drag(p.ctx(), sel(t, step.from), sel(t, step.to), held)
		ok(t, err)
		equal(t, step.from+" to "+step.to, p.text("[...list.children].map(one => one.id).join(' ')"), step.want)
	}
}

// list is a list that is sorted by the mouse, as its libraries do it: after a long press, or at once, it looks
// at the mouse every 50 ms.
const list = `<style>li { height: 30px; user-select: none }</style><ul id=list><li>one<li>two<li>three</ul><script>
	let item, at, ready, moves = 0;
	onpointerdown = e => { item = e.target.closest('li'); ready = performance.now() + DELAY };
	onpointermove = e => {
		if (!item) return;
		if (performance.now() < ready) item = null; // a move before the delay is over is no long press
		else at = e, moves++;
	};
	onpointerup = e => { item = at = null };
	setInterval(() => {
		const over = at && document.elementFromPoint(at.clientX, at.clientY)?.closest('li');
		if (item && over && over !== item) list.insertBefore(item, over);
	}, 50);
	</script>`

func TestDragWithPolledMouse(t *testing.T) {
	for _, delay := range []string{"0", "250"} {
		p := page(t, strings.ReplaceAll(list, "DELAY", delay))
		out, err := p.Drag(p.ctx(), sel(t, "li:nth-child(3)"), sel(t, "li:nth-child(1)"), held)
		ok(t, err)
		equal(t, "list", p.text("list.innerText.replaceAll('\\n', ' ')"), "three one two")
		if !out.Observed || !out.Moved {
			t.Errorf("outcome %+v, want it moved", out)
		}
		if p.text("moves >= 10") != "true" {
			t.Errorf("the page saw %s moves, want each of them", p.text("moves"))
		}
	}
	p := page(t, strings.ReplaceAll(list, "DELAY", "700"))
	out, err := p.Drag(p.ctx(), sel(t, "li:nth-child(3)"), sel(t, "li:nth-child(1)"), held)
	ok(t, err)
	if !out.Observed || out.Changed {
		t.Errorf("outcome %+v, want that nothing changed", out)
	}
	_, err = p.Drag(p.ctx(), sel(t, "li:nth-child(3)"), sel(t, "li:nth-child(1)"), element.DragOptions{Hold: 900 * time.Millisecond})
	ok(t, err)
	equal(t, "list", p.text("list.innerText.replaceAll('\\n', ' ')"), "three one two")
}

// TestMouseBeyondEveryPage: Chromium never answers an event with a number that has no place in 32 bits, nor any after it.
func TestMouseBeyondEveryPage(t *testing.T) {
	p := open(t, site(t).URL("/drag"))
	for _, v := range []float64{1e10, -1e39, 1e308, math.Inf(1), math.NaN()} {
		for _, at := range []geometry.Point{{X: v, Y: 1}, {X: 1, Y: v}} {
			if err := p.MouseMove(p.ctx(), at, element.MoveOptions{}); api.CodeOf(err) != api.InvalidArgument {
				t.Errorf("move to %v: %v", at, err)
			}
			if err := p.MouseWheel(p.ctx(), at.X, at.Y); api.CodeOf(err) != api.InvalidArgument {
				t.Errorf("wheel by %v: %v", at, err)
			}
		}
	}
	ok(t, p.MouseMove(p.ctx(), geometry.Point{X: 3, Y: 3}, element.MoveOptions{}))
}

func TestMouseMovesArrive(t *testing.T) {
	p := page(t, `<script>seen = []; onmousemove = e => seen.push(e.clientX);</script>`)
	ok(t, p.MouseMove(p.ctx(), geometry.Point{X: 3, Y: 3}, element.MoveOptions{}))
	ok(t, p.MouseDown(p.ctx(), input.Left))
	p.eval("seen = [], 0", nil)
	began := time.Now()
	ok(t, p.MouseMove(p.ctx(), geometry.Point{X: 123, Y: 3}, element.MoveOptions{Steps: 12}))
	if spent := time.Since(began); spent < 140*time.Millisecond {
		t.Errorf("the way took %v, want 150 ms", spent)
	}
	ok(t, p.MouseUp(p.ctx(), input.Left))
	equal(t, "moves with a button down", p.text("seen.join(' ')"), "13 23 33 43 53 63 73 83 93 103 113 123")
}

// Only what follows the pointer by itself has to wait for a long press.
func TestDragHoldsForThePointerOnly(t *testing.T) {
	p := page(t, `<div id=a draggable=true style="width:80px;height:30px;background:red">a</div><p id=knob>knob</p><p id=late>late</p><p id=b>b</p><script>
		let pressed, gaps = {};
		onpointerdown = e => { pressed = e.timeStamp; if (e.target.id === 'late') e.target.draggable = true };
		const moved = e => { if (pressed !== undefined) gaps[e.target.id] ??= e.timeStamp - pressed; pressed = undefined };
		onpointermove = moved; ondragstart = moved</script>`)
	const hold = 3 * time.Second
	for id, holds := range map[string]bool{"a": false, "knob": true, "late": false} {
		_, err := p.Drag(p.ctx(), sel(t, "#"+id), sel(t, "#b"), element.DragOptions{Hold: hold, HoldsPointer: true})
		ok(t, err)
		var gap float64
		p.eval("gaps."+id, &gap)
		if gap >= float64(hold.Milliseconds()) != holds {
			t.Errorf("#%s was held for %.0f ms", id, gap)
		}
	}
}

// A list that handles dragover in frames and moves the item by one place each time, after the frame, as react-dnd's do.
func TestDragSortedInFrames(t *testing.T) {
	p := page(t, `<style>p { height: 30px; margin: 0; user-select: none }</style><div id=list><p draggable=true id=a>a<p draggable=true>b<p draggable=true>c<p draggable=true>d<p draggable=true id=e>e</div><script>
		let item, frame;
		list.ondragstart = e => item = e.target;
		list.ondragover = e => {
			e.preventDefault();
			frame ??= requestAnimationFrame(() => {
				frame = undefined;
				const over = document.elementFromPoint(e.clientX, e.clientY)?.closest('p');
				if (!over || over === item) return;
				const all = [...list.children], from = all.indexOf(item), down = all.indexOf(over) > from;
				setTimeout(() => down ? all[from + 1].after(item) : all[from - 1].before(item));
			});
		};</script>`)
	for _, step := range []struct{ from, to, want string }{{"#a", "#e", "bcdea"}, {"#a", "p:nth-child(2)", "bacde"}} {
		_, err := p.Drag(p.ctx(), sel(t, step.from), sel(t, step.to), held)
		ok(t, err)
		equal(t, step.from+" to "+step.to, p.text("list.innerText.replace(/\\s/g, '')"), step.want)
	}
}
