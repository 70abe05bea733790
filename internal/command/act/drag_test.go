package act_test

import (
	"strings"
	"testing"

	"github.com/usher-browser/usher/internal/cdptest"
	"github.com/usher-browser/usher/internal/cdptest/commandtest"
	"github.com/usher-browser/usher/internal/command/act"
	"github.com/usher-browser/usher/internal/verb"
)

// TestDragIsDrawnAnew: a page that draws its list anew after a drag has moved what was dragged, although the element is gone.
func TestDragIsDrawnAnew(t *testing.T) {
	site := cdptest.NewSite(t)
	s := commandtest.New(t)
	s.Run(t, "open", site.URL("/small"))
	s.Eval(t, `document.body.innerHTML = '<ul id=list></ul>';
const items = ['One', 'Two', 'Three']; let from;
const draw = () => { list.innerHTML = items.map((x, i) => '<li data-at=' + i + ' style="height:30px">' + x).join('') };
list.onpointerdown = e => { from = +e.target.dataset.at };
document.onpointerup = e => { const [x] = items.splice(from, 1); items.splice(+e.target.closest('li').dataset.at, 0, x); draw() };
draw(); 0`)
	text := s.Run(t, "drag", "text=One", "text=Three").Text
	if got := s.Eval(t, "list.innerText"); got != `"Two\nThree\nOne"` {
		t.Fatalf("the list is %s", got)
	}
	if strings.Contains(text, "did not move") || !strings.Contains(text, "drawn anew") {
		t.Errorf("it says %q", text)
	}
}

// TestDragBy: a drag that ends so far from where it began.
func TestDragBy(t *testing.T) {
	s := commandtest.New(t)
	s.Run(t, "open", cdptest.NewSite(t).URL("/small"))
	s.Eval(t, `document.body.innerHTML = '<div id=box style="position:absolute;left:300px;top:300px;width:40px;height:40px;background:#9cf">box</div>';
let from; box.onpointerdown = e => { from = [e.clientX - box.offsetLeft, e.clientY - box.offsetTop] };
document.onpointermove = e => { if (from) { box.style.left = e.clientX - from[0] + 'px'; box.style.top = e.clientY - from[1] + 'px' } };
document.onpointerup = () => { from = undefined }; 0`)
	if text := s.Run(t, "drag", "#box", "--by", "80,-40").Text; !strings.Contains(text, "the dragged element moved") {
		t.Errorf("it says %q", text)
	}
	if got := s.Eval(t, "box.offsetLeft + ' ' + box.offsetTop"); got != `"380 260"` {
		t.Errorf("the box is at %s", got)
	}
}

// TestDragTellsTheValueOfASlider: a slider stays where it is; its value is what a drag changes.
func TestDragTellsTheValueOfASlider(t *testing.T) {
	s := commandtest.New(t)
	s.Run(t, "open", cdptest.NewSite(t).URL("/small"))
	s.Eval(t, `document.body.innerHTML = '<input type=range id=volume min=0 max=100 value=50 style="position:absolute;left:0;top:0;width:300px;margin:0">'; 0`)
	text := s.Run(t, "drag", "#volume", "--at", "299,8").Text
	if got := s.Eval(t, "volume.value"); got != `"100"` {
		t.Fatalf("the value is %s", got)
	}
	if !strings.Contains(text, "its value is 100 now") || strings.Contains(text, "did not move") {
		t.Errorf("it says %q", text)
	}
	// It is taken by its thumb, also from right to left and upright.
	for _, style := range []string{"left:0", "left:0;direction:rtl", "left:0;writing-mode:vertical-lr;height:316px"} {
		s.Eval(t, `volume.style.cssText = 'position:absolute;top:0;width:316px;margin:0;`+style+`'; volume.value = 20; 0`)
		s.Run(t, "drag", "#volume", "--by", "0,0")
		if got := s.Eval(t, "volume.value"); got != `"20"` && got != `"21"` && got != `"19"` {
			t.Errorf("%s: the value after a drag by nothing is %s", style, got)
		}
	}
	s.Eval(t, `volume.style.cssText = 'position:absolute;left:0;top:0;width:316px;margin:0'; volume.value = 20; 0`)
	s.Run(t, "drag", "#volume", "--by", "90,0")
	if got := s.Eval(t, "volume.value"); got != `"50"` {
		t.Errorf("the value after 90 of 300 pixels is %s", got)
	}
}

// TestDragByHand: hovering works during a drag of HTML, in which Chromium sends drag events in place of those of the mouse, and a
// drag that was not ended does not outlive its document.
func TestDragByHand(t *testing.T) {
	site := cdptest.NewSite(t)
	s := commandtest.New(t)
	begin := func() {
		t.Helper()
		s.Run(t, "open", site.URL("/small"))
		s.Eval(t, `document.body.innerHTML = '<div id=a draggable=true style="height:60px">a</div><div id=b style="height:60px">b</div>';
a.ondragstart = e => e.dataTransfer.setData('text/plain', 'A');
b.ondragover = e => e.preventDefault();
b.ondrop = e => { e.preventDefault(); window.dropped = e.dataTransfer.getData('text/plain') }; 0`)
		for _, line := range [][]string{{"hover", "#a"}, {"mouse", "down"}, {"hover", "#b"}, {"hover", "#b"}} {
			s.Run(t, line...)
		}
	}
	begin()
	s.Run(t, "mouse", "up")
	if got := s.Eval(t, "dropped"); got != `"A"` {
		t.Errorf("dropped: %s", got)
	}
	begin()
	s.Run(t, "open", site.URL("/small?other"))
	s.Eval(t, `document.body.innerHTML = '<button id=c onclick="window.clicked=1">c</button>'; 0`)
	s.Run(t, "click", "#c")
	if got := s.Eval(t, "clicked"); got != "1" {
		t.Errorf("clicked: %s", got)
	}
}

// TestWhereADragEnds: at one of an element, a point and a distance.
func TestWhereADragEnds(t *testing.T) {
	table := verb.NewTable(act.Family().Grammar)
	for line, want := range map[string]string{
		"drag #a": "--by dx,dy", "drag #a --by 1,1 --at 2,2": "--by is instead of", "drag #a #b --by 1,1": "--by is instead of", "drag #a --by far": "not a place",
	} {
		_, err := table.Parse(strings.Fields(line), verb.Usher)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", line, err, want)
		}
	}
}
