package cdptest

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"
)

// ElectronShaped makes an app that looks as Electron's do of the program of a Chromium that runs, and returns the path of its executable.
func ElectronShaped(t testing.TB, pid int) string {
	t.Helper()
	real, err := os.Readlink(fmt.Sprintf("/proc/%d/exe", pid))
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "trial notes")
	if err := os.MkdirAll(filepath.Join(dir, "resources"), 0o700); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(filepath.Dir(real))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.Name() != filepath.Base(real) && e.Name() != "resources" {
			if err := os.Symlink(filepath.Join(filepath.Dir(real), e.Name()), filepath.Join(dir, e.Name())); err != nil {
				t.Fatal(err)
			}
		}
	}
	path := filepath.Join(dir, "notes")
	if os.Link(real, path) != nil { // another file system
		CopyProgram(t, real, path)
	}
	if err := os.WriteFile(filepath.Join(dir, "resources", "app.asar"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// DesktopEntry makes a directory for XDG_DATA_HOME that has one desktop entry, of the app at path.
func DesktopEntry(t testing.TB, name, path string) (data string) {
	t.Helper()
	data = t.TempDir()
	if err := os.Mkdir(filepath.Join(data, "applications"), 0o700); err != nil {
		t.Fatal(err)
	}
	entry := "[Desktop Entry]\nType=Application\nName=" + name + "\nExec=env A=1 \"" + path + "\" %U\n"
	if err := os.WriteFile(filepath.Join(data, "applications", filepath.Base(path)+".desktop"), []byte(entry), 0o600); err != nil {
		t.Fatal(err)
	}
	return data
}

// CopyProgram copies a program.
func CopyProgram(t testing.TB, from, to string) {
	t.Helper()
	in, err := os.Open(from)
	if err != nil {
		t.Fatal(err)
	}
	out, err := os.OpenFile(to, os.O_CREATE|os.O_WRONLY, 0o700)
	if err == nil {
		_, err = io.Copy(out, in)
		err = errors.Join(err, out.Close())
	}
	if err := errors.Join(err, in.Close()); err != nil {
		t.Fatal(err)
	}
}
