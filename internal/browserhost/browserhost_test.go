package browserhost

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/cdptest"
	"github.com/usher-browser/usher/internal/chrome"
	"github.com/usher-browser/usher/internal/supervisor/link"
	"github.com/usher-browser/usher/internal/supervisor/model"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestTraits(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		options Options
		want    Traits
	}{
		"nothing":              {Options{}, Traits{}},
		"windows":              {Options{Options: chrome.Options{Headed: true}}, Traits{Headed: true}},
		"a profile":            {Options{Options: chrome.Options{ProfileDir: "/p"}}, Traits{Profile: true}},
		"a port":               {Options{Options: chrome.Options{DebugPort: "0"}}, Traits{DebugPort: true}},
		"a port by switch":     {Options{Options: chrome.Options{Args: []string{"--remote-debugging-port=1"}}}, Traits{DebugPort: true}},
		"a proxy":              {Options{Options: chrome.Options{Proxy: "http://p"}}, Traits{Proxied: true}},
		"a proxy by switch":    {Options{Options: chrome.Options{Args: []string{"--proxy-pac-url=x"}}}, Traits{Proxied: true}},
		"one that runs":        {Options{CDP: "9222"}, Traits{Attached: true}},
		"whichever runs":       {Options{AutoConnect: true}, Traits{Attached: true}},
		"on another machine":   {Options{CDP: "http://192.168.1.4:9222"}, Traits{Attached: true, Remote: true}},
		"that, behind a proxy": {Options{CDP: "ws://b.example/x", Options: chrome.Options{Proxy: "http://p"}}, Traits{Attached: true, Remote: true, Proxied: true}},
	} {
		if got := New(c.options).Traits(); got != c.want {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
}

// launchOptions are for a browser that is launched in a test.
func launchOptions(t *testing.T) Options {
	t.Helper()
	o := Options{Options: chrome.Options{Executable: cdptest.Chromium(t)}}
	if os.Geteuid() == 0 {
		o.Args = []string{"--no-sandbox"}
	}
	return o
}

func connect(t *testing.T, o Options) Browser {
	t.Helper()
	b, err := New(o).Connect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), cdptest.Timeout)
		defer cancel()
		_ = b.Conn().Close() // the test may have done that
		if err := b.Close(ctx); err != nil {
			t.Errorf("close the browser: %v", err)
		}
	})
	return b
}

// TestLaunchedBrowserHasNoAddress: it is driven over a pipe, and exits when that is closed.
func TestLaunchedBrowserHasNoAddress(t *testing.T) {
	t.Parallel()
	b := connect(t, launchOptions(t))
	if b.Address() != "" || b.Conn().Capabilities().BrowserOutlives {
		t.Errorf("it is at %q", b.Address())
	}
	if p := b.Process(); p.PID == 0 || p.Product == "" || p.Executable == "" {
		t.Errorf("its process is %+v", p)
	}
	if exit, ended := b.Exit(0); ended {
		t.Errorf("it %s", exit.How)
	}
	if err := b.Conn().Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Redial(t.Context()); !errors.Is(err, link.ErrRefused) {
		t.Errorf("connected again to what has exited: %v", err)
	}
	if exit, ended := b.Exit(cdptest.Timeout); !ended || exit != (Exit{How: "exited with code 0"}) {
		t.Errorf("its pipe was closed: ended %v, %+v", ended, exit)
	}
}

// TestAttachedBrowserKeepsRunning: an attached browser keeps running after Close. Redial distinguishes it from another
// browser at the port, and from no browser.
func TestAttachedBrowserKeepsRunning(t *testing.T) {
	t.Parallel()
	o := launchOptions(t)
	o.DebugPort = "0"
	theirs := connect(t, o)
	b := connect(t, Options{CDP: theirs.Address()})
	if !b.Conn().Capabilities().BrowserOutlives || b.Address() != theirs.Address() || b.Process() != (Process{}) {
		t.Errorf("it is at %q with %+v, the other at %q", b.Address(), b.Process(), theirs.Address())
	}
	if err := errors.Join(b.Conn().Close(), b.Close(t.Context())); err != nil {
		t.Fatal(err)
	}
	again, err := b.Redial(t.Context())
	if err != nil {
		t.Fatalf("it runs on, and cannot be reached again: %v", err)
	}
	_ = again.Close() // only that it came matters
	if exit, ended := theirs.Exit(0); ended {
		t.Fatalf("it %s", exit.How)
	}
	at, _, _ := strings.Cut(theirs.Address(), "/devtools/")
	other := line{socket: at + "/devtools/browser/7b3a6c5e-0000-4000-8000-000000000000"} // a browser that was at the port before
	if _, err := other.Redial(t.Context()); !errors.Is(err, model.ErrOtherBrowser) {
		t.Errorf("another browser at the port: %v", err)
	}
	if err := theirs.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Redial(t.Context()); !errors.Is(err, link.ErrRefused) {
		t.Errorf("nobody at the port: %v", err)
	}
	if _, ended := b.Exit(time.Hour); ended {
		t.Error("it tells how a browser ended that is not its own")
	}
}

// TestConnectErrors: each failure has its code.
func TestConnectErrors(t *testing.T) {
	t.Parallel()
	missing := launchOptions(t)
	missing.Executable = "/nowhere/chromium"
	refused := launchOptions(t)
	refused.Args = append(refused.Args, "--user-data-dir=/tmp")
	late, cancel := context.WithTimeout(t.Context(), 0)
	defer cancel()
	for name, c := range map[string]struct {
		ctx     context.Context
		options Options
		want    api.Code
	}{
		"no browser":      {t.Context(), missing, api.BrowserNotFound},
		"a switch":        {t.Context(), refused, api.LaunchFailed},
		"no time":         {late, launchOptions(t), api.Timeout},
		"nobody there":    {t.Context(), Options{CDP: "http://127.0.0.1:1"}, api.AttachFailed},
		"no address":      {t.Context(), Options{CDP: "gopher://x"}, api.AttachFailed},
		"nobody answered": {t.Context(), Options{CDP: "ws://127.0.0.1:1/devtools/browser/x"}, api.AttachFailed},
	} {
		if _, err := New(c.options).Connect(c.ctx); api.CodeOf(err) != c.want {
			t.Errorf("%s: %v, want %s", name, err, c.want)
		}
	}
}
