package script

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"
)

// awaitReady waits until the process can take a run at once.
func awaitReady(e *Engine) {
	for len(e.p.out) == 0 {
		time.Sleep(100 * time.Microsecond)
	}
}

// BenchmarkStart is from nothing to the result of the first run.
func BenchmarkStart(b *testing.B) {
	for b.Loop() {
		e, err := Start(Options{Facade: facade})
		if err != nil {
			b.Fatal(err)
		}
		run(b, e, "return 1")
		b.StopTimer()
		_ = e.Close()
		b.StartTimer()
	}
}

// BenchmarkRun is a run on an engine that is ready; BenchmarkRuns has one after the other, with what prepares the next.
func BenchmarkRun(b *testing.B) {
	e := newEngine(b)
	for b.Loop() {
		b.StopTimer()
		awaitReady(e)
		b.StartTimer()
		run(b, e, "return 1")
	}
}

func BenchmarkRuns(b *testing.B) {
	e := newEngine(b)
	for b.Loop() {
		run(b, e, "return 1")
	}
}

// BenchmarkCall is a call, of many in one run, one after the other.
func BenchmarkCall(b *testing.B) {
	e := newEngine(b)
	run(b, e, fmt.Sprintf("for (let i = 0; i < %d; i++) await tab.echo(1)", b.N))
}

// BenchmarkIdle reports the memory of a process that waits for a run.
func BenchmarkIdle(b *testing.B) {
	e := newEngine(b)
	for b.Loop() {
		run(b, e, "return 1")
	}
	awaitReady(e)
	b.ReportMetric(residentMB(b, e.PID()), "MB")
}

func residentMB(b testing.TB, pid int) (mb float64) {
	b.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0 // not on this system
	}
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, "VmRSS:"); ok {
			_, _ = fmt.Sscan(rest, &mb)
		}
	}
	return mb / 1024
}
