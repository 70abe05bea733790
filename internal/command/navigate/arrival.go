package navigate

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/command/run"
	"github.com/usher-browser/usher/internal/journal"
	"github.com/usher-browser/usher/internal/supervisor/model"
	"github.com/usher-browser/usher/internal/verb"
)

// prepareAfter is how long a document may take to load before the page script is installed meanwhile. In a new renderer the
// installation takes up to 40 ms, for which the load event of a document that loads faster would wait.
const prepareAfter = 100 * time.Millisecond

// prepareRest is how long after its load event a document gets the page script: the answer to its navigation does not wait for it.
const prepareRest = 10 * time.Millisecond

// arrival is the document of a navigation.
type arrival struct {
	loader string
	// limit is how long it may go on loading after it has been shown; 0 for as long as the command may take.
	limit time.Duration
	// until is how far it is waited for: untilReady, untilIdle, or else its load event.
	until string
	// shown reports whether it was shown. Then it, or what it has led to before it had loaded, is the page.
	shown bool
	// late is the note on a page that has not finished loading, within the limit or at all.
	late string
}

// What can be waited for in place of the load event, as --wait-until has it.
const (
	untilReady = "domcontentloaded"
	untilIdle  = "networkidle"
)

// arrivalOf returns how far `open` waits for a document.
func arrivalOf(c *verb.Call) arrival {
	return arrival{limit: c.Dur("load-limit"), until: c.Str("wait-until")}
}

// idle waits until the page sends no more requests. One with a dialog is not waited for.
func idle(ctx context.Context, e *run.Env, doing string) error {
	ctx, stop := e.Guard(ctx)
	defer stop()
	err := e.Journal.WaitIdle(ctx, e.Tab, journal.Quiet)
	if b := e.Browser.Blocked(err, e.Tab); b != nil && b.Dialog != nil {
		return nil
	}
	return e.Explain(err, doing+", until the network is idle")
}

// errLate ends the wait for a document that is shown.
var errLate = errors.New("the document is shown and still loading")

// wait waits until the document, or the one to which it has gone on before it had loaded, has loaded. It installs the page script
// for the next command.
func (a *arrival) wait(ctx context.Context, e *run.Env, doing string) error {
	waiting, end := context.WithCancelCause(ctx)
	defer end(nil)
	stopped := e.Stopped(waiting, end)
	defer stopped.Rest()
	var prepare, late *time.Timer
	install := func() {}
	err := e.Browser.Wait(waiting, func(s *model.State) (bool, error) {
		f := s.MainFrame(e.Tab)
		if f == nil {
			return false, s.TabLost(e.Tab)
		}
		a.shown = a.shown || f.Loader == a.loader || f.Replaced == a.loader
		if a.shown && prepare == nil {
			install = func() { e.Worlds.Prepare(ctx, f.ID) }
			prepare = time.AfterFunc(prepareAfter, install)
		}
		if a.shown && late == nil && a.limit > 0 {
			late = time.AfterFunc(a.limit, func() { end(errLate) })
		}
		repeats := f.Loader == a.loader && s.Tabs[e.Tab].Repeated == a.loader
		loaded := stopped.Loaded(f) || a.until == untilReady && f.DOMReady && !f.Stopped
		return a.shown && loaded && !repeats, s.TabLost(e.Tab)
	})
	if late != nil {
		late.Stop()
	}
	if prepare != nil && prepare.Stop() && err == nil {
		time.AfterFunc(prepareRest, install)
	}
	if errors.Is(err, errLate) {
		a.late = fmt.Sprintf("the page has not finished loading %s after it was shown; `wait --load load` waits for the rest", a.limit)
		return nil
	}
	a.late, err = e.StoppedLoading(err, doing)
	if known := (*api.Error)(nil); a.limit > 0 && errors.As(err, &known) && known.Code == api.NavigationFailed { // reported as it is
		a.late, err = err.Error(), nil
	}
	return err
}
