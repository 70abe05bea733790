package cdp_test

import (
	"errors"
	"testing"

	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/fault"
)

// panickingHandler is a handler that panics at some events.
type panickingHandler struct{ *recordingHandler }

func (r panickingHandler) Event(e cdp.Event) {
	if e.Method == "Test.bad" {
		panic("told in confidence")
	}
	r.recordingHandler.Event(e)
}

// TestAPanicEndsItsConnectionOnly: the calls of that connection fail, its handler gets the cause, and other connections
// continue.
func TestAPanicEndsItsConnectionOnly(t *testing.T) {
	t.Parallel()
	bad, good := panickingHandler{newRecordingHandler()}, newRecordingHandler()
	answer := func(c command, say func(string, ...any)) {
		if c.Method == "Test.provoke" {
			say(`{"method":"Test.bad","params":{}}`)
			say(`{"method":"Test.after","params":{}}`)
		}
		say(`{"id":%d,"result":{}}`, c.ID)
	}
	one, other := peer(t, bad, cdp.DefaultBudget, answer), peer(t, good, cdp.DefaultBudget, answer)
	ctx := deadline(t)
	err := one.Browser().Call(ctx, "Test.provoke", nil, nil)
	var panicked *fault.Error
	if !errors.As(err, &panicked) || !errors.Is(err, cdp.ErrClosed) || panicked.Value != "told in confidence" {
		t.Errorf("the call failed with %v", err)
	}
	<-bad.ended
	<-one.Done()
	if !errors.As(bad.closed, &panicked) || bad.count() != 0 {
		t.Errorf("the handler was told of %v, and of %d events", bad.closed, bad.count())
	}
	if err := other.Browser().Call(ctx, "Test.hello", nil, nil); err != nil {
		t.Errorf("the other connection: %v", err)
	}
}
