package options

import (
	"net/url"
	"strings"

	"github.com/usher-browser/usher/internal/config"
	"github.com/usher-browser/usher/internal/policy"
)

// proxyServer returns a proxy's address without username and password. They must not be on the browser's command line,
// which every user of the machine can read and where Chromium ignores them; they answer the proxy's challenge instead.
func proxyServer(proxy string) string {
	server, _ := splitProxy(proxy)
	return server
}

// ProxyAddress returns the address of a browser's proxy with its scheme; empty for none.
func ProxyAddress(proxy string) string {
	if proxy == "" || strings.Contains(proxy, "://") {
		return proxy
	}
	return "http://" + proxy
}

// logins returns the credentials of the settings, after those in the proxy's address, which are for the proxy only.
func logins(set *config.Settings) []string {
	given := set.List("credentials")
	if _, login := splitProxy(set.Str("proxy")); login != "" {
		return append([]string{login}, given...)
	}
	return given
}

// splitProxy removes username and password from a proxy's address and returns them as a credential, "" if there are none.
func splitProxy(proxy string) (server, login string) {
	scheme, rest, found := strings.Cut(proxy, "://")
	if !found {
		scheme, rest = "http", proxy
	}
	i := strings.LastIndexByte(rest, '@')
	if i < 0 {
		return proxy, ""
	}
	user, host := rest[:i], rest[i+1:]
	server = host
	if found {
		server = scheme + "://" + host
	}
	name, password, _ := strings.Cut(user, ":")
	if plain, err := url.PathUnescape(name); err == nil {
		name = plain
	}
	if plain, err := url.PathUnescape(password); err == nil {
		password = plain
	}
	host = strings.TrimSuffix(host, "/")
	if name == "" || host == "" || strings.Contains(name, ":") { // not usable as credentials
		return server, ""
	}
	login = name + ":" + password + "@" + scheme + "://" + host
	if _, err := policy.ParseCredential(login); err != nil {
		return server, "" // the address has no valid origin
	}
	return server, login
}
