package session_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/usher-browser/usher/internal/session/results"
)

// TestStatesExpire starts sessions with and without a limit for the age of saved states.
func TestStatesExpire(t *testing.T) {
	c := connect(t)
	dir := filepath.Join(c.env["HOME"], "state")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	save := func(name string, days int) {
		path, at := filepath.Join(dir, name), time.Now().AddDate(0, 0, -days)
		if err := os.WriteFile(path, []byte(`{"cookies":[],"origins":[]}`), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, at, at); err != nil {
			t.Fatal(err)
		}
	}
	save("fresh.json", 6)
	save("old.json", 8)
	save("login.json", 8)
	save("pool-default.json.enc", 8)
	save("notes.txt", 8)
	left := func() string {
		entries, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, e := range entries {
			names = append(names, e.Name())
		}
		return strings.Join(names, " ")
	}
	all := left()

	res := c.must(t, "open about:blank")
	if res.Warning != "" || left() != all {
		t.Errorf("without a limit %q are left of %q, and the warning is %q", left(), all, res.Warning)
	}
	c.env["USHER_STATE_EXPIRE_DAYS"] = "7"
	if c.must(t, "open about:blank"); left() != all {
		t.Errorf("in a session that has begun %q are left of %q", left(), all)
	}
	c.must(t, "close")

	for _, value := range []string{"-1", "soon"} {
		c.env["USHER_STATE_EXPIRE_DAYS"] = value
		if _, err := c.run(t.Context(), "open about:blank"); err == nil || left() != all {
			t.Errorf("%s days: %v; %q are left of %q", value, err, left(), all)
		}
	}

	c.env["USHER_STATE_EXPIRE_DAYS"] = "7"
	res = c.must(t, "open about:blank --state "+filepath.Join(dir, "login.json")+" --restore=pool")
	if got, want := left(), "fresh.json login.json notes.txt"; got != want {
		t.Errorf("%q are left, want %q", got, want)
	}
	if !strings.Contains(res.Warning, "USHER_STATE_EXPIRE_DAYS") || !strings.Contains(res.Warning, "old.json, pool-default.json.enc") {
		t.Errorf("the warning is %q", res.Warning)
	}
	if res := c.must(t, "open about:blank"); res.Warning != "" {
		t.Errorf("the warning of the next command is %q", res.Warning)
	}
	if got := c.must(t, "close").Data.(*results.Closed).RestoreStatus; got != "missing" {
		t.Errorf("the status of an expired state is %q", got)
	}
}
