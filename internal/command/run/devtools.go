package run

import (
	"context"
	"errors"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/verb"
)

// Finish ends what runs beside the commands, before the session ends: the video recording, serving DevTools, calls of
// tools, recording what is done.
func (w *BrowserContext) Finish(ctx context.Context) error {
	w.Invocations.End()
	return w.Background.End(ctx)
}

// withDevTools names the debugger of DevTools as the reason when a command timed out in a page that it has paused.
func withDevTools(f Func) Func {
	return func(ctx context.Context, e *Env, c *verb.Call) (Result, error) {
		res, err := f(ctx, e, c)
		var known *api.Error
		if s := e.Background.DevTools(); s == nil || !errors.As(err, &known) || !s.Paused(e.Tab) {
			return res, err
		}
		switch known.Code {
		case api.Timeout, api.RendererUnresponsive:
			return res, api.Errorf(known.Code, "%w; the debugger of DevTools has paused the page", known).
				WithHint("Continue there, or end it with `inspect --stop`.")
		}
		return res, err
	}
}
