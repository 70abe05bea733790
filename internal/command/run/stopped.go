package run

import (
	"context"
	"errors"
	"time"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/supervisor/model"
)

var (
	// errStopped ends the wait for the load event of a document that has stopped loading.
	errStopped = errors.New("the document has stopped loading")
	// errWritten ends the wait for the load event of a document that a script writes, which comes only if the script closes it.
	errWritten = errors.New("a script writes the document")
)

// goesOn is how long a document that stopped loading may take to go elsewhere: a page that stops itself for that does so at once.
const goesOn = 300 * time.Millisecond

// Stopped watches for a document that stops loading, or that a script writes, in a test that waits for its load event.
type Stopped struct {
	env  *Env
	ctx  context.Context // of the wait
	end  func(error)     // ends the wait
	rest func()          // ends the watch; nil without one
}

// Stopped returns a watch for a wait, which it ends with end.
func (e *Env) Stopped(ctx context.Context, end func(error)) *Stopped {
	return &Stopped{env: e, ctx: ctx, end: end}
}

// Loaded reports whether the document of a frame has had its load event. If it has stopped before, or a script writes it and it
// requests nothing, the wait ends soon.
func (w *Stopped) Loaded(f *model.Frame) bool {
	written := f.Written && !f.DOMReady
	switch {
	case f.PendingURL != "" || !f.Stopped && !written:
		w.Rest()
	case w.rest != nil:
	case written:
		w.watch(w.idle)
	default:
		w.watch(func(context.Context) { w.end(errStopped) })
	}
	return f.Loaded && !f.Stopped
}

// watch calls f in a moment, unless the watch ends before.
func (w *Stopped) watch(f func(context.Context)) {
	ctx, cancel := context.WithCancel(w.ctx)
	timer := time.AfterFunc(goesOn, func() { f(ctx) })
	w.rest = func() {
		timer.Stop()
		cancel()
	}
}

// idle ends the wait when no request of the tab is in flight: a document that a script has closed waits for what it needs.
func (w *Stopped) idle(ctx context.Context) {
	if err := w.env.Journal.WaitIdle(ctx, w.env.Tab, goesOn); err == nil && ctx.Err() == nil {
		w.end(errWritten)
	}
}

// Rest ends the watch.
func (w *Stopped) Rest() {
	if w.rest != nil {
		w.rest()
		w.rest = nil
	}
}

// StoppedLoading explains a wait that ended because the document stopped loading; another error is returned as it is. A document whose
// connection failed is an error. One that the page stopped itself is as complete as that wants it: note says so.
func (e *Env) StoppedLoading(err error, doing string) (note string, _ error) {
	if errors.Is(err, errWritten) {
		return "a script writes the document and has not closed it, so it never finishes loading", nil
	}
	if !errors.Is(err, errStopped) {
		return "", err
	}
	t := e.Browser.State().Tabs[e.Tab]
	if t == nil {
		return "", e.goneError(e.Tab)
	}
	if r := t.Response; r.Failed != "" && r.Loader == t.MainFrame().Loader {
		return "", api.Errorf(api.NavigationFailed, "%s: the connection failed in the middle of the document: %s", doing, r.Failed).
			With("url", t.URL).With("errorText", r.Failed).
			WithHint("What arrived before that is shown: see it with `snapshot`, or try again with `reload`.")
	}
	return "the page stopped loading before it was complete, as scripts can make it; if something is missing, try `reload`", nil
}
