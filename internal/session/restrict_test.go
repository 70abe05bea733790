package session_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/cdptest"
)

// TestRestrictionsHold: what restricts a session holds from the command on that gives it, also if that one is refused and
// the session has no browser yet, and ends when the session is closed.
func TestRestrictionsHold(t *testing.T) {
	site := cdptest.NewSite(t)
	c := connect(t)
	policy := filepath.Join(t.TempDir(), "policy.json")
	if err := os.WriteFile(policy, []byte(`{"deny": ["navigate"]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	open := "open " + site.URL("/small")
	for name, a := range map[string]struct {
		flags string
		code  api.Code
	}{
		"a policy":        {"--action-policy " + policy, api.ActionDenied},
		"a confirmation":  {"--confirm-actions navigate", api.ConfirmationRequired},
		"allowed domains": {"--allowed-domains x.example", api.DomainNotAllowed},
		"both":            {"--allowed-domains x.example --action-policy " + policy, api.ActionDenied},
	} {
		for _, line := range []string{a.flags + " " + open, open, "diff url " + site.URL("/small") + " " + site.URL("/"), open} {
			if _, err := c.run(t.Context(), line); api.CodeOf(err) != a.code {
				t.Errorf("%s: %s: %v, want %s", name, line, err, a.code)
			}
		}
		if _, err := c.run(t.Context(), "--session other --action-policy "+policy+" "+open); api.CodeOf(err) != api.ActionDenied {
			t.Errorf("%s: another session: %v", name, err)
		}
		c.must(t, "close")
		c.must(t, open)
		c.must(t, "--session other close --all")
		c.must(t, "--session other "+open)
		c.must(t, "close --all")
	}
	// A policy that denied the first command does not hide the list that was given with it.
	if _, err := c.run(t.Context(), "--allowed-domains x.example --action-policy "+policy+" "+open); api.CodeOf(err) != api.ActionDenied {
		t.Error(err)
	}
	if err := os.WriteFile(policy, []byte(`{}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := c.run(t.Context(), open); api.CodeOf(err) != api.DomainNotAllowed {
		t.Errorf("the list: %v", err)
	}
	// A narrower list holds for the browser that runs.
	c.must(t, "close")
	c.must(t, "--allowed-domains 127.0.0.1,localhost "+open)
	if _, err := c.run(t.Context(), "--allowed-domains x.example "+open); api.CodeOf(err) != api.DomainNotAllowed {
		t.Error(err)
	}
	if _, err := c.run(t.Context(), open); api.CodeOf(err) != api.DomainNotAllowed {
		t.Errorf("the narrower list: %v", err)
	}
}

// TestRestrictedSessionsEnd: a session that has restrictions and no browser ends after its idle time.
func TestRestrictedSessionsEnd(t *testing.T) {
	c := connect(t)
	if _, err := c.run(t.Context(), "--idle-timeout 1ms --allowed-domains x.example open http://y.example/"); api.CodeOf(err) != api.DomainNotAllowed {
		t.Fatal(err)
	}
	for until := time.Now().Add(cdptest.Timeout); c.registry.Kept() > 0; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(until) {
			t.Fatal("the session is kept")
		}
	}
}
