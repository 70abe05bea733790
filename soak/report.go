package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"
)

// report collects what happened.
type report struct {
	o     options
	began time.Time

	mu         sync.Mutex
	verbs      map[string]*tally // guarded by mu, like all below
	faults     map[string]int
	presses    map[string]int
	late       map[string]int
	violations []violation
	compared   int // frame trees
	frames     int // in them
	health     *health
}

// tally is what one verb did.
type tally struct {
	walls []time.Duration
	codes map[string]int
}

// violation is something that was not as it must be.
type violation struct {
	at            time.Duration
	worker, what  string
	after         string // faults not yet made up for
	recent        []answer
	alike         int
	distinguished string
}

func newReport(o options) *report {
	return &report{o: o, began: time.Now(), verbs: map[string]*tally{}, faults: map[string]int{}, presses: map[string]int{}, late: map[string]int{}}
}

func (r *report) count(worker string, a answer) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.o.verbose {
		fmt.Printf("%7.2f %s %s\n", time.Since(r.began).Seconds(), worker, a)
	}
	t := r.verbs[a.args[0]]
	if t == nil {
		t = &tally{codes: map[string]int{}}
		r.verbs[a.args[0]] = t
	}
	switch {
	case a.cut:
		t.codes["(cut off)"]++
		return // its time says nothing
	case a.code != "":
		t.codes[a.code]++
	}
	switch a.code {
	case "timeout", "renderer_unresponsive", "browser_unresponsive", "action_not_delivered", "element_not_stable", "capture_failed", "frame_detached", "UNREADABLE":
		r.late[a.code+"  "+shorten(strings.Join(a.args, " "))]++
	}
	t.walls = append(t.walls, a.wall)
}

func (r *report) fault(what string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.faults[what]++
	if r.o.verbose {
		fmt.Printf("%7.2f fault: %s\n", time.Since(r.began).Seconds(), what)
	}
}

// press counts how a click on a ref of the ledger ended.
func (r *report) press(how string) {
	if how == "" {
		how = "pressed what was shown"
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.presses[how]++
}

func (r *report) trees(frames int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.compared++
	r.frames += frames
}

// violation notes one, and prints it at once; those that differ in figures and names only are counted.
func (r *report) violation(worker, what, after string, recent []answer) {
	v := violation{at: time.Since(r.began), worker: worker, what: what, after: after, recent: recent, alike: 1}
	v.distinguished = shape(what)
	if len(recent) > 0 {
		v.distinguished += " " + recent[len(recent)-1].args[0]
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for i := range r.violations {
		if r.violations[i].distinguished == v.distinguished {
			r.violations[i].alike++
			return
		}
	}
	r.violations = append(r.violations, v)
	fmt.Printf("%7.2f VIOLATION %s %s\n", v.at.Seconds(), worker, what)
}

// shape is a message without what differs from case to case.
func shape(what string) string {
	var b strings.Builder
	quoted := false
	for _, c := range what {
		switch {
		case c == '"':
			quoted = !quoted
		case quoted || c >= '0' && c <= '9':
		default:
			b.WriteRune(c)
		}
	}
	return b.String()
}

func (r *report) failed() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.violations) > 0
}

func (r *report) verdict() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.violations) == 0 {
		return nil
	}
	return fmt.Errorf("%d kinds of violations; run it again with -seed %d -workers %d", len(r.violations), r.o.seed, r.o.workers)
}

func (r *report) print(out io.Writer) {
	r.mu.Lock()
	defer r.mu.Unlock()
	commands := 0
	fmt.Fprintf(out, "\n%-12s %6s %8s %8s %8s  %s\n", "verb", "n", "p50 ms", "p99 ms", "max ms", "failures by code")
	for _, name := range slices.Sorted(maps.Keys(r.verbs)) {
		t := r.verbs[name]
		slices.Sort(t.walls)
		commands += len(t.walls)
		fmt.Fprintf(out, "%-12s %6d %8d %8d %8d  %s\n", name, len(t.walls), at(t.walls, 50), at(t.walls, 99), at(t.walls, 100), counts(t.codes))
	}
	fmt.Fprintf(out, "\n%d commands in %v\nfaults: %s\nclicks on refs of the ledger: %s\nframe trees compared: %d, with %d frames\n",
		commands, time.Since(r.began).Round(time.Second), counts(r.faults), counts(r.presses), r.compared, r.frames)
	fmt.Fprintln(out, "failures to read with care, for a healthy page has few of them:")
	for _, what := range slices.Sorted(maps.Keys(r.late)) {
		fmt.Fprintf(out, "%6d  %.150s\n", r.late[what], what)
	}
	if r.health != nil {
		r.health.print(out)
	}
	for _, v := range r.violations {
		fmt.Fprintf(out, "\nVIOLATION after %.1f s, %d times, worker %s: %s\n", v.at.Seconds(), v.alike, v.worker, v.what)
		if v.after != "" {
			fmt.Fprintf(out, "  faults before it: %s\n", v.after)
		}
		for _, a := range v.recent {
			fmt.Fprintf(out, "  %s\n", a)
		}
	}
	if len(r.violations) == 0 {
		fmt.Fprintf(out, "soak: everything was as it must be (seed %d)\n", r.o.seed)
	}
}

// shorten leaves the figures and the host out of a command.
func shorten(command string) string {
	return strings.Map(func(c rune) rune {
		if c >= '0' && c <= '9' {
			return -1
		}
		return c
	}, strings.ReplaceAll(command, "http://127.0.0.1:", ""))
}

// at is a percentile in milliseconds.
func at(sorted []time.Duration, percent int) int64 {
	if len(sorted) == 0 {
		return 0
	}
	return sorted[min(len(sorted)*percent/100, len(sorted)-1)].Milliseconds()
}

func counts(m map[string]int) string {
	var parts []string
	for _, k := range slices.Sorted(maps.Keys(m)) {
		parts = append(parts, fmt.Sprintf("%s %d", k, m[k]))
	}
	if len(parts) == 0 {
		return "none"
	}
	return strings.Join(parts, ", ")
}

// print shows the curve of the daemon's memory, in at most twelve steps.
func (h *health) print(out io.Writer) {
	h.mu.Lock()
	defer h.mu.Unlock()
	fmt.Fprintf(out, "the daemon, first and last with no session open:\n%8s %8s %6s %8s %11s\n", "s", "MB", "files", "threads", "goroutines")
	step := max(1, (len(h.samples)+9)/10)
	for i, v := range h.samples {
		if i%step == 0 || i == len(h.samples)-1 {
			fmt.Fprintf(out, "%8.0f %8.1f %6d %8d %11d\n", v.at.Seconds(), float64(v.memory)/(1<<20), v.files, v.threads, v.goroutines)
		}
	}
}
