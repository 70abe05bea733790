package local

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/usher-browser/usher/internal/cdptest/localtest"
	"github.com/usher-browser/usher/internal/extension"
	"github.com/usher-browser/usher/internal/verb"
)

// extensionTable has the commands about the extension only.
func extensionTable(t *testing.T) *verb.Table {
	t.Helper()
	return verb.NewTable(Grammar(), verb.Set{Families: []verb.Family{{Name: "extension"}}})
}

func TestExtension(t *testing.T) {
	t.Parallel()
	home := filepath.Join(t.TempDir(), ".usher")
	run := func(argv ...string) (string, string, int) {
		req, call := localtest.Request(t, extensionTable(t), nil, argv...)
		req.Env = []string{"HOME=" + filepath.Dir(home), "USHER_HOME=" + home}
		var stdout, stderr bytes.Buffer
		exit := Program{Version: "v1"}.Run(t.Context(), req, call, &stdout, &stderr)
		return stdout.String(), stderr.String(), exit
	}
	dir := filepath.Join(home, "extension")
	out, warned, exit := run("extension", "path")
	if exit != 0 || strings.TrimSpace(out) != dir || !strings.Contains(warned, "extension install") {
		t.Errorf("path before install: %d %q %q", exit, out, warned)
	}
	out, _, exit = run("extension", "install")
	if exit != 0 || !strings.Contains(out, "Load unpacked") || !strings.Contains(out, dir) || !strings.Contains(out, extension.Version()) {
		t.Errorf("install: %d %s", exit, out)
	}
	if out, warned, exit = run("extension", "path"); exit != 0 || warned != "" || strings.TrimSpace(out) != dir {
		t.Errorf("path: %d %q %q", exit, out, warned)
	}
	if out, _, _ = run("extension", "install", "--json"); !strings.Contains(out, `"previous":"`+extension.Version()) || !strings.Contains(out, `"id":"`+extension.ID()) {
		t.Errorf("install again: %s", out)
	}

	manifest := filepath.Join(dir, "manifest.json")
	text, err := os.ReadFile(manifest)
	if err != nil {
		t.Fatal(err)
	}
	localtest.WriteFile(t, manifest, strings.ReplaceAll(string(text), extension.Version(), "0.9.0-00000000"), 0o600)
	if _, warned, _ = run("extension", "path"); !strings.Contains(warned, "0.9.0-00000000") {
		t.Errorf("path with an older extension: %q", warned)
	}
	if out, _, _ = run("extension", "install"); !strings.Contains(out, "reload button") {
		t.Errorf("install over an older extension: %s", out)
	}

	localtest.WriteFile(t, manifest, "{}", 0o600)
	if _, failed, exit := run("extension", "install"); exit == 0 || !strings.Contains(failed, dir) {
		t.Errorf("install over other files: %d %q", exit, failed)
	}
}
