package session_test

import (
	"strings"
	"testing"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/cdptest"
	"github.com/usher-browser/usher/internal/config"
	"github.com/usher-browser/usher/internal/program"
	"github.com/usher-browser/usher/internal/session"
	"github.com/usher-browser/usher/internal/verb"
)

// call runs a command by name, in a tab that need not be the active one.
func (c *client) call(t *testing.T, tab, name string, values verb.Values) (text string, err error) {
	t.Helper()
	call, err := program.Table().NewCall(name, values, verb.Usher)
	if err != nil {
		t.Fatal(err)
	}
	env := func(name string) (string, bool) { value, ok := c.env[name]; return value, ok }
	settings, err := config.Load(config.Source{Mode: verb.Usher, Env: env, Cwd: c.env["HOME"], Flags: call.Globals})
	if err != nil {
		t.Fatal(err)
	}
	res, err := c.registry.Run(t.Context(), session.Command{
		Call: call, Settings: settings, Tab: tab, Cwd: c.env["HOME"], Env: env, Stdin: strings.NewReader(""), Artifacts: c.env["HOME"],
	})
	return res.Text, err
}

// TestCallInATab runs commands by name in a tab that is not active: they act and report there, and the active tab stays the same.
func TestCallInATab(t *testing.T) {
	t.Parallel()
	site, c := cdptest.NewSite(t), connect(t)
	c.must(t, "open "+site.URL("/settle"))
	c.must(t, "snapshot -c --reader=r")
	c.must(t, "tab new "+site.URL("/small"))

	if text, err := c.call(t, "t1", "get url", nil); err != nil || !strings.HasSuffix(text, "/settle") {
		t.Errorf("get url in t1: %q, %v", text, err)
	}
	text, err := c.call(t, "t1", "click", verb.Values{"selector": {"#now"}, "changes": {"delta"}, "reader": {"r"}})
	if err != nil || !strings.Contains(text, `now`) || strings.Contains(text, "whole outline") {
		t.Errorf("click in t1: %q, %v", text, err)
	}
	if text := c.must(t, "get url").Text; !strings.HasSuffix(text, "/small") {
		t.Errorf("the active tab shows %s", text)
	}
	// A link that opens a tab makes that tab active, as without a tab argument.
	if text, err := c.call(t, "t1", "click", verb.Values{"selector": {"#tab"}, "changes": {"delta"}}); err != nil || !strings.Contains(text, "now active") ||
		!strings.Contains(text, `button "Go on"`) {
		t.Errorf("click on a link to a tab in t1: %q, %v", text, err)
	}
	if _, err := c.call(t, "t9", "get url", nil); api.CodeOf(err) != api.TabNotFound {
		t.Errorf("get url in t9: %v", err)
	}
}
