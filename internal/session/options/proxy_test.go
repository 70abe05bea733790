package options

import (
	"testing"

	"github.com/usher-browser/usher/internal/policy"
)

func TestSplitProxy(t *testing.T) {
	for proxy, want := range map[string][2]string{
		"":                           {"", ""},
		"http://p:3128":              {"http://p:3128", ""},
		"p:3128":                     {"p:3128", ""},
		"http=a:80;https=b:81":       {"http=a:80;https=b:81", ""},
		"http://u:pw@p:3128":         {"http://p:3128", "u:pw@http://p:3128"},
		"u:pw@p:3128":                {"p:3128", "u:pw@http://p:3128"},
		"https://u:p%40w%3a@p:3128/": {"https://p:3128/", "u:p@w:@https://p:3128"},
		"http://u:p@w@[::1]:3128":    {"http://[::1]:3128", "u:p@w@http://[::1]:3128"},
		"http://:pw@p:3128":          {"http://p:3128", ""},
		"socks5://token@p:1080":      {"socks5://p:1080", "token:@socks5://p:1080"},
	} {
		server, login := splitProxy(proxy)
		if got := [2]string{server, login}; got != want {
			t.Errorf("%s: %q, want %q", proxy, got, want)
		}
		if login != "" {
			if _, err := policy.ParseCredential(login); err != nil {
				t.Errorf("%s: %q is no credential: %v", proxy, login, err)
			}
		}
	}
}
