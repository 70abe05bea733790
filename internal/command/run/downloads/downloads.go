// Package downloads keeps the downloads of a session: which of the browser's are its own, where their files are, and which
// a command has returned.
package downloads

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

	"github.com/chromedp/cdproto/browser"
	protocol "github.com/chromedp/cdproto/cdp"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/browserhost"
	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/media"
	"github.com/usher-browser/usher/internal/supervisor"
	"github.com/usher-browser/usher/internal/supervisor/model"
)

// Session is the downloads of a session. It records which were returned to a caller or expired. The rule of `wait
// --download`:
//
//	a download is returned once, by `download` or by `wait --download`, oldest first;
//	one that had ended when a command that may change the page began has expired:
//	it belongs to an earlier command.
//
// So `click`, `wait --download` gets the file of the click whether it came before or after the wait began, two waits
// get two files, and none gets an old file.
type Session struct {
	browser *supervisor.Browser
	context model.ContextID

	mu   sync.Mutex
	gone map[string]bool // guarded by mu: given or forgotten, by GUID
	dirs []directory     // guarded by mu: the last one receives downloads now
}

// New returns the downloads of a session whose browser context is c, in a directory; call [Session.Start] before use.
func New(b *supervisor.Browser, c model.ContextID, dir string) *Session {
	return &Session{browser: b, context: c, dirs: []directory{{path: dir}}}
}

// Start sends the directory to the browser.
func (l *Session) Start(ctx context.Context, files browserhost.Files) error {
	return l.send(ctx, files, l.Dir())
}

// send has the browser save downloads in a directory and report them, if the connection supports that.
func (l *Session) send(ctx context.Context, files browserhost.Files, path string) error {
	if !l.browser.Capabilities().Downloads {
		return nil
	}
	dir, err := files.Downloads(ctx, path)
	if err != nil {
		return fmt.Errorf("set where downloads go: %w", err)
	}
	params := browser.SetDownloadBehaviorParams{
		Behavior: browser.SetDownloadBehaviorBehaviorAllowAndName, BrowserContextID: protocol.BrowserContextID(l.context),
		DownloadPath: dir, EventsEnabled: new(true),
	}
	if _, err := cdp.Do(ctx, l.browser.Session(""), browser.SetDownloadBehavior, params); err != nil {
		return fmt.Errorf("set where downloads go: %w", err)
	}
	l.browser.SetRoot(l.context, model.InitCommand{Method: browser.CommandSetDownloadBehavior, Params: params})
	return nil
}

// Claim claims a download; it returns false if the download was returned before or has expired.
func (l *Session) Claim(guid string) bool {
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
func (l *Session) Release(guid string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.gone, guid)
}

// Claimable reports whether a download can still be claimed.
func (l *Session) Claimable(guid string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return !l.gone[guid]
}

// ForgetEnded expires the downloads that have ended, and drops the entries of those that the browser's model no longer
// has.
func (l *Session) ForgetEnded(s *model.State) {
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

// Ownership is whether a download belongs to a session.
type Ownership int

const (
	NotOwned Ownership = iota
	Owned
	// OwnerUnknown: the browser has not reported its tab; see [Session.Owns].
	OwnerUnknown
)

// Owner returns whether a download belongs to this session: it came from one of its tabs, also one that is
// closed by now. A window opened only for a download may never have been in the model as a tab. It makes no call, so it
// may be used in a wait condition.
func (l *Session) Owner(s *model.State, d *model.Download) Ownership {
	is := func(context model.ContextID) Ownership {
		if context == l.context {
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

// Owns is [Session.Owner], with a check of the session's directories for OwnerUnknown.
func (l *Session) Owns(s *model.State, d *model.Download) bool {
	c := l.Owner(s, d)
	return c == Owned || c == OwnerUnknown && l.HasFile(d)
}

// HasFile reports whether the file of a download is in a directory of the session.
func (l *Session) HasFile(d *model.Download) bool { return hasFile(l.File(d)) }

func hasFile(path string) bool {
	for _, name := range []string{path, path + ".crdownload"} { // the latter while it is on its way
		if _, err := os.Stat(name); err == nil {
			return true
		}
	}
	return false
}

// directory is a directory for the downloads that begin from a moment on.
type directory struct {
	path  string
	since time.Time
}

// Dir returns the directory in which the browser saves the session's downloads, under generated names.
func (l *Session) Dir() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.dirs[len(l.dirs)-1].path
}

// SetDir changes the directory for downloads that begin from now on. Earlier ones stay where they are.
func (l *Session) SetDir(ctx context.Context, files browserhost.Files, path string) error {
	if path == l.Dir() {
		return nil
	}
	if err := l.awaitFiles(ctx); err != nil {
		return err
	}
	since := time.Now()
	if err := l.send(ctx, files, path); err != nil {
		return err
	}
	downloads := l.browser.State().Downloads
	l.mu.Lock()
	defer l.mu.Unlock()
	l.dirs = append(l.dirs, directory{path, since})
	var used []directory
	for i, dir := range l.dirs {
		if i == len(l.dirs)-1 || slices.ContainsFunc(downloads, func(d *model.Download) bool { return dirAt(l.dirs, d.StartedAt) == i }) {
			used = append(used, dir)
		}
	}
	l.dirs = used
	return nil
}

// fileLimit bounds the wait for the files of downloads that have begun, filePause is the time between two looks.
const (
	fileLimit = 3 * time.Second
	filePause = 10 * time.Millisecond
)

// awaitFiles waits until each download of the session that has begun has a file: the browser reports the beginning a
// moment before it chooses the directory, and would choose the new one.
func (l *Session) awaitFiles(ctx context.Context) error {
	for end := time.Now().Add(fileLimit); time.Now().Before(end); {
		s := l.browser.State()
		if !slices.ContainsFunc(s.Downloads, func(d *model.Download) bool {
			return d.State == model.DownloadInProgress && l.Owner(s, d) == Owned && !l.HasFile(d)
		}) {
			return nil
		}
		select {
		case <-time.After(filePause):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return nil
}

// dirAt returns the index of the directory for a download that began at a time.
func dirAt(dirs []directory, began time.Time) int {
	for i := len(dirs) - 1; i > 0; i-- {
		if !began.Before(dirs[i].since) {
			return i
		}
	}
	return 0
}

// File returns the path of a download's file. A download that began while the directory was being changed may be
// in the one before or after.
func (l *Session) File(d *model.Download) string {
	l.mu.Lock()
	dirs := l.dirs
	l.mu.Unlock()
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

// Result returns the result data of a download that has begun.
func (l *Session) Result(d *model.Download) api.Download {
	return api.Download{URL: d.URL, SuggestedName: media.PlainName(d.SuggestedName), Path: l.File(d),
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
