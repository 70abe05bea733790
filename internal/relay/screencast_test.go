package relay_test

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/usher-browser/usher/internal/cdp"
)

// repaint makes a page draw itself anew, and waits until it has.
const repaint = `new Promise((done) => { document.body.style.background = '#' + Math.random().toString(16).slice(2, 8).padEnd(6, '0'); setTimeout(done, 200) })`

// TestScreencast: pictures of a tab come without the domain Page being enabled, to those who asked for them, and end with the last of these.
func TestScreencast(t *testing.T) {
	r := newRig(t)
	const frame = "Page.screencastFrame"
	one, seenOne := r.client(t)
	form := pageAt(t, one, "/form")
	a := attachTo(t, one, form)
	two, seenTwo := r.client(t)
	b := attachTo(t, two, form)
	three, seenThree := r.client(t)
	page := attachTo(t, three, form)
	call := func(s *cdp.Session, method string, params any) {
		t.Helper()
		if err := s.Call(deadline(t), method, params, nil); err != nil {
			t.Fatalf("%s: %v", method, err)
		}
	}
	acked := 0
	acknowledge := func() { // Chrome makes no more pictures while two are not acknowledged
		t.Helper()
		for all := seenOne.list(); acked < len(all); acked++ {
			var p struct {
				Session int `json:"sessionId"`
			}
			if params, ok := strings.CutPrefix(all[acked], frame); ok && json.Unmarshal([]byte(params), &p) == nil {
				call(a, "Page.screencastFrameAck", map[string]int{"sessionId": p.Session})
			}
		}
	}
	draw := func() {
		t.Helper()
		if _, err := evaluate(t, page, repaint); err != nil {
			t.Fatal(err)
		}
		acknowledge()
	}
	call(page, "Page.enable", nil)
	call(a, "Page.bringToFront", nil)
	call(a, "Page.startScreencast", map[string]string{"format": "jpeg"})
	seenOne.await(t, 0, frame)
	call(b, "Page.startScreencast", map[string]string{"format": "jpeg"})
	draw()
	seenTwo.await(t, 0, frame)
	call(b, "Page.stopScreencast", nil)
	draw()
	before, stopped := seenOne.count(), seenTwo.count()
	draw()
	seenOne.await(t, before, frame)
	if got := seenTwo.list()[stopped:]; strings.Contains(strings.Join(got, "\n"), frame) {
		t.Error("a client gets pictures after it has stopped them")
	}

	worker := r.worker(t)
	mustBe(t, worker, "globalThis.pictures = 0, chrome.debugger.onEvent.addListener((_, method) => { pictures += method === 'Page.screencastFrame' ? 1 : 0 }), 1", "1")
	draw()
	if got, err := evaluate(t, worker, "pictures > 0"); err != nil || got != "true" {
		t.Fatalf("no picture before the client leaves: %s, %v", got, err)
	}
	_ = one.Close()
	acknowledge = func() {}
	draw() // the relay notices the end of the connection meanwhile
	mustBe(t, worker, "pictures = 0", "0")
	draw()
	mustBe(t, worker, "pictures", "0")
	if strings.Contains(strings.Join(seenThree.list(), "\n"), frame) {
		t.Error("a client got pictures that it did not ask for")
	}
}
