package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"
)

// worker is one user with a session of its own.
type worker struct {
	s    *soak
	name string
	rand *rand.Rand

	refs   []ref    // of the last snapshot
	page   string   // last opened
	broken string   // the code that says the page or browser must be opened again
	recent []answer // the last commands, for the report
	tries  int      // to open a page since the last success
	held   int      // commands in a row that found a dialog open

	mu     sync.Mutex
	faults []fault // guarded by mu: not yet made up for
}

// fault is something that was done to a worker's session, and what it may then be told.
type fault struct {
	what  string
	codes []string
	at    time.Time
	lasts bool // until the session is new: a tab that nobody looks at may be the one concerned
}

// ref is an element as a snapshot showed it.
type ref struct{ id, role, name string }

func newWorker(s *soak, number int) *worker {
	return &worker{s: s, name: fmt.Sprintf("w%d", number), rand: rand.New(rand.NewPCG(s.seed, uint64(number)))}
}

// globals are the options of each of a worker's commands. Every other worker has a browser to itself.
func (w *worker) globals(starts bool) []string {
	words := []string{"--session", w.name, "--json", "--timeout", w.s.timeout.String()}
	if starts && w.name[len(w.name)-1]%2 == 1 {
		words = append(words, "--isolate")
	}
	return words
}

// work does one thing after another.
func (w *worker) work(ctx context.Context) {
	for ctx.Err() == nil {
		w.s.calm.RLock()
		if ctx.Err() == nil {
			w.step()
		}
		w.s.calm.RUnlock()
	}
}

// startLimit is what usher allows a browser to start, besides the command's own deadline.
const startLimit = 25 * time.Second

// do runs one command of this worker and judges it.
func (w *worker) do(args ...string) answer { return w.run(0, 0, args...) }

func (w *worker) run(cut syscall.Signal, after time.Duration, args ...string) answer {
	starts := args[0] == "open" || args[0] == "tab" || args[0] == "window"
	limit := w.s.timeout + w.s.slack
	if starts || args[0] == "close" {
		w.s.joins.RLock()
		defer w.s.joins.RUnlock()
		limit += startLimit
	}
	if args[0] == "batch" {
		limit += time.Duration(len(args)-2) * w.s.timeout
	}
	began := time.Now()
	a, err := w.s.execute(nil, cut, after, append(w.globals(starts), args...)...)
	a.args = args
	w.note(a)
	switch {
	case err != nil:
		w.complain("%v", err)
	case a.wall > limit && !a.cut:
		w.complain("it took %.1f s; its deadline is %v", a.wall.Seconds(), w.s.timeout)
	}
	w.judge(a)
	if starts && a.ok() {
		w.forgive(began)
	}
	return a
}

// note keeps the command for the report.
func (w *worker) note(a answer) {
	w.recent = append(w.recent, a)
	if len(w.recent) > 14 {
		w.recent = slices.Delete(w.recent, 0, 1)
	}
	w.s.report.count(w.name, a)
}

// complain reports that something was not as it must be.
func (w *worker) complain(format string, args ...any) {
	w.mu.Lock()
	var pending []string
	for _, f := range w.faults {
		pending = append(pending, f.what)
	}
	w.mu.Unlock()
	w.s.report.violation(w.name, fmt.Sprintf(format, args...), strings.Join(pending, "; "), slices.Clone(w.recent))
}

// suffer notes a fault that is done to the worker's session now.
func (w *worker) suffer(what string, codes ...string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.faults = append(w.faults, fault{what, codes, time.Now(), slices.Equal(codes, deadRenderer)})
}

// forgive drops the faults from before a page was opened with success.
func (w *worker) forgive(before time.Time) {
	w.tries, w.broken = 0, ""
	w.mu.Lock()
	defer w.mu.Unlock()
	w.faults = slices.DeleteFunc(w.faults, func(f fault) bool { return f.at.Before(before) && !f.lasts })
}

// renew drops the faults that ended with the session.
func (w *worker) renew() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.faults = slices.DeleteFunc(w.faults, func(f fault) bool { return f.lasts })
}

func (w *worker) excused(code string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.ContainsFunc(w.faults, func(f fault) bool { return slices.Contains(f.codes, code) })
}

// deadBrowser are the codes by which the end of a browser may be told, deadRenderer those of a page's process, and
// closed those of a session that someone closed.
var (
	deadBrowser = []string{
		"browser_crashed", "browser_not_running", "session_closed", "connection_lost", "launch_failed", "renderer_crashed",
		"tab_gone", "no_dialog",
	}
	deadRenderer = []string{"renderer_crashed", "tab_gone"}
	closed       = []string{"browser_not_running", "session_closed", "browser_crashed", "tab_gone", "connection_lost", "launch_failed"}
)

// byItself says by which signal a browser ended that nobody here sends: Chromium 156 was seen to crash under this work,
// with and without its pages crashing just before.
func byItself(words string) string {
	for _, signal := range []string{"segmentation fault", "trace/breakpoint trap", "illegal instruction", "aborted"} {
		if strings.Contains(words, "ended by signal: "+signal) {
			return signal
		}
	}
	return ""
}

// judge holds the code of a failure against what happened to the session.
func (w *worker) judge(a answer) {
	if a.code == "dialog_open" {
		w.held++
	} else if a.args[0] != "session" && a.args[0] != "network" && a.args[0] != "console" {
		w.held = 0
	}
	switch a.code {
	case "":
		if a.ok() && a.exit != 0 && a.args[0] != "batch" {
			w.complain("no code and exit status %d", a.exit)
		}
	case "browser_crashed", "browser_not_running", "session_closed", "session_not_found", "connection_lost", "launch_failed", "renderer_crashed":
		if how := byItself(a.words); how != "" {
			w.s.report.fault("Chromium died by itself (" + how + "), told to a session")
			w.suffer("its browser died by itself", deadBrowser...)
		}
		if !w.excused(a.code) {
			w.complain("%s, although nothing was done to this session", a.code)
		}
		w.broken = a.code
	case "internal_error", "protocol_error", "HANG":
		w.complain("%s", a.code)
		w.broken = a.code
	case "unknown_command", "unknown_subcommand", "unknown_flag", "missing_argument", "invalid_session_name", "invalid_config",
		"invalid_json", "too_large", "file_write_failed", "browser_not_found", "launch_conflict", "attach_failed", "install_failed",
		"daemon_start_failed", "daemon_version", "daemon_stopping", "permission_denied", "invalid_request", "unsupported",
		"unsupported_url", "unknown_key", "invalid_selector", "cancelled":
		w.complain("%s cannot be the outcome of this command", a.code)
	}
}
