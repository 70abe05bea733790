package session

import (
	"context"
	"slices"

	"github.com/usher-browser/usher/internal/config"
	"github.com/usher-browser/usher/internal/policy"
	"github.com/usher-browser/usher/internal/session/host"
	"github.com/usher-browser/usher/internal/session/options"
	"github.com/usher-browser/usher/internal/session/sites"
	"github.com/usher-browser/usher/internal/verb"
)

// guardOn reports whether the site guard is on: it was requested, or sites to block were given.
func guardOn(set *config.Settings) bool {
	if set.Given("site-guard") {
		return set.Bool("site-guard")
	}
	return set.Bool("blocklist") && (set.Given("blocked-sites") || set.Given("blocked-sites-file"))
}

// sites returns the site guard for a command, nil if it is off. Raw CDP calls of a session with allowed domains are under
// it, too.
func (s *Session) sites(ctx context.Context, cmd Command) *policy.Sites {
	set := guardSettings(cmd)
	v := cmd.Call.Verb
	rawCDP := v.Category == verb.CatEval && v.Is(verb.Control)
	if !guardOn(set) && (cmd.domains == nil || !rawCDP) { // the rules for raw CDP calls keep them from leading around allowed domains
		return nil
	}
	here, proxied := s.location(cmd.Settings)
	out := &policy.Sites{Private: here || set.Bool("allow-private-urls"), Proxied: proxied, Domains: cmd.domains, Resolve: s.reg.names.Lookup, Debugger: s.reg.debugger(here)}
	if a := s.reg.apps.Of(s); a != nil {
		out.App = a.Path
	}
	if set.Bool("blocklist") {
		list, err := s.reg.blocklists.Of(ctx, set)
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
	o := options.LaunchOf(set)
	if h, _ := s.browserContext(); h != nil {
		o = h.Options
	}
	t := o.Traits()
	return !t.Remote, t.Proxied
}

// debugger returns the site guard's function that detects debugging endpoints. here reports whether the browser runs on
// this machine; the loopback of another machine is not this one's, so that only the known endpoints can be detected
// there.
func (r *Registry) debugger(here bool) func(context.Context, policy.Server) string {
	return func(ctx context.Context, to policy.Server) string {
		if r.isOwnEndpoint(to) {
			return "the debugging port of a browser that usher drives"
		}
		if !here {
			return ""
		}
		return r.ports.Describe(ctx, to)
	}
}

// isOwnEndpoint reports whether a server is the endpoint of a browser in use, by its address alone: that of an attached
// browser, also at its loopback address, or a port requested with a flag.
func (r *Registry) isOwnEndpoint(to policy.Server) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.ContainsFunc(r.hosts, func(h *host.Host) bool { return sites.At(to, h.Browser.Address()) })
}
