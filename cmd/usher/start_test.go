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
)

// What the packages of the program may make before main, in every process that does not end earlier. It was 0.9 MB in 4,000
// pieces when this was written, which took 0.8 ms; one package more that compiles its regular expressions or fills its
// tables at the start passes the limit. Memory is the same on every machine, time is not.
const (
	maxInitBytes  = 1_400_000
	maxInitAllocs = 6_000
)

// TestInitCost sums what the packages of the real binary make before main.
func TestInitCost(t *testing.T) {
	inits, bytes, allocs := initsOf(t, realBinary(t), "help", 20), 0, 0
	for _, p := range inits {
		bytes, allocs = bytes+p.bytes, allocs+p.allocs
	}
	if bytes > maxInitBytes || allocs > maxInitAllocs {
		slices.SortFunc(inits, func(a, b packageInit) int { return b.bytes - a.bytes })
		var worst strings.Builder
		for _, p := range inits[:5] {
			fmt.Fprintf(&worst, "\n  %7d bytes in %4d  %s", p.bytes, p.allocs, p.name)
		}
		t.Errorf("before main the packages make %d bytes in %d pieces, more than %d in %d; the worst:%s", bytes, allocs, maxInitBytes, maxInitAllocs, &worst)
	}
}

// What the packages before package first may make: they are in the way of every command. It was 9 KB in 40 pieces when
// this was written, half of it a table of x/ansi/parser.
const (
	maxFirstBytes  = 12_000
	maxFirstAllocs = 60
)

// TestFirstCost sums what is made before package first, which ends the process of `--version` as that of most commands.
func TestFirstCost(t *testing.T) {
	bytes, allocs, seen := 0, 0, 0
	for _, p := range initsOf(t, realBinary(t), "--version", 5) {
		bytes, allocs, seen = bytes+p.bytes, allocs+p.allocs, seen+1
	}
	if bytes > maxFirstBytes || allocs > maxFirstAllocs {
		t.Errorf("%d packages make %d bytes in %d pieces before package first, more than %d in %d", seen, bytes, allocs, maxFirstBytes, maxFirstAllocs)
	}
}

// realBinary builds the program.
func realBinary(t *testing.T) string {
	t.Helper()
	binary := filepath.Join(t.TempDir(), "usher")
	build := exec.Command("go", "build", "-trimpath", "-o", binary, ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	return binary
}

// packageInit is one package's turn.
type packageInit struct {
	name          string
	bytes, allocs int
}

// initsOf runs a command that needs nothing but the start itself, and reads at least this many lines such as
//
//	init net/http @1.9 ms, 0.014 ms clock, 4712 bytes, 49 allocs
func initsOf(t *testing.T, binary, command string, least int) []packageInit {
	t.Helper()
	cmd := exec.Command(binary, command)
	cmd.Env = append(os.Environ(), "GODEBUG=inittrace=1", "USHER_HOME="+t.TempDir())
	var trace bytes.Buffer
	cmd.Stderr = &trace
	if err := cmd.Run(); err != nil {
		t.Fatalf("run: %v\n%s", err, &trace)
	}
	var inits []packageInit
	for lines := bufio.NewScanner(&trace); lines.Scan(); {
		var name string
		var at, clock float64
		var size, pieces int
		if n, _ := fmt.Sscanf(lines.Text(), "init %s @%g ms, %g ms clock, %d bytes, %d allocs", &name, &at, &clock, &size, &pieces); n == 5 {
			inits = append(inits, packageInit{name, size, pieces})
		}
	}
	if len(inits) < least {
		t.Fatalf("only %d packages in the trace: has its form changed?\n%s", len(inits), &trace)
	}
	return inits
}
