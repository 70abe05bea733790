package ops

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/element"
	"github.com/usher-browser/usher/internal/media"
	"github.com/usher-browser/usher/internal/supervisor/model"
	"github.com/usher-browser/usher/internal/verb"
)

func downloadVerbs() map[string]Func {
	return map[string]Func{"download": download, "downloads": listDownloads}
}

// ledger remembers which downloads of a session were given to a caller or
// forgotten. The rule of `wait --download`:
//
//	a download is given once, by `download` or by `wait --download`, oldest first;
//	one that had ended when a command that may change the page began is forgotten:
//	it belongs to something earlier.
//
// So `click`, `wait --download` gets the file of the click whether it came before
// or after the wait began, two waits get two files, and none gets the file of
// yesterday.
type ledger struct {
	mu   sync.Mutex
	gone map[string]bool // guarded by mu: given or forgotten, by GUID
}

// take claims a download; false if it was given or forgotten.
func (l *ledger) take(guid string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.gone[guid] {
		return false
	}
	if l.gone == nil {
		l.gone = map[string]bool{}
	}
	l.gone[guid] = true
	return true
}

// giveBack lets a download be waited for again.
func (l *ledger) giveBack(guid string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.gone, guid)
}

// open says whether a download can still be given.
func (l *ledger) open(guid string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return !l.gone[guid]
}

// forget drops the downloads that have ended, and all trace of those the
// browser's model no longer holds.
func (l *ledger) forget(s *model.State) {
	l.mu.Lock()
	defer l.mu.Unlock()
	gone := make(map[string]bool, len(s.Downloads))
	for _, d := range s.Downloads {
		if l.gone[d.GUID] || d.State != model.DownloadInProgress {
			gone[d.GUID] = true
		}
	}
	l.gone = gone
}

// noteAction is called when a verb that may change the page begins.
func (w *Workspace) noteAction() {
	w.downloads.forget(w.Browser.State())
	w.mu.Lock()
	defer w.mu.Unlock()
	w.acted = time.Now()
}

// takeAction is when the last command began that may have changed a page, the zero time if that was asked for since.
func (w *Workspace) takeAction() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	since := w.acted
	w.acted = time.Time{}
	return since
}

// claim says whether a download is wanted.
type claim int

const (
	notOurs claim = iota
	ours
	// untold: the browser has not said of which tab it is; see [Workspace.keeps].
	untold
)

// whose says whether a download belongs to this session: it came from one of its
// tabs, also one that is closed by now. A window opened only to download may
// never have been seen as a tab. It asks nobody, so that it may be part of a wait.
func (w *Workspace) whose(s *model.State, d *model.Download) claim {
	is := func(context model.ContextID) claim {
		if context == w.Context {
			return ours
		}
		return notOurs
	}
	tab := d.Tab
	if tab == "" {
		tab = model.TargetID(d.Frame)
	}
	if t := s.Tabs[tab]; t != nil {
		return is(t.Context)
	}
	for _, g := range s.Gone {
		if g.ID == tab {
			return is(g.Context)
		}
	}
	return untold
}

// owns is whose, with a look into the session's directory where that is needed.
func (w *Workspace) owns(s *model.State, d *model.Download) bool {
	c := w.whose(s, d)
	return c == ours || c == untold && w.keeps(d)
}

// keeps says that the file of a download lies in the session's directory.
func (w *Workspace) keeps(d *model.Download) bool {
	for _, name := range []string{d.GUID, d.GUID + ".crdownload"} { // the latter while it is on its way
		if _, err := os.Stat(filepath.Join(w.DownloadDir, name)); err == nil {
			return true
		}
	}
	return false
}

// download clicks an element and saves the file that comes of it.
func download(ctx context.Context, e *Env, c *verb.Call) (Result, error) {
	place, err := e.savePlace(c.Str("path"))
	if err != nil {
		return Result{}, err
	}
	t, err := e.target(c, "selector")
	if err != nil {
		return Result{}, err
	}
	if !e.Limited {
		t.Timeout = element.DefaultTimeout
	}
	end := time.Now().Add(e.Limit)
	before := e.Browser.State()
	var out element.Outcome
	err = e.act(ctx, "click "+c.Str("selector"), func(ctx context.Context, a *element.Actor) (err error) {
		out, err = a.Click(ctx, t, element.ClickOptions{})
		return err
	})
	if err != nil {
		return Result{}, err
	}
	ctx, cancel := context.WithDeadlineCause(ctx, end, errLimit)
	defer cancel()
	mine := func(s *model.State, d *model.Download) claim {
		// Another tab of the session has its own business; one that the click opened
		// has not.
		if slices.ContainsFunc(before.Downloads, func(b *model.Download) bool { return b.GUID == d.GUID }) ||
			d.Tab != e.Tab && before.Tabs[d.Tab] != nil {
			return notOurs
		}
		return e.whose(s, d)
	}
	doing := "download " + c.Str("selector")
	d, err := e.awaitDownload(ctx, doing, mine)
	if err != nil {
		return Result{}, e.nothingCame(err, doing, &out)
	}
	return e.saved(d, place, doing)
}

