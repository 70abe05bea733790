package session

import (
	"net/url"
	"strings"

	"github.com/usher-browser/usher/internal/config"
	"github.com/usher-browser/usher/internal/policy"
)

// proxyServer returns a proxy without the name and password in its address. They do not belong on the browser's command
// line, which every user of the machine can read, and where Chromium does not accept them: they answer the proxy's
// challenge.
func proxyServer(proxy string) string {
	server, _ := splitProxy(proxy)
	return server
}

// logins are the credentials of the settings, and before them, for its proxy alone, those in the proxy's address.
func logins(set *config.Settings) []string {
	given := set.List("credentials")
	if _, login := splitProxy(set.Str("proxy")); login != "" {
		return append([]string{login}, given...)
	}
	return given
}

// splitProxy takes a name and a password out of the address of a proxy, and makes a credential of them.
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
	if name == "" || host == "" || strings.Contains(name, ":") { // nothing that could be answered with
		return server, ""
	}
	login = name + ":" + password + "@" + scheme + "://" + host
	if _, err := policy.ParseCredential(login); err != nil {
		return server, "" // no origin that a proxy could have
	}
	return server, login
}
