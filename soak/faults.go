package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// injector does from outside what a session does not expect.
type injector struct {
	s    *soak
	rand *rand.Rand
}

func newInjector(s *soak) *injector {
	return &injector{s: s, rand: rand.New(rand.NewPCG(s.seed, 1<<32))}
}

func (in *injector) work(ctx context.Context) {
	for {
		pause := time.Duration((0.5 + in.rand.Float64()) * float64(in.s.faults))
		victim := one(in.rand, in.s.workers...)
		fault := one(in.rand, in.killBrowser, in.killRenderer, in.killRenderer, in.closeSession, in.openDialog, in.freeze)
		select {
		case <-time.After(pause):
			fault(victim)
		case <-ctx.Done():
			return
		}
	}
}

// browserOf is the process id of a worker's browser, 0 if it has none.
func (s *soak) browserOf(w *worker) int {
	a, err := s.execute(nil, 0, 0, "--session", w.name, "--json", "session", "info")
	if err != nil {
		w.complain("%v", err)
		return 0
	}
	var info struct {
		Browser struct {
			PID     int  `json:"pid"`
			Crashed bool `json:"crashed"`
		} `json:"browser"`
	}
	if !a.ok() || a.into(&info) != nil || info.Browser.Crashed {
		return 0
	}
	return info.Browser.PID
}

// sharing are the workers whose sessions live in a browser. The caller holds joins for writing.
func (s *soak) sharing(pid int) []*worker {
	var found []*worker
	for _, w := range s.workers {
		if s.browserOf(w) == pid {
			found = append(found, w)
		}
	}
	return found
}

func (in *injector) killBrowser(victim *worker) {
	in.s.joins.Lock()
	defer in.s.joins.Unlock()
	pid := in.s.browserOf(victim)
	if pid == 0 {
		return
	}
	for _, w := range in.s.sharing(pid) {
		w.suffer("its browser was killed", append(deadBrowser, "navigation_failed")...)
	}
	if kill(pid) == nil {
		in.s.report.fault("browser killed")
	}
}

// killRenderer ends the process of some page of a browser; whose it is cannot be told from outside.
func (in *injector) killRenderer(victim *worker) {
	in.s.joins.Lock()
	defer in.s.joins.Unlock()
	pid := in.s.browserOf(victim)
	if pid == 0 {
		return
	}
	renderers := children(pid, "--type=renderer")
	if len(renderers) == 0 {
		return
	}
	for _, w := range in.s.sharing(pid) {
		w.suffer("a renderer of its browser was killed", deadRenderer...)
	}
	if kill(one(in.rand, renderers...)) == nil {
		in.s.report.fault("renderer killed")
	}
}

// children are the descendants of a process whose command line has a word.
func children(of int, word string) []int {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil
	}
	parent, fits := map[int]int{}, []int{}
	for _, entry := range entries {
		pid, err := strconv.Atoi(entry.Name())
		if err != nil {
			continue
		}
		stat, err := os.ReadFile(filepath.Join("/proc", entry.Name(), "stat"))
		if err != nil {
			continue // it has ended
		}
		// pid (name) state ppid …: the name may hold anything, so the fields start after the last parenthesis.
		fields := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))
		if len(fields) < 2 || fields[0] == "Z" {
			continue
		}
		if parent[pid], err = strconv.Atoi(fields[1]); err != nil {
			continue
		}
		if line, _ := os.ReadFile(filepath.Join("/proc", entry.Name(), "cmdline")); strings.Contains(string(line), word) {
			fits = append(fits, pid)
		}
	}
	var found []int
	for _, pid := range fits {
		for up := parent[pid]; up > 1; up = parent[up] {
			if up == of {
				found = append(found, pid)
				break
			}
		}
	}
	return found
}

func (in *injector) closeSession(victim *worker) {
	victim.suffer("its session was closed by another client", closed...)
	a, err := in.s.execute(nil, 0, 0, "--session", victim.name, "--json", "close")
	if err != nil || !a.ok() {
		in.s.report.violation(victim.name, fmt.Sprintf("close from another client: %v %v", a, err), "", nil)
	}
	if a.wall > 10*time.Second {
		in.s.report.violation(victim.name, fmt.Sprintf("close from another client took %v", a.wall), "", nil)
	}
	in.s.report.fault("session closed by another client")
}

// openDialog lets the page ask something out of the blue and nobody answer.
func (in *injector) openDialog(victim *worker) {
	a, err := in.s.execute(nil, 0, 0, "--session", victim.name, "--json", "--timeout", "2s", "eval", "setTimeout(() => confirm('from outside'), 10)")
	if err == nil && a.ok() {
		in.s.report.fault("dialog left open")
	}
}

// freeze stops a browser's main process, or a renderer, for longer than a command may take: the machine sleeps, or swaps.
// Commands must come back in time all the same, and the session go on afterwards.
func (in *injector) freeze(victim *worker) {
	in.s.joins.Lock()
	pid := in.s.browserOf(victim)
	what := "browser stopped for a while"
	if renderers := children(pid, "--type=renderer"); len(renderers) > 0 && in.rand.IntN(2) == 0 {
		pid, what = one(in.rand, renderers...), "renderer stopped for a while"
	}
	in.s.joins.Unlock()
	if pid == 0 || send(pid, stopSignal) != nil {
		return
	}
	in.s.report.fault(what)
	time.Sleep(in.s.timeout + in.s.timeout/2)
	_ = send(pid, continueSignal) // somebody may have ended it meanwhile
}

func kill(pid int) error { return send(pid, os.Kill) }

func send(pid int, signal os.Signal) error {
	process, err := os.FindProcess(pid)
	if err != nil {
		return err
	}
	return process.Signal(signal)
}
