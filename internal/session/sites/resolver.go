// Package sites has what the site guard of sessions learns from outside: the addresses of names, which servers are
// debugging endpoints, and the hosts in blocklist files. Each is cached.
package sites

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"sync"
	"time"
)

// Resolver resolves names and caches the results, because a page's URL is checked before and after each command.
type Resolver struct {
	// Ask resolves a name; nil uses the system.
	Ask func(ctx context.Context, host string) ([]netip.Addr, error)

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

// Lookup returns the addresses of a host.
func (r *Resolver) Lookup(ctx context.Context, host string) ([]netip.Addr, error) {
	r.mu.Lock()
	a, ok := r.known[host]
	r.mu.Unlock()
	if ok && time.Since(a.at) < lookupTTL {
		return a.addresses, nil
	}
	ctx, cancel := context.WithTimeout(ctx, resolveLimit)
	defer cancel()
	ask := r.Ask
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
