package download

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/command/run"
	"github.com/usher-browser/usher/internal/command/run/downloads"
	"github.com/usher-browser/usher/internal/element"
	"github.com/usher-browser/usher/internal/media"
	"github.com/usher-browser/usher/internal/supervisor/model"
	"github.com/usher-browser/usher/internal/verb"
)

// Saved is the result of `download`.
type Saved struct {
	Path              string `json:"path"` // of the file
	URL               string `json:"url"`  // its source
	SuggestedFilename string `json:"suggestedFilename"`
	Bytes             int64  `json:"bytes"`
	api.Outcome
}

// download clicks an element and saves the resulting download.
func download(ctx context.Context, e *run.Env, c *verb.Call) (run.Reply[*Saved], error) {
	target, err := saveAt(e, c.Str("path"))
	if err != nil {
		return run.Reply[*Saved]{}, err
	}
	t, err := e.Target(c, "selector")
	if err != nil {
		return run.Reply[*Saved]{}, err
	}
	if !e.Limited && !e.Patient {
		t.Timeout = element.DefaultTimeout
	}
	end := time.Now().Add(e.Limit)
	before := e.Browser.State()
	if err := checkCapability(e, "download"); err != nil {
		return run.Reply[*Saved]{}, err
	}
	var out element.Outcome
	err = e.Act(ctx, "click "+c.Str("selector"), func(ctx context.Context, a *element.Actor) (err error) {
		out, err = a.Click(ctx, t, element.ClickOptions{})
		return err
	})
	if err != nil {
		return run.Reply[*Saved]{}, err
	}
	ctx, cancel := context.WithDeadlineCause(ctx, end, run.ErrLimit)
	defer cancel()
	mine := func(s *model.State, d *model.Download) downloads.Ownership {
		// Another tab of the session has its own business; one that the click opened
		// has not.
		if slices.ContainsFunc(before.Downloads, func(b *model.Download) bool { return b.GUID == d.GUID }) ||
			d.Tab != e.Tab && before.Tabs[d.Tab] != nil {
			return downloads.NotOwned
		}
		return e.Downloads.Owner(s, d)
	}
	doing := "download " + c.Str("selector")
	d, err := awaitDownload(ctx, e, doing, before, mine)
	if err != nil {
		return run.Reply[*Saved]{}, notBegunError(e, err, doing, &out)
	}
	return saved(e, d, target, doing)
}

// checkCapability refuses what needs downloads where the connection has none: nothing would say of one that it began,
// or where it is.
func checkCapability(e *run.Env, doing string) error {
	if e.Browser.Capabilities().Downloads {
		return nil
	}
	return api.Errorf(api.Unsupported, "%s: the connection to this browser cannot say where downloads go", doing).
		WithHint("The browser keeps the file where its own settings say. `web extract` reads pages and PDFs without the browser.")
}

// shownError is the cause when the browser shows what the click led to, and will download nothing of it.
type shownError struct{ tab, url, mime string }

func (e *shownError) Error() string { return e.url + " (" + e.mime + ") was shown" }

// shown returns an error if the click has led the tab, or one that it opened, to a document that is no page: a text, an image, data. HTML
// and XML may have scripts, which may start the download later; nobody lets a picture do that. It is part of a wait condition.
func shown(tab model.TargetID, before, s *model.State) error {
	for _, t := range s.Tabs {
		was := before.Tabs[t.ID]
		if t.ID != tab && (was != nil || t.Opener != tab) {
			continue
		}
		f := t.MainFrame()
		if f != nil && f.MIMEType != "" && !hasScripts(f.MIMEType) && (was == nil || was.MainFrame().Loader != f.Loader) {
			return &shownError{run.TabID(t), f.URL, f.MIMEType}
		}
	}
	return nil
}

// hasScripts reports whether documents of a type are pages with scripts.
func hasScripts(mime string) bool {
	return slices.Contains([]string{"text/html", "application/xhtml+xml", "text/xml", "application/xml"}, mime)
}

// notBegunError adds to the error of a download that did not begin what the click
// did instead.
func notBegunError(e *run.Env, err error, doing string, out *element.Outcome) error {
	if errors.Is(err, errPicker) {
		e.MarkReportedIf(func(i *model.Interruption) bool { return i.Chooser != nil && i.Notice && i.Tab == e.Tab })
		return api.Errorf(api.Unsupported, "%s: the click on %s asked where to save the file with the File System Access API, which CDP cannot answer; "+
			"the page was told that nothing was chosen", doing, out.Description).
			WithHint("Run `addinitscript \"delete window.showSaveFilePicker\"` and `reload`: without that API most pages start a download.")
	}
	var seen *shownError
	if errors.As(err, &seen) {
		return api.Errorf(api.DownloadFailed, "%s: the click on %s started no download: the browser shows %s (%s) in tab %s", doing, out.Description, seen.url, seen.mime, seen.tab).
			With("reason", "shown").With("url", seen.url).With("mimeType", seen.mime).With("tabId", seen.tab).
			WithHint("`network requests` has its id, and `network request <id>` its content. `back` returns to the page before.")
	}
	if !errors.Is(err, errNotBegun) {
		return err
	}
	failed := api.Errorf(api.Timeout, "%s: the click on %s started no download within %s", doing, out.Description, e.Limit)
	switch {
	case out.Navigation != nil:
		return failed.With("url", out.Navigation.URL).WithHint("The click navigated to %s instead; look for the file there.", out.Navigation.URL)
	case len(out.NewTabs) > 0:
		return failed.WithHint("The click opened another tab instead; see `tab list`.")
	}
	return failed.WithHint("If the page needs longer to prepare the file, give more time with --timeout; if something else must be clicked, `snapshot -i` shows it.")
}

