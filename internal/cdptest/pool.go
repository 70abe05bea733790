package cdptest

import (
	"fmt"
	"os"
	"sync"
	"testing"

	"go.uber.org/goleak"
)

// pool holds the one browser that tests of a binary may share: starting one takes a third of a second, a page in it
// takes thirty milliseconds.
var pool struct {
	mu     sync.Mutex // guards shared
	shared *Browser
}

// Shared returns a browser that all tests of this test binary share, started at the first call. A test works in pages
// or browser contexts that it creates and closes. The binary must end it: TestMain calls Run, or CloseShared itself.
func Shared(t testing.TB) *Browser {
	t.Helper()
	pool.mu.Lock()
	defer pool.mu.Unlock()
	if pool.shared == nil {
		browser, err := Start()
		if err != nil {
			t.Fatalf("start the shared browser: %v", err)
		}
		pool.shared = browser
	}
	return pool.shared
}

// CloseShared ends the shared browser, if there is one.
func CloseShared() {
	pool.mu.Lock()
	defer pool.mu.Unlock()
	if pool.shared != nil {
		pool.shared.Close()
		pool.shared = nil
	}
}

// Run is the whole TestMain of a package that uses Shared:
//
//	func TestMain(m *testing.M) { cdptest.Run(m) }
//
// end, if any, ends what else the tests share. Goroutines that are left make tests that passed fail.
func Run(m *testing.M, end ...func()) {
	code := m.Run()
	for _, f := range end {
		f()
	}
	CloseShared()
	if err := goleak.Find(); code == 0 && err != nil {
		fmt.Fprintln(os.Stderr, "goroutine leak:", err)
		code = 1
	}
	os.Exit(code)
}
