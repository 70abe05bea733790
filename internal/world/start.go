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
	res, err := p.pending.Wait(ctx)
	switch {
	case err != nil:
		return err
	case res.ExceptionDetails != nil:
		return &ScriptError{Func: p.fn, Message: exceptionText(res.ExceptionDetails)}
	case res.Result == nil:
		return fmt.Errorf("in-page %s: the browser sent no result", p.fn)
	case result == nil:
		return nil
	}
	return decode(p.fn, *res.Result, result)
}

// Done is closed when the reply or failure is there.
func (p *Pending) Done() <-chan struct{} { return p.pending.Done() }
