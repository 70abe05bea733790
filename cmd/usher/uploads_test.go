package main

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// TestUploadsOutsideOfTheRoots: neither a working directory that contains everything, nor a client's roots, nor the
// temporary directory give a page files that were not meant for it, by any way of uploading.
func TestUploadsOutsideOfTheRoots(t *testing.T) {
	page := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write([]byte(`<input type=file id=f multiple><input type=file id=d webkitdirectory><button id=b onclick="f.click()">choose</button>`))
	}))
	t.Cleanup(page.Close)
	a, shell := connectAgent(t, nil)
	shell("mcp", "http")
	shell("--session", "shared", "open", page.URL)
	home := filepath.Dir(a.home)
	write := func(path string) string {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	elsewhere := write(filepath.Join(t.TempDir(), "elsewhere", "a.txt")) // outside of the home and its temporary directory
	open, hidden := write(filepath.Join(home, "work", "a.txt")), write(filepath.Join(home, "work", ".env"))
	token := filepath.Join(a.home, "mcp-token")
	hard, link := filepath.Join(home, "work", "hard.txt"), filepath.Join(home, "work", "link.txt")
	if err := os.Link(token, hard); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(token, link); err != nil {
		t.Fatal(err)
	}
	profiles, err := filepath.Glob(filepath.Join(home, "t", "usher-*", "p*", "profile", "Local State"))
	if err != nil || len(profiles) == 0 {
		t.Fatalf("the browser's profile is not there: %v", err)
	}
	in := func(dir string, argv ...string) (string, bool) {
		cmd := a.command(append([]string{"--json", "--session", "shared"}, argv...)...)
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		return string(out), err == nil
	}
	for _, dir := range []string{"/", "/etc", "/usr", filepath.Dir(home), filepath.Dir(filepath.Dir(elsewhere))} {
		for _, path := range []string{"/etc/passwd", hidden, token, hard, link, profiles[0], filepath.Dir(hidden)} {
			for _, guard := range []string{"--site-guard=false", "--site-guard"} {
				if out, ok := in(dir, guard, "upload", "#f", path); ok || !strings.Contains(out, "file_not_allowed") && !strings.Contains(out, "file_protected") {
					t.Errorf("in %s, %s upload %s: %s", dir, guard, path, out)
				}
			}
		}
		if out, ok := in(dir, "upload", "#f", open); !ok {
			t.Errorf("in %s, a file of the home: %s", dir, out)
		}
	}
	for _, dir := range []string{"/", filepath.Dir(home)} {
		if out, ok := in(dir, "upload", "#f", elsewhere); ok || !strings.Contains(out, "file_not_allowed") {
			t.Errorf("in %s: %s", dir, out)
		}
	}
	if out, ok := in(filepath.Dir(elsewhere), "upload", "#f", elsewhere); !ok {
		t.Errorf("a file of the working directory: %s", out)
	}
	// What was allowed by name goes, but never what usher keeps to itself.
	if out, ok := in("/", "--site-guard", "--upload-root", hidden, "upload", "#f", hidden); !ok {
		t.Errorf("a hidden file allowed by name: %s", out)
	}
	if out, ok := in("/", "--site-guard", "--upload-root", filepath.Dir(hidden), "upload", "#f", hidden); ok {
		t.Errorf("a hidden file below what was allowed: %s", out)
	}
	if out, ok := in("/", "--upload-root", "/", "upload", "#f", token); ok || !strings.Contains(out, "file_protected") {
		t.Errorf("the token, with everything allowed: %s", out)
	}
	// By hand, too: neither is among the calls that are let through.
	for method, params := range map[string]string{
		"DOM.setFileInputFiles":       `{"files":["/etc/passwd"],"nodeId":1}`,
		"Browser.setDownloadBehavior": `{"behavior":"allow","downloadPath":"` + filepath.Join(home, ".config", "autostart") + `"}`,
	} {
		if out, ok := in("/", "--site-guard", "cdp", method, params); ok || !strings.Contains(out, "method_refused") {
			t.Errorf("by hand %s: %s", method, out)
		}
	}
	// A client that names its roots has files of those given away, and no others: through a chooser here.
	client := newClient(t, "test", nil)
	//nolint:staticcheck // clients still tell their roots
	client.AddRoots(&mcp.Root{URI: "file://" + filepath.Dir(elsewhere)}, &mcp.Root{URI: "file://" + a.dir})
	write(filepath.Join(a.dir, "accept")) // what browser_dialog says to a chooser is no name of a file
	rooted := agent{ClientSession: connectTo(t, client, a), t: t}
	shell("--session", "shared", "reload")
	if out, ok := in("/", "click", "#b"); !ok {
		t.Fatalf("click: %s", out)
	}
	listed, _ := in("/", "interrupt", "list")
	_, id, found := strings.Cut(listed, `"id":"`)
	if id, _, _ = strings.Cut(id, `"`); !found {
		t.Fatalf("no chooser is open: %s", listed)
	}
	if got := rooted.call("browser_dialog", map[string]any{"action": "accept", "dialog_id": id}); got["code"] != "invalid_argument" {
		t.Errorf("an agent gives the file accept: %v", got)
	}
	for path, want := range map[string]any{open: false, hidden: false, token: false, elsewhere: true} {
		shell("--session", "shared", "reload")
		got := rooted.call("browser_upload", map[string]any{"ref": "#b", "paths": []string{path}})
		if got["success"] != want {
			t.Errorf("an agent gives %s: %v", path, got)
		}
		if want == false && got["code"] != "file_not_allowed" && got["code"] != "file_protected" {
			t.Errorf("an agent gives %s: %v", path, got)
		}
	}
	shell("daemon", "stop")
}
