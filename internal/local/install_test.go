//go:build unix

package local

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/cdptest/localtest"
	"github.com/usher-browser/usher/internal/chrome"
)

// tools is a directory, the whole PATH, with programs that append their command
// line to the file log, print something, and carry out the script given.
type tools struct{ dir, log string }

func fakeTools(t *testing.T) tools {
	t.Helper()
	dir := t.TempDir()
	t.Setenv("PATH", dir)
	return tools{dir, filepath.Join(t.TempDir(), "log")}
}

func (f tools) add(t *testing.T, name, script string) {
	t.Helper()
	localtest.WriteFile(t, filepath.Join(f.dir, name), "#!/bin/sh\necho \"${0##*/} $*\" >> '"+f.log+"'\necho from "+name+"\n"+script+"\n", 0o755)
}

// ran returns the command lines since the last call.
func (f tools) ran(t *testing.T) []string {
	t.Helper()
	text, err := os.ReadFile(f.log)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	if err := os.RemoveAll(f.log); err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSpace(string(text)), "\n")
}

// fakeBrowser is what a package brings: a browser that tells its version.
const fakeBrowser = "#!/bin/sh\necho Chromium 150.0.1.2\n"

// barren returns an installer for a Linux machine that has a browser once there is a
// file named chromium in PATH.
func (f tools) barren(t *testing.T, argv ...string) (*installer, *strings.Builder) {
	t.Helper()
	req, call := request(t, nil, append([]string{"install"}, argv...)...)
	i := newInstaller(req, call)
	shown := &strings.Builder{}
	i.goos, i.uid, i.progress = "linux", 0, shown
	i.find = func(explicit string) (string, error) {
		path := filepath.Join(f.dir, "chromium")
		if explicit != "" {
			path = explicit
		}
		if _, err := os.Stat(path); err != nil {
			return "", &chrome.NotFoundError{Looked: []string{"PATH"}}
		}
		return path, nil
	}
	return i, shown
}

func TestInstall(t *testing.T) {
	f := fakeTools(t)
	f.add(t, "apt-get", `case $1 in install) printf '#!/bin/sh\necho Chromium 150.0.1.2\n' > "${0%/*}/chromium"; /bin/chmod +x "${0%/*}/chromium";; esac`)
	i, shown := f.barren(t, "--with-deps")
	out, err := i.run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"apt-get update", "apt-get install -y --no-install-recommends chromium fonts-liberation fonts-noto-color-emoji"}
	if got := f.ran(t); !slices.Equal(got, want) {
		t.Errorf("ran %q, want %q", got, want)
	}
	if data := out.Data.(installed); !data.Installed || data.Version != "150.0.1.2" || !slices.Equal(data.Commands, want) {
		t.Errorf("%+v", data)
	}
	for _, words := range []string{"running: " + want[0] + "\nfrom apt-get\n", "running: " + want[1] + "\nfrom apt-get\n"} {
		if !strings.Contains(shown.String(), words) {
			t.Errorf("the progress lacks %q:\n%s", words, shown)
		}
	}

	// The second time there is nothing to do.
	i, _ = f.barren(t)
	if out, err := i.run(t.Context()); err != nil || out.Data.(installed).Installed || !strings.Contains(out.Text, "already installed") {
		t.Errorf("%+v, %v", out, err)
	}
	if got := f.ran(t); got[0] != "" {
		t.Errorf("ran %q though there was a browser", got)
	}
	// With dependencies, those are made sure of.
	i, _ = f.barren(t, "-d")
	if _, err := i.run(t.Context()); err != nil {
		t.Error(err)
	}
	if got := f.ran(t); len(got) != 2 || got[1] != "apt-get install -y --no-install-recommends fonts-liberation fonts-noto-color-emoji" {
		t.Errorf("ran %q", got)
	}
}

// TestInstallWithoutRoot runs nothing and gives the command.
func TestInstallWithoutRoot(t *testing.T) {
	f := fakeTools(t)
	f.add(t, "apt-get", "")
	i, _ := f.barren(t)
	i.uid = 1000
	_, err := i.run(t.Context())
	e := api.AsError(err)
	const want = "sudo apt-get update && sudo apt-get install -y --no-install-recommends chromium"
	if e == nil || e.Code != api.PermissionDenied || e.Data["command"] != want || e.Hint != "Run: "+want {
		t.Errorf("%+v", e)
	}
	if got := f.ran(t); got[0] != "" {
		t.Errorf("ran %q", got)
	}
	// Homebrew wants no root.
	f.add(t, "brew", "echo no such cask; exit 1")
	i, shown := f.barren(t)
	i.goos, i.uid = "darwin", 1000
	_, err = i.run(t.Context())
	if api.CodeOf(err) != api.InstallFailed || !strings.Contains(shown.String(), "no such cask") {
		t.Errorf("%v\n%s", err, shown)
	}
	if got := f.ran(t); got[0] != "brew install --cask chromium" {
		t.Errorf("ran %q", got)
	}
}

