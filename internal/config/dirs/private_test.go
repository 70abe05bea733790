//go:build unix

package dirs

import (
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func insecure(err error) bool {
	var bad *Insecure
	return errors.As(err, &bad)
}

func mode(t *testing.T, path string) os.FileMode {
	t.Helper()
	fi, err := os.Lstat(path)
	if err != nil {
		t.Fatal(err)
	}
	return fi.Mode().Perm()
}

// TestMakeHome: a home that others may write to is made private, and a path that cannot be made safe is refused.
func TestMakeHome(t *testing.T) {
	home := filepath.Join(t.TempDir(), "h")
	if err := (Dirs{Home: home}).MakeHome(); err != nil || mode(t, home) != 0o700 {
		t.Errorf("a new home: %v, mode %v", err, mode(t, home))
	}
	if err := os.Chmod(home, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := (Dirs{Home: home}).MakeHome(); err != nil || mode(t, home)&0o022 != 0 {
		t.Errorf("an open home stays open: %v, mode %v", err, mode(t, home))
	}
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(home, link); err != nil {
		t.Fatal(err)
	}
	if err := (Dirs{Home: link}).MakeHome(); err != nil {
		t.Errorf("a link of one's own: %v", err)
	}
	if err := os.Chmod(home, 0o777|os.ModeSticky); err != nil {
		t.Fatal(err)
	}
	if err := (Dirs{Home: home}).MakeHome(); !insecure(err) {
		t.Errorf("a directory for everybody: %v", err)
	}
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := (Dirs{Home: file}).MakeHome(); err == nil {
		t.Error("a file passes for the home")
	}
}

// TestShortSocketDirectory: only the socket is in it, and one that somebody prepared is refused.
func TestShortSocketDirectory(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	d, err := Of(environment("USHER_HOME", filepath.Join(t.TempDir(), strings.Repeat("x", 120))), "", false)
	if err != nil {
		t.Fatal(err)
	}
	if err := d.CheckSocket(); err != nil {
		t.Errorf("before anything is there: %v", err)
	}
	if err := d.MakeRun(); err != nil {
		t.Fatal(err)
	}
	short := filepath.Dir(d.Socket)
	if mode(t, short) != 0o700 || mode(t, d.Run) != 0o700 || !strings.HasPrefix(d.Run, d.Home) {
		t.Errorf("%s has mode %v, %s mode %v", short, mode(t, short), d.Run, mode(t, d.Run))
	}
	elsewhere := t.TempDir()
	if err := errors.Join(os.Remove(short), os.Symlink(elsewhere, short)); err != nil {
		t.Fatal(err)
	}
	if err := d.MakeRun(); !insecure(err) {
		t.Errorf("a link in its place: %v", err)
	}
	if err := d.CheckSocket(); !insecure(err) {
		t.Errorf("a link in its place, for a client: %v", err)
	}
}

// TestSecretFiles: they are closed whatever the umask, links are not followed, and what others can reach is not read.
func TestSecretFiles(t *testing.T) {
	defer syscall.Umask(syscall.Umask(0))
	dir := filepath.Join(t.TempDir(), "a", "b")
	if err := MakePrivate(dir); err != nil {
		t.Fatal(err)
	}
	victim, file := filepath.Join(t.TempDir(), "victim"), filepath.Join(dir, "secret")
	if err := errors.Join(os.WriteFile(victim, []byte("old"), 0o600), os.Symlink(victim, file)); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadPrivate(file); !insecure(err) {
		t.Errorf("a link is read: %v", err)
	}
	if err := WriteSecret(file, []byte("new")); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(victim); err != nil || string(text) != "old" {
		t.Errorf("a link was written through: %q, %v", text, err)
	}
	if text, err := ReadPrivate(file); err != nil || string(text) != "new" || mode(t, file) != 0o600 || mode(t, dir) != 0o700 {
		t.Errorf("%q, %v; mode %v in %v", text, err, mode(t, file), mode(t, dir))
	}
	for _, open := range []os.FileMode{0o640, 0o604, 0o620} {
		if err := os.Chmod(file, open); err != nil {
			t.Fatal(err)
		}
		if _, err := ReadPrivate(file); !insecure(err) {
			t.Errorf("mode %v is read: %v", open, err)
		}
	}
	if os.Geteuid() == 0 { // only root can give files away; what others made is looked at in cmd/usher, too
		if err := errors.Join(os.Chmod(file, 0o600), os.Chown(file, 12345, 12345), os.Chown(dir, 12345, 12345)); err != nil {
			t.Fatal(err)
		}
		if _, err := ReadPrivate(file); !insecure(err) {
			t.Errorf("a file of somebody else is read: %v", err)
		}
		if err := MakePrivate(dir); !insecure(err) {
			t.Errorf("a directory of somebody else is used: %v", err)
		}
		if err := (Dirs{Home: dir}).MakeHome(); !insecure(err) {
			t.Errorf("a home of somebody else is used: %v", err)
		}
	}
}

// TestSecretsReplaceFilesOnly: a socket, and so a device, keeps its name.
func TestSecretsReplaceFilesOnly(t *testing.T) {
	dir, err := os.MkdirTemp("", "s") // a path that is short enough for a socket
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	path := filepath.Join(dir, "socket")
	l, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if err := WriteSecret(path, []byte("new")); err == nil || !strings.Contains(err.Error(), "not a regular file") {
		t.Errorf("a socket is replaced: %v", err)
	}
	if is, err := os.Lstat(path); err != nil || is.Mode().Type() != os.ModeSocket {
		t.Errorf("the socket is %v, %v", is, err)
	}
	if left, _ := os.ReadDir(dir); len(left) != 1 {
		t.Errorf("left: %v", left)
	}
}
