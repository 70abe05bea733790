package link

import (
	"encoding/json"
	"strings"
	"testing"
	"time"
)

// TestBatch: what is queued together leaves in one frame, but for a message that is large; several messages of a frame of the extension are
// all taken, in order. The welcome stands first.
func TestBatch(t *testing.T) {
	r := newRig(t)
	code, _ := r.pairing.NewCode()
	c, err := r.dial(t, first, map[string]any{"code": code, "batch": true})
	if err != nil {
		t.Fatal(err)
	}
	welcome(t, c)
	replies := make(chan string, 5)
	large := `{"a":"` + strings.Repeat("x", listLimit) + `"}`
	for _, params := range []string{`{"n":1}`, `{"n":2}`, large, "{\n\"n\":4}"} {
		if err := r.CDP(1, "", "A.b", []byte(params), func(payload []byte, _ bool) { replies <- string(payload) }); err != nil {
			t.Fatal(err)
		}
	}
	r.Flush()
	var list []struct{ ID int }
	msg, err := c.Read()
	if err != nil || json.Unmarshal(msg, &list) != nil || len(list) != 2 || list[0].ID != 1000000001 || list[1].ID != 1000000002 {
		t.Fatalf("%.100s, %v", msg, err)
	}
	if msg, err = c.Read(); err != nil || !strings.HasPrefix(string(msg), `{"id":1000000003,`) {
		t.Fatalf("%.100s, %v", msg, err)
	}
	if msg, err = c.Read(); err != nil || !strings.HasPrefix(string(msg), `{"id":1000000004,`) {
		t.Fatalf("%.100s, %v", msg, err)
	}
	frame := `{"id":1000000001,"result":{"x":1}}` + "\n" + `{"tab":12,"e":"Page.loadEventFired","p":{"t":1},"s":"child"}` + "\n" + `{"id":1000000002,"result":{"x":"\\n"}}`
	if err := c.Write([]byte(frame)); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`{"x":1}`, `{"x":"\\n"}`} {
		if got := <-replies; got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
	r.seen.await(t, `12 child Page.loadEventFired {"t":1}`)
}

// TestWelcomeLost: an extension whose connection is cut before the welcome reaches it resumes the same session.
func TestWelcomeLost(t *testing.T) {
	r := newRig(t)
	c, token, session := r.paired(t)
	for cuts := 1; cuts <= 3; cuts++ {
		r.upTo(t, "up", cuts)
		_ = c.Close()
		r.upTo(t, "interrupted", cuts)
		var err error
		if c, err = r.dial(t, first, map[string]any{"token": token, "resume": session}); err != nil {
			t.Fatal(err)
		}
	}
	if w := welcome(t, c); !w.Resumed {
		t.Errorf("%+v", w)
	}
}

// upTo waits until an event has come so often.
func (r *rig) upTo(t *testing.T, event string, times int) {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(time.Millisecond) {
		r.seen.mu.Lock()
		n := 0
		for _, e := range r.seen.events {
			if e == event {
				n++
			}
		}
		r.seen.mu.Unlock()
		if n >= times {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%s came %d times, not %d", event, n, times)
		}
	}
}
