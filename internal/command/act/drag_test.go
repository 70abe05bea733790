package act_test

import (
	"strings"
	"testing"

	"github.com/usher-browser/usher/internal/cdptest"
	"github.com/usher-browser/usher/internal/cdptest/commandtest"
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
