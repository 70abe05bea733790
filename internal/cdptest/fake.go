package cdptest

import (
	"fmt"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/wire"
)

// Fake is a browser that a test plays, on a wire in memory: what only the order of
// messages decides is tried without a process, and with the clock of synctest.
type Fake struct {
	// Wire is the end for the code under test.
	Wire wire.Conn

	theirs wire.Conn
	done   chan struct{}
}

// FakeCall is a command that a Fake was sent.
type FakeCall struct {
	ID        int64          `json:"id"`
	Method    string         `json:"method"`
	SessionID string         `json:"sessionId"`
	Params    jsontext.Value `json:"params"`
}

// NewFake answers every command with the result of answer, a JSON object, or not at all if that is "". The test ends it
// with Close.
func NewFake(t testing.TB, answer func(f *Fake, c FakeCall) (result string)) *Fake {
	f := &Fake{done: make(chan struct{})}
	f.Wire, f.theirs = Memory()
	go func() {
		defer close(f.done)
		for {
			msg, err := f.theirs.Read()
			if err != nil {
				return
			}
			var c FakeCall
			if err := json.Unmarshal(msg, &c); err != nil {
				t.Errorf("sent %s: %v", msg, err)
				continue
			}
			switch result := answer(f, c); {
			case result == "":
			case c.SessionID == "":
				f.Say(`{"id":%d,"result":%s}`, c.ID, result)
			default:
				f.Say(`{"id":%d,"result":%s,"sessionId":%q}`, c.ID, result, c.SessionID)
			}
		}
	}()
	return f
}

// Say sends a message to the code under test; it ignores a closed connection.
func (f *Fake) Say(format string, args ...any) { _ = f.theirs.Write(fmt.Appendf(nil, format, args...)) }

// Close ends the browser and waits for it.
func (f *Fake) Close() {
	_ = f.theirs.Close()
	<-f.done
}
