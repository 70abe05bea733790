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
