package run

import (
	"context"
	"errors"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/devtools"
	"github.com/usher-browser/usher/internal/verb"
)

// DevTools returns the server that serves the session's tabs to DevTools; nil if there is none.
func (w *BrowserContext) DevTools() *devtools.Server {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.devtools != nil && w.devtools.Closed() {
		w.devtools = nil
	}
	return w.devtools
}

// ServeDevTools returns that server, and starts it if there is none.
func (w *BrowserContext) ServeDevTools() (*devtools.Server, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.devtools != nil && !w.devtools.Closed() {
		return w.devtools, nil
	}
	if w.ended {
		return nil, errors.New("serve DevTools: the session is ending")
	}
	s, err := devtools.Serve(w.Browser, w.Context)
	if err == nil {
		w.devtools = s
	}
	return s, err
}

// StopDevTools ends the server and disconnects its clients. It reports whether there was one.
func (w *BrowserContext) StopDevTools() bool {
	s := w.DevTools()
	if s == nil {
		return false
	}
	s.Close()
	return true
}

// Finish ends what runs beside the commands, before the session ends: the video recording, serving DevTools, calls of
// tools, recording what is done.
func (w *BrowserContext) Finish(ctx context.Context) error {
	w.mu.Lock()
	w.ended = true
	w.mu.Unlock()
	w.StopDevTools()
	w.Invocations.End()
	w.StopCodegen()
	return w.FinishRecording(ctx)
}

// withDevTools names the debugger of DevTools as the reason when a command timed out in a page that it has paused.
func withDevTools(f Func) Func {
	return func(ctx context.Context, e *Env, c *verb.Call) (Result, error) {
		res, err := f(ctx, e, c)
		var known *api.Error
		if s := e.DevTools(); s == nil || !errors.As(err, &known) || !s.Paused(e.Tab) {
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
