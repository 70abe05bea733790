package verb

import (
	"net/netip"
	"strconv"
	"strings"

	"github.com/usher-browser/usher/internal/plain"
)

// NormalizeURL completes an address as typed by a person.
//
// Addresses with one of the schemes http, https, about, data, file, chrome, chrome-extension, view-source and blob are
// kept. Anything else is taken for a host and gets https://, except that localhost, names under .localhost and bare IP
// addresses get http://, because servers there rarely have a certificate. Other schemes, local paths and addresses
// without a host are errors.
func NormalizeURL(s string) (string, error) {
	t := strings.TrimSpace(s)
	if t == "" {
		return "", badURL("The address is empty")
	}
	if scheme, rest, ok := cutScheme(t); ok {
		switch strings.ToLower(scheme) {
		case "http", "https":
			if !strings.HasPrefix(rest, "//") {
				return "", badURL(plain.Quote(s) + " lacks // after the scheme")
			}
			return t, checkHost(s, rest[2:])
		case "about", "data", "file", "chrome", "chrome-extension", "view-source", "blob":
			return t, nil
		}
		if strings.HasPrefix(rest, "//") || !portFollows(rest) || notHost(scheme) {
			return "", badURL("The scheme of "+plain.Quote(s)+" cannot be opened in a tab",
				"Use http, https, about, data, file, chrome, chrome-extension, view-source or blob.")
		}
	}
	if strings.HasPrefix(t, "//") {
		return "https:" + t, checkHost(s, t[2:])
	}
	switch t[0] {
	case '/', '.', '~', '\\':
		return "", badURL(plain.Quote(s)+" looks like a local path", "Write file:// and the absolute path.")
	case '?', '#', '@', ':':
		return "", badURL(plain.Quote(s) + " has no host")
	}
	if err := checkHost(s, t); err != nil {
		return "", err
	}
	if plainHTTP(t) {
		return "http://" + t, nil
	}
	return "https://" + t, nil
}

// cutScheme splits "scheme:rest". A colon after a host, as in localhost:3000, looks the same; the caller distinguishes
// them.
func cutScheme(s string) (scheme, rest string, ok bool) {
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z':
		case i > 0 && ('0' <= c && c <= '9' || c == '+' || c == '-' || c == '.'):
		case c == ':' && i > 0:
			return s[:i], s[i+1:], true
		default:
			return "", "", false
		}
	}
	return "", "", false
}

// portFollows reports whether the text begins with a port number and then ends or goes on as the rest of an address does.
func portFollows(s string) bool {
	n, i := 0, 0
	for i < len(s) && i < 6 && s[i] >= '0' && s[i] <= '9' {
		n = n*10 + int(s[i]-'0')
		i++
	}
	return i > 0 && n <= 65535 && (i == len(s) || s[i] == '/' || s[i] == '?' || s[i] == '#')
}

// notHost names the schemes without slashes that a number may follow, which would otherwise pass for host and port.
func notHost(scheme string) bool {
	switch strings.ToLower(scheme) {
	case "javascript", "mailto", "tel", "sms", "vbscript", "urn":
		return true
	}
	return false
}

func checkHost(given, rest string) error {
	host := authority(rest)
	if i := strings.LastIndexByte(host, '@'); i >= 0 {
		host = host[i+1:]
	}
	if host == "" || host[0] == ':' {
		return badURL(plain.Quote(given) + " has no host")
	}
	for _, r := range host {
		if r <= ' ' || r == 0x7f || r == '"' || r == '<' || r == '>' || r == '\\' || r == '^' || r == '`' || r == '{' || r == '|' || r == '}' {
			return badURL("The host " + plain.Quote(host) + " contains a character that hosts cannot have")
		}
	}
	return checkPort(host)
}

// checkPort refuses a port that the browser would refuse without saying why.
func checkPort(host string) error {
	_, port, ok := strings.Cut(host[strings.LastIndexByte(host, ']')+1:], ":")
	if !ok || port == "" {
		return nil
	}
	if _, err := strconv.ParseUint(port, 10, 16); err != nil {
		return badURL("The port " + plain.Quote(port) + " is not a number up to 65535")
	}
	return nil
}

func authority(rest string) string {
	if i := strings.IndexAny(rest, "/?#"); i >= 0 {
		return rest[:i]
	}
	return rest
}

func plainHTTP(address string) bool {
	host := authority(address)
	if strings.HasPrefix(host, "[") {
		return true
	}
	if i := strings.LastIndexByte(host, ':'); i >= 0 {
		host = host[:i]
	}
	host = strings.ToLower(host)
	if host == "localhost" || strings.HasSuffix(host, ".localhost") {
		return true
	}
	_, err := netip.ParseAddr(host)
	return err == nil
}
