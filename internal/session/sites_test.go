package session

import (
	"context"
	"errors"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/usher-browser/usher/internal/config"
	"github.com/usher-browser/usher/internal/policy"
	"github.com/usher-browser/usher/internal/verb"
)

func settingsOf(t *testing.T, words ...string) *config.Settings {
	t.Helper()
	call, err := table().Parse(append([]string{"open"}, words...), verb.Usher)
	if err != nil {
		t.Fatal(err)
	}
	set, err := config.Load(config.Source{Mode: verb.Usher, Env: func(name string) (string, bool) { return "", false }, Flags: call.Globals})
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// TestGuards: the guard is on if it is requested, or if blocked sites are given, unless it is switched off.
func TestGuards(t *testing.T) {
	t.Parallel()
	for words, want := range map[string]bool{
		"": false, "--site-guard": true, "--site-guard=false": false, "--blocked-sites a.example": true, "--blocked-sites a.example --site-guard=false": false,
		"--blocked-sites a.example --blocklist=false": false, "--blocked-sites a.example --blocklist=false --site-guard": true, "--allow-private-urls": false,
	} {
		if got := guardOn(settingsOf(t, strings.Fields(words)...)); got != want {
			t.Errorf("%s: %v", words, got)
		}
	}
}

func TestResolverCaches(t *testing.T) {
	t.Parallel()
	asked := 0
	r := resolver{ask: func(_ context.Context, host string) ([]netip.Addr, error) {
		asked++
		if host == "gone.example" {
			return nil, errors.New("no such host")
		}
		return []netip.Addr{netip.MustParseAddr("93.184.215.14")}, nil
	}}
	for range 3 {
		if a, err := r.lookup(t.Context(), "example.com"); err != nil || len(a) != 1 {
			t.Fatal(a, err)
		}
	}
	if asked != 1 {
		t.Errorf("asked %d times", asked)
	}
	for range 2 { // failures are not cached
		if _, err := r.lookup(t.Context(), "gone.example"); err == nil {
			t.Error("no failure")
		}
	}
	if asked != 3 {
		t.Errorf("asked %d times, failures included", asked)
	}
}

// TestBlocklistFollowsItsFile: a blocklist is read again only after its file has changed.
func TestBlocklistFollowsItsFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "blocked.txt")
	write := func(text string) {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("one.example\n")
	set := settingsOf(t, "--blocked-sites", "named.example", "--blocked-sites-file", path)
	var lists blocklists
	first, err := lists.of(t.Context(), set)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := lists.of(t.Context(), set); err != nil || again != first {
		t.Errorf("read again: %v", err)
	}
	write("one.example\ntwo.example\n")
	second, err := lists.of(t.Context(), set)
	if err != nil {
		t.Fatal(err)
	}
	for _, host := range []string{"named.example", "one.example", "two.example"} {
		if _, _, found := second.Match(host); !found {
			t.Errorf("%s is not on the list", host)
		}
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	list, err := lists.of(t.Context(), set)
	if err == nil {
		t.Fatal("a list that is gone was read")
	}
	if r := (&policy.Sites{Blocked: list, BlocklistErr: err, Private: true}).Open(t.Context(), "http://127.0.0.1/"); r == nil || r.Rule != policy.RuleBroken {
		t.Errorf("with a broken list: %v", r)
	}
}
