package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/usher-browser/usher/internal/cdptest/program"
)

// schedTrace makes the Go runtime of the daemon write all goroutines to its standard error, which is its log, every two
// seconds. The program needs no feature for that.
const schedTrace = "GODEBUG=schedtrace=2000,scheddetail=1"

// memoryLimit is what the daemon may take at most while several sessions work; a fresh one has about 25 MB.
const memoryLimit = 250 << 20

// health watches the daemon from outside.
type health struct {
	s      *soak
	daemon program.Process
	log    string
	began  time.Time
	base   vitals // with no session open, at the start

	said []byte // the log so far without the runtime's traces, which push its own lines out of the file
	read int    // of the log file, in bytes

	mu      sync.Mutex
	samples []vitals
	told    bool // of too much memory
}

// vitals are one look at the daemon.
type vitals struct {
	at         time.Duration
	memory     int64 // resident, in bytes
	files      int
	threads    int
	goroutines int // -1 while unknown
}

func newHealth(s *soak) (*health, error) {
	a, err := s.execute(nil, 0, 0, "--json", "daemon", "status")
	if err != nil {
		return nil, err
	}
	var status struct {
		PID int    `json:"pid"`
		Log string `json:"log"`
	}
	if err := a.into(&status); err != nil {
		return nil, err
	}
	if status.PID == 0 {
		return nil, errors.New("daemon status names no process")
	}
	return &health{s: s, daemon: program.Process{PID: status.PID}, log: status.Log, began: time.Now()}, nil
}

// look takes a sample, goroutines included as of the last trace.
func (h *health) look() vitals {
	v := vitals{at: time.Since(h.began), goroutines: h.goroutines()}
	v.memory, _ = h.daemon.RSS() // 0 when it has gone, which every command will tell
	dir := filepath.Join("/proc", strconv.Itoa(h.daemon.PID))
	if files, err := os.ReadDir(filepath.Join(dir, "fd")); err == nil {
		v.files = len(files)
	}
	if tasks, err := os.ReadDir(filepath.Join(dir, "task")); err == nil {
		v.threads = len(tasks)
	}
	return v
}

// watch takes a sample now and then.
func (h *health) watch(ctx context.Context) {
	tick := time.NewTicker(2 * time.Second)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
		h.listen()
		v := h.look()
		h.mu.Lock()
		h.samples = append(h.samples, v)
		told := h.told
		h.told = h.told || v.memory > memoryLimit || v.memory == 0
		h.mu.Unlock()
		switch {
		case told:
		case v.memory == 0:
			h.s.report.violation("", "the daemon has gone", "", nil)
		case v.memory > memoryLimit:
			h.s.report.violation("", fmt.Sprintf("the daemon has %d MB", v.memory>>20), "", nil)
		}
	}
}

// grown says what the daemon has more of than at the start, with no session open then and now. A few of each may belong
// to work that comes and goes by itself: the runtime, the pool of idle connections.
func (h *health) grown() (complaints []string) {
	now := h.look()
	if now.files > h.base.files+3 {
		complaints = append(complaints, fmt.Sprintf("the daemon has %d open files, at the start %d: %s", now.files, h.base.files, h.openFiles()))
	}
	if now.goroutines > h.base.goroutines+3 {
		complaints = append(complaints, fmt.Sprintf("the daemon has %d goroutines, at the start %d", now.goroutines, h.base.goroutines))
	}
	return complaints
}

func (h *health) openFiles() string {
	counts := map[string]int{}
	dir := filepath.Join("/proc", strconv.Itoa(h.daemon.PID), "fd")
	files, _ := os.ReadDir(dir)
	for _, f := range files {
		to, _ := os.Readlink(filepath.Join(dir, f.Name()))
		kind, _, _ := strings.Cut(to, ":[")
		counts[kind]++
	}
	return fmt.Sprint(counts)
}

// goroutines counts those of the last whole trace in the daemon's log, dead ones left out.
func (h *health) goroutines() int {
	log, err := os.ReadFile(h.log)
	if err != nil {
		return -1
	}
	end := bytes.LastIndex(log, []byte("\nSCHED "))
	if end < 0 {
		return -1
	}
	// The last trace may be half written: take the one before it.
	begin := bytes.LastIndex(log[:end], []byte("\nSCHED "))
	if begin < 0 {
		return -1
	}
	count := 0
	lines := bufio.NewScanner(bytes.NewReader(log[begin:end]))
	for lines.Scan() {
		// "  G17: status=4(select) m=nil lockedm=nil"; 6 is dead.
		if _, status, is := strings.Cut(lines.Text(), ": status="); is && strings.HasPrefix(lines.Text(), "  G") && !strings.HasPrefix(status, "6") {
			count++
		}
	}
	return count
}

// listen takes over what is new in the daemon's log, whole lines only.
func (h *health) listen() {
	log, err := os.ReadFile(h.log)
	if err != nil {
		return // the daemon has gone, which every command will tell
	}
	if len(log) < h.read {
		if old, err := os.ReadFile(h.log + ".old"); err == nil && len(old) >= h.read {
			h.said = append(h.said, withoutTrace(old[h.read:])...)
		}
		h.read = 0
	}
	fresh := log[h.read:]
	fresh = fresh[:bytes.LastIndexByte(fresh, '\n')+1]
	h.read += len(fresh)
	h.said = append(h.said, withoutTrace(fresh)...)
}

// withoutTrace leaves the runtime's traces out of a log.
func withoutTrace(log []byte) []byte {
	var kept []byte
	for line := range bytes.Lines(log) {
		if !bytes.HasPrefix(line, []byte("SCHED ")) && !bytes.HasPrefix(line, []byte("  P")) && !bytes.HasPrefix(line, []byte("  M")) && !bytes.HasPrefix(line, []byte("  G")) {
			kept = append(kept, line...)
		}
	}
	return kept
}
