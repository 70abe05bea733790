package capture_test

import (
	"fmt"
	"os"
	"testing"

	"go.uber.org/goleak"

	"github.com/usher-browser/usher/internal/cdptest"
)

func TestMain(m *testing.M) {
	code := m.Run()
	cdptest.CloseShared()
	if err := goleak.Find(); code == 0 && err != nil {
		fmt.Fprintln(os.Stderr, "goroutine leak:", err)
		code = 1
	}
	os.Exit(code)
}
