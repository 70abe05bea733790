package app

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/go-json-experiment/json"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/config/dirs"
)

// The states of a launch.
const (
	Starting = "starting" // the app is being started, or the daemon ended while it was
	Active   = "active"   // it was started, and not cleaned up
	Cleaned  = "cleaned"  // its processes, its port and its profile are gone
	Partial  = "partial"  // a clean-up left something; it can be repeated
)

// Record is what is known of an app that was started with a profile of its own. It is kept in a file that only its owner can read, so
// that a later daemon knows which processes and folders are usher's.
type Record struct {
	Version int `json:"version"` // 1
	// LaunchID is electron- and a random UUID.
	LaunchID          string `json:"launchId"`
	LaunchedByWrapper bool   `json:"launchedByWrapper"` // always true: there are no records of other apps
	AppName           string `json:"appName"`
	ExecutablePath    string `json:"executablePath"`
	AppPath           string `json:"appPath,omitzero"`
	BundleID          string `json:"bundleId,omitzero"`
	DesktopID         string `json:"desktopId,omitzero"`
	PackageSource     string `json:"packageSource,omitzero"`
	Platform          string `json:"platform"`
	// UserDataDir is the profile, which is deleted by the clean-up.
	UserDataDir string `json:"userDataDir"`
	// Port is the debugging port on 127.0.0.1, WebSocketDebuggerURL the address of the browser there.
	Port                 int    `json:"port"`
	WebSocketDebuggerURL string `json:"webSocketDebuggerUrl"`
	PID                  int    `json:"pid"`
	ProcessGroupID       int    `json:"processGroupId,omitzero"` // 0 on Windows
	// SessionName and Namespace are the session that was connected to the app at its start.
	SessionName string `json:"sessionName"`
	Namespace   string `json:"namespace,omitzero"`
	// TargetType is page, webview or any.
	TargetType  string `json:"targetType"`
	CreatedAtMs int64  `json:"createdAtMs"` // since 1970
	// CleanupState is starting, active, cleaned or partial.
	CleanupState string `json:"cleanupState"`
}

// Endpoint is the address of the debugging port.
func (r *Record) Endpoint() string { return fmt.Sprintf("http://127.0.0.1:%d", r.Port) }

// Launches are the apps that were started with profiles of their own, by this process or one before it.
type Launches struct {
	dir string // of records and profiles

	mu      sync.Mutex
	running map[string]*App // guarded by mu: started by this process, by launch id
}

// NewLaunches returns the launches whose records and profiles are in a directory, which is made when it is needed.
func NewLaunches(dir string) *Launches { return &Launches{dir: dir, running: map[string]*App{}} }

const (
	recordSuffix = ".json"
	idPrefix     = "electron-"
	// keptRecords is how many records of launches that were cleaned up are kept.
	keptRecords = 20
)

// profileOf returns the folder of a launch's profile.
func (l *Launches) profileOf(id string) string { return filepath.Join(l.dir, id) }

// List returns the records, oldest first. A file that cannot be read is an error beside those that can.
func (l *Launches) List() ([]*Record, error) {
	entries, err := os.ReadDir(l.dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, api.Errorf(api.PermissionDenied, "list the apps that were launched: %w", err)
	}
	var list []*Record
	var bad []error
	for _, entry := range entries {
		id, found := strings.CutSuffix(entry.Name(), recordSuffix)
		if !found || !strings.HasPrefix(id, idPrefix) {
			continue
		}
		r, err := l.read(id)
		if err != nil {
			bad = append(bad, err)
			continue
		}
		list = append(list, r)
	}
	slices.SortFunc(list, func(a, b *Record) int { return int(a.CreatedAtMs - b.CreatedAtMs) })
	return list, errors.Join(bad...)
}

// read reads one record and checks that it is about what usher makes: a record says what is deleted.
func (l *Launches) read(id string) (*Record, error) {
	path := filepath.Join(l.dir, id+recordSuffix)
	text, err := dirs.ReadPrivate(path)
	if err != nil {
		return nil, fmt.Errorf("read the record of a launched app: %w", err)
	}
	r := &Record{}
	if err := json.Unmarshal(text, r); err != nil {
		return nil, api.Errorf(api.InvalidState, "read the record of a launched app, %s: %w", path, err).WithHint("Remove the file, and the folder beside it, if the app no longer runs.")
	}
	if r.LaunchID != id || r.UserDataDir != l.profileOf(id) {
		return nil, api.Errorf(api.InvalidState, "the record of a launched app, %s, names another launch or a profile elsewhere (%s); nothing of it is touched", path, r.UserDataDir).
			WithHint("Remove the file if usher did not write it.")
	}
	return r, nil
}

// write keeps a record.
func (l *Launches) write(r *Record) error {
	text, err := json.Marshal(r)
	if err == nil {
		err = dirs.WriteSecret(filepath.Join(l.dir, r.LaunchID+recordSuffix), text)
	}
	if err != nil {
		return api.Errorf(api.FileWriteFailed, "keep the record of the launched app: %w", err)
	}
	return nil
}

// forget removes the record of a launch of which nothing is left.
func (l *Launches) forget(id string) error { return os.Remove(filepath.Join(l.dir, id+recordSuffix)) }

// prune removes the oldest records of launches that were cleaned up.
func (l *Launches) prune(list []*Record) error {
	list = slices.DeleteFunc(slices.Clone(list), func(r *Record) bool { return r.CleanupState != Cleaned })
	var failed error
	for len(list) > keptRecords {
		failed = errors.Join(failed, l.forget(list[0].LaunchID))
		list = list[1:]
	}
	return failed
}

// Select returns the launch with an id; with an empty id the one that was not cleaned up, if there is exactly one; with all those that
// were not. The error is [api.InvalidArgument]: there is none, or there are several.
func (l *Launches) Select(id string, all bool) ([]*Record, error) {
	list, bad := l.List()
	open := slices.DeleteFunc(slices.Clone(list), func(r *Record) bool { return r.CleanupState == Cleaned })
	switch {
	case all:
		return open, bad
	case id != "":
		for _, r := range list {
			if r.LaunchID == id {
				return []*Record{r}, nil
			}
		}
		if bad != nil {
			return nil, bad
		}
		return nil, api.Errorf(api.InvalidArgument, "no app was launched here as %q", id).WithHint("`app status --all` lists the launches.")
	case bad != nil:
		return nil, bad
	case len(open) == 0:
		return nil, api.Errorf(api.InvalidArgument, "there is no launched app").WithHint("`app launch` starts one.")
	case len(open) > 1:
		var ids []string
		for _, r := range open {
			ids = append(ids, r.LaunchID+" ("+r.AppName+")")
		}
		return nil, api.Errorf(api.InvalidArgument, "%d launched apps were not cleaned up: %s", len(open), strings.Join(ids, ", ")).WithHint("Give the id of one, or --all.")
	}
	return open, nil
}

// appOf returns the app of a launch if this process started it and it still runs; nil otherwise.
func (l *Launches) appOf(id string) *App {
	l.mu.Lock()
	defer l.mu.Unlock()
	a := l.running[id]
	if a == nil || a.Ended() {
		return nil
	}
	return a
}

func (l *Launches) keep(id string, a *App) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for other, a := range l.running {
		if a.Ended() {
			delete(l.running, other)
		}
	}
	if a != nil {
		l.running[id] = a
	}
}
