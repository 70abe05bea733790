package cdp_test

import (
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/cdp"
)

// outcome is how a direct call ended.
type outcome struct{ replied, ended chan string }

func startDirect(s *cdp.Session, method string, take bool) (outcome, *cdp.Pending[jsontext.Value]) {
	o := outcome{make(chan string, 2), make(chan string, 2)}
	return o, cdp.StartDirect[jsontext.Value](s, method, jsontext.Value(`{"a":1}`), &cdp.Direct{
		Reply: func(result jsontext.Value) bool {
			o.replied <- string(result)
			return take
		},
		Ended: func() { o.ended <- "ended" },
	})
}

func within(t *testing.T, from <-chan string, want string) {
	t.Helper()
	select {
	case got := <-from:
		if got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	case <-time.After(10 * time.Second):
		t.Fatalf("%s did not come", want)
	}
}

func none(t *testing.T, from <-chan string, what string) {
	t.Helper()
	select {
	case got := <-from:
		t.Errorf("%s: %s", what, got)
	default:
	}
}

// TestDirect: a reply goes to Reply when no event waits, and else in order, after the events; an error and the end of the
// connection are told by Ended.
func TestDirect(t *testing.T) {
	t.Parallel()
	h := newRecordingHandler()
	h.hold = make(chan struct{}, 1)
	conn := peer(t, h, cdp.DefaultBudget, func(c command, say func(string, ...any)) {
		switch c.Method {
		case "Test.plain":
			say(`{"id":%d,"result":{"value":%s}}`, c.ID, c.Params)
		case "Test.after":
			say(`{"method":"Test.event","params":{}}`)
			say(`{"id":%d,"result":{"value":2}}`, c.ID)
		case "Test.error":
			say(`{"id":%d,"error":{"code":1,"message":"no"}}`, c.ID)
		}
	})
	s := conn.Browser()

	o, _ := startDirect(s, "Test.plain", true)
	within(t, o.replied, `{"value":{"a":1}}`)
	none(t, o.ended, "a reply that was taken also ended")

	o, pending := startDirect(s, "Test.plain", false)
	within(t, o.ended, "ended")
	if got, err := pending.Wait(t.Context()); err != nil || string(got) != `{"value":{"a":1}}` {
		t.Errorf("a reply that was not taken: %s, %v", got, err)
	}

	o, pending = startDirect(s, "Test.after", true)
	h.hold <- struct{}{} // the handler takes the event now
	within(t, o.ended, "ended")
	none(t, o.replied, "the reply overtook an event")
	if got, err := pending.Wait(t.Context()); err != nil || string(got) != `{"value":2}` {
		t.Errorf("a reply after an event: %s, %v", got, err)
	}

	o, pending = startDirect(s, "Test.error", true)
	within(t, o.ended, "ended")
	if _, err := pending.Wait(t.Context()); err == nil {
		t.Error("an error of the browser was lost")
	}

	o, pending = startDirect(s, "Test.silent", true)
	if err := conn.Close(); err != nil {
		t.Fatal(err)
	}
	within(t, o.ended, "ended")
	if _, err := pending.Wait(t.Context()); err == nil {
		t.Error("a call on a connection that ended has no error")
	}
	if o, _ := startDirect(s, "Test.plain", true); len(o.ended) != 1 {
		t.Error("a call on a closed connection did not end at once")
	}
}
