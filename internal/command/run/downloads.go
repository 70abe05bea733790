package run

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/media"
	"github.com/usher-browser/usher/internal/supervisor/model"
)

// ClaimedDownloads remembers which downloads of a session were given to a caller or
// forgotten. The rule of `wait --download`:
//
//	a download is given once, by `download` or by `wait --download`, oldest first;
//	one that had ended when a command that may change the page began is forgotten:
//	it belongs to something earlier.
//
// So `click`, `wait --download` gets the file of the click whether it came before
// or after the wait began, two waits get two files, and none gets the file of
// yesterday.
type ClaimedDownloads struct {
	mu   sync.Mutex
	gone map[string]bool // guarded by mu: given or forgotten, by GUID
}

// Claim claims a download; false if it was given or forgotten.
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

// Release lets a download be waited for again.
func (l *ClaimedDownloads) Release(guid string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.gone, guid)
}

// Claimable reports whether a download can still be given.
func (l *ClaimedDownloads) Claimable(guid string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return !l.gone[guid]
}

// forgetEnded drops the downloads that have ended, and all trace of those the
// browser's model no longer holds.
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

// TakeAction is when the last command began that may have changed a page, the zero time if that was asked for since.
func (w *BrowserContext) TakeAction() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	since := w.acted
	w.acted = time.Time{}
	return since
}

// Ownership says whether a download is wanted.
type Ownership int

const (
	NotOwned Ownership = iota
	Owned
	// OwnerUnknown: the browser has not said of which tab it is; see [Workspace.keeps].
	OwnerUnknown
)

// DownloadOwner says whether a download belongs to this session: it came from one of its
// tabs, also one that is closed by now. A window opened only to download may
// never have been seen as a tab. It asks nobody, so that it may be part of a wait.
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

// OwnsDownload is whose, with a look into the session's directory where that is needed.
func (w *BrowserContext) OwnsDownload(s *model.State, d *model.Download) bool {
	c := w.DownloadOwner(s, d)
	return c == Owned || c == OwnerUnknown && w.HasFile(d)
}

// HasFile reports whether the file of a download lies in the session's directory.
func (w *BrowserContext) HasFile(d *model.Download) bool {
	for _, name := range []string{d.GUID, d.GUID + ".crdownload"} { // the latter while it is on its way
		if _, err := os.Stat(filepath.Join(w.DownloadDir, name)); err == nil {
			return true
		}
	}
	return false
}

// BrowserLost ends a wait when the browser is gone.
func BrowserLost(s *model.State) error {
	return s.Down()
}

// DownloadResult tells of a download that has begun.
func (w *BrowserContext) DownloadResult(d *model.Download) api.Download {
	return api.Download{URL: d.URL, SuggestedName: media.PlainName(d.SuggestedName), Path: filepath.Join(w.DownloadDir, d.GUID),
		State: string(d.State), Bytes: d.Received}
}

// UnderItsName gives the file of a complete download the name that the server suggests, in a directory of its own; the one that
// the browser made up stays.
func UnderItsName(d api.Download) (string, error) {
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
