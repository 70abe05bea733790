package logins

import (
	"testing"
)

func TestSameOrigin(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		a, b string
		same bool
	}{
		{"http://a.test/x", "http://a.test/", true},
		{"http://a.test:8080/x?y", "http://a.test:8080/#z", true},
		{"https://a.test/x", "http://a.test/", false},
		{"http://a.test:8080/", "http://a.test/", false},
		{"http://b.a.test/", "http://a.test/", false},
		{"http://169.254.169.254/", "http://a.test/", false},
		{"http://a.test@b.test/", "http://a.test/", false},
		{"data:text/html,x", "data:text/html,x", false},
		{"blob:http://a.test/1", "http://a.test/", false},
		{"ws://a.test/", "ws://a.test/", false},
		{"http://a.test/", "about:blank", false},
		{"http:///x", "http:///y", false},
		{"http://a.test/", "", false},
	} {
		if got := sameOrigin(c.a, c.b); got != c.same {
			t.Errorf("%s and %s: %v", c.a, c.b, got)
		}
	}
}
