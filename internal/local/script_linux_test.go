package local

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/cdptest/localtest"
	"github.com/usher-browser/usher/internal/chrome"
	"github.com/usher-browser/usher/internal/local/packagemanager"
)

// TestScriptChoosesTheSameBrowser compares scripts/chromium, which works before anything is
// built, with this package: the same commands in the same order of choice.
func TestScriptChoosesTheSameBrowser(t *testing.T) {
	script, err := os.ReadFile("../../scripts/chromium")
	if err != nil {
		t.Fatal(err)
	}
	functions, _, found := strings.Cut(string(script), "\ncase ${1:-} in")
	if !found {
		t.Fatal("scripts/chromium has another form; the functions end before its case")
	}
	for _, m := range append(packagemanager.All("linux"), packagemanager.All("darwin")...) {
		f := fakeTools(t)
		system := "Linux"
		goos := "linux"
		if m.Command == "brew" {
			system, goos = "Darwin", "darwin"
		}
		localtest.WriteFile(t, filepath.Join(f.dir, "uname"), "#!/bin/sh\necho "+system+"\n", 0o755)
		localtest.WriteFile(t, filepath.Join(f.dir, "id"), "#!/bin/sh\necho 0\n", 0o755)
		f.add(t, m.Command, "")
		if got, ok := packagemanager.Find(goos); !ok || got.Command != m.Command {
			t.Errorf("with %s alone, %q was chosen", m.Command, got.Command)
		}
		sh := exec.CommandContext(t.Context(), "/bin/sh", "-c", functions+"\ninstall_chromium\n")
		if out, err := sh.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", m.Command, err, out)
		}
		theirs := f.ran(t)
		i, _ := f.barren(t)
		i.goos = goos
		if _, err := i.run(t.Context()); api.CodeOf(err) != api.BrowserNotFound {
			t.Fatal(err)
		}
		if ours := f.ran(t); !slices.Equal(ours, theirs) {
			t.Errorf("%s: scripts/chromium runs %q, install %q", m.Command, theirs, ours)
		}
	}
	// The order of choice: of all of them, both take the first, and so on.
	var order []string
	for _, match := range regexp.MustCompile(`command -v ([a-z-]+) >/dev/null; then`).FindAllStringSubmatch(functions, -1) {
		order = append(order, match[1])
	}
	var ours []string
	for _, m := range packagemanager.All("linux") {
		ours = append(ours, m.Command)
	}
	if !slices.Equal(order, ours) {
		t.Errorf("scripts/chromium tries %q, install %q", order, ours)
	}
}

// TestScriptFindsTheSame gives both a PATH with one browser under each name the
// script knows.
func TestScriptFindsTheSame(t *testing.T) {
	script, err := filepath.Abs("../../scripts/chromium")
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(script)
	if err != nil {
		t.Fatal(err)
	}
	list := regexp.MustCompile(`(?s)for name in (.*?); do`).FindSubmatch(text)
	if list == nil {
		t.Fatal("scripts/chromium has another form; the names stand in a for loop")
	}
	names := strings.Fields(strings.ReplaceAll(string(list[1]), "\\", " "))
	if len(names) < 5 {
		t.Fatalf("only %q", names)
	}
	t.Setenv("USHER_CHROME", "")
	for n := range names {
		// This name and all that come later, so that the order shows too.
		f := fakeTools(t)
		for _, name := range names[n:] {
			localtest.WriteFile(t, filepath.Join(f.dir, name), fakeBrowser, 0o755)
		}
		theirs, err := exec.CommandContext(t.Context(), "/bin/sh", script).Output()
		if err != nil {
			t.Fatal(err)
		}
		ours, err := chrome.Find("")
		if err != nil || ours != strings.TrimSpace(string(theirs)) || filepath.Base(ours) != names[n] {
			t.Errorf("%s: scripts/chromium finds %s, we %s (%v)", names[n], theirs, ours, err)
		}
	}
}
