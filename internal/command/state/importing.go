package state

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"strconv"
	"strings"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/command/run"
	"github.com/usher-browser/usher/internal/files"
	"github.com/usher-browser/usher/internal/verb/shell"
)

// importFile reads the cookies of a file in one of the forms of `cookies set --curl`. The URL of a cURL command takes the
// place of the page's address, unless --domain or --url was given.
func importFile(ctx context.Context, e *run.Env, path string, base place) ([]Cookie, error) {
	if e.Sites != nil {
		if err := e.ProtectedFiles().Read(path); err != nil {
			return nil, fmt.Errorf("cookies set --curl: %w", err)
		}
	}
	const most = 16 << 20
	raw, err := files.Read(ctx, path, most)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, api.Errorf(api.FileNotFound, "cookies set --curl: there is no file %s", path).With("path", path)
	}
	if err != nil {
		return nil, api.Errorf(api.FileNotFound, "cookies set --curl: read %s: %w", path, err).With("path", path)
	}
	list, from, err := parseCookies(string(raw))
	if err != nil {
		return nil, api.Errorf(api.InvalidArgument, "cookies set --curl %s: %w", path, err).With("path", path).
			WithHint("The file may be a JSON array of cookies, a saved state, a cURL command, a cookies.txt, or a Cookie header. Nothing was set.")
	}
	if from != nil && base.domain == "" && base.url == nil {
		base.url = from
	}
	for i := range list {
		if list[i].Domain == "" && from != nil && base.domain == "" {
			list[i].Domain = from.Hostname()
		}
	}
	return list, nil
}

// parseCookies reads cookies in any of the forms. from is the URL of a cURL command.
func parseCookies(text string) (list []Cookie, from *url.URL, err error) {
	text = strings.TrimSpace(strings.TrimPrefix(text, "\ufeff"))
	switch {
	case text == "":
		return nil, nil, errors.New("the file is empty")
	case text[0] == '[' || text[0] == '{':
		list, err = parseJSON(text)
	case strings.HasPrefix(text, "curl ") || strings.HasPrefix(text, "curl\t") || strings.HasPrefix(text, "curl.exe "):
		list, from, err = parseCurl(text)
	case strings.Contains(text, "\t"):
		list, err = parseNetscape(text)
	default:
		list, err = parseHeader(text)
	}
	if err == nil && len(list) == 0 {
		err = errors.New("the file has no cookies")
	}
	return list, from, err
}

// exportedCookie is a cookie as Playwright, Puppeteer and browser extensions write it.
type exportedCookie struct {
	Cookie
	SameSite       *string        `json:"sameSite"`
	Expires        *float64       `json:"expires"`
	ExpirationDate *float64       `json:"expirationDate"`
	Session        bool           `json:"session"`
	HostOnly       *bool          `json:"hostOnly"`
	PartitionKey   jsontext.Value `json:"partitionKey"`
}

func parseJSON(text string) ([]Cookie, error) {
	var exported []exportedCookie
	var err error
	if text[0] == '{' {
		var file struct {
			Cookies *[]exportedCookie `json:"cookies"`
		}
		if err = jsonv2.Unmarshal([]byte(text), &file, lenient()); err == nil && file.Cookies == nil {
			return nil, errors.New("the JSON object has no member cookies")
		} else if err == nil {
			exported = *file.Cookies
		}
	} else {
		err = jsonv2.Unmarshal([]byte(text), &exported, lenient())
	}
	if err != nil {
		return nil, readable(err)
	}
	out := make([]Cookie, 0, len(exported))
	for i := range exported {
		c, err := exported[i].cookie()
		if err != nil {
			return nil, fmt.Errorf("cookie %d: %w", i+1, err)
		}
		out = append(out, c)
	}
	return out, nil
}

