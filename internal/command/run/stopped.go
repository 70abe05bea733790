package run

import (
	"errors"
	"time"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/supervisor/model"
)

// errStopped ends the wait for the load event of a document that has stopped loading.
var errStopped = errors.New("the document has stopped loading")

// goesOn is how long a document that stopped loading may take to go elsewhere: a page that stops itself for that does so at once.
const goesOn = 300 * time.Millisecond

// Stopped watches for a document that stops loading, in a test that waits for its load event.
type Stopped struct {
	// End ends the wait.
	End   func(error)
	timer *time.Timer
}

// Loaded reports whether the document of a frame has had its load event. If it has stopped before, the wait ends soon.
func (w *Stopped) Loaded(f *model.Frame) bool {
	switch {
	case f.Stopped && f.PendingURL == "" && w.timer == nil:
		w.timer = time.AfterFunc(goesOn, func() { w.End(errStopped) })
	case !f.Stopped || f.PendingURL != "":
		w.Rest()
	}
	return f.Loaded && !f.Stopped
}

// Rest ends the watch.
func (w *Stopped) Rest() {
	if w.timer != nil {
		w.timer.Stop()
		w.timer = nil
	}
}

// StoppedLoading explains a wait that ended because the document stopped loading; another error is returned as it is. A document whose
// connection failed is an error. One that the page stopped itself is as complete as that wants it: note says so.
func (e *Env) StoppedLoading(err error, doing string) (note string, _ error) {
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
