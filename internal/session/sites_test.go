package session

import (
	"context"
	"net/netip"
	"strings"
	"testing"

	"github.com/usher-browser/usher/internal/browserhost"
	"github.com/usher-browser/usher/internal/config"
	"github.com/usher-browser/usher/internal/policy"
	"github.com/usher-browser/usher/internal/session/host"
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

// browserAt is a browser of which only the address is known.
type browserAt struct {
	browserhost.Browser
	address string
}

func (b browserAt) Address() string { return b.address }

// TestOwnEndpointsAreKnown: the endpoint of a browser in use is refused by its address alone, even if its answer looks
// harmless. For an attached browser on another machine, its loopback address there is refused, too.
func TestOwnEndpointsAreKnown(t *testing.T) {
	t.Parallel()
	r := NewRegistry(Options{})
	r.hosts = []*host.Host{{Browser: browserAt{address: "ws://192.168.1.4:9222/devtools/browser/x"}}, {Browser: browserAt{}},
		{Browser: browserAt{address: "wss://browsers.example/session?token=x"}}}
	for _, row := range []struct {
		host, ip string
		port     uint16
		want     bool
	}{
		{"192.168.1.4", "192.168.1.4", 9222, true},
		{"localhost", "127.0.0.1", 9222, true},
		{"farm.example", "192.168.1.4", 9222, true},
		{"farm.example", "::ffff:192.168.1.4", 9222, true},
		{"0.0.0.0", "0.0.0.0", 9222, true},
		{"192.168.1.4", "192.168.1.4", 80, false},
		{"other.example", "93.184.215.14", 9222, false},
		{"browsers.example", "93.184.215.14", 443, true},
		{"BROWSERS.example", "", 443, true},
		{"browsers.example", "93.184.215.14", 80, false},
		{"localhost", "127.0.0.1", 80, false},
	} {
		to := policy.Server{Host: row.host, Port: row.port}
		if row.ip != "" {
			to.Addresses = []netip.Addr{netip.MustParseAddr(row.ip)}
		}
		ctx, cancel := context.WithCancel(t.Context())
		if got := r.debugger(false)(ctx, to); (got != "") != row.want {
			t.Errorf("%s (%s) port %d: %q", row.host, row.ip, row.port, got)
		}
		cancel()
	}
}
