package state

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	jsonv2 "github.com/go-json-experiment/json"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/command/read"
	"github.com/usher-browser/usher/internal/command/run"
	"github.com/usher-browser/usher/internal/command/run/glob"
	"github.com/usher-browser/usher/internal/sealed"
)

// The states of restoring and saving, in agent-browser's words.
const (
	NotConfigured = "not_configured"         // no --restore
	missingState  = "missing"                // there was no file
	loadedState   = "loaded"                 // and, as far as it was checked, valid
	invalidState  = "loaded_but_invalid"     // a check failed
	failedState   = "failed"                 // it could not be loaded, or saved
	notAttempted  = "not_attempted"          // not saved yet
	savedState    = "saved"                  // at least once
	skippedState  = "skipped_restore_failed" // not saved, to keep the file as it is
	neverSaved    = "disabled"               // --restore-save never
)

// Checks decide whether a loaded state is still valid; empty ones are not made.
type Checks struct {
	URL  string // what the address of the page has to match, as in `wait --url`
	Text string // text that the page has to contain
	Fn   string // a JavaScript expression that has to be true
}

// Restore is the saved state that a session begins with, and that it is saved to: --restore.
type Restore struct {
	Key       string // the name of --restore
	Dir, Name string // of the file in usher's own directory: [RestoreName]
	Keys      sealed.Keys
	Policy    string // of saving: auto, always or never
	Checks    Checks

	saving sync.Mutex // held while the state is collected and written

	mu       sync.Mutex
	restored string // guarded by mu: the state of restoring
	saved    string // guarded by mu: the state of saving
	path     string // guarded by mu: of the file, once it was loaded or saved
	failure  error  // guarded by mu: the last failure of saving
	checked  bool   // guarded by mu: the checks were made
}

// Status is how far restoring and saving have come.
type Status struct {
	Restored, Saved string
	Path            string // of the file; empty if there is none
	Failure         error  // of the last saving
}

// Status returns the present one.
func (r *Restore) Status() Status {
	if r == nil {
		return Status{Restored: NotConfigured, Saved: NotConfigured}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return Status{r.restored, r.saved, r.path, r.failure}
}

func (r *Restore) set(change func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	change()
}

// Begin loads the file into a new session. A file that cannot be loaded does not keep the session from starting: that is
// the warning, and the file stays as it is unless the policy is always.
func (r *Restore) Begin(ctx context.Context, w *run.BrowserContext, skip func(string) bool) (warning string) {
	r.set(func() { r.saved = notAttempted })
	if r.Policy == "never" {
		r.set(func() { r.saved = neverSaved })
	}
	path, s, err := r.newest(ctx)
	if path == "" && err == nil {
		r.set(func() { r.restored, r.checked = missingState, true })
		if err := r.Keys.Err(); err != nil && r.Policy != "never" {
			return "the state of the session will not be saved: " + api.AsError(err).Sentence()
		}
		return ""
	}
	var skipped *Skipped
	if err == nil {
		skipped, err = Load(ctx, w, s, skip)
	}
	if err != nil {
		r.set(func() { r.restored, r.path, r.checked = failedState, path, true })
		kept := "; it is not saved over"
		if r.Policy == "always" {
			kept = "; it will be saved over"
		}
		return "the saved state was not restored" + kept + ": " + api.AsError(err).Sentence()
	}
	r.set(func() { r.restored, r.path = loadedState, path })
	return skipped.Warning()
}

// RestoreName returns the name, without its extension, of the file to which a session saves under a name of --restore. It
// is that of agent-browser.
func RestoreName(key, session string) string { return key + "-" + session }

// newest returns the state that was saved last under the key, by whatever session, and its path, "" if there is none. A
// file of another session that cannot be read is passed over; that of this session is an error.
func (r *Restore) newest(ctx context.Context) (path string, s *Saved, err error) {
	entries, err := os.ReadDir(r.Dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return r.Dir, nil, api.Errorf(api.FileNotFound, "read the directory of saved states: %w", err)
	}
	type file struct {
		name    string
		changed time.Time
	}
	var found []file
	for _, e := range entries {
		base, extension := stem(e.Name())
		if extension == "" || !strings.HasPrefix(base, r.Key+"-") {
			continue
		}
		if info, err := e.Info(); err == nil { // otherwise it was removed
			found = append(found, file{e.Name(), info.ModTime()})
		}
	}
	slices.SortFunc(found, func(a, b file) int { return b.changed.Compare(a.changed) })
	for _, f := range found {
		path := filepath.Join(r.Dir, f.name)
		s, err := Read(ctx, path, r.Keys)
		base, _ := stem(f.name)
		own := base == r.Name
		switch {
		case err != nil && own:
			return path, nil, err
		case err == nil && r.isOf(s, base):
			return path, s, nil
		}
	}
	return "", nil, nil
}

// isOf reports whether a state was saved under the key. The name of a file can be read in two ways if a key or a session
// contains a dash; agent-browser, whose files do not have the key, reads it in both.
func (r *Restore) isOf(s *Saved, base string) bool {
	if s.RestoreKey != "" {
		return s.RestoreKey == r.Key
	}
	return base == r.Name || !strings.Contains(strings.TrimPrefix(base, r.Key+"-"), "-")
}

// Check makes the checks once, on the first page that was opened. A failed one is the warning.
func (r *Restore) Check(ctx context.Context, e *run.Env) (warning string) {
	r.mu.Lock()
	due := !r.checked && r.restored == loadedState
	r.checked = true
	r.mu.Unlock()
	if !due {
		return ""
	}
	failed := r.Checks.failed(ctx, e)
	if failed == "" {
		return ""
	}
	r.set(func() { r.restored = invalidState })
	kept := "It is not saved over; with --restore-save always it would be"
	if r.Policy == "always" {
		kept = "It will be saved over"
	}
	return "the restored state is not valid any more: " + failed + ". " + kept
}

// failed returns which check failed and what was found; empty for none.
func (c *Checks) failed(ctx context.Context, e *run.Env) string {
	f := e.Browser.State().MainFrame(e.Tab)
	if f == nil {
		return "the page is gone"
	}
	if c.URL != "" && !glob.Match(c.URL, f.URL) {
		return "--restore-check-url " + c.URL + ": the address is " + f.URL
	}
	for _, script := range []struct{ flag, shown, text, found string }{
		{"--restore-check-text", c.Text, containsText(c.Text), "the page does not contain it"}, {"--restore-check-fn", c.Fn, c.Fn, "it is false"},
	} {
		if script.shown == "" {
			continue
		}
		got, err := read.Evaluate(ctx, e, f, "!!("+script.text+"\n)")
		switch {
		case err != nil:
			return script.flag + " " + script.shown + ": " + err.Error()
		case string(got.Value) != "true":
			return script.flag + " " + script.shown + ": " + script.found
		}
	}
	return ""
}

// containsText returns an expression that is true if the page contains the text.
func containsText(text string) string {
	quoted, err := jsonv2.Marshal(text, lenient())
	if err != nil { // a string always has a form
		panic("state: " + err.Error())
	}
	return "document.body.innerText.includes(" + string(quoted) + ")"
}

// due reports whether the state is to be saved, as far as restoring and the policy are concerned.
func (r *Restore) due() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case r.Policy == "never":
		return false
	case r.Policy != "always" && (r.restored == failedState || r.restored == invalidState):
		r.saved = skippedState
		return false
	}
	return true
}