// nothingCame adds to the error of a download that did not begin what the click
// did instead.
func (e *Env) nothingCame(err error, doing string, out *element.Outcome) error {
	if !errors.Is(err, errNotBegun) {
		return err
	}
	failed := api.Errorf(api.Timeout, "%s: the click on %s started no download within %s", doing, out.Shape, e.Limit)
	switch {
	case out.Navigation != nil:
		return failed.With("url", out.Navigation.URL).WithHint("The click went to %s instead; look at that page for the file.", out.Navigation.URL)
	case len(out.NewTabs) > 0:
		return failed.WithHint("The click opened another tab instead; see `tab list`.")
	}
	return failed.WithHint("If the page takes longer to prepare the file, give more time with --timeout; if something else must be clicked, `snapshot -i` shows it.")
}

// waitDownload waits for a download that something else set off; see [ledger]
// for which one.
func waitDownload(ctx context.Context, e *Env, c *verb.Call) (Result, error) {
	place, err := e.savePlace(c.Str("download"))
	if err != nil {
		return Result{}, err
	}
	ctx, cancel := e.limit(ctx, func() {})
	defer cancel()
	const doing = "wait --download"
	d, err := e.awaitDownload(ctx, doing, e.whose)
	if errors.Is(err, errNotBegun) {
		return Result{}, api.Errorf(api.Timeout, "Wait timed out after %dms: %s: no download began", e.Limit.Milliseconds(), doing).
			WithHint("Nothing was downloaded since the last action. Use `download <selector> <path>` to click and wait in one step.")
	}
	if err != nil {
		return Result{}, err
	}
	return e.saved(d, place, doing)
}

// errNotBegun says that time ran out before a download was seen.
var errNotBegun = errors.New("no download began")

// noteEvery is the time between two progress notes.
const noteEvery = time.Second

// claims says of a download whether it is wanted. It is part of a wait, so it only looks at what is known.
type claims func(*model.State, *model.Download) claim

// awaitDownload claims the oldest download that fits and waits until it has
// ended well. A dialog in the tab ends the wait only while no download has begun:
// from then on the page has no part in it.
func (e *Env) awaitDownload(ctx context.Context, doing string, fits claims) (*model.Download, error) {
	d, err := e.beginning(ctx, fits)
	switch {
	case errors.Is(err, errLimit):
		return nil, errNotBegun
	case err != nil:
		return nil, e.explain(err, doing)
	}
	name := media.PlainName(d.SuggestedName)
	d, err = e.completion(ctx, d, name)
	if err != nil {
		e.downloads.giveBack(d.GUID)
	}
	switch {
	case errors.Is(err, errLimit):
		return nil, e.withDownload(api.Errorf(api.Timeout, "%s: %s is not complete after %s: %s", doing, name, e.Limit, received(d)), d).
			WithHint("The download continues in the background: `wait --download PATH --timeout 5m` waits for the rest.")
	case err != nil:
		return nil, e.explain(err, doing)
	case d.State != model.DownloadCompleted:
		return nil, e.broken(d, doing, name)
	}
	return d, nil
}

// beginning waits for a download that fits and claims it.
func (e *Env) beginning(ctx context.Context, fits claims) (*model.Download, error) {
	looked := map[string]int64{} // bytes that a download had when its file was looked for, by GUID
	for {
		var found []*model.Download
		err := e.Browser.Wait(ctx, func(s *model.State) (bool, error) {
			found = e.candidates(s, fits, looked)
			if open := s.Dialog(e.Tab); open != nil && len(found) == 0 {
				return false, &model.BlockedError{Tab: e.Tab, Dialog: open}
			}
			return len(found) > 0, closed(s)
		})
		if len(found) == 0 {
			return nil, err
		}
		for _, one := range found {
			if fits(e.Browser.State(), one) != ours {
				looked[one.GUID] = progressOf(one)
				if !e.keeps(one) {
					continue
				}
			}
			if e.downloads.take(one.GUID) {
				e.toldOf(func(i *model.Interruption) bool { return i.Download == one.GUID })
				return one, nil
			}
		}
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
	}
}

// candidates are the downloads that fit, and those whose file has to be looked for, oldest first.
func (e *Env) candidates(s *model.State, fits claims, looked map[string]int64) (out []*model.Download) {
	for _, d := range s.Downloads {
		if !e.downloads.open(d.GUID) {
			continue
		}
		at, known := looked[d.GUID]
		if c := fits(s, d); c == ours || c == untold && (!known || at != progressOf(d)) {
			out = append(out, d)
		}
	}
	return out
}

