package options

import (
	"context"
	"maps"
	"strings"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/browserhost"
	"github.com/usher-browser/usher/internal/config"
	"github.com/usher-browser/usher/internal/policy"
	"github.com/usher-browser/usher/internal/proxy"
)

// AllowedDomains is the name of an option.
const AllowedDomains = "allowed-domains"

// Contained returns o with the domains that a proxy allows; o itself without a proxy.
func (o Live) Contained(f *proxy.Filter) Live {
	if f == nil {
		return o
	}
	out := maps.Clone(o)
	out[AllowedDomains] = joinKey(f.Allowed().Words()...)
	return out
}

// Contain starts the proxy for a browser with allowed domains and sets the launch options for it. The host closes the
// proxy; if no host comes to be, the caller does.
func (o *Launch) Contain(set *config.Settings, d *policy.Domains) error {
	if err := o.uncontained(set); err != nil {
		return err
	}
	up := proxy.Upstream{Server: o.Browser.Proxy, Bypass: o.Browser.ProxyBypass}
	f, err := proxy.Listen(d, up)
	if err != nil {
		return api.Errorf(api.LaunchFailed, "--allowed-domains: %w", err)
	}
	o.Filter, o.Isolate = f, true // every connection of the process goes through it
	o.Browser.Proxy, o.Browser.ProxyBypass, o.Browser.Contained = f.Address(), "", true
	return nil
}

// CloseFilter closes the proxy, if there is one.
func (o *Launch) CloseFilter() error {
	if o.Filter == nil {
		return nil
	}
	return o.Filter.Close()
}

// uncontained returns an error for the options with which the list could be evaded.
func (o *Launch) uncontained(set *config.Settings) error {
	refused := func(what, why string) error {
		return api.Errorf(api.InvalidArgument, "--allowed-domains is not supported with %s, because %s; nothing was started", what, why).
			WithHint("Leave %s out. The list of allowed domains holds until the session is closed: `close`, or use another --session, to do without it.", what)
	}
	t := o.Traits()
	switch {
	case o.Browser.CDP != "":
		return refused("--cdp", "the network of a running browser cannot be restricted")
	case o.Browser.AutoConnect:
		return refused("--auto-connect", "the network of a running browser cannot be restricted")
	case o.Browser.Engine == browserhost.Lightpanda:
		return refused("--engine lightpanda", "usher cannot restrict its network")
	case t.Rented:
		return refused("--provider", "the network of a browser there cannot be restricted")
	case o.Browser.DebugPort != "":
		return refused("--cdp-port", "other programs could open pages beside the restricted ones")
	}
	if _, login := splitProxy(set.Str("proxy")); login != "" {
		return refused("credentials in --proxy", "every program of this machine could use the other proxy with them")
	}
	for _, arg := range o.Browser.Args {
		if name := evading(arg); name != "" {
			return refused("--args "+name, "it could lead around the list")
		}
	}
	if len(o.Browser.Extensions) > 0 {
		return refused("--extension", "extensions can open pages beside the restricted ones")
	}
	if t.DebugPort {
		return refused("a debugging port", "other programs could open pages beside the restricted ones")
	}
	return nil
}

// evading returns the name of a switch that changes how the browser reaches the network, or what runs in it, "" for
// others.
func evading(arg string) string {
	name, _, _ := strings.Cut(arg, "=")
	if !strings.HasPrefix(name, "--") {
		return name // a page to open
	}
	switch {
	case name == "--disable-web-security", name == "--disable-extensions-except", name == "--app", name == "--app-id":
		return name
	case strings.HasPrefix(name, "--disable-"):
		return ""
	}
	for _, word := range [...]string{"proxy", "resolver", "host-rules", "quic", "webrtc", "webtransport", "extension", "remote-debugging", "features",
		"dns", "doh", "unsafely", "isolated", "socket", "plugin", "renderer-cmd", "utility-cmd", "gpu-launcher", "prefetch"} {
		if strings.Contains(strings.ToLower(name), word) {
			return name
		}
	}
	return ""
}

// WithDomains returns o with a list of allowed domains.
func (o Live) WithDomains(words []string) Live {
	out := Live{}
	maps.Copy(out, o)
	out[AllowedDomains] = joinKey(words...)
	return out
}

// Allow changes the list of a running browser. A browser that was started without one is an error.
func (to Target) Allow(words []string) error {
	if to.Filter == nil {
		return api.Errorf(api.LaunchConflict, "--allowed-domains %s needs another browser than that of this session, whose network is not restricted",
			strings.Join(words, ",")).WithHint("`close` first (the page is lost), or use another --session. To go on without a list, do not give one.")
	}
	d, err := policy.ParseDomains(words)
	if err != nil {
		return api.Errorf(api.InvalidArgument, "--allowed-domains: %w", err)
	}
	to.Filter.Allow(d)
	return nil
}

// setDomains changes the list of a running browser.
func setDomains(_ context.Context, to Target, _, now string) error {
	words := splitKey(now)
	if to.Filter == nil && len(words) == 0 {
		return nil
	}
	return to.Allow(words)
}
