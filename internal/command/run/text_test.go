package run

import (
	"testing"
)

// TestHead cuts texts in whole lines or whole characters.
func TestHead(t *testing.T) {
	for in, want := range map[string]string{"0123456789abc": "0123456789", "012345\n6789": "012345", "01\n3456789ab": "01\n3456789", "012345678é": "012345678"} {
		if got := Head(in, 10); got != want {
			t.Errorf("%q: %q, wanted %q", in, got, want)
		}
	}
}

func TestMatchURL(t *testing.T) {
	for _, c := range []struct {
		pattern, url string
		want         bool
	}{
		{"small", "http://a/small?x=1", true}, // no * : contained
		{"large", "http://a/small", false},
		{"*", "http://a/", true},
		{"*/small", "http://a/small", true},
		{"*/small", "http://a/small?x", false},
		{"http://a/*", "http://a/b/c", true},
		{"http://a/*", "https://a/b", false},
		{"http://*/b/*/d", "http://a/b/c/d", true},
		{"http://*/b/*/d", "http://a/b/d", false},
		{"**/dashboard", "http://a/x/dashboard", true},
		{"*aba*ab", "xabab", false}, // the parts do not share letters
		{"*aba*ab", "xabaab", true},
		{"a*a", "a", false}, // beginning and end do not share letters either
		{"", "http://a/", true},
	} {
		if got := MatchURL(c.pattern, c.url); got != c.want {
			t.Errorf("matchURL(%q, %q) = %v, want %v", c.pattern, c.url, got, c.want)
		}
	}
}
