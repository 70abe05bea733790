//go:build linux || darwin

package chrome

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/usher-browser/usher/internal/chrome/userprofile"
)

func TestFindPrefersTheRequestedBrowser(t *testing.T) {
	one, two := script(t, "exit 1"), script(t, "exit 1")
	t.Setenv("USHER_CHROME", two)
	if got, err := Find(one); err != nil || got != one {
		t.Errorf("Find(path) = %s, %v", got, err)
	}
	if got, err := Find(""); err != nil || got != two {
		t.Errorf("Find with USHER_CHROME = %s, %v", got, err)
	}
	t.Setenv("USHER_CHROME", "/nowhere/at/all")
	_, err := Find("")
	var missing *NotFoundError
	if !errors.As(err, &missing) || !strings.Contains(err.Error(), `USHER_CHROME "/nowhere/at/all": no such file`) {
		t.Errorf("a wrong USHER_CHROME: %v", err)
	}
}

func TestFindLooksInPath(t *testing.T) {
	t.Setenv("USHER_CHROME", "")
	dir := filepath.Dir(script(t, "exit 1"))
	want := filepath.Join(dir, pathNames("linux")[0])
	if err := os.Rename(filepath.Join(dir, "browser"), want); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir)
	if got, err := Find(""); err != nil || got != want {
		t.Errorf("Find = %s, %v; want %s", got, err, want)
	}
}

func TestNotFoundErrorListsPathsAndHelp(t *testing.T) {
	err := &NotFoundError{Looked: []string{"PATH (chromium)", "/usr/bin/chromium"}}
	for _, want := range []string{"PATH (chromium), /usr/bin/chromium", "install one (", "USHER_CHROME"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("error lacks %q: %v", want, err)
		}
	}
}

func TestUsualPaths(t *testing.T) {
	env := func(name string) string {
		return map[string]string{"HOME": "/home/me", "ProgramFiles": `C:\Program Files`, "LOCALAPPDATA": `C:\Users\me\AppData\Local`}[name]
	}
	for goos, want := range map[string]string{
		"linux":   "/snap/bin/chromium",
		"darwin":  "/home/me/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
		"windows": `C:\Program Files\Google\Chrome\Application\chrome.exe`,
	} {
		if paths := usualPaths(goos, env); !slices.Contains(paths, want) {
			t.Errorf("%s: %s is not among %v", goos, want, paths)
		}
	}
	for goos, want := range map[string]string{
		"linux":   "/home/me/.config/google-chrome",
		"darwin":  "/home/me/Library/Application Support/Google/Chrome",
		"windows": filepath.Join(`C:\Users\me\AppData\Local`, "Google", "Chrome", "User Data"),
	} {
		if dirs := userprofile.Roots(goos, env); !slices.Contains(dirs, want) {
			t.Errorf("%s: %s is not among %v", goos, want, dirs)
		}
	}
}

func TestUnwrapKeepsUserScripts(t *testing.T) {
	own := script(t, "exit 1")
	if got := unwrap(own); got != own {
		t.Errorf("unwrap(%s) = %s", own, got)
	}
}

func TestUserAgent(t *testing.T) {
	for _, c := range []struct{ goos, executable, version, want string }{
		{"linux", "/usr/bin/chromium", "156.0.8078.79", "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Safari/537.36"},
		{"darwin", "/x/Microsoft Edge", "140.0.1.2", "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36 Edg/140.0.0.0"},
		{"windows", "chrome.exe", "", ""},
	} {
		if got := UserAgent(c.goos, c.executable, c.version); got != c.want {
			t.Errorf("UserAgent(%s, %s) = %q, want %q", c.goos, c.version, got, c.want)
		}
	}
}

func TestVersionIsReadOnceAndCorrected(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	t.Setenv("HOME", t.TempDir())
	exe := script(t, "exit 1")
	if v, err := version(t.Context(), exe); err != nil || v != "156.0.1.2" {
		t.Fatalf("version = %s, %v", v, err)
	}
	if err := cacheVersion(exe, "HeadlessChrome/157.0.0.1"); err != nil {
		t.Fatal(err)
	}
	if v, err := version(t.Context(), exe); err != nil || v != "157.0.0.1" {
		t.Errorf("version after a launch = %s, %v", v, err)
	}
	if err := os.WriteFile(exe, []byte("#!/bin/sh\necho Chromium 158.0.0.2 beta\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	if v, err := version(t.Context(), exe); err != nil || v != "158.0.0.2" {
		t.Errorf("version after an upgrade = %s, %v", v, err)
	}
}

func TestInstalledVersion(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"99.0.1.1", "156.0.8078.79", "Dictionaries", "1.2.3"} {
		if err := os.Mkdir(filepath.Join(dir, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if got := installedVersion(dir); got != "156.0.8078.79" {
		t.Errorf("installedVersion = %q", got)
	}
}

func TestTailKeepsTheEnd(t *testing.T) {
	var w tail
	for i := range 5000 {
		if n, err := w.Write([]byte(strings.Repeat("x", i%50) + "\n")); err != nil || n != i%50+1 {
			t.Fatal(n, err)
		}
	}
	if _, err := w.Write([]byte("the end\n")); err != nil {
		t.Fatal(err)
	}
	if s := w.String(); len(s) > tailSize || len(s) < tailSize/2 || !strings.HasSuffix(s, "\nthe end\n") {
		t.Errorf("%d bytes, ending %q", len(s), s[len(s)-20:])
	}
	if _, err := w.Write([]byte(strings.Repeat("y", 3*tailSize))); err != nil {
		t.Fatal(err)
	}
	if s := w.String(); s != strings.Repeat("y", tailSize) {
		t.Errorf("after one long line: %d bytes", len(s))
	}
	if cap(w.buf) > 4*tailSize {
		t.Errorf("keeps %d bytes", cap(w.buf))
	}
}

func TestUsesProfile(t *testing.T) {
	for command, want := range map[string]bool{
		"chrome\x00--user-data-dir=/tmp/p1\x00--x":        true,
		"chrome --type=gpu --user-data-dir=/tmp/p1":       true,
		"handler --database=/tmp/p1/Crashpad":             true,
		"chrome --user-data-dir=/tmp/p12":                 false,
		"vim /tmp/p1":                                     false,
		"chrome --user-data-dir=/tmp/p12 --database=/tmp": false,
	} {
		if got := usesProfile(command, "/tmp/p1"); got != want {
			t.Errorf("usesProfile(%q) = %v", command, got)
		}
	}
}
