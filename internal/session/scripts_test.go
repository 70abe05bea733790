package session_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/cdptest"
)

// TestInitScriptOption checks that --init-script runs before the session's first page, that a file that has changed takes
// the place of what it was, and that a file with an error changes nothing.
func TestInitScriptOption(t *testing.T) {
	t.Parallel()
	site, c := cdptest.NewSite(t), connect(t)
	file := func(name, text string) string {
		path := filepath.Join(c.env["HOME"], name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	one, bad := file("one.js", "window.one = 1"), file("bad.js", "\n  window.bad = (")
	if _, err := c.run(t.Context(), "open --init-script "+bad+" "+site.URL("/small")); api.CodeOf(err) != api.InvalidArgument || !strings.Contains(err.Error(), "line 2, column 17") {
		t.Errorf("a syntax error at the start: %v", err)
	}
	c.must(t, "open --init-script "+one+" "+site.URL("/small"))
	if got := c.must(t, "eval window.one").Text; got != "1" {
		t.Errorf("the first page has %s", got)
	}
	c.must(t, "addinitscript window.two=2")
	c.must(t, "get title --init-script "+one)
	if got := c.must(t, "initscripts").Text; strings.Count(got, "\n") != 1 {
		t.Errorf("the same option again:\n%s", got)
	}
	file("one.js", "window.one = 11")
	c.must(t, "open --init-script "+one+" "+site.URL("/small"))
	if got := c.must(t, "eval [one,two].join()").Text; got != `"11,2"` {
		t.Errorf("a changed file: %s", got)
	}
	for _, name := range []string{bad, filepath.Join(c.env["HOME"], "none.js")} {
		if _, err := c.run(t.Context(), "get title --init-script "+name); err == nil {
			t.Errorf("%s is accepted", name)
		}
	}
	c.must(t, "reload")
	if got := c.must(t, "eval [one,two].join()").Text; got != `"11,2"` {
		t.Errorf("after errors: %s", got)
	}
	c.must(t, "get title --enable react-devtools")
	c.must(t, "reload")
	if got := c.must(t, "eval typeof(__REACT_DEVTOOLS_GLOBAL_HOOK__)").Text; got != `"object"` {
		t.Errorf("the hook: %s", got)
	}
}

// TestInitScriptsInStealth checks that a syntax error is found without Runtime.enable, and that nothing of the script runs.
func TestInitScriptsInStealth(t *testing.T) {
	t.Parallel()
	site, c := cdptest.NewSite(t), connect(t)
	c.must(t, "open --stealth "+site.URL("/small"))
	for _, script := range []string{"const(a)", "if(1"} {
		if _, err := c.run(t.Context(), "addinitscript "+script); api.CodeOf(err) != api.InvalidArgument || !strings.Contains(err.Error(), "line 1, column ") {
			t.Errorf("%s: %v", script, err)
		}
	}
	for range 2 { // the same names
		c.must(t, "addinitscript window.runs=1")
	}
}

// TestInitScriptsOverOutage checks that init scripts run in documents that load over the connection after a lost one.
func TestInitScriptsOverOutage(t *testing.T) {
	t.Parallel()
	site := cdptest.NewSite(t)
	c, proxy, _ := attach(t, site.URL("/small"))
	c.must(t, "addinitscript window.runs=(window.runs??0)+1")
	proxy.Refuse()
	eventually(t, "the outage is known", isDown(c, t))
	if err := proxy.Allow(); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the connection is back", func() bool { return !isDown(c, t)() })
	c.must(t, "open "+site.URL("/small"))
	if got := c.must(t, "eval window.runs").Text; got != "1" {
		t.Errorf("it ran %s times", got)
	}
	c.must(t, "removeinitscript 1")
	c.must(t, "reload")
	if got := c.must(t, "eval typeof(runs)").Text; got != `"undefined"` {
		t.Errorf("after removeinitscript: %s", got)
	}
}
