package policy

import (
	"errors"
	"net/url"
	"regexp"
	"strings"
)

// URLGlob matches whole URLs without their fragment. In the text, * and ** stand for any characters, also for slashes;
// {a,b} for one of the words; every other character for itself, also ?, and after a backslash any character. That a
// single * matches slashes is agent-browser's rule; the others are Playwright's.
type URLGlob struct {
	text string
	cdp  string
	re   *regexp.Regexp
}

// Errors of ParseURLGlob.
var (
	errGlobEmpty  = errors.New("it is empty")
	errGlobBraces = errors.New("a { has no }, or braces are nested")
)

// ParseURLGlob parses a pattern. A URL without wildcards and path, such as https://example.com, gets the path "/".
func ParseURLGlob(text string) (URLGlob, error) {
	if text == "" {
		return URLGlob{}, errGlobEmpty
	}
	source := text
	if !strings.ContainsAny(text, `*{}\`) {
		if u, err := url.Parse(text); err == nil && u.Host != "" && u.Path == "" && u.RawQuery == "" && u.Fragment == "" {
			source += "/"
		}
	}
	var re, wide strings.Builder
	re.WriteString("^(?s:")
	within := false
	for i := 0; i < len(source); i++ {
		c := source[i]
		switch {
		case c == '\\' && i+1 < len(source):
			i++
			literal(&re, &wide, source[i], within)
		case c == '*':
			re.WriteString(".*")
			widen(&wide, within)
		case c == '{' && !within:
			re.WriteString("(?:")
			widen(&wide, within)
			within = true
		case c == '}' && within:
			re.WriteByte(')')
			within = false
		case c == '{':
			return URLGlob{}, errGlobBraces
		case c == ',' && within:
			re.WriteByte('|')
		default:
			literal(&re, &wide, c, within)
		}
	}
	if within {
		return URLGlob{}, errGlobBraces
	}
	re.WriteString(")$")
	compiled, err := regexp.Compile(re.String())
	if err != nil {
		return URLGlob{}, err
	}
	return URLGlob{text: text, cdp: wide.String(), re: compiled}, nil
}

// literal adds a character that stands for itself.
func literal(re, wide *strings.Builder, c byte, within bool) {
	if strings.IndexByte(`\.+*?()|[]{}^$`, c) >= 0 {
		re.WriteByte('\\')
	}
	re.WriteByte(c)
	if within {
		return
	}
	if strings.IndexByte(`\*?`, c) >= 0 {
		wide.WriteByte('\\')
	}
	wide.WriteByte(c)
}

// widen adds a wildcard to the pattern of CDP.
func widen(wide *strings.Builder, within bool) {
	if !within && !strings.HasSuffix(wide.String(), "*") {
		wide.WriteByte('*')
	}
}

// Match reports whether the glob matches a URL without its fragment.
func (g URLGlob) Match(url string) bool { return g.re != nil && g.re.MatchString(url) }

// CDP returns a pattern of the protocol (Fetch.RequestPattern) that matches at least the same URLs.
func (g URLGlob) CDP() string { return g.cdp }

// Reachable reports whether the glob can match any URL: it begins with a wildcard, or with a scheme.
func (g URLGlob) Reachable() bool {
	if strings.HasPrefix(g.text, "*") || strings.HasPrefix(g.text, "{") {
		return true
	}
	scheme, _, found := strings.Cut(g.text, ":")
	return found && !strings.ContainsAny(scheme, "/?#") || strings.Contains(scheme, "*") && !strings.HasPrefix(g.text, "/")
}
