package policy

import (
	"errors"
	"fmt"
	"log/slog"
	"strings"
)

// Credential is a name and a password for HTTP authentication of servers and proxies. No formatting verb prints its
// password.
type Credential struct {
	Username string
	// Origin is where it is used; the zero Pattern matches any origin.
	Origin   Pattern
	password string
}

// ParseCredential parses user:password[@origin-pattern]. The pattern begins with a scheme, in which and behind which *
// stands for any text, or is a regular expression between slashes behind the last @; so an @ in a password needs no
// escaping. No error repeats the text.
func ParseCredential(text string) (Credential, error) {
	login, origin := text, ""
	if i := strings.LastIndex(text, "@"); i >= 0 && isOriginPattern(text[i+1:]) {
		login, origin = text[:i], text[i+1:]
	}
	user, password, ok := strings.Cut(login, ":")
	if !ok || user == "" {
		return Credential{}, errors.New("a name and a password are written as user:password or user:password@https://host")
	}
	pattern, err := ParseOrigin(origin)
	if err != nil {
		return Credential{}, err
	}
	return Credential{Username: user, Origin: pattern, password: password}, nil
}

func isOriginPattern(text string) bool {
	scheme, host, ok := strings.Cut(text, "://")
	if _, isRegexp := between(text); isRegexp {
		return true
	}
	return ok && scheme != "" && host != "" && strings.Trim(strings.ToLower(scheme), "abcdefghijklmnopqrstuvwxyz*") == ""
}

// ParseOrigin parses a pattern for origins as browsers write them; "" matches all.
func ParseOrigin(text string) (Pattern, error) {
	if text == "" {
		return Pattern{}, nil
	}
	p, err := originPattern(text)
	if err != nil {
		return Pattern{}, fmt.Errorf("origin: %w", err)
	}
	return p, nil
}

func originPattern(text string) (Pattern, error) {
	if _, isRegexp := between(text); !isRegexp {
		text = strings.TrimSuffix(strings.ToLower(text), "/") // as browsers write origins
	}
	return parsePattern(text, false)
}

// Glob returns the pattern if it is one in which only * is special; false for a regular expression, and for the zero
// Pattern.
func (p Pattern) Glob() (string, bool) {
	_, isRegexp := between(p.text)
	return p.text, p.text != "" && !isRegexp
}

// Password returns the password.
func (c Credential) Password() string { return c.password }

// String returns the credential without its password.
func (c Credential) String() string {
	text := c.Username + ":" + Mark
	if c.Origin.String() != "" {
		text += "@" + c.Origin.String()
	}
	return text
}

// GoString is String: %#v prints no password either.
func (c Credential) GoString() string { return c.String() }

// LogValue is String for logs.
func (c Credential) LogValue() slog.Value { return slog.StringValue(c.String()) }

// MarshalJSON writes the credential without its password.
func (c Credential) MarshalJSON() ([]byte, error) { return []byte(fmt.Sprintf("%q", c.String())), nil }
