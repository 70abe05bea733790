package main

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// initLimit bounds the time in which the packages of the program get ready, in
// every process that does not end before main. It took 0.8 ms when this was
// written; one package that compiles its regular expressions or fills its tables
// at the start (some take 4 ms, one 150) passes the limit.
const initLimit = 4 * time.Millisecond

// TestStart sums what the packages of the real binary do before main. Of several
// runs the shortest counts, for only that is not the machine's mood.
func TestStart(t *testing.T) {
	binary := filepath.Join(t.TempDir(), "usher")
	build := exec.Command("go", "build", "-trimpath", "-o", binary, ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	var least []packageInit
	for range 7 {
		if run := initsOf(t, binary); least == nil || sumOf(run) < sumOf(least) {
			least = run
		}
	}
	if sum := sumOf(least); sum > initLimit {
		slices.SortFunc(least, func(a, b packageInit) int { return int(b.took - a.took) })
		var worst strings.Builder
		for _, p := range least[:min(5, len(least))] {
			fmt.Fprintf(&worst, "\n  %-8s %s", p.took, p.name)
		}
		t.Errorf("before main the packages take %s, more than %s; the worst:%s", sum, initLimit, &worst)
	}
}

// packageInit is one package's turn.
type packageInit struct {
	name string
	took time.Duration
}

func sumOf(inits []packageInit) (sum time.Duration) {
	for _, p := range inits {
		sum += p.took
	}
	return sum
}

// initsOf runs `version`, which needs nothing but the start itself, and reads
// lines such as
//
//	init net/http @1.9 ms, 0.014 ms clock, 4712 bytes, 49 allocs
func initsOf(t *testing.T, binary string) []packageInit {
	t.Helper()
	cmd := exec.Command(binary, "version")
	cmd.Env = append(os.Environ(), "GODEBUG=inittrace=1", "USHER_HOME="+t.TempDir())
	var trace bytes.Buffer
	cmd.Stderr = &trace
	if err := cmd.Run(); err != nil {
		t.Fatalf("version: %v\n%s", err, &trace)
	}
	var inits []packageInit
	for lines := bufio.NewScanner(&trace); lines.Scan(); {
		var name string
		var at, clock float64
		if n, _ := fmt.Sscanf(lines.Text(), "init %s @%g ms, %g ms clock,", &name, &at, &clock); n == 3 {
			inits = append(inits, packageInit{name, time.Duration(clock * float64(time.Millisecond))})
		}
	}
	if len(inits) < 20 {
		t.Fatalf("only %d packages in the trace: has its form changed?\n%s", len(inits), &trace)
	}
	return inits
}
