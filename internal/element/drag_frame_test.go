package element_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/element"
	"github.com/usher-browser/usher/internal/element/geometry"
	"github.com/usher-browser/usher/internal/element/locate"
	"github.com/usher-browser/usher/internal/supervisor/model"
)

// dragBoard is a page with a card for HTML drags, a knob for drags by pointer events, and a place for each.
const dragBoard = `<style>.card { width: 70px; height: 30px; background: #9cf; user-select: none; touch-action: none; display: inline-block }
	.bin { height: 40px; border: 2px dashed }</style>
	<div id=card class=card draggable=true>Card</div> <div id=knob class=card>Knob</div><div id=bin class=bin>Bin</div><div id=shelf class=bin>Shelf</div>
	<script>
	log = [];
	for (const type of ['dragstart', 'drop', 'dragend']) addEventListener(type, e => log.push(type), true);
	card.ondragstart = e => e.dataTransfer.setData('text/plain', 'the card');
	bin.ondragover = e => e.preventDefault();
	bin.ondrop = e => { e.preventDefault(); bin.textContent = 'Holds ' + e.dataTransfer.getData('text/plain') };
	shelf.onpointerup = () => { shelf.textContent = 'Holds a knob' };
	</script>`

// openBoards opens a page with a board, and frames of the same and of another site with one each.
func openBoards(t *testing.T) *tab {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		frames := ""
		if r.URL.Path == "/" {
			frames = `<iframe src=/same width=400 height=150></iframe><iframe src="http://localhost:` + r.Host[strings.LastIndex(r.Host, ":")+1:] + `/other" width=400 height=150></iframe>`
		}
		_, _ = w.Write([]byte("<!doctype html><title>" + url.PathEscape(r.URL.Path) + "</title>" + dragBoard + frames))
	}))
	t.Cleanup(server.Close)
	return open(t, server.URL+"/")
}

// target returns an element of the board in a frame, or of the page.
func (p *tab) target(frame, selector string) locate.Target {
	at := sel(p.t, selector)
	if at.Frame = model.FrameID(p.id); frame != "" {
		at.Frame = p.frame(frame)
	}
	return at
}

// textIn returns the text of a target's element.
func (p *tab) textIn(at locate.Target) (text string) {
	p.evalIn(at.Frame, "document.querySelector('"+at.Value+"').textContent", &text)
	return text
}

func TestDragBetweenFrames(t *testing.T) {
	for _, way := range [][2]string{{"", "/same"}, {"/same", ""}, {"", "/other"}, {"/other", ""}, {"/same", "/other"}, {"/other", "/same"}, {"/other", "/other"}} {
		t.Run(way[0]+" to "+way[1], func(t *testing.T) {
			p := openBoards(t)
			bin, shelf := p.target(way[1], "#bin"), p.target(way[1], "#shelf")
			out, err := p.Drag(p.ctx(), p.target(way[0], "#card"), bin, held)
			ok(t, err)
			equal(t, "an HTML drag", p.textIn(bin), "Holds the card")
			if !out.Observed || !out.Changed || out.Effect == "none" {
				t.Errorf("of it is told %+v", out)
			}
			// The frame where it began goes on reportLimit of the mouse.
			_, err = p.Drag(p.ctx(), p.target(way[0], "#knob"), shelf, held)
			if way[0] == "/same" && way[1] == "" { // Chromium leaves the mouse to the frame where the button was pressed
				refused(t, err, api.ActionNotDelivered, "nothing changed: #shelf is in another frame")
				equal(t, "a drag by the mouse", p.textIn(shelf), "Shelf")
			} else {
				ok(t, err)
				equal(t, "a drag by the mouse", p.textIn(shelf), "Holds a knob")
			}
		})
	}
}

// What no frame took is not told as done, and the frame where it began is told of the end.
func TestDragIgnoredByTheOtherFrame(t *testing.T) {
	p := openBoards(t)
	for _, way := range [][2]string{{"", "/same"}, {"", "/other"}, {"/other", ""}} {
		_, err := p.Drag(p.ctx(), p.target(way[0], "#card"), p.target(way[1], "#shelf"), held)
		refused(t, err, api.ActionNotDelivered, "nothing there accepted the drop")
		var ended bool
		card := p.target(way[0], "#card")
		p.evalIn(card.Frame, "log.at(-1) === 'dragend'", &ended)
		if !ended {
			t.Errorf("%v: the drag goes on for the frame where it began", way)
		}
		out, err := p.Click(p.ctx(), card, element.ClickOptions{})
		ok(t, err)
		equal(t, "a click behind it", out.Events["click"], 1)
	}
}

// A point of the viewport may be in any frame.
func TestDragToAPointInAFrame(t *testing.T) {
	p := openBoards(t)
	for _, frame := range []string{"/same", "/other"} {
		bin := p.target(frame, "#bin")
		box, err := p.Box(p.ctx(), bin)
		ok(t, err)
		at := geometry.Point{X: box.X + box.Width/2, Y: box.Y + box.Height/2}
		_, err = p.Drag(p.ctx(), p.target("", "#card"), locate.Target{}, element.DragOptions{At: &at})
		ok(t, err)
		equal(t, frame, p.textIn(bin), "Holds the card")
		_, err = p.Hover(p.ctx(), p.target("", "#bin")) // it hears of the mouse again
		ok(t, err)
	}
}
