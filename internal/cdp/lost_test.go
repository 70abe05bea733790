package cdp_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/usher-browser/usher/internal/wire"
)

// TestDroppedEventsKeepTheSession: a page that writes more to its console than can be kept loses lines of it, and no
// more. The browser would write them all again in a new session.
func TestDroppedEventsKeepTheSession(t *testing.T) {
	t.Parallel()
	h := newRecordingHandler()
	h.hold = make(chan struct{})
	line := strings.Repeat("x", 1000)
	conn := peer(t, h, 10_000, func(c command, say func(string, ...any)) {
		say(`{"method":"Page.first","params":{},"sessionId":"S"}`)
		for range 100 {
			say(`{"method":"Runtime.consoleAPICalled","params":{"x":"%s"},"sessionId":"S"}`, line)
		}
		say(`{"method":"` + wire.EventsLost + `","params":{"method":"Network.dataReceived","size":99999999},"sessionId":"S"}`)
		say(`{"method":"Page.last","params":{},"sessionId":"S"}`)
		say(`{"id":%d,"result":{}}`, c.ID)
	})
	ended := make(chan error, 1)
	go func() { ended <- conn.Browser().Call(deadline(t), "Test.noise", nil, nil) }()
	h.hold <- struct{}{} // the first is being looked at while the rest comes
	close(h.hold)
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	told := h.list()
	if slices.ContainsFunc(told, func(s string) bool { return strings.HasPrefix(s, "overflow") }) || told[len(told)-1] != "S Page.last" {
		t.Errorf("the session was cut off: %v", told)
	}
	if !slices.Contains(told, "S "+wire.EventsLost) {
		t.Errorf("nobody was told: %v", told)
	}
}

// TestLargeEvents: one event that was too large to be kept costs its session if it was more than noise.
func TestLargeEvents(t *testing.T) {
	t.Parallel()
	h := newRecordingHandler()
	conn := peer(t, h, 10_000, func(c command, say func(string, ...any)) {
		if c.Method == "Test.large" {
			say(`{"method":"` + wire.EventsLost + `","params":{"method":"Page.frameNavigated","size":99999999},"sessionId":"S"}`)
			say(`{"id":%d,"result":{}}`, c.ID)
		}
	})
	if err := conn.Browser().Call(deadline(t), "Test.large", nil, nil); err != nil {
		t.Fatal(err)
	}
	if told := h.list(); !slices.Equal(told, []string{"overflow S"}) {
		t.Errorf("told of %v", told)
	}
}
