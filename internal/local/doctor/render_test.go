package doctor

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/usher-browser/usher/internal/cdptest/localtest"
)

var update = flag.Bool("update", false, "write testdata anew")

// TestRender keeps the form people read.
func TestRender(t *testing.T) {
	t.Parallel()
	d := &doctor{}
	d.pass(environment, "program", "usher 1.2.3 on linux/amd64")
	d.warn(environment, "shared-memory", "Give the container more.", "64 MiB of 64 MiB are free in /dev/shm")
	d.pass(configuration, "config", "all settings have their default values")
	d.fail(browser, "launch", "Install the package,\nor another.", "the browser ended\nits last words:\n  no libnss3.so\n")
	d.pass(daemons, "daemon", "mended: removed a socket")
	d.fixed = []string{"removed a socket"}
	got := render(d.report(), false, true) + "\n"
	file := filepath.Join("testdata", "doctor.txt")
	if *update {
		localtest.WriteFile(t, file, got, 0o644)
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("got:\n%s\nwant (write anew with -update):\n%s", got, want)
	}

	coloured := render(d.report(), true, false)
	for _, words := range []string{green + "✓" + plain, yellow + "⚠" + plain, red + "✗" + plain, bold + "Chrome" + plain} {
		if !strings.Contains(coloured, words) {
			t.Errorf("the coloured report lacks %q", words)
		}
	}
	for _, code := range []string{green, yellow, red, bold, plain} {
		coloured = strings.ReplaceAll(coloured, code, "")
	}
	if strings.Replace(got, "; 1 mended\n", "", 1) != strings.Replace(coloured, "; 1 mended", "", 1) {
		t.Errorf("colours change more than colours:\n%s", coloured)
	}
}

func TestSummary(t *testing.T) {
	t.Parallel()
	d := &doctor{}
	d.pass(environment, "a", "fine")
	if got := render(d.report(), false, true); !strings.HasSuffix(got, "\n\nAll checks passed (1); nothing that could be fixed") {
		t.Errorf("%q", got)
	}
}
