package cdp_test

import (
	"sync"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/wire"
)

// messages is a route that keeps its messages.
type messages struct {
	mu   sync.Mutex
	list []string // guarded by mu
	came chan struct{}
}

func (m *messages) Message(msg []byte, _ wire.Envelope) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.list = append(m.list, string(msg))
	m.came <- struct{}{}
}

func (m *messages) Ended(error) {}

// TestForwarded: replies to commands of a route reach the route with the client's ids, whatever calls are in flight, also when Chromium names no session.
func TestForwarded(t *testing.T) {
	held := make(chan command, 1)
	c := peer(t, newRecordingHandler(), cdp.DefaultBudget, func(c command, say func(string, ...any)) {
		switch c.Method {
		case "Own.call":
			held <- c
		case "Theirs.event":
			say(`{"method":"Theirs.event","params":{},"sessionId":"S"}`)
			say(`{"id":%d,"result":{"a":"b"},"sessionId":"S"}`, c.ID)
		case "Theirs.gone":
			say(`{"id":%d,"error":{"code":-32001,"message":"Session with given id not found."}}`, c.ID)
		case "Theirs.odd":
			say(`{"result":{},"id":%d,"sessionId":"S"}`, c.ID)
		case "Own.end":
			own := <-held
			say(`{"id":%d,"result":{"mine":true}}`, own.ID)
			say(`{"id":%d,"result":{}}`, c.ID)
		case "Theirs.late":
			own := <-held
			say(`{"id":%d,"result":{"theirs":true},"sessionId":"S"}`, c.ID)
			say(`{"id":%d,"result":{"mine":true}}`, own.ID)
		}
	})
	for _, method := range []string{"Theirs.event", "Theirs.gone", "Theirs.odd"} {
		m := &messages{came: make(chan struct{}, 9)}
		if err := c.AddRoute("S", m); err != nil {
			t.Fatal(err)
		}
		for _, id := range []int64{1, 2147483647} {
			if err := c.Forward(m, wire.Command{ID: id, Method: method, SessionID: "S"}); err != nil {
				t.Fatal(err)
			}
		}
		want := map[string][]string{
			"Theirs.event": {`{"method":"Theirs.event","params":{},"sessionId":"S"}`, `{"id":1,"result":{"a":"b"},"sessionId":"S"}`, `{"method":"Theirs.event","params":{},"sessionId":"S"}`, `{"id":2147483647,"result":{"a":"b"},"sessionId":"S"}`},
			"Theirs.gone":  {`{"id":1,"error":{"code":-32001,"message":"Session with given id not found."},"sessionId":"S"}`, `{"id":2147483647,"error":{"code":-32001,"message":"Session with given id not found."},"sessionId":"S"}`},
			"Theirs.odd":   {`{"id":1,"result":{},"sessionId":"S"}`, `{"id":2147483647,"result":{},"sessionId":"S"}`},
		}[method]
		for range want {
			<-m.came
		}
		for i, msg := range m.list {
			if msg != want[i] {
				t.Errorf("%s: %s, want %s", method, msg, want[i])
			}
		}
	}

	// A call of ours, whose id is 1, with a reply to a command 1 of a client that has left.
	m := &messages{came: make(chan struct{}, 9)}
	result := make(chan string, 1)
	c.Browser().Post("Own.call", nil, func(v jsontext.Value, err error) { result <- string(v) })
	own := <-held
	held <- own
	if err := c.Forward(m, wire.Command{ID: own.ID, Method: "Theirs.late", SessionID: "S"}); err != nil {
		t.Fatal(err)
	}
	c.RemoveRoute("S")
	if got := <-result; got != `{"mine":true}` {
		t.Errorf("a call of ours got %s", got)
	}
}