func (x *exportedCookie) cookie() (Cookie, error) {
	c := x.Cookie
	c.Expires = -1
	for _, at := range []*float64{x.Expires, x.ExpirationDate} {
		if at != nil && *at > 0 && !x.Session {
			c.Expires = *at
		}
	}
	if x.HostOnly != nil && *x.HostOnly {
		c.Domain = strings.TrimPrefix(c.Domain, ".")
	}
	if c.Name == "" && c.Value == "" {
		return c, errors.New("it has neither name nor value")
	}
	if x.SameSite != nil {
		switch strings.ToLower(*x.SameSite) {
		case "strict":
			c.SameSite = "Strict"
		case "lax":
			c.SameSite = "Lax"
		case "none", "no_restriction":
			c.SameSite = "None"
		case "", "unspecified":
		default:
			return c, fmt.Errorf("its sameSite is %q", *x.SameSite)
		}
	}
	if len(x.PartitionKey) == 0 || string(x.PartitionKey) == "null" {
		return c, nil
	}
	var key partitionKey
	if jsonv2.Unmarshal(x.PartitionKey, &c.PartitionKey) != nil {
		if err := jsonv2.Unmarshal(x.PartitionKey, &key); err != nil {
			return c, errors.New("its partitionKey is neither a site nor an object with a topLevelSite")
		}
		c.PartitionKey, c.HasCrossSiteAncestor = key.TopLevelSite, &key.HasCrossSiteAncestor
	}
	return c, nil
}

// parseCurl reads the Cookie headers, and -b, of a cURL command, as browsers' developer tools copy it.
func parseCurl(text string) ([]Cookie, *url.URL, error) {
	text = strings.NewReplacer("\\\r\n", " ", "\\\n", " ", "^\r\n", " ", "^\n", " ", "$'", "'").Replace(text)
	words, err := shell.Split(text)
	if err != nil {
		return nil, nil, fmt.Errorf("the cURL command cannot be split into words: %w", err)
	}
	var out []Cookie
	var from *url.URL
	for i := 1; i < len(words); i++ {
		word, next := words[i], ""
		if i+1 < len(words) {
			next = words[i+1]
		}
		var header string
		switch {
		case word == "-H" || word == "--header":
			name, value, _ := strings.Cut(next, ":")
			if i++; strings.EqualFold(strings.TrimSpace(name), "cookie") {
				header = value
			}
		case word == "-b" || word == "--cookie":
			i++
			header = next
		case strings.HasPrefix(word, "http://") || strings.HasPrefix(word, "https://"):
			if u, err := url.Parse(word); err == nil && from == nil {
				from = u
			}
		}
		if header == "" {
			continue
		}
		list, err := parseHeader(header)
		if err != nil {
			return nil, nil, err
		}
		out = append(out, list...)
	}
	if len(out) == 0 {
		return nil, nil, errors.New("the cURL command has no Cookie header and no -b")
	}
	return out, from, nil
}

// parseHeader reads the text of a Cookie header, with or without the header's name.
func parseHeader(text string) ([]Cookie, error) {
	text = strings.TrimSpace(text)
	if name, value, ok := strings.Cut(text, ":"); ok && strings.EqualFold(strings.TrimSpace(name), "cookie") {
		text = value
	}
	var out []Cookie
	for _, pair := range strings.FieldsFunc(text, func(r rune) bool { return r == ';' || r == '\n' || r == '\r' }) {
		if pair = strings.TrimSpace(pair); pair == "" {
			continue
		}
		name, value, ok := strings.Cut(pair, "=")
		if !ok || strings.TrimSpace(name) == "" {
			return nil, fmt.Errorf("%.40q is not name=value", pair)
		}
		out = append(out, Cookie{Name: strings.TrimSpace(name), Value: strings.TrimSpace(value), Expires: -1})
	}
	return out, nil
}

// parseNetscape reads cookies.txt: domain, whether subdomains get it, path, secure, expiry, name and value, separated by
// tabs.
func parseNetscape(text string) ([]Cookie, error) {
	var out []Cookie
	for i, line := range strings.Split(text, "\n") {
		line, httpOnly := strings.CutPrefix(strings.TrimRight(line, "\r"), "#HttpOnly_")
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		fields := strings.Split(line, "\t")
		if len(fields) != 7 {
			return nil, fmt.Errorf("line %d has %d fields instead of the 7 of a cookies.txt", i+1, len(fields))
		}
		at, err := strconv.ParseFloat(fields[4], 64)
		if err != nil {
			return nil, fmt.Errorf("line %d: the time of expiry is no number", i+1)
		}
		c := Cookie{Name: fields[5], Value: fields[6], Domain: strings.TrimPrefix(fields[0], "."), Path: fields[2], Secure: fields[3] == "TRUE", HTTPOnly: httpOnly, Expires: -1}
		if fields[1] == "TRUE" {
			c.Domain = "." + c.Domain
		}
		if at > 0 {
			c.Expires = at
		}
		out = append(out, c)
	}
	return out, nil
}
