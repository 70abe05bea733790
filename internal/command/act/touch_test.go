package act_test

import (
	"strings"
	"testing"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/cdptest"
	"github.com/usher-browser/usher/internal/cdptest/commandtest"
	"github.com/usher-browser/usher/internal/command/act"
)

// touchPage is a page that logs touches of a button, and can be scrolled.
const touchPage = `document.body.innerHTML = '<button id=b style="margin:40px">tap</button><div id=pan style="touch-action:none;width:400px;height:200px">pan</div><div style="height:4000px">';
window.log = [];
for (const type of ['touchstart', 'touchend', 'pointerdown', 'click']) b.addEventListener(type, e => log.push(type + (e.pointerType ?? '')));
pan.addEventListener('pointermove', e => { window.panned = e.clientX });
0`

// TestTap: the page receives touch events and the click of a tap; a covered element is refused.
func TestTap(t *testing.T) {
	s := commandtest.New(t)
	s.Run(t, "open", cdptest.NewSite(t).URL("/small"))
	s.Run(t, "eval", touchPage)
	if got := commandtest.Data[act.Tapped](t, s.Run(t, "tap", "#b")); got.Tapped != "#b" {
		t.Errorf("%+v", got)
	}
	if got := s.Eval(t, "log.join()"); got != `"pointerdowntouch,touchstart,touchend,clicktouch"` {
		t.Errorf("the button received %s", got)
	}
	s.Run(t, "eval", "document.body.insertAdjacentHTML('beforeend','<div id=over style=\"position:fixed;inset:0\">'),log.length=0")
	if _, err := s.Try(t, "tap", "#b", "--timeout", "300"); api.CodeOf(err) != api.ElementCovered {
		t.Errorf("covered: %v", err)
	}
	if got := s.Eval(t, "log.length"); got != "0" {
		t.Errorf("a covered button received %s events", got)
	}
}

// TestSwipe: a swipe scrolls the page, a page that handles touches itself receives them, and a way that does not fit in
// the viewport is refused.
func TestSwipe(t *testing.T) {
	s := commandtest.New(t)
	s.Run(t, "open", cdptest.NewSite(t).URL("/small"))
	s.Run(t, "eval", touchPage)
	got := commandtest.Data[act.Swiped](t, s.Run(t, "swipe", "up", "200"))
	if got.Swiped != "up" || got.Moved == nil || got.Moved.Y > -150 || s.Eval(t, "scrollY > 150") != "true" {
		t.Errorf("%+v moved to %s", got, s.Eval(t, "scrollY"))
	}
	s.Run(t, "eval", "scrollTo(0, 0)")
	got = commandtest.Data[act.Swiped](t, s.Run(t, "swipe", "right", "100", "-s", "#pan"))
	if got.Moved == nil || *got.Moved != (act.Distance{}) || s.Eval(t, "panned > 250") != "true" {
		t.Errorf("%+v panned to %s", got, s.Eval(t, "panned"))
	}
	if _, err := s.Try(t, "swipe", "left", "9999"); api.CodeOf(err) != api.InvalidArgument || !strings.Contains(err.Error(), "viewport") {
		t.Errorf("a long way: %v", err)
	}
}

// TestMouseMoveHuman: a movement like a hand's has many events, ends where it was sent, and is repeatable.
func TestMouseMoveHuman(t *testing.T) {
	s := commandtest.New(t)
	s.Run(t, "open", cdptest.NewSite(t).URL("/small"))
	s.Run(t, "eval", "window.seen = []; document.addEventListener('mousemove', e => seen.push([e.clientX, e.clientY].join(' '))), 0")
	path := func() string {
		s.Run(t, "mouse", "move", "5", "5")
		s.Run(t, "eval", "seen.length = 0")
		s.Run(t, "mouse", "move", "400", "300", "--human", "--seed", "7", "--duration", "100", "--steps", "30")
		return s.Eval(t, "seen.join()")
	}
	first := path()
	if n := strings.Count(first, ",") + 1; n < 25 || !strings.HasSuffix(first, `400 300"`) {
		t.Errorf("%d moves: %s", n, first)
	}
	if again := path(); again != first {
		t.Errorf("the same seed moved along\n%s\nand then\n%s", first, again)
	}
}

// TestHuman: a click and a drag move along a curve first, and then do what they do otherwise.
func TestHuman(t *testing.T) {
	s := commandtest.New(t)
	s.Run(t, "open", cdptest.NewSite(t).URL("/drag"))
	s.Run(t, "eval", "window.moves = window.clicks = 0; document.addEventListener('mousemove', () => moves++); document.addEventListener('click', () => clicks++), 0")
	for _, words := range [][]string{{"click", "h1"}, {"click", "h1", "--human"}, {"click", "--at", "200,300", "--human"}, {"drag", "#knob", "#shelf", "--human"}} {
		s.Run(t, "mouse", "move", "5", "5")
		s.Run(t, "eval", "moves = 0")
		s.Run(t, words...)
		if n, human := s.Eval(t, "moves"), words[len(words)-1] == "--human"; (len(n) > 1) != human {
			t.Errorf("%v: %s moves", words, n)
		}
	}
	if n := s.Eval(t, "clicks"); n != "3" && n != "4" { // a drag may end with a click
		t.Errorf("%s clicks", n)
	}
	if got := s.Eval(t, "shelf.textContent"); got != `"Holds knob"` {
		t.Errorf("the drag left %s", got)
	}
}
