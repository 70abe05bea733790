package plugin

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/usher-browser/usher/internal/api"
)

// TestReferenceToAFile: a reference that is also the path of a file here does not download what has the same name.
func TestReferenceToAFile(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "tools"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"vault.py", "tools/vault.py"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"), 0o700); err != nil {
			t.Fatal(err)
		}
		def, err := reference(name, dir)
		if e := api.AsError(err); e == nil || e.Code != api.InvalidArgument || !strings.Contains(e.Hint, "./"+name+" for the file") {
			t.Errorf("%s: %+v, %v", name, def, err)
		}
		if def, err := reference("./"+name, dir); err != nil || def.Command != filepath.Join(dir, name) {
			t.Errorf("./%s: %+v, %v", name, def, err)
		}
	}
	for ref, source := range map[string]string{"vault": "npm:vault", "npm:vault.py": "npm:vault.py", "tools": "npm:tools", "github:tools/vault.py": "github:tools/vault.py", "tools/other": "github:tools/other"} {
		if def, err := reference(ref, dir); err != nil || def.Source != source {
			t.Errorf("%s: %+v, %v", ref, def, err)
		}
	}
}
