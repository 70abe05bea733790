package policy

import (
	"fmt"
	"strings"
	"testing"
)

func TestCredentials(t *testing.T) {
	for _, c := range []struct{ text, user, password, origin string }{
		{"ada:secret", "ada", "secret", ""},
		{"ada:", "ada", "", ""},
		{"ada:a:b", "ada", "a:b", ""},
		{"ada:p@ss", "ada", "p@ss", ""},
		{"ada@example.com:secret", "ada@example.com", "secret", ""},
		{"ada:secret@https://Example.com/", "ada", "secret", "https://example.com"},
		{"ada:p@ss@https://*.example.com:8443", "ada", "p@ss", "https://*.example.com:8443"},
		{"ada:secret@*://localhost:*", "ada", "secret", "*://localhost:*"},
		{`ada:secret@/^https:\/\/(a|b)\.example$/i`, "ada", "secret", `/^https:\/\/(a|b)\.example$/i`},
	} {
		got, err := ParseCredential(c.text)
		if err != nil || got.Username != c.user || got.Password() != c.password || got.Origin.String() != c.origin {
			t.Errorf("%s is %s with the password %q: %v", c.text, got, got.Password(), err)
		}
		if shown := fmt.Sprintf("%v %+v %#v %s %q", got, got, got, got, got); c.password != "" && strings.Contains(shown, c.password) {
			t.Errorf("%s shows its password: %s", c.text, shown)
		}
	}
	for _, bad := range []string{"", "secret", ":secret", "ada", "nonsense:secret@/(/"} {
		if got, err := ParseCredential(bad); err == nil {
			t.Errorf("%q is %s", bad, got)
		} else if strings.Contains(err.Error(), "secret") {
			t.Errorf("the error shows the password: %v", err)
		}
	}
}

func TestOriginPatterns(t *testing.T) {
	for _, c := range []struct {
		pattern, origin string
		fits            bool
	}{
		{"", "http://any.example", true},
		{"https://a.example", "https://a.example", true},
		{"https://a.example", "https://a.example.evil.example", false},
		{"https://*.example", "https://b.example", true},
		{"https://*.example", "http://b.example", false},
		{"*://localhost:*", "http://localhost:3000", true},
		{`/a\.example$/`, "http://a.example", true},
	} {
		p, err := ParseOrigin(c.pattern)
		if err != nil || p.Match(c.origin) != c.fits {
			t.Errorf("%q fits %s: %v, %v", c.pattern, c.origin, p.Match(c.origin), err)
		}
	}
}
