package world

import (
	"context"
	"fmt"

	"github.com/chromedp/cdproto/runtime"

	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/pagescript"
	"github.com/usher-browser/usher/internal/supervisor/model"
)

// Pending is a call of the page script in flight.
type Pending struct {
	fn      string
	pending *cdp.Pending[runtime.EvaluateResult]
}

// Start sends a call like Call and does not wait for it, so that the page receives it before the next command. It is
// not repeated if the document is replaced.
func (w *Worlds) Start(ctx context.Context, frame model.FrameID, fn string, args any) (*Pending, error) {
	expr, err := pagescript.Call(fn, args)
	if err != nil {
		return nil, err
	}
	f, wd, err := w.enterInstalled(ctx, frame)
	if err != nil {
		return nil, err
	}
	return &Pending{fn, cdp.Start(w.browser.Session(f.Session), runtime.Evaluate, runtime.EvaluateParams{
		Expression: expr, ContextID: wd.context, ReturnByValue: new(true), AwaitPromise: new(true), Silent: new(true),
	})}, nil
}

// Wait returns what Call would return.
func (p *Pending) Wait(ctx context.Context, result any) error {
	obj, err := p.object(ctx)
	if err != nil || result == nil {
		return err
	}
	return decode(p.fn, obj, result)
}

func (p *Pending) object(ctx context.Context) (runtime.RemoteObject, error) {
	res, err := p.pending.Wait(ctx)
	switch {
	case err != nil:
		return runtime.RemoteObject{}, err
	case res.ExceptionDetails != nil:
		return runtime.RemoteObject{}, &ScriptError{Func: p.fn, Message: exceptionText(res.ExceptionDetails)}
	case res.Result == nil:
		return runtime.RemoteObject{}, fmt.Errorf("in-page %s: the browser sent no result", p.fn)
	}
	return *res.Result, nil
}

// Done is closed when the reply or failure is there.
func (p *Pending) Done() <-chan struct{} { return p.pending.Done() }

// PendingHandle is a call in flight that returns an object.
type PendingHandle struct {
	Pending
	over *cdp.Session
}

// StartHandle sends a call like [Worlds.Handle] and does not wait for it. It goes over another CDP session of the frame's target, so that
// the object can be used in that one.
func (w *Worlds) StartHandle(ctx context.Context, over *cdp.Session, frame model.FrameID, fn string, args any) (*PendingHandle, error) {
	expr, err := pagescript.Call(fn, args)
	if err != nil {
		return nil, err
	}
	_, wd, err := w.enterInstalled(ctx, frame)
	if err != nil {
		return nil, err
	}
	return &PendingHandle{Pending{fn, cdp.Start(over, runtime.Evaluate, runtime.EvaluateParams{
		Expression: expr, ContextID: wd.context, Silent: new(true),
	})}, over}, nil
}

// Wait returns what Handle would return; nil if fn returned null.
func (p *PendingHandle) Wait(ctx context.Context) (*Handle, error) {
	obj, err := p.object(ctx)
	if err != nil || obj.ObjectID == "" {
		return nil, err
	}
	return &Handle{Session: p.over, Object: obj}, nil
}
