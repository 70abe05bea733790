//go:build linux || darwin

package chrome

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/usher-browser/usher/internal/wire"
)

func TestResolveEveryForm(t *testing.T) {
	p := launch(t, Options{ProfileDir: t.TempDir(), DebugPort: "0"})
	want, err := p.DebugURL()
	if err != nil {
		t.Fatal(err)
	}
	u, err := url.Parse(want)
	if err != nil {
		t.Fatal(err)
	}
	for _, address := range []string{
		u.Port(), u.Host, "http://" + u.Host, "http://" + u.Host + "/", "http://" + u.Host + "/json/version", "ws://" + u.Host, want,
		p.ProfileDir(), filepath.Join(p.ProfileDir(), "DevToolsActivePort"),
	} {
		if got, err := Resolve(t.Context(), address, nil); err != nil || got != want {
			t.Errorf("Resolve(%q) = %s, %v; want %s", address, got, err, want)
		}
	}
	// Chromium refuses to be called by a name other than localhost.
	got, err := Resolve(t.Context(), "localhost:"+u.Port(), nil)
	if err != nil || got != strings.Replace(want, "127.0.0.1", "localhost", 1) {
		t.Errorf("by name: %s, %v", got, err)
	}
}

func TestAutoConnectFindsAUsualProfile(t *testing.T) {
	config := t.TempDir()
	t.Setenv("XDG_CONFIG_HOME", config)
	t.Setenv("HOME", t.TempDir())
	p := launch(t, Options{ProfileDir: filepath.Join(config, "chromium-debug"), DebugPort: "0"})
	want, err := p.DebugURL()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(p.ProfileDir(), filepath.Join(config, "google-chrome")); err != nil {
		t.Fatal(err)
	}
	if got, err := AutoConnect(t.Context(), nil); err != nil || got != want {
		t.Errorf("AutoConnect = %s, %v; want %s", got, err, want)
	}
}

func TestAutoConnectSaysWhereItLooked(t *testing.T) {
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	ctx, cancel := context.WithCancel(t.Context())
	cancel() // the ports of this machine are not ours to ask
	_, err := AutoConnect(ctx, nil)
	var attach *AttachError
	if !errors.As(err, &attach) {
		t.Fatal(err)
	}
	for _, want := range []string{"google-chrome", "BraveSoftware", "127.0.0.1:9222", "127.0.0.1:9229", "--remote-debugging-port"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("error lacks %s: %v", want, err)
		}
	}
}

func TestResolveErrorNamesTheServer(t *testing.T) {
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case strings.HasPrefix(r.URL.Path, "/json-but-other"):
			_, _ = w.Write([]byte(`{"hello":1}`))
		case r.Header.Get("X-Key") == "secret":
			_, _ = w.Write([]byte(`{"webSocketDebuggerUrl":"ws://inside:1/devtools/browser/abc?k=v"}`))
		default:
			http.Error(w, "a web shop", http.StatusNotFound)
		}
	}))
	defer other.Close()
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	free := closed.Addr().String()
	if err := closed.Close(); err != nil {
		t.Fatal(err)
	}
	mute, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			c, err := mute.Accept()
			if err != nil {
				return
			}
			_, _ = c.Write([]byte("220 mail.example ESMTP\r\n"))
			_ = c.Close()
		}
	}()
	defer func() { mute.Close(); <-done }()

	host := strings.TrimPrefix(other.URL, "http://")
	stale, foreign := t.TempDir(), t.TempDir()
	for dir, at := range map[string]string{stale: free, foreign: host} {
		_, port, _ := net.SplitHostPort(at)
		if err := os.WriteFile(filepath.Join(dir, activePortFile), []byte(port+"\n/devtools/browser/x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for address, want := range map[string]string{
		"":                             "empty",
		free:                           "connection refused",
		host:                           "404 Not Found",
		other.URL + "/json-but-other":  "names no browser",
		mute.Addr().String():           "nothing answers",
		"ftp://x":                      `scheme "ftp"`,
		"http://":                      "host is missing",
		"http://%zz":                   "not an address",
		"ws://h:1/devtools/page/1":     "a page, not",
		"/no/such/dir":                 "neither an existing profile directory",
		t.TempDir():                    "no DevToolsActivePort file",
		stale:                          "left over",
		foreign:                        "404",
		"http://no-such-host.invalid/": "look up the host",
	} {
		_, err := Resolve(t.Context(), address, nil)
		var attach *AttachError
		if !errors.As(err, &attach) || len(attach.Tried) != 1 || !strings.Contains(err.Error(), want) {
			t.Errorf("Resolve(%q): error lacks %q: %v", address, want, err)
		}
	}
	got, err := Resolve(t.Context(), host, &wire.Access{Header: http.Header{"x-key": {"secret"}}})
	if want := "ws://" + host + "/devtools/browser/abc?k=v"; err != nil || got != want {
		t.Errorf("with a header: %s, %v; want %s", got, err, want)
	}
}

func FuzzParseActivePort(f *testing.F) {
	f.Add("9222\n/devtools/browser/0b7c5b1e-7d3b")
	f.Add("")
	f.Add("70000\n/x")
	f.Add("1\nhttp://evil/")
	f.Fuzz(func(t *testing.T, s string) {
		ws, err := parseActivePort(s)
		if err == nil && !strings.HasPrefix(ws, "ws://127.0.0.1:") {
			t.Errorf("parseActivePort(%q) = %q", s, ws)
		}
	})
}
