package run

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/media"
	"github.com/usher-browser/usher/internal/supervisor/model"
)

// ClaimedDownloads records which downloads of a session were returned to a caller or expired. The rule of `wait
// --download`:
//
//	a download is returned once, by `download` or by `wait --download`, oldest first;
//	one that had ended when a command that may change the page began has expired:
//	it belongs to an earlier command.
//
// So `click`, `wait --download` gets the file of the click whether it came before or after the wait began, two waits
// get two files, and none gets an old file.
type ClaimedDownloads struct {
	mu   sync.Mutex
	gone map[string]bool // guarded by mu: given or forgotten, by GUID
}

// Claim claims a download; it returns false if the download was returned before or has expired.
func (l *ClaimedDownloads) Claim(guid string) bool {
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

// Release makes a claimed download available to waits again.
func (l *ClaimedDownloads) Release(guid string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.gone, guid)
}

// Claimable reports whether a download can still be claimed.
func (l *ClaimedDownloads) Claimable(guid string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return !l.gone[guid]
}

// forgetEnded expires the downloads that have ended, and drops the entries of those that the browser's model no longer
// has.
func (l *ClaimedDownloads) forgetEnded(s *model.State) {
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
func (w *BrowserContext) noteAction() {
	w.Downloads.forgetEnded(w.Browser.State())
	w.mu.Lock()
	defer w.mu.Unlock()
	w.acted = time.Now()
}

// TakeAction returns the start of the last command that may have changed a page, and clears it; it is the zero time
// after that.
func (w *BrowserContext) TakeAction() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	since := w.acted
	w.acted = time.Time{}
	return since
}

// Ownership is whether a download belongs to a session.
type Ownership int

const (
	NotOwned Ownership = iota
	Owned
	// OwnerUnknown: the browser has not reported its tab; see [BrowserContext.OwnsDownload].
	OwnerUnknown
)

// DownloadOwner returns whether a download belongs to this session: it came from one of its tabs, also one that is
// closed by now. A window opened only for a download may never have been in the model as a tab. It makes no call, so it
// may be used in a wait condition.
func (w *BrowserContext) DownloadOwner(s *model.State, d *model.Download) Ownership {
	is := func(context model.ContextID) Ownership {
		if context == w.Context {
			return Owned
		}
		return NotOwned
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
	return OwnerUnknown
}

// OwnsDownload is [BrowserContext.DownloadOwner], with a check of the session's download directories for OwnerUnknown.
func (w *BrowserContext) OwnsDownload(s *model.State, d *model.Download) bool {
	c := w.DownloadOwner(s, d)
	return c == Owned || c == OwnerUnknown && w.HasFile(d)
}

// HasFile reports whether the file of a download is in a directory of the session.
func (w *BrowserContext) HasFile(d *model.Download) bool { return hasFile(w.DownloadFile(d)) }

func hasFile(path string) bool {
	for _, name := range []string{path, path + ".crdownload"} { // the latter while it is on its way
		if _, err := os.Stat(name); err == nil {
			return true
		}
	}
	return false
}

// downloadDir is a directory for the downloads that begin from a moment on.
type downloadDir struct {
	path  string
	since time.Time
}

// DownloadDir returns the directory in which the browser saves the session's downloads, under generated names.
func (w *BrowserContext) DownloadDir() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.dirs[len(w.dirs)-1].path
}

// SetDownloadDir changes the directory for downloads that begin from now on. Earlier ones stay where they are.
func (w *BrowserContext) SetDownloadDir(ctx context.Context, path string) error {
	if path == w.DownloadDir() {
		return nil
	}
	if err := w.awaitFiles(ctx); err != nil {
		return err
	}
	since := time.Now()
	if err := w.sendDownloadDir(ctx, path); err != nil {
		return err
	}
	downloads := w.Browser.State().Downloads
	w.mu.Lock()
	defer w.mu.Unlock()
	w.dirs = append(w.dirs, downloadDir{path, since})
	var used []downloadDir
	for i, dir := range w.dirs {
		if i == len(w.dirs)-1 || slices.ContainsFunc(downloads, func(d *model.Download) bool { return dirAt(w.dirs, d.StartedAt) == i }) {
			used = append(used, dir)
		}
	}
	w.dirs = used
	return nil
}

// fileLimit bounds the wait for the files of downloads that have begun.
const fileLimit = 3 * time.Second

// awaitFiles waits until each download of the session that has begun has a file: the browser reports the beginning a
// moment before it chooses the directory, and would choose the new one.
func (w *BrowserContext) awaitFiles(ctx context.Context) error {
	for end := time.Now().Add(fileLimit); time.Now().Before(end); {
		s := w.Browser.State()
		if !slices.ContainsFunc(s.Downloads, func(d *model.Download) bool {
			return d.State == model.DownloadInProgress && w.DownloadOwner(s, d) == Owned && !w.HasFile(d)
		}) {
			return nil
		}
		select {
		case <-time.After(retryPause):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return nil
}

// dirAt returns the index of the directory for a download that began at a time.
func dirAt(dirs []downloadDir, began time.Time) int {
	for i := len(dirs) - 1; i > 0; i-- {
		if !began.Before(dirs[i].since) {
			return i
		}
	}
	return 0
}

// DownloadFile returns the path of a download's file. A download that began while the directory was being changed may be
// in the one before or after.
func (w *BrowserContext) DownloadFile(d *model.Download) string {
	w.mu.Lock()
	dirs := w.dirs
	w.mu.Unlock()
	i := dirAt(dirs, d.StartedAt)
	path := filepath.Join(dirs[i].path, d.GUID)
	if len(dirs) == 1 || hasFile(path) {
		return path
	}
	for _, near := range dirs[max(0, i-1):min(len(dirs), i+2)] {
		if other := filepath.Join(near.path, d.GUID); hasFile(other) {
			return other
		}
	}
	return path
}

// DownloadResult returns the result data of a download that has begun.
func (w *BrowserContext) DownloadResult(d *model.Download) api.Download {
	return api.Download{URL: d.URL, SuggestedName: media.PlainName(d.SuggestedName), Path: w.DownloadFile(d),
		State: string(d.State), Bytes: d.Received}
}

// LinkAsSuggested links the file of a complete download under the name that the server suggests, in a directory of its
// own; the generated name stays.
func LinkAsSuggested(d api.Download) (string, error) {
	path := filepath.Join(d.Path+".named", d.SuggestedName)
	if _, err := os.Stat(d.Path); err != nil {
		return "", err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return "", fmt.Errorf("make a directory for it: %w", err)
	}
	if err := os.Link(d.Path, path); err != nil && !errors.Is(err, fs.ErrExist) {
		return "", err
	}
	return path, nil
}
