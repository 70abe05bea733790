package supervisor

import (
	"context"
	"errors"
	"sync"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/supervisor/fold"
	"github.com/usher-browser/usher/internal/supervisor/fold/core"
)

// replies are those awaited to the protocol commands that one input of the fold has caused.
type replies struct {
	mu   sync.Mutex
	left int           // guarded by mu; the input itself counts as one until all its commands were sent
	errs []error       // guarded by mu
	all  chan struct{} // closed when none is left
}

func newReplies() *replies { return &replies{left: 1, all: make(chan struct{})} }

// one returns a function for the reply to one more command; nil if nobody waits.
func (r *replies) one() func(jsontext.Value, error) {
	if r == nil {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.left++
	return func(_ jsontext.Value, err error) { r.done(err) }
}

// replyTo returns the function for the reply to a command of the present input; nil if nobody waits for it. The browser holds
// back the calls to a tab that waits for HTTP authentication until that is answered, and executes them then: nobody waits
// for these. The caller holds mu.
func (b *Browser) replyTo(session string) func(jsontext.Value, error) {
	if b.replies == nil {
		return nil
	}
	state := b.model.State()
	for id, t := range state.Tabs {
		if t.Session == session && session != "" {
			if i := state.PendingInterruption(id); i != nil && i.Login != nil {
				return nil
			}
		}
	}
	return b.replies.one()
}

// done counts a reply. A target that has gone meanwhile needs no command any more.
func (r *replies) done(err error) {
	var refused *cdp.Error
	r.mu.Lock()
	defer r.mu.Unlock()
	if errors.As(err, &refused) && refused.Code != targetGone {
		r.errs = append(r.errs, err)
	}
	if r.left--; r.left == 0 {
		close(r.all)
	}
}

// targetGone is the code of Chromium's "Session with given id not found".
const targetGone = -32001

// wait waits until all have come, and returns the browser's refusals. If ctx ends first, wait returns its cause.
func (r *replies) wait(ctx context.Context) error {
	select {
	case <-r.all:
		r.mu.Lock()
		defer r.mu.Unlock()
		return errors.Join(r.errs...)
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// confirmed applies a command to the model and waits until the browser has answered the protocol commands that it
// caused, except those to tabs that wait for HTTP authentication. prepare, if not nil, is called first, with mu held.
func (b *Browser) confirmed(ctx context.Context, c core.Command, prepare func()) error {
	r := newReplies()
	func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		if prepare != nil {
			prepare()
		}
		b.replies = r
		defer func() { b.replies = nil }()
		b.apply(fold.Input{Command: c})
		b.publish()
	}()
	r.done(nil)
	return r.wait(ctx)
}