// progressOf is how far a download has come, as one number: -1 when it has ended.
func progressOf(d *model.Download) int64 {
	if d.State != model.DownloadInProgress {
		return -1
	}
	return d.Received
}

// completion waits until a download has ended, and tells now and then how far it is.
func (e *Env) completion(ctx context.Context, d *model.Download, name string) (*model.Download, error) {
	for noted := time.Now(); ; {
		seen := d.Received
		err := e.Browser.Wait(ctx, func(s *model.State) (bool, error) {
			for _, one := range s.Downloads {
				if one.GUID == d.GUID {
					d = one
				}
			}
			news := e.Progress != nil && d.Received != seen && time.Since(noted) > noteEvery
			return news || d.State != model.DownloadInProgress, closed(s)
		})
		if err != nil || d.State != model.DownloadInProgress {
			return d, err
		}
		noted = time.Now()
		e.Progress(fmt.Sprintf("%s: %s", name, received(d)))
	}
}

// closed ends a wait when the browser is gone.
func closed(s *model.State) error {
	return s.Down()
}

// broken explains a download that ended without a file. Chromium says "canceled"
// whatever the cause, sometimes with the number of bytes that came.
func (e *Env) broken(d *model.Download, doing, name string) error {
	switch {
	case d.Received == 0:
		return e.withDownload(api.Errorf(api.DownloadFailed, "%s: %s was canceled by the browser", doing, name), d).With("reason", "canceled").
			WithHint("The server refused it (an error status, a login), the connection broke, or the page canceled it; see `network requests`.")
	case d.Total > 0 && d.Received >= d.Total:
		return e.withDownload(api.Errorf(api.DownloadFailed, "%s: %s was canceled after all bytes had arrived (%s)", doing, name, received(d)), d).With("reason", "canceled").
			WithHint("The browser could not keep the file: check the free space in %s.", e.DownloadDir)
	}
	return e.withDownload(api.Errorf(api.DownloadFailed, "%s: %s was interrupted after %s", doing, name, received(d)), d).With("reason", "interrupted").
		WithHint("The connection broke or the download was canceled. Try again.")
}

func (e *Env) withDownload(err *api.Error, d *model.Download) *api.Error {
	return err.With("url", d.URL).With("suggestedFilename", d.SuggestedName).With("receivedBytes", d.Received).With("totalBytes", d.Total)
}

func received(d *model.Download) string {
	if d.Total > 0 {
		return fmt.Sprintf("%d of %d bytes", d.Received, d.Total)
	}
	return fmt.Sprintf("%d bytes", d.Received)
}

// savePlace is where a download goes: exactly one field is set, or none for the
// session's own directory.
type savePlace struct{ path, dir string }

// savePlace decides where a download goes, and refuses a place that cannot be
// written to before anything is clicked.
func (e *Env) savePlace(path string) (savePlace, error) {
	if path == "" {
		return savePlace{}, nil
	}
	full := e.path(path)
	if err := e.maySave("download", full); err != nil {
		return savePlace{}, err
	}
	if isDirectory(path, full) {
		return savePlace{dir: full}, media.CheckPlace(filepath.Join(full, "x"))
	}
	return savePlace{path: full}, media.CheckPlace(full)
}

// saved puts a finished download in its place: at a path, replacing what is
// there, or in a directory under a new name like the one the server suggested.
func (e *Env) saved(d *model.Download, place savePlace, doing string) (Result, error) {
	from := filepath.Join(e.DownloadDir, d.GUID)
	path := place.path
	if path == "" {
		dir := place.dir
		if dir == "" {
			dir = e.DownloadDir
		}
		var err error
		if place.dir != "" {
			if err := e.maySave(doing, filepath.Join(dir, media.PlainName(d.SuggestedName))); err != nil {
				return Result{}, err
			}
		}
		if path, err = media.FreshName(dir, media.PlainName(d.SuggestedName), media.Shared); err != nil {
			return Result{}, fmt.Errorf("%s: %w", doing, err)
		}
	}
	if err := media.Move(from, path); err != nil {
		if place.path == "" {
			_ = os.Remove(path) // the empty file that held the name
		}
		if _, there := os.Stat(from); there == nil {
			known := api.AsError(err).With("downloaded", from)
			return Result{}, known.WithHint("%s The file itself is complete, at %s.", strings.TrimSpace(known.Hint), from)
		}
		return Result{}, fmt.Errorf("%s: %w", doing, err)
	}
	data := obj{"path": path, "url": d.URL, "suggestedFilename": d.SuggestedName, "bytes": d.Received}
	return Result{Data: data, Text: "✓ Download saved to " + path}, nil
}