// WaitDownload waits for a download that another command caused; see [downloads.Session] for which one.
func WaitDownload(ctx context.Context, e *run.Env, c *verb.Call) (run.Reply[*Saved], error) {
	target, err := saveAt(e, c.Str("download"))
	if err != nil {
		return run.Reply[*Saved]{}, err
	}
	const doing = "wait --download"
	if err := checkCapability(e, doing); err != nil {
		return run.Reply[*Saved]{}, err
	}
	ctx, cancel := e.WithLimit(ctx, func() {})
	defer cancel()
	d, err := awaitDownload(ctx, e, doing, nil, e.Downloads.Owner)
	if errors.Is(err, errNotBegun) {
		return run.Reply[*Saved]{}, api.Errorf(api.Timeout, "Wait timed out after %dms: %s: no download began", e.Waits(), doing).
			WithHint("Nothing was downloaded since the last action. Use `download <selector> <path>` to click and wait in one step.")
	}
	if err != nil {
		return run.Reply[*Saved]{}, err
	}
	return saved(e, d, target, doing)
}

// errNotBegun is the cause when the time ran out before a download began, errPicker when the page asked for a place to save instead.
var (
	errNotBegun = errors.New("no download began")
	errPicker   = errors.New("the page asked for a file picker")
)

// progressInterval is the time between two progress notes.
const progressInterval = time.Second

// ownership returns whether a download matches. It is part of a wait condition, so it makes no calls.
type ownership func(*model.State, *model.Download) downloads.Ownership

// awaitDownload ownership the oldest download that fits and waits until it has
// ended well. A dialog in the tab ends the wait only while no download has begun:
// from then on the page has no part in it. before, if not nil, is the state before the action that causes the download: then a
// file picker that the page asks for instead, and a document that the browser shows instead, end the wait, too.
func awaitDownload(ctx context.Context, e *run.Env, doing string, before *model.State, fits ownership) (*model.Download, error) {
	var seen *shownError
	d, err := awaitBegin(ctx, e, before, fits)
	switch {
	case errors.Is(err, run.ErrLimit):
		return nil, errNotBegun
	case errors.Is(err, errPicker), errors.As(err, &seen):
		return nil, err
	case err != nil:
		return nil, e.Explain(err, doing)
	}
	name := media.PlainName(d.SuggestedName)
	d, err = awaitEnd(ctx, e, d, name)
	if err != nil {
		e.Downloads.Release(d.GUID)
	}
	switch {
	case errors.Is(err, run.ErrLimit):
		return nil, withDownload(api.Errorf(api.Timeout, "%s: %s is not complete after %s: %s", doing, name, e.Limit, received(d)), d).
			WithHint("The download continues in the background: `wait --download PATH --timeout 5m` waits for the rest.")
	case err != nil:
		return nil, e.Explain(err, doing)
	case d.State != model.DownloadCompleted:
		return nil, failedError(e, d, doing, name)
	}
	return d, nil
}

// awaitBegin waits for a download that fits and ownership it.
func awaitBegin(ctx context.Context, e *run.Env, before *model.State, fits ownership) (*model.Download, error) {
	looked := map[string]int64{} // bytes that a download had when its file was looked for, by GUID
	for {
		var found []*model.Download
		err := e.Browser.Wait(ctx, func(s *model.State) (bool, error) {
			found = candidates(e, s, fits, looked)
			if open := s.Dialog(e.Tab); open != nil && len(found) == 0 {
				return false, &model.BlockedError{Tab: e.Tab, Dialog: open}
			}
			if before != nil && len(found) == 0 && e.FilePicker(before, s) != nil {
				return false, errPicker
			}
			if before != nil && len(found) == 0 {
				if err := shown(e.Tab, before, s); err != nil {
					return false, err
				}
			}
			return len(found) > 0, s.Unreachable()
		})
		if len(found) == 0 {
			return nil, err
		}
		for _, one := range found {
			if fits(e.Browser.State(), one) != downloads.Owned {
				looked[one.GUID] = progressOf(one)
				if !e.Downloads.HasFile(one) {
					continue
				}
			}
			if e.Downloads.Claim(one.GUID) {
				e.MarkReportedIf(func(i *model.Interruption) bool { return i.Download == one.GUID })
				return one, nil
			}
		}
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
	}
}

