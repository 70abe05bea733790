package session_test

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/cdptest"
	"github.com/usher-browser/usher/internal/wire"
)

// limited is a connection to a real browser that refuses some methods with Chromium's error for unknown ones.
type limited struct {
	wire.Conn
	can     wire.Capabilities
	refuses string // part of the methods' names
	refused *atomic.Int64
}

func (c *limited) Capabilities() wire.Capabilities { return c.can }

func (c *limited) Write(msg []byte) error {
	if name := []byte(c.refuses); bytes.Contains(msg, name) {
		c.refused.Add(1)
		msg = bytes.Replace(msg, name, []byte("unknown"), 1)
	}
	return c.Conn.Write(msg)
}

// connectLimited returns a registry whose connections lack the capabilities that change removes, and refuse the
// corresponding methods. It counts the refusals. If change removes nothing, the connections claim capabilities that
// they lack.
func connectLimited(t *testing.T, refuses string, change func(*wire.Capabilities)) (*client, *atomic.Int64) {
	t.Helper()
	c, refused := connect(t), &atomic.Int64{}
	c.registry.Through(func(w wire.Conn) wire.Conn {
		l := &limited{Conn: w, can: w.Capabilities(), refuses: refuses, refused: refused}
		change(&l.can)
		return l
	})
	return c, refused
}

// TestConnectionWithoutContexts: a session has the default context for itself, because another session would share its
// cookies.
func TestConnectionWithoutContexts(t *testing.T) {
	site := cdptest.NewSite(t)
	c, refused := connectLimited(t, "BrowserContext\"", func(can *wire.Capabilities) { can.Contexts = false })
	c.must(t, "--session one open "+site.URL("/small"))
	c.must(t, "--session one eval document.cookie='mine=1'")
	c.must(t, "--session two open "+site.URL("/small"))
	if got := c.must(t, "--session two eval document.cookie").Text; strings.Contains(got, "mine") {
		t.Errorf("the second session has the cookies %s of the first", got)
	}
	browsers := c.registry.Browsers()
	if len(browsers) != 2 {
		t.Errorf("%d browsers for two sessions", len(browsers))
	}
	c.must(t, "--session one tab new "+site.URL("/small?second"))
	if got := c.must(t, "--session one get url").Text; got != site.URL("/small?second") || len(browsers[0].State().Tabs) != 2 {
		t.Errorf("the page is %s, of %d tabs", got, len(browsers[0].State().Tabs))
	}
	c.must(t, "--session one close")
	if n := len(c.registry.Names("")); n != 1 {
		t.Errorf("%d sessions are left", n)
	}
	if n := refused.Load(); n != 0 {
		t.Errorf("the connection was asked for contexts %d times", n)
	}

	c, refused = connectLimited(t, "BrowserContext\"", func(*wire.Capabilities) {})
	var failed *api.Error
	if _, err := c.run(t.Context(), "open "+site.URL("/small")); !errors.As(err, &failed) || failed.Code != api.LaunchFailed || !strings.Contains(err.Error(), "browser context") {
		t.Errorf("a connection that claims contexts and refuses them: %v", err)
	}
	if refused.Load() == 0 {
		t.Error("it was not asked for a context")
	}
}

// TestConnectionWithoutDownloads: pages work, and commands that need downloads are refused at once.
func TestConnectionWithoutDownloads(t *testing.T) {
	site := cdptest.NewSite(t)
	c, refused := connectLimited(t, "setDownloadBehavior", func(can *wire.Capabilities) { can.Downloads = false })
	c.must(t, "open "+site.URL("/download"))
	for _, line := range []string{"download #attachment " + filepath.Join(t.TempDir(), "got.csv"), "wait --download"} {
		var failed *api.Error
		if _, err := c.run(t.Context(), line); !errors.As(err, &failed) || failed.Code != api.Unsupported {
			t.Errorf("%s: %v", line, err)
		}
	}
	if got := c.must(t, "get url").Text; got != site.URL("/download") {
		t.Errorf("the page is %s", got)
	}
	if n := refused.Load(); n != 0 {
		t.Errorf("the connection was asked %d times where downloads go", n)
	}
}

// TestBrowserThatEndsWithItsConnection: if the browser does not outlive its connection, usher does not reconnect.
func TestBrowserThatEndsWithItsConnection(t *testing.T) {
	site := cdptest.NewSite(t)
	chromium := cdptest.Launch(t)
	proxy := cdptest.NewProxy(t, chromium.Port)
	c, _ := connectLimited(t, "nothing at all", func(can *wire.Capabilities) { can.BrowserOutlives = false })
	c.must(t, fmt.Sprintf("open %s --cdp %d", site.URL("/small"), proxy.Port))
	watched := c.registry.Browsers()[0]
	proxy.Cut()
	<-watched.Done()
	if s := watched.State(); s.Closed == nil || s.Outage != nil {
		t.Errorf("closed %v, outage %+v", s.Closed, s.Outage)
	}
	var failed *api.Error
	if _, err := c.run(t.Context(), "get title"); !errors.As(err, &failed) || failed.Code != api.BrowserCrashed {
		t.Errorf("a command behind the end: %v", err)
	}
}
