// Package golden compares texts that tests make with files, which -update rewrites.
package golden

import (
	"flag"
	"os"
	"path/filepath"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// Check compares a text with a file. command is what rewrites the file with -update.
func Check(t testing.TB, path, text, command string) {
	t.Helper()
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v; run %s", err, command)
	}
	if string(want) != text {
		t.Errorf("%s is not what the table makes; run %s and look at the difference", path, command)
	}
}
