package vm

import (
	"errors"
	"strings"

	"github.com/go-json-experiment/json"
	whatwg "github.com/nlnwa/whatwg-url/url"
)

// url returns the parts of an address as a JSON array: href, origin, protocol, username, password, host, hostname, port, pathname,
// search and hash; "" if it is none. Its arguments are the address, the base, "base" if there is one, and a part to set, with its value.
func (m *machine) url(args []value) (value, error) {
	texts, err := m.texts(args, 5)
	if err != nil {
		return undefined, err
	}
	for i := range texts {
		texts[i] = withoutSurrogates(texts[i])
	}
	u := parseURL(texts[0], texts[1], texts[2] != "")
	if u == nil {
		return m.text(""), nil
	}
	setPart(u, texts[3], texts[4])
	parts, err := json.Marshal([]string{
		u.Href(false), origin(u), u.Protocol(), u.Username(), u.Password(), u.Host(), u.Hostname(), u.Port(), u.Pathname(), u.Search(), u.Hash(),
	})
	if err != nil {
		return undefined, errors.New("the address cannot be read")
	}
	return m.text(string(parts)), nil
}

// parseURL returns nil for what is no address.
func parseURL(text, base string, hasBase bool) (u *whatwg.Url) {
	var err error
	if hasBase {
		u, err = whatwg.ParseRef(base, text)
	} else {
		u, err = whatwg.Parse(text)
	}
	if err != nil {
		return nil
	}
	return u
}

// setPart sets a part as the setters of URL do: what is not valid changes nothing.
func setPart(u *whatwg.Url, name, text string) {
	switch name {
	case "protocol":
		u.SetProtocol(text)
	case "username":
		u.SetUsername(text)
	case "password":
		u.SetPassword(text)
	case "host":
		u.SetHost(text)
	case "hostname":
		u.SetHostname(text)
	case "port":
		u.SetPort(text)
	case "pathname":
		u.SetPathname(text)
	case "search":
		u.SetSearch(text)
	case "hash":
		u.SetHash(text)
	}
}

// origin returns the origin of an address as text.
func origin(u *whatwg.Url) string {
	switch u.Scheme() {
	case "http", "https", "ws", "wss", "ftp":
		return u.Protocol() + "//" + u.Host()
	case "blob":
		if inner, err := whatwg.Parse(u.Pathname()); err == nil && strings.HasPrefix(inner.Scheme(), "http") {
			return origin(inner)
		}
	}
	return "null"
}

// unescape replaces %XX, and what is not UTF-8 then.
func (m *machine) unescape(args []value) (value, error) {
	texts, err := m.texts(args, 1)
	if err != nil {
		return undefined, err
	}
	s := withoutSurrogates(texts[0])
	b := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		if s[i] == '%' && i+2 < len(s) {
			if c := fromHex(s[i+1 : i+3]); len(c) == 1 {
				b = append(b, c[0])
				i += 2
				continue
			}
		}
		b = append(b, s[i])
	}
	text, _ := fromUTF8(b)
	return m.text(text), nil
}