// candidates returns the downloads that match, and those whose file has to be searched for, oldest first.
func candidates(e *run.Env, s *model.State, fits ownership, looked map[string]int64) (out []*model.Download) {
	for _, d := range s.Downloads {
		if !e.Downloads.Claimable(d.GUID) {
			continue
		}
		at, known := looked[d.GUID]
		if c := fits(s, d); c == downloads.Owned || c == downloads.OwnerUnknown && (!known || at != progressOf(d)) {
			out = append(out, d)
		}
	}
	return out
}

// progressOf returns the progress of a download as one number: -1 when it has ended.
func progressOf(d *model.Download) int64 {
	if d.State != model.DownloadInProgress {
		return -1
	}
	return d.Received
}

// awaitEnd waits until a download has ended, and reports its progress in intervals.
func awaitEnd(ctx context.Context, e *run.Env, d *model.Download, name string) (*model.Download, error) {
	for noted := time.Now(); ; {
		seen := d.Received
		err := e.Browser.Wait(ctx, func(s *model.State) (bool, error) {
			for _, one := range s.Downloads {
				if one.GUID == d.GUID {
					d = one
				}
			}
			news := e.Progress != nil && d.Received != seen && time.Since(noted) > progressInterval
			return news || d.State != model.DownloadInProgress, s.Unreachable()
		})
		if err != nil || d.State != model.DownloadInProgress {
			return d, err
		}
		noted = time.Now()
		e.Progress(fmt.Sprintf("%s: %s", name, received(d)))
	}
}

// failedError returns the error for a download that ended without a file. Chromium reports "canceled" whatever the cause, a full disk
// included, sometimes with the number of bytes received.
func failedError(e *run.Env, d *model.Download, doing, name string) error {
	dir := filepath.Dir(e.Downloads.File(d))
	switch {
	case d.Received == 0:
		return withDownload(api.Errorf(api.DownloadFailed, "%s: %s was canceled by the browser", doing, name), d).With("reason", "canceled").
			WithHint("The server refused it (an error status, a login), the connection broke, the page canceled it, or %s has no space left; see `network requests`.", dir)
	case d.Total > 0 && d.Received >= d.Total:
		return withDownload(api.Errorf(api.DownloadFailed, "%s: %s was canceled after all bytes had arrived (%s)", doing, name, received(d)), d).With("reason", "canceled").
			WithHint("The browser could not keep the file: check the free space in %s.", dir)
	}
	return withDownload(api.Errorf(api.DownloadFailed, "%s: %s was interrupted after %s", doing, name, received(d)), d).With("reason", "interrupted").
		WithHint("The connection broke, the download was canceled, or %s has no space left. Try again.", dir)
}

func withDownload(err *api.Error, d *model.Download) *api.Error {
	return err.With("url", d.URL).With("suggestedFilename", d.SuggestedName).With("receivedBytes", d.Received).With("totalBytes", d.Total)
}

func received(d *model.Download) string {
	if d.Total > 0 {
		return fmt.Sprintf("%d of %d bytes", d.Received, d.Total)
	}
	return fmt.Sprintf("%d bytes", d.Received)
}

// saveTarget is the destination of a download: exactly one field is set, or none for the session's own directory.
type saveTarget struct{ path, dir string }

// saveAt determines the destination of a download, and returns an error for one that cannot be written to, before
// anything is clicked.
func saveAt(e *run.Env, path string) (saveTarget, error) {
	if path == "" {
		return saveTarget{}, nil
	}
	full := e.Path(path)
	if err := e.MaySave("download", full); err != nil {
		return saveTarget{}, err
	}
	if run.IsDirectory(path, full) {
		return saveTarget{dir: full}, media.CheckOutputDirectory(full)
	}
	return saveTarget{path: full}, media.CheckOutputPath(full)
}

// saved moves a finished download to its destination: to a path, replacing what is there, or into a directory under a
// new name like the one the server suggested.
func saved(e *run.Env, d *model.Download, target saveTarget, doing string) (run.Reply[*Saved], error) {
	from := e.Downloads.File(d)
	path := target.path
	if path == "" {
		dir := target.dir
		if dir == "" {
			dir = filepath.Dir(from)
		}
		var err error
		if target.dir != "" {
			if err := e.MaySave(doing, filepath.Join(dir, media.PlainName(d.SuggestedName))); err != nil {
				return run.Reply[*Saved]{}, err
			}
		}
		if path, err = media.FreshName(dir, media.PlainName(d.SuggestedName), media.Shared); err != nil {
			return run.Reply[*Saved]{}, fmt.Errorf("%s: %w", doing, err)
		}
	}
	if err := media.Move(from, path); err != nil {
		if target.path == "" {
			_ = os.Remove(path) // the empty file that held the name
		}
		if _, there := os.Stat(from); there == nil {
			known := api.AsError(err).With("downloaded", from)
			return run.Reply[*Saved]{}, known.WithHint("%s The file itself is complete, at %s.", strings.TrimSpace(known.Hint), from)
		}
		return run.Reply[*Saved]{}, fmt.Errorf("%s: %w", doing, err)
	}
	data := &Saved{Path: path, URL: d.URL, SuggestedFilename: d.SuggestedName, Bytes: d.Received}
	return run.Reply[*Saved]{Data: data, Text: "✓ Download saved to " + path}, nil
}
