package session_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/cdptest"
)

// TestInspectInAWindow: a headed browser opens DevTools itself, nothing listens, and the window is no tab of the session.
func TestInspectInAWindow(t *testing.T) {
	c := connect(t)
	c.env["USHER_ARGS"] += ",--ozone-platform=headless" // the display need not exist
	c.env["DISPLAY"], c.env["XDG_RUNTIME_DIR"] = ":77", t.TempDir()
	c.must(t, "open "+cdptest.NewSite(t).URL("/small")+" --headed")
	got := fields(t, c.must(t, "inspect"))
	if got["opened"] != true || !strings.HasPrefix(got["url"].(string), "devtools://") || got["listUrl"] != nil {
		t.Errorf("inspect: %v", got)
	}
	if tabs := c.must(t, "tab list").Text; strings.Count(tabs, "\n") != 0 {
		t.Errorf("DevTools is a tab of the session:\n%s", tabs)
	}
	if got := fields(t, c.must(t, "inspect --serve")); got["opened"] != false || !strings.HasPrefix(got["url"].(string), "http://127.0.0.1:") {
		t.Errorf("inspect --serve: %v", got)
	}
}

// TestInspectEnds: DevTools is served until the session ends, and not under the site guard.
func TestInspectEnds(t *testing.T) {
	c := connect(t)
	c.must(t, "open "+cdptest.NewSite(t).URL("/small"))
	if _, err := c.run(t.Context(), "inspect --site-guard"); api.CodeOf(err) != api.GuardRefused {
		t.Errorf("under the site guard: %v", err)
	}
	url := fields(t, c.must(t, "inspect"))["url"].(string)
	res, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	if res.StatusCode != http.StatusOK {
		t.Errorf("the address answers %s", res.Status)
	}
	http.DefaultClient.CloseIdleConnections()
	c.must(t, "close")
	if res, err := http.Get(url); err == nil {
		res.Body.Close()
		t.Errorf("after the end of the session the address answers %s", res.Status)
	}
}
