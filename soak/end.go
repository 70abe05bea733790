package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

// finish looks around a last time, then ends the daemon in three ways: with nothing to do, in the middle of work, and by
// force. Nothing may be left after any of them.
func (s *soak) finish() error {
	s.calm.Lock()
	defer s.calm.Unlock()
	s.bare()
	s.health.samples = append(s.health.samples, s.health.look())
	if err := s.stop(); err != nil {
		return err
	}
	s.gone("after daemon stop")

	// The sessions are being started, or just were, or load a page.
	opening := s.inParallel([]string{"--session", "a", "open", s.site.URL("/small")}, []string{"--session", "b", "--isolate", "open", s.site.URL("/delay?ms=3000")},
		[]string{"--session", "c", "open", s.site.URL("/frames")}, []string{"--session", "d", "--isolate", "open", s.site.URL("/forms")})
	time.Sleep(time.Duration(200+s.seed%800) * time.Millisecond)
	err := s.stop()
	opening.Wait()
	// A command that was slow to start came after the stop and has started a daemon of its own, as it should.
	if err = errors.Join(err, s.stop()); err != nil {
		return err
	}
	s.gone("after daemon stop in the middle of work")
	return s.killed()
}

// stop is `daemon stop`, in time.
func (s *soak) stop() error {
	a, err := s.execute(nil, 0, 0, "--json", "daemon", "stop")
	if err == nil && !a.ok() {
		err = errors.New(a.words)
	}
	if err != nil {
		return fmt.Errorf("daemon stop: %w", err)
	}
	if a.wall > 10*time.Second {
		s.report.violation("", fmt.Sprintf("daemon stop took %v", a.wall), "", nil)
	}
	return nil
}

// ending are the codes by which commands may be told that the daemon ends under them.
var ending = []string{"daemon_stopping", "connection_lost", "session_closed", "browser_crashed", "launch_failed", "daemon_start_failed", "navigation_failed", "timeout"}

// inParallel runs commands that the daemon will not finish, and judges how they are told.
func (s *soak) inParallel(commands ...[]string) *sync.WaitGroup {
	var all sync.WaitGroup
	for _, c := range commands {
		all.Go(func() {
			a, err := s.execute(nil, 0, 0, append([]string{"--json", "--timeout", "5s"}, c...)...)
			switch {
			case err != nil:
				s.report.violation("", "while the daemon ended, "+err.Error(), "", nil)
			case a.code != "" && !slices.Contains(ending, a.code):
				s.report.violation("", "while the daemon ended, "+a.String(), "", nil)
			}
		})
	}
	return &all
}

// killed ends the daemon with SIGKILL while sessions are open and a command waits, and starts the next.
func (s *soak) killed() error {
	for _, session := range []string{"a", "b"} {
		a, err := s.execute(nil, 0, 0, "--session", session, "--json", "open", s.site.URL("/frames"), "--isolate")
		if err == nil && !a.ok() {
			err = errors.New(a.words)
		}
		if err != nil {
			return fmt.Errorf("open a page before the daemon is killed: %w", err)
		}
	}
	fresh, err := newHealth(s)
	if err != nil {
		return err
	}
	waiting := s.inParallel([]string{"--session", "a", "wait", "4000"}, []string{"--session", "b", "wait", "#never"})
	time.Sleep(300 * time.Millisecond)
	if err := kill(fresh.daemon.PID); err != nil {
		return fmt.Errorf("kill the daemon: %w", err)
	}
	waiting.Wait()
	s.eventually("after the daemon was killed", func() []string { return s.processes(0) })

	// What a killed daemon could not remove, the next one's first browser does.
	if a, err := s.execute(nil, 0, 0, "--session", "a", "--json", "open", s.site.URL("/small")); err != nil || !a.ok() {
		s.report.violation("", fmt.Sprintf("open after the daemon was killed: %v %v", a, err), "", nil)
	}
	if err := s.stop(); err != nil {
		return err
	}
	s.gone("after the daemon was killed, and the next one stopped")
	return nil
}

// gone complains about everything that is left.
func (s *soak) gone(when string) {
	s.eventually(when, func() []string {
		complaints := s.leftovers(0)
		sockets, err := filepath.Glob(filepath.Join(s.program.Home, ".usher", "run", "*.sock"))
		if err != nil {
			complaints = append(complaints, err.Error())
		}
		if len(sockets) > 0 {
			complaints = append(complaints, "sockets are there: "+strings.Join(sockets, ", "))
		}
		return complaints
	})
}

// eventually gives processes that are ending a moment.
func (s *soak) eventually(when string, look func() []string) {
	for deadline := time.Now().Add(5 * time.Second); ; time.Sleep(50 * time.Millisecond) {
		complaints := look()
		if len(complaints) == 0 {
			return
		}
		if time.Now().After(deadline) {
			for _, c := range complaints {
				s.report.violation("", when+", "+c, "", nil)
			}
			return
		}
	}
}

// keepLog saves what the daemon wrote while the workers were at work, where the home will be removed.
func (s *soak) keepLog() {
	kept := filepath.Join(os.TempDir(), fmt.Sprintf("usher-soak-%d.log", s.seed))
	if err := os.WriteFile(kept, s.health.said, 0o600); err != nil {
		fmt.Println("the daemon's log could not be kept:", err)
		return
	}
	fmt.Println("the daemon's log is kept as", kept)
}
