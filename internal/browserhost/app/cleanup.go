package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/usher-browser/usher/internal/chrome"
)

const (
	// CleanupWait is how long a clean-up takes at most unless the caller says otherwise: that of pi-agent-browser-native.
	CleanupWait = 5 * time.Second
	// askPort bounds one question to a debugging port, and its answer.
	askPort   = time.Second
	maxAnswer = 4 << 20
	// maxTargets bounds the targets of a status.
	maxTargets = 20
)

// Target is something that can be debugged in an app, as its port lists it.
type Target struct {
	ID    string `json:"id"`
	Type  string `json:"type"` // page, webview, service_worker, ...
	Title string `json:"title"`
	URL   string `json:"url"`
	// WebSocketDebuggerURL is the address of the target.
	WebSocketDebuggerURL string `json:"webSocketDebuggerUrl,omitzero"`
}

// Status is what is seen of a launch now. Nothing of the app is changed.
type Status struct {
	Record
	// ProcessAlive reports whether a process runs on the profile of the launch.
	ProcessAlive bool `json:"processAlive"`
	// PIDReused reports whether the number of the app's process is that of another program now.
	PIDReused bool `json:"pidReused,omitzero"`
	// PortAlive reports whether the app answers at its debugging port; Product is its browser there, such as Chrome/140.0.1.2.
	PortAlive bool   `json:"portAlive"`
	Product   string `json:"product,omitzero"`
	// Targets are at most 20; MoreTargets counts those left out.
	Targets     []Target `json:"targets"`
	MoreTargets int      `json:"moreTargets,omitzero"`
	// Profile reports whether the folder of the profile is there.
	Profile bool `json:"profileExists"`
}

// version is the answer of /json/version.
type version struct {
	Browser              string `json:"Browser"`
	WebSocketDebuggerURL string `json:"webSocketDebuggerUrl"`
}

// ask asks a debugging port of this machine.
func askAt(ctx context.Context, port int, path string, into any) error {
	ctx, cancel := context.WithTimeout(ctx, askPort)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, fmt.Sprintf("http://127.0.0.1:%d%s", port, path), http.NoBody)
	if err != nil {
		return err
	}
	transport := &http.Transport{DisableKeepAlives: true} // no proxy
	defer transport.CloseIdleConnections()
	answer, err := transport.RoundTrip(request)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("port %d answered %s", port, answer.Status)
	}
	text, err := io.ReadAll(io.LimitReader(answer.Body, maxAnswer))
	if err != nil {
		return err
	}
	return json.Unmarshal(text, into)
}

func versionAt(ctx context.Context, port int) (version, error) {
	var v version
	return v, askAt(ctx, port, "/json/version", &v)
}

// answers reports whether the app of a launch, and no other program, answers at its port.
func (r *Record) answers(ctx context.Context) (version, bool) {
	if r.Port == 0 {
		return version{}, false
	}
	v, err := versionAt(ctx, r.Port)
	return v, err == nil && v.WebSocketDebuggerURL == r.WebSocketDebuggerURL
}

// Status looks at a launch.
func (l *Launches) Status(ctx context.Context, r *Record) *Status {
	s := &Status{Record: *r, Targets: []Target{}}
	s.ProcessAlive, s.PIDReused = l.alive(r)
	var v version
	if v, s.PortAlive = r.answers(ctx); s.PortAlive {
		s.Product = v.Browser
		var list []Target
		if askAt(ctx, r.Port, "/json/list", &list) == nil { // else none are known
			list = slices.DeleteFunc(list, func(t Target) bool {
				return r.TargetType != "any" && t.Type != r.TargetType && t.Type != "page" && t.Type != "webview"
			})
			s.MoreTargets = max(0, len(list)-maxTargets)
			s.Targets = append(s.Targets, list[:min(len(list), maxTargets)]...)
		}
	}
	_, err := os.Lstat(r.UserDataDir)
	s.Profile = err == nil
	return s
}

// alive reports whether a process runs on the profile of a launch, and whether its process number is another program's.
func (l *Launches) alive(r *Record) (alive, reused bool) {
	if l.appOf(r.LaunchID) != nil {
		return true, false
	}
	main, _, err := chrome.UsingProfile(r.UserDataDir)
	if err != nil {
		return false, false
	}
	return len(main) > 0, r.CleanupState != Cleaned && !slices.Contains(main, r.PID) && exists(r.PID)
}

// Step is one step of a clean-up.
type Step struct {
	// Step is managed-session, process, debug-port or user-data-dir.
	Step string `json:"step"`
	// Result is removed, already-gone, skipped or failed.
	Result string `json:"result"`
	Detail string `json:"detail,omitzero"`
}

// The results of a step.
const (
	Removed     = "removed"
	AlreadyGone = "already-gone"
	Skipped     = "skipped"
	Failed      = "failed"
)

// Cleanup is the result of cleaning up one launch.
type Cleanup struct {
	LaunchID string `json:"launchId"`
	AppName  string `json:"appName"`
	// Complete reports whether nothing is left.
	Complete bool   `json:"complete"`
	State    string `json:"cleanupState"` // cleaned or partial
	Steps    []Step `json:"steps"`
}

// Add adds a step before those of the app.
func (c *Cleanup) Add(s Step) {
	c.Steps = slices.Insert(c.Steps, 0, s)
	if s.Result == Failed {
		c.Complete, c.State = false, Partial
	}
}

