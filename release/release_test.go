package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestSemantic(t *testing.T) {
	for describe, want := range map[string]string{
		"v1.2.3":                        "1.2.3",
		"1.2.3":                         "1.2.3",
		"v1.2.3-rc.1":                   "1.2.3-rc.1",
		"v1.2.3-5-g7e97e1d":             "1.2.4-dev.5.g7e97e1d",
		"v1.2.3-dirty":                  "1.2.4-dev.0.dirty",
		"v1.2.3-5-g7e97e1d-dirty":       "1.2.4-dev.5.g7e97e1d.dirty",
		"v1.2.3-rc.1-5-g7e97e1d":        "1.2.3-rc.1.dev.5.g7e97e1d",
		"7e97e1d":                       "0.0.0-dev.g7e97e1d",
		"0123456-dirty":                 "0.0.0-dev.g0123456.dirty", // without the g it would be a number with a leading zero, which is refused
		"something-2024-1-g7e97e1d":     "0.0.0-dev.gsomething-2024-1-g7e97e1d",
		"v10.20.30-beta.2-1-gabcdef012": "10.20.30-beta.2.dev.1.gabcdef012",
	} {
		if got := semantic(describe); got != want {
			t.Errorf("%s: %s, want %s", describe, got, want)
		}
	}
}

// built is a release with a program for this machine alone; archives, npm packages and the formula are made as ever.
func built(t *testing.T) *release {
	t.Helper()
	source, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	r := &release{describe: "v1.2.3-4-gabcdef0", version: "1.2.4-dev.4.gabcdef0", stamp: time.Unix(1e9, 0).UTC(), source: source, out: t.TempDir()}
	if err := r.compile(t.Context(), own()); err != nil {
		t.Fatal(err)
	}
	for _, p := range platforms {
		if p == own() {
			continue
		}
		if err := os.MkdirAll(filepath.Dir(r.binary(p)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(r.binary(p), []byte("of another platform"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	about, err := r.pages(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, step := range []func() error{func() error { return r.archives(about) }, r.npm, r.formula, r.container, r.sums} {
		if err := step(); err != nil {
			t.Fatal(err)
		}
	}
	return r
}

// TestPackages installs the archive and the npm packages of this machine and runs them. The .deb is tried by make dist-try: the
// program that makes it takes long to compile.
func TestPackages(t *testing.T) {
	r := built(t)
	for name, do := range map[string]func(context.Context, string) error{
		"archive": r.tryOwnArchive, "formula": r.tryFormula,
		"npm":                 func(ctx context.Context, dir string) error { return r.tryNpm(ctx, dir) },
		"npm without scripts": func(ctx context.Context, dir string) error { return r.tryNpm(ctx, dir, "--ignore-scripts") },
	} {
		t.Run(name, func(t *testing.T) {
			if err := do(t.Context(), t.TempDir()); err != nil {
				t.Error(err)
			}
		})
	}
	if err := r.tryArchives(t.Context(), ""); err == nil || !strings.Contains(err.Error(), "it is no program") {
		t.Errorf("a program for another platform in an archive is not noticed: %v", err)
	}
	if err := os.WriteFile(r.path("usher.rb"), []byte("another"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := r.trySums(t.Context(), ""); err == nil || !strings.Contains(err.Error(), "another checksum") {
		t.Errorf("a file that was changed is not noticed: %v", err)
	}
}

// Archives of the same files are equal byte by byte, whenever they are made.
func TestReproducible(t *testing.T) {
	all := []file{{"a", 0o755, []byte("x")}, {"b/c", 0o644, nil}}
	for _, zipped := range []bool{false, true} {
		first, err := packed(all, zipped, time.Unix(1e9, 0).UTC())
		if err != nil {
			t.Fatal(err)
		}
		again, err := packed(all, zipped, time.Unix(1e9, 0).UTC())
		if err != nil || !bytes.Equal(first, again) {
			t.Errorf("two archives of the same files differ: %v", err)
		}
	}
}
