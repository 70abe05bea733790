package relay_test

import (
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/cdp"
)

// pops makes a page open a tab, as after a click.
func pops(t *testing.T, s *cdp.Session, expression string) {
	t.Helper()
	if err := s.Call(deadline(t), "Runtime.evaluate", map[string]any{"expression": expression, "userGesture": true}, nil); err != nil {
		t.Fatal(err)
	}
}

// TestOpenerInTheBackground: a tab that a page in the background opens is told with that page as the opener, as by a browser's own endpoint, and
// without access to it where the page asked for that.
func TestOpenerInTheBackground(t *testing.T) {
	r := newRig(t) // /frames is the active tab
	c, seen := r.client(t)
	form := pageAt(t, c, "/form")
	s := attachTo(t, c, form)
	must(t, s, "Page.enable", nil)
	mustBe(t, s, "document.visibilityState", `"hidden"`)
	frames := pageAt(t, c, "/frames")

	told := func(end string) string {
		t.Helper()
		seen.await(t, 0, "Target.targetCreated", end)
		for _, e := range seen.list() {
			if strings.HasPrefix(e, "Target.targetCreated") && strings.Contains(e, end) {
				return e
			}
		}
		return ""
	}
	open := func(expression, end, access string) {
		t.Helper()
		pops(t, s, expression)
		e := told(end)
		if !strings.Contains(e, `"openerId":"`+form+`"`) || !strings.Contains(e, `"openerFrameId":"`+form+`"`) || !strings.Contains(e, `"canAccessOpener":`+access) {
			t.Errorf("the tab that %s opened was told of as %s; the page is %s, the active one %s", expression, e, form, frames)
		}
		must(t, c.Browser(), "Target.activateTarget", map[string]string{"targetId": frames})
		mustBe(t, s, "document.visibilityState", `"hidden"`)
	}
	open("window.open('/inner?one')", "/inner?one", "true")
	open("window.open('/inner?two', '', 'noopener')", "/inner?two", "false")
	open("a = document.createElement('a'); a.target = '_blank'; a.href = '/inner?three'; document.body.append(a); a.click()", "/inner?three", "false")

	pops(t, s, "for (let i = 0; i < 1000; i++) window.open('about:blank', 'same')")
	r.open(t, "/inner?user")
	if e := told("/inner?user"); strings.Contains(e, form) {
		t.Errorf("a tab of the user was told of as %s", e)
	}
}

// TestPopupWithoutAnswer: a tab whose server does not answer for long is announced meanwhile, and can be used when the server has answered.
func TestPopupWithoutAnswer(t *testing.T) {
	r := newRig(t)
	s, seen, form := r.keeper(t, "/form")
	began := time.Now()
	pops(t, s, "window.open('/slow?very')")
	seen.await(t, 0, "Target.targetCreated", `"openerFrameId":"`+form+`"`)
	if took := time.Since(began); took > 4*time.Second {
		t.Errorf("the tab was announced after %v", took)
	}
	c, seen := r.client(t)
	var popup string
	for _, e := range seen.list() {
		if strings.Contains(e, `"openerFrameId"`) {
			popup = member(t, jsontext.Value(strings.TrimPrefix(e, "Target.targetCreated ")), "targetInfo", "targetId")
		}
	}
	p := attachTo(t, c, popup)
	must(t, p, "Page.enable", nil)
	must(t, p, "Runtime.enable", nil)
	must(t, p, "Page.setLifecycleEventsEnabled", map[string]bool{"enabled": true})
	must(t, p, "Page.getFrameTree", nil)
	if took := time.Since(began); took > 4*time.Second {
		t.Errorf("the client was answered after %v", took)
	}
	seen.await(t, 0, "Page.frameNavigated", "/slow?very")
	seen.await(t, 0, "Page.lifecycleEvent", `"load"`)
	mustBe(t, p, "document.title", `"slow"`)
	mustBe(t, p, "opener !== null", "true")
}