// Cleanup ends the processes of a launch and removes its profile. Only processes with the profile on their command line are ended: the
// number in the record may be another program's by now. While a process or the port is left, the profile is not touched. It may be
// repeated.
func (l *Launches) Cleanup(ctx context.Context, r *Record, wait time.Duration) *Cleanup {
	if wait <= 0 {
		wait = CleanupWait
	}
	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	c := &Cleanup{LaunchID: r.LaunchID, AppName: r.AppName}
	process := l.endProcesses(ctx, r, wait)
	port := closedPort(ctx, r)
	c.Steps = []Step{process, port, l.removeProfile(r, process, port)}
	c.Complete = !slices.ContainsFunc(c.Steps, func(s Step) bool { return s.Result == Failed || s.Result == Skipped })
	c.State = Partial
	if c.Complete {
		c.State = Cleaned
	}
	r.CleanupState = c.State
	if err := l.write(r); err != nil {
		c.Complete, c.State = false, Partial
		c.Steps = append(c.Steps, Step{"record", Failed, err.Error()})
	}
	return c
}

// endProcesses ends the processes of a launch: at first by asking them to, in the second half of the time by killing them.
func (l *Launches) endProcesses(ctx context.Context, r *Record, wait time.Duration) Step {
	found := false
	if a := l.appOf(r.LaunchID); a != nil {
		found = true
		terminate(a.cmd)
		defer a.Kill() // what is left of its group
	}
	killAt := time.Now().Add(wait / 2)
	asked := map[int]bool{}
	for {
		main, children, err := chrome.UsingProfile(r.UserDataDir)
		if errors.Is(err, errors.ErrUnsupported) {
			return l.endOwn(r, found)
		}
		if err != nil {
			return Step{"process", Failed, "list the processes: " + err.Error()}
		}
		if len(main)+len(children) == 0 && l.appOf(r.LaunchID) == nil {
			break
		}
		found = true
		left := main
		if len(main) == 0 {
			left = children // their main process has ended without them
		}
		for _, pid := range left {
			late := time.Now().After(killAt)
			if asked[pid] && !late {
				continue
			}
			asked[pid] = true
			if err := signal(pid, late); err != nil {
				return Step{"process", Failed, fmt.Sprintf("end process %d: %v", pid, err)}
			}
		}
		if a := l.appOf(r.LaunchID); a != nil && time.Now().After(killAt) {
			kill(a.cmd)
		}
		select {
		case <-ctx.Done():
			return Step{"process", Failed, fmt.Sprintf("processes %v still run on the profile after %v", append(main, children...), wait)}
		case <-time.After(poll / 2):
		}
	}
	switch {
	case found:
		return Step{Step: "process", Result: Removed}
	case exists(r.PID):
		return Step{"process", AlreadyGone, fmt.Sprintf("process %d is another program now, and was left alone", r.PID)}
	}
	return Step{Step: "process", Result: AlreadyGone}
}

// endOwn is endProcesses where command lines cannot be read: only a process that this daemon has started is known to be the app's.
func (l *Launches) endOwn(r *Record, found bool) Step {
	if a := l.appOf(r.LaunchID); a != nil {
		a.Kill()
	}
	switch {
	case found:
		return Step{Step: "process", Result: Removed}
	case exists(r.PID):
		return Step{"process", Skipped, fmt.Sprintf("process %d was started by an earlier daemon, and on this system it cannot be told whether it is still the app: end it yourself", r.PID)}
	}
	return Step{Step: "process", Result: AlreadyGone}
}

// closedPort waits until the app no longer answers at its port.
func closedPort(ctx context.Context, r *Record) Step {
	if r.Port == 0 {
		return Step{Step: "debug-port", Result: AlreadyGone}
	}
	for {
		if _, ok := r.answers(ctx); !ok {
			if listens(ctx, r.Port) && ctx.Err() == nil {
				return Step{"debug-port", AlreadyGone, fmt.Sprintf("port %d is another program's now", r.Port)}
			}
			return Step{Step: "debug-port", Result: Removed}
		}
		select {
		case <-ctx.Done():
			return Step{"debug-port", Failed, fmt.Sprintf("the app still answers at port %d", r.Port)}
		case <-time.After(poll / 2):
		}
	}
}

func listens(ctx context.Context, port int) bool {
	d := net.Dialer{Timeout: askPort}
	c, err := d.DialContext(ctx, "tcp4", fmt.Sprintf("127.0.0.1:%d", port))
	if err != nil {
		return false
	}
	_ = c.Close() // nothing was sent
	return true
}

// removeProfile removes the profile of a launch of which nothing runs any more.
func (l *Launches) removeProfile(r *Record, before ...Step) Step {
	step := Step{Step: "user-data-dir"}
	for _, s := range before {
		if s.Result == Failed || s.Result == Skipped {
			step.Result, step.Detail = Skipped, "the profile "+r.UserDataDir+" is kept while something may still use it"
			return step
		}
	}
	if r.UserDataDir != l.profileOf(r.LaunchID) || !strings.HasPrefix(r.LaunchID, idPrefix) || strings.ContainsAny(r.LaunchID, `/\`) {
		step.Result, step.Detail = Failed, r.UserDataDir+" is not the folder of this launch, and was left alone"
		return step
	}
	switch info, err := os.Lstat(r.UserDataDir); {
	case errors.Is(err, fs.ErrNotExist):
		step.Result = AlreadyGone
		return step
	case err != nil:
		step.Result, step.Detail = Failed, err.Error()
		return step
	case !info.IsDir(): // not followed: it is not what usher made
		step.Result, step.Detail = Failed, r.UserDataDir+" is no directory, and was left alone"
		return step
	}
	// A child of the app that is ending may still write into it.
	var err error
	for range 3 {
		if err = os.RemoveAll(r.UserDataDir); err == nil {
			step.Result = Removed
			return step
		}
		time.Sleep(poll)
	}
	step.Result, step.Detail = Failed, err.Error()
	return step
}