// Save writes the state of the session to the file. Of origins that cannot be read the file keeps what it has.
func (r *Restore) Save(ctx context.Context, w *run.BrowserContext, skip func(string) bool) error {
	r.saving.Lock()
	defer r.saving.Unlock()
	if !r.due() {
		return nil
	}
	path, err := r.save(ctx, w, skip)
	r.set(func() {
		r.failure = err
		if err != nil {
			r.saved = failedState
			return
		}
		r.saved, r.path = savedState, path
	})
	return err
}

func (r *Restore) save(ctx context.Context, w *run.BrowserContext, skip func(string) bool) (string, error) {
	got, err := Collect(ctx, w, skip)
	if err != nil {
		return "", fmt.Errorf("save the state: %w", err)
	}
	got.RestoreKey = r.Key
	r.keep(ctx, got)
	path, err := SaveAs(r.Dir, r.Name, &got.Saved, r.Keys)
	if missed := got.unread(); err == nil && missed != "" {
		return "", fmt.Errorf("save the state: the rest is saved, and what the file had of this before is kept; %s", missed)
	}
	return path, err
}

// keep takes over from the present file what could not be read now.
func (r *Restore) keep(ctx context.Context, got *Collected) {
	if len(got.Unread) == 0 {
		return
	}
	before, err := Read(ctx, OwnPath(r.Dir, r.Name, r.Keys), r.Keys)
	if err != nil { // there is none
		return
	}
	for _, o := range before.Origins {
		if slices.ContainsFunc(got.Unread, func(u Unread) bool { return u.Origin == o.Origin }) {
			got.Origins = append(got.Origins, o)
		}
	}
}

// InitialPath returns the path of the file that --state names: a path, or a name in usher's own directory.
func InitialPath(dir, path string, keys sealed.Keys) string {
	if name := lastPart(path); missing(path) && isName(name) {
		return OwnPath(dir, name, keys)
	}
	return path
}

// Initial loads the file of --state into a new session.
func Initial(ctx context.Context, w *run.BrowserContext, dir, path string, keys sealed.Keys, skip func(string) bool, guarded bool) (warning string, err error) {
	path = InitialPath(dir, path, keys)
	if guarded && !within(dir, path) {
		return "", guardRefused("--state", path)
	}
	s, err := Read(ctx, path, keys)
	if err != nil {
		return "", fmt.Errorf("--state: %w", err)
	}
	skipped, err := Load(ctx, w, s, skip)
	if err != nil {
		return "", fmt.Errorf("--state %s: %w", path, err)
	}
	return skipped.Warning(), nil
}

func lastPart(path string) string {
	return path[strings.LastIndexByte(path, os.PathSeparator)+1:]
}

func within(dir, path string) bool {
	return strings.HasPrefix(path, dir+string(os.PathSeparator))
}
