package state

import (
	"net/http"
	"net/url"
	"testing"
	"time"
)

// TestReceived: which cookies of a response are kept, and where they are sent then.
func TestReceived(t *testing.T) {
	t.Parallel()
	now := time.Unix(1_000_000, 0)
	for _, c := range []struct {
		from, set, domain, path string
		expires                 float64
		kept                    bool
	}{
		{"https://a.example.com/x/y", "n=v", "a.example.com", "/x", -1, true},
		{"https://a.example.com/", "n=v; Path=/p; Max-Age=60", "a.example.com", "/p", 1_000_060, true},
		{"https://a.example.com/", "n=v; Max-Age=0", "a.example.com", "/", 1, true},
		{"https://a.example.com/", "n=v; Expires=Thu, 01 Jan 1970 00:00:00 GMT", "a.example.com", "/", 1, true},
		{"https://a.example.com/", "n=v; Domain=example.com", ".example.com", "/", -1, true},
		{"https://a.example.com/", "n=v; Domain=.A.example.com", ".a.example.com", "/", -1, true},
		{"https://a.example.com/", "n=v; Domain=b.example.com", "", "", 0, false},
		{"https://a.example.com/", "n=v; Domain=ple.com", "", "", 0, false},
		{"https://a.example.com/", "n=v; Domain=com", "", "", 0, false},
		{"https://a.github.io/", "n=v; Domain=github.io", "", "", 0, false},
		{"http://127.0.0.1/", "n=v; Domain=127.0.0.1", "127.0.0.1", "/", -1, true},
		{"http://127.0.0.1/", "n=v; Domain=0.1", "", "", 0, false},
		{"http://localhost/", "n=v; Domain=localhost; Secure", "localhost", "/", -1, true},
		{"http://example.com/", "n=v; Secure", "", "", 0, false},
		{"https://example.com/", "n=v; Secure; Path=relative", "example.com", "/", -1, true},
	} {
		from, err := url.Parse(c.from)
		if err != nil {
			t.Fatal(err)
		}
		answer := http.Response{Header: http.Header{"Set-Cookie": {c.set}}}
		got, kept := received(answer.Cookies()[0], from, now)
		if kept != c.kept || kept && (got.Domain != c.domain || got.Path != c.path || got.Expires != c.expires) {
			t.Errorf("%s from %s: %+v, %v; want %+v", c.set, c.from, got, kept, c)
		}
	}
}
