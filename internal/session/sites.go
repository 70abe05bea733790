package session

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strings"
	"sync"
	"time"

	"github.com/usher-browser/usher/internal/config"
	"github.com/usher-browser/usher/internal/files"
	"github.com/usher-browser/usher/internal/policy"
)

// guardOn reports whether the site guard is on: it was requested, or sites to block were given.
func guardOn(set *config.Settings) bool {
	if set.Given("site-guard") {
		return set.Bool("site-guard")
	}
	return set.Bool("blocklist") && (set.Given("blocked-sites") || set.Given("blocked-sites-file"))
}

// sites returns the site guard for a command, nil if it is off.
func (s *Session) sites(ctx context.Context, cmd Command) *policy.Sites {
	set := guardSettings(cmd)
	if !guardOn(set) {
		return nil
	}
	here, proxied := s.location(cmd.Settings)
	out := &policy.Sites{Private: here || set.Bool("allow-private-urls"), Proxied: proxied, Resolve: s.reg.names.lookup, Debugger: s.reg.debugger(here)}
	if set.Bool("blocklist") {
		list, err := s.reg.blocklists.of(ctx, set)
		out.Blocked, out.BlocklistErr = list, err
	}
	return out
}

// guardSettings returns the settings of the guard.
func guardSettings(cmd Command) *config.Settings {
	if cmd.Guard != nil {
		return cmd.Guard
	}
	return cmd.Settings
}

// location reports whether the session's browser runs on this machine, so that its internal addresses are the user's, and
// whether a proxy resolves host names for it.
func (s *Session) location(set *config.Settings) (here, proxied bool) {
	o := launchOptionsOf(set)
	if h, _ := s.browserContext(); h != nil {
		o = h.options
	}
	t := o.traits()
	return !t.Remote, t.Proxied
}

// resolver resolves names and caches the results, because a page's URL is checked before and after each command.
type resolver struct {
	ask func(ctx context.Context, host string) ([]netip.Addr, error)

	mu    sync.Mutex
	known map[string]answer // guarded by mu
}

type answer struct {
	addresses []netip.Addr
	at        time.Time
}

// How long lookups may take, how long an answer is cached, and how many are cached.
const (
	resolveLimit = 5 * time.Second
	lookupTTL    = 30 * time.Second
	maxAnswers   = 2000
)

func (r *resolver) lookup(ctx context.Context, host string) ([]netip.Addr, error) {
	r.mu.Lock()
	a, ok := r.known[host]
	r.mu.Unlock()
	if ok && time.Since(a.at) < lookupTTL {
		return a.addresses, nil
	}
	ctx, cancel := context.WithTimeout(ctx, resolveLimit)
	defer cancel()
	ask := r.ask
	if ask == nil {
		ask = func(ctx context.Context, host string) ([]netip.Addr, error) {
			return net.DefaultResolver.LookupNetIP(ctx, "ip", host)
		}
	}
	addresses, err := ask(ctx, host)
	if err != nil {
		return nil, plainDNS(err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.known == nil || len(r.known) >= maxAnswers {
		r.known = map[string]answer{}
	}
	r.known[host] = answer{addresses, time.Now()}
	return addresses, nil
}

// plainDNS returns the error of a lookup without the address of the name server.
func plainDNS(err error) error {
	var dns *net.DNSError
	switch {
	case !errors.As(err, &dns):
		return err
	case dns.IsNotFound:
		return errors.New("no such host")
	case dns.IsTimeout:
		return errors.New("the DNS server does not answer")
	}
	return errors.New("the DNS lookup failed")
}

// blocklists caches the last blocklist that was read, while its files are unchanged.
type blocklists struct {
	mu   sync.Mutex
	key  string            // guarded by mu
	list *policy.Blocklist // guarded by mu
}

// maxList bounds a blocklist file, in bytes.
const maxList = 32 << 20

// of returns the blocklist of the settings. An unreadable file or an invalid line is an error: an incomplete list would
// not block what the user expects.
func (b *blocklists) of(ctx context.Context, set *config.Settings) (*policy.Blocklist, error) {
	hosts, paths := set.List("blocked-sites"), set.List("blocked-sites-file")
	if len(hosts)+len(paths) == 0 {
		return nil, nil
	}
	where := set.Value("blocked-sites").Where
	parts := append([]string{where}, hosts...)
	for _, path := range paths {
		fi, err := files.Stat(ctx, path)
		if err != nil {
			return nil, err
		}
		parts = append(parts, fmt.Sprint(path, fi.Size(), fi.ModTime().UnixNano()))
	}
	key := joinKey(parts...)
	b.mu.Lock()
	defer b.mu.Unlock()
	if key == b.key && b.list != nil {
		return b.list, nil
	}
	list := &policy.Blocklist{}
	for _, h := range hosts {
		if err := list.Add(where, h); err != nil {
			return nil, err
		}
	}
	for _, path := range paths {
		text, err := files.Read(ctx, path, maxList)
		if err != nil {
			return nil, err
		}
		if err := list.Add(path, strings.Split(string(text), "\n")...); err != nil {
			return nil, err
		}
	}
	b.key, b.list = key, list
	return list, nil
}
