package media

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/usher-browser/usher/internal/api"
)

func text(s string) func(io.Writer) error {
	return func(w io.Writer) error { _, err := io.WriteString(w, s); return err }
}

// onlyFiles fails if the directory holds anything but these names.
func onlyFiles(t *testing.T, dir string, names ...string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var have []string
	for _, e := range entries {
		have = append(have, e.Name())
	}
	if strings.Join(have, " ") != strings.Join(names, " ") {
		t.Errorf("the directory holds %q, want %q", have, names)
	}
}

func content(t *testing.T, path, want string) {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil || string(b) != want {
		t.Errorf("%s holds %q (%v), want %q", path, b, err, want)
	}
}

func TestWriteReplacesOnlyWhenAllIsThere(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.txt")
	if err := Write(path, text("one")); err != nil {
		t.Fatal(err)
	}
	boom := errors.New("the page went away")
	err := Write(path, func(w io.Writer) error {
		_, _ = io.WriteString(w, "half of tw")
		return boom
	})
	if !errors.Is(err, boom) {
		t.Errorf("the error of what fills the file is lost: %v", err)
	}
	content(t, path, "one")
	if err := Write(path, text("two")); err != nil {
		t.Fatal(err)
	}
	content(t, path, "two")
	onlyFiles(t, dir, "a.txt")
}

func TestWriteKeepsModeAndFollowsLinks(t *testing.T) {
	dir := t.TempDir()
	real, link := filepath.Join(dir, "real"), filepath.Join(dir, "link")
	if err := os.WriteFile(real, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(real, link); err != nil {
		t.Fatal(err)
	}
	if err := Write(link, text("new")); err != nil {
		t.Fatal(err)
	}
	content(t, real, "new")
	info, err := os.Lstat(link)
	if err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link was replaced: %v %v", info, err)
	}
	info, err = os.Stat(real)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the mode is now %v (%v)", info.Mode(), err)
	}
}

func TestWriteRefusals(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for path, says := range map[string]string{
		filepath.Join(dir, "missing", "a.png"): "the directory " + filepath.Join(dir, "missing") + " does not exist",
		filepath.Join(file, "a.png"):           "not a directory",
		dir:                                    "it is a directory",
	} {
		err := Write(path, text("x"))
		if api.CodeOf(err) != api.FileWriteFailed || !strings.Contains(err.Error(), says) {
			t.Errorf("write %s: %v, want file_write_failed with %q", path, err, says)
		}
	}
	onlyFiles(t, dir, "file")
}

func TestFreshName(t *testing.T) {
	dir := t.TempDir()
	for _, want := range []string{"a.csv", "a (1).csv", "a (2).csv"} {
		path, err := FreshName(dir, "a.csv", Shared)
		if err != nil || filepath.Base(path) != want {
			t.Errorf("got %s (%v), want %s", path, err, want)
		}
	}
	for _, want := range []string{".profile", ".profile (1)"} {
		path, err := FreshName(dir, ".profile", Shared)
		if err != nil || filepath.Base(path) != want {
			t.Errorf("got %s (%v), want %s", path, err, want)
		}
	}
}

func TestPlainName(t *testing.T) {
	for from, want := range map[string]string{
		"report.csv":                      "report.csv",
		"../../etc/passwd":                "passwd",
		`C:\temp\x.exe`:                   "x.exe",
		"":                                "download",
		"..":                              "download",
		"a/":                              "download",
		"a\x1b[31mb\n.txt":                "a_[31mb_.txt",
		"cod\u202eexe.txt":                "codexe.txt",
		"Größe 100%.txt":                  "Größe 100%.txt",
		strings.Repeat("é", 300):          strings.Repeat("é", 100),
		strings.Repeat("x", 300) + ".csv": strings.Repeat("x", 196) + ".csv",
	} {
		if got := PlainName(from); got != want {
			t.Errorf("PlainName(%q) = %q, want %q", from, got, want)
		}
	}
}

func FuzzPlainName(f *testing.F) {
	for _, s := range []string{"a.txt", "../x", "\x00", strings.Repeat("ab", 200), "a\xff.b"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		name := PlainName(s)
		if name == "" || name == "." || name == ".." || len(name) > 255 || strings.ContainsAny(name, "/\\\x00\n\x1b") {
			t.Errorf("PlainName(%q) = %q", s, name)
		}
	})
}

func TestMove(t *testing.T) {
	dir := t.TempDir()
	from, to := filepath.Join(dir, "from"), filepath.Join(dir, "to")
	for _, p := range []string{from, to} {
		if err := os.WriteFile(p, []byte(filepath.Base(p)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := Move(from, to); err != nil {
		t.Fatal(err)
	}
	content(t, to, "from")
	onlyFiles(t, dir, "to")
	if err := Move(from, to); api.CodeOf(err) != api.FileNotFound {
		t.Errorf("a missing file: %v", err)
	}
	if err := Move(to, filepath.Join(dir, "none", "x")); api.CodeOf(err) != api.FileWriteFailed {
		t.Errorf("a missing directory: %v", err)
	}
	content(t, to, "from")
}

func TestFormats(t *testing.T) {
	for path, want := range map[string]Format{"a.png": PNG, "b/c.JPG": JPEG, "x.jpeg": JPEG, "y.webp": WebP} {
		if got, ok := FormatOf(path); !ok || got != want {
			t.Errorf("FormatOf(%s) = %v %v", path, got, ok)
		}
	}
	for _, path := range []string{"a", "a.gif", "png", "a.png.", ""} {
		if got, ok := FormatOf(path); ok {
			t.Errorf("FormatOf(%q) = %v", path, got)
		}
	}
}

// TestCheckOutputDirectory: the error names what was asked for, and no file in it.
func TestCheckOutputDirectory(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := CheckOutputDirectory(dir); err != nil {
		t.Error(err)
	}
	missing := filepath.Join(dir, "missing")
	err := CheckOutputDirectory(missing)
	if api.CodeOf(err) != api.FileWriteFailed || !strings.HasPrefix(err.Error(), "write "+missing+": the directory") {
		t.Errorf("a missing directory: %v", err)
	}
}