func TestInstallFailures(t *testing.T) {
	f := fakeTools(t)
	i, _ := f.barren(t)
	if _, err := i.run(t.Context()); api.CodeOf(err) != api.Unsupported || !strings.Contains(err.Error(), "apt-get, dnf, pacman, apk, zypper") {
		t.Errorf("without a package manager: %v", err)
	}
	i.goos = "windows"
	if _, err := i.run(t.Context()); api.CodeOf(err) != api.Unsupported || !strings.Contains(api.AsError(err).Hint, "winget") {
		t.Errorf("on Windows: %v", err)
	}

	f.add(t, "apt-get", "exit 100")
	i, shown := f.barren(t)
	_, err := i.run(t.Context())
	if api.CodeOf(err) != api.InstallFailed || !strings.Contains(err.Error(), "exit status 100") {
		t.Errorf("a failed installation: %v", err)
	}
	if got := f.ran(t); len(got) != 2 || !strings.Contains(shown.String(), "continuing with the existing list") {
		t.Errorf("a list that cannot be renewed should not be the end: %q\n%s", got, shown)
	}

	// A program that wants JSON gets the complaint in the error.
	f.ran(t)
	req, call := request(t, nil, "install", "--json")
	quiet := newInstaller(req, call)
	quiet.goos, quiet.uid, quiet.find = "linux", 0, i.find
	_, err = quiet.run(t.Context())
	if e := api.AsError(err); e == nil || e.Code != api.InstallFailed || !strings.HasSuffix(e.Data["output"].(string), "from apt-get\n") {
		t.Errorf("%+v", e)
	}
	f.ran(t)

	f.add(t, "apt-get", "")
	i, _ = f.barren(t)
	if _, err := i.run(t.Context()); api.CodeOf(err) != api.BrowserNotFound || !strings.Contains(err.Error(), "was installed, but no browser works") {
		t.Errorf("a package without a browser: %v", err)
	}

	// Ubuntu's: there, but no browser.
	localtest.WriteFile(t, filepath.Join(f.dir, "chromium"), "#!/bin/sh\necho 'requires the chromium snap' >&2\nexit 10\n", 0o755)
	f.ran(t)
	i, _ = f.barren(t)
	if _, err := i.run(t.Context()); api.CodeOf(err) != api.BrowserNotFound || !strings.Contains(err.Error(), "requires the chromium snap") {
		t.Errorf("a browser that is none: %v", err)
	}
	if got := f.ran(t); len(got) != 2 {
		t.Errorf("ran %q", got)
	}

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	i, _ = f.barren(t)
	i.find = func(string) (string, error) { return "", &chrome.NotFoundError{} }
	if _, err := i.run(ctx); api.CodeOf(err) != api.Cancelled {
		t.Errorf("interrupted: %v", err)
	}
}

func TestLastWritten(t *testing.T) {
	t.Parallel()
	l := &lastWritten{}
	for _, part := range []string{strings.Repeat("a", lastLimit), strings.Repeat("b", lastLimit-1), "c"} {
		if n, err := l.Write([]byte(part)); n != len(part) || err != nil {
			t.Errorf("%d, %v", n, err)
		}
	}
	if string(l.text) != strings.Repeat("b", lastLimit-1)+"c" {
		t.Errorf("%d bytes, ending in %q", len(l.text), l.text[len(l.text)-2:])
	}
}

// TestInstallKeepsWhatWasAskedFor does not install a browser when the one that
// was named is missing.
func TestInstallKeepsWhatWasAskedFor(t *testing.T) {
	f := fakeTools(t)
	f.add(t, "apt-get", "")
	for _, argv := range [][]string{{"--executable-path", "/missing/chromium"}, nil} {
		i, _ := f.barren(t, argv...)
		if argv == nil {
			i.req.Env = append(i.req.Env, "USHER_CHROME=/missing/chromium")
			t.Setenv("USHER_CHROME", "/missing/chromium")
			i.find = chrome.Find
		}
		_, err := i.run(t.Context())
		if e := api.AsError(err); e == nil || e.Code != api.BrowserNotFound || !strings.Contains(e.Hint, "Correct the path") {
			t.Errorf("%v: %+v", argv, e)
		}
	}
	if got := f.ran(t); got[0] != "" {
		t.Errorf("ran %q", got)
	}
}
