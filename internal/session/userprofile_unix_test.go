//go:build unix

package session_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/cdptest"
	"github.com/usher-browser/usher/internal/config/dirs"
)

// TestCopyOfAProfile: --profile with a name begins with the logins of a profile that Chromium made, changes nothing in it,
// and leaves nothing behind.
func TestCopyOfAProfile(t *testing.T) {
	temp, err := os.MkdirTemp("", "u") // short, for the path of a socket
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(temp) })
	t.Setenv("TMPDIR", temp)
	site := cdptest.NewSite(t)
	c := connect(t)
	root := filepath.Join(c.env["HOME"], ".config", "chromium")
	state := func() string {
		t.Helper()
		return fmt.Sprint(fields(t, c.must(t, "eval [document.cookie,localStorage.kept].join()"))["result"])
	}
	c.must(t, "--profile "+root+" open "+site.URL("/small"))
	c.must(t, "eval (document.cookie='login=ada;max-age=9999',localStorage.kept='yes')")
	c.must(t, "close")
	before := listing(t, root)
	if err := os.Symlink("/etc/passwd", filepath.Join(root, "Default", "link")); err != nil {
		t.Fatal(err)
	}

	c.must(t, "--profile default open "+site.URL("/small"))
	if got := state(); got != "login=ada,yes" {
		t.Errorf("the copy has %s", got)
	}
	c.must(t, "eval (document.cookie='login=eve;max-age=9999',localStorage.kept='no')")
	copied := ""
	entries, err := filepath.Glob(filepath.Join(dirs.Profiles(), "p*", "profile", "Default", "Local Storage"))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		copied = filepath.Dir(e)
		if _, err := os.Lstat(filepath.Join(copied, "link")); err == nil {
			t.Error("a symbolic link was copied")
		}
	}
	if info, err := os.Stat(dirs.Profiles()); err != nil || info.Mode().Perm() != 0o700 || copied == "" {
		t.Errorf("the copy %s is in %v (%v), which others can read", copied, info, err)
	}
	if _, err := c.run(t.Context(), "--profile other get url"); api.CodeOf(err) != api.LaunchConflict {
		t.Errorf("another profile: %v", err)
	}
	c.must(t, "close")
	if _, err := os.Stat(copied); !os.IsNotExist(err) {
		t.Errorf("%s is left: %v", copied, err)
	}
	if err := os.Remove(filepath.Join(root, "Default", "link")); err != nil {
		t.Fatal(err)
	}
	if after := listing(t, root); after != before {
		t.Errorf("the profile has changed from\n%s\nto\n%s", before, after)
	}

	if _, err := c.run(t.Context(), "--profile Nobody open"); api.CodeOf(err) != api.InvalidArgument || !strings.Contains(err.Error(), `"Nobody" not found; the profiles are Default (`) {
		t.Errorf("an unknown name: %v", err)
	}
	if err := os.WriteFile(filepath.Join(root, "Last Version"), []byte("9999.0.1234.5"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := c.run(t.Context(), "--profile Default open"); api.CodeOf(err) != api.LaunchFailed || !strings.Contains(err.Error(), "9999.0.1234.5 used it last") {
		t.Errorf("a profile of a newer browser: %v", err)
	}
	if err := os.Remove(filepath.Join(root, "Local State")); err != nil {
		t.Fatal(err)
	}
	if _, err := c.run(t.Context(), "--profile Default open"); api.CodeOf(err) != api.InvalidArgument || !strings.Contains(err.Error(), "no browser of this user has profiles") {
		t.Errorf("no profiles: %v", err)
	}
}

// listing returns the names, sizes and times of all files below a directory.
func listing(t *testing.T, root string) string {
	t.Helper()
	var b strings.Builder
	err := filepath.Walk(root, func(path string, info os.FileInfo, err error) error {
		if err == nil && !info.IsDir() {
			fmt.Fprintf(&b, "%s %d %s\n", path, info.Size(), info.ModTime())
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}
