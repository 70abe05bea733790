package local

import (
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/cdptest/localtest"
)

func TestUpgradeMethods(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	localtest.WriteFile(t, filepath.Join(root, "src", "go.mod"), "module github.com/usher-browser/usher\n\ngo 1.26\n", 0o644)
	debian := t.TempDir()
	localtest.WriteFile(t, filepath.Join(debian, "var/lib/dpkg/info/usher.list"), "/.\n/usr/bin/usher\n", 0o644)
	image := t.TempDir()
	localtest.WriteFile(t, filepath.Join(image, ".dockerenv"), "", 0o644)
	localtest.WriteFile(t, filepath.Join(image, "var/lib/dpkg/info/usher.list"), "/usr/bin/usher\n", 0o644)
	installed := &debug.BuildInfo{Main: debug.Module{Path: "github.com/usher-browser/usher", Version: "v1.2.3", Sum: "h1:x"}}
	for _, c := range []struct {
		name, path, root string
		build            *debug.BuildInfo
		method, command  string
	}{
		{"npm", "/usr/lib/node_modules/@usher-browser/linux-x64/bin/usher", root, nil, "npm", "npm install -g usher-browser@latest"},
		{"Homebrew", "/opt/homebrew/Cellar/usher/1.0/bin/usher", root, nil, "brew", "brew upgrade usher"},
		{"deb", "/usr/bin/usher", debian, nil, "deb", "sudo apt install ./usher_VERSION_"},
		{"not of the package", "/usr/local/bin/usher", debian, nil, "archive", "/usr/local/bin/usher"},
		{"source", filepath.Join(root, "src", "bin", "usher"), root, nil, "source", "make -C " + filepath.Join(root, "src") + " build"},
		{"go", "/home/a/go/bin/usher", root, installed, "go", "go install github.com/usher-browser/usher/cmd/usher@latest"},
		{"container", "/usr/bin/usher", image, nil, "container", "docker build"},
		{"copied into a container", "/usr/local/bin/usher", image, nil, "archive", "/usr/local/bin/usher"},
	} {
		req, call := request(t, nil, "upgrade")
		u := &upgrader{req: req, call: call, version: "1.2.3", path: c.path, root: c.root, build: c.build}
		if method, command := u.method(); method != c.method || !strings.Contains(command, c.command) {
			t.Errorf("%s: %s, %s; want %s, %s", c.name, method, command, c.method, c.command)
		}
	}
}

// TestUpgradeShowsNoKey: an error does not show the address, which may contain a key.
func TestUpgradeShowsNoKey(t *testing.T) {
	for _, address := range []string{"http://127.0.0.1:1/latest?token=tok-5f2a9c", "ftp://ada:tok-5f2a9c@127.0.0.1", "http://ada:tok-5f2a9c@127.0.0.1:port/"} {
		if _, err := latestRelease(t.Context(), address); api.CodeOf(err) != api.ExtractFailed || strings.Contains(api.AsError(err).Sentence(), "5f2a9c") {
			t.Errorf("%v", err)
		}
	}
}

func TestUpgradeCheck(t *testing.T) {
	t.Parallel()
	answer := `{"tag_name":"v1.10.0"}`
	asked := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked++
		if r.URL.Path != "/latest" {
			http.NotFound(w, r)
			return
		}
		_, _ = w.Write([]byte(answer))
	}))
	defer server.Close()
	run := func(version, url string, argv ...string) (Upgraded, Output, error) {
		var env []string
		if url != "" {
			env = []string{"USHER_RELEASES_URL=" + server.URL + url}
		}
		req, call := request(t, env, append([]string{"upgrade"}, argv...)...)
		u, err := newUpgrader(version, req, call)
		if err != nil {
			t.Fatal(err)
		}
		out, err := u.run(t.Context())
		data, _ := out.Data.(Upgraded)
		return data, out, err
	}
	if _, _, err := run("1.9.0", "/latest"); err != nil || asked != 0 {
		t.Errorf("without --check: %v, asked %d times", err, asked)
	}
	if data, out, err := run("1.9.0", "", "--check"); err != nil || data.Newer != nil || !strings.Contains(out.Warning, "USHER_RELEASES_URL") {
		t.Errorf("without an address: %+v, %v", out, err)
	}
	for version, newer := range map[string]bool{"1.9.0": true, "1.10.0": false, "1.10.0-dev.5.gabc": true, "1.10.1-dev.1": false, "2.0.0": false} {
		if data, _, err := run(version, "/latest", "--check"); err != nil || data.Latest != "1.10.0" || data.Newer == nil || *data.Newer != newer {
			t.Errorf("%s: %+v, %v; newer: want %t", version, data, err, newer)
		}
	}
	if data, out, err := run("devel", "/latest", "--check"); err != nil || data.Newer != nil || !strings.Contains(out.Text, "cannot be told") {
		t.Errorf("a build without a version: %+v, %v", out, err)
	}
	if _, _, err := run("1.9.0", "/gone", "--check"); api.CodeOf(err) != api.ExtractFailed {
		t.Errorf("an address that is not there: %v", err)
	}
	for _, bad := range []string{`{}`, `[`, `"x"`, `{"version":"2.0.0\n✓ Done"}`, `{"version":"\u001b[31m"}`} {
		answer = bad
		if _, _, err := run("1.9.0", "/latest", "--check"); api.CodeOf(err) != api.ExtractFailed {
			t.Errorf("the answer %s: %v", bad, err)
		}
	}
}
