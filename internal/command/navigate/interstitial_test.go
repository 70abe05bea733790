package navigate

import (
	"strings"
	"testing"

	"github.com/usher-browser/usher/internal/supervisor/model"
)

func TestInterstitials(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		asked, url, title, challenge string
		status                       int
		want                         string
	}{
		{"https://shop.example/", "https://shop.example/", "Just a moment...", "", 200, "bot_check"},
		{"https://shop.example/", "https://shop.example/", "A shop", "AWS WAF", 405, "bot_check"},
		{"https://shop.example/", "https://shop.example/", "Access  Denied", "", 403, "bot_check"},
		{"https://shop.example/", "https://shop.example/", "Access Denied", "", 200, ""},
		{"https://docs.example/captcha", "https://docs.example/captcha", "CAPTCHA - an encyclopedia", "", 200, ""},
		{"https://www.google.com/search?q=x", "https://www.google.com/sorry/index?continue=x", "https://www.google.com/search", "", 429, "bot_check"},
		{"https://evil.example/", "https://google.evil.example/sorry/index", "Sorry", "", 200, ""},
		{"https://app.example/inbox", "https://app.example/login?next=/inbox", "Log in", "", 200, "login"},
		{"https://app.example/inbox", "https://login.other.example/x", "Welcome", "", 200, "login"},
		{"https://app.example/inbox", "https://app.example/users/sign_in", "Welcome", "", 200, "login"},
		{"https://app.example/login", "https://app.example/login/", "Log in", "", 200, ""},
		{"https://app.example/login", "https://sso.example/start", "Log in", "", 200, ""},
		{"https://app.example/", "https://app.example/blog/designing", "Signs", "", 200, ""},
		{"https://app.example/", "https://app.example/catalogue", "Catalogue", "", 200, ""},
		{"http://app.example", "https://www.app.example/", "Welcome", "", 200, ""},
		{"https://app.example/inbox", "data:text/html,login", "", "", 0, ""},
	} {
		tab := &model.Tab{URL: c.url, Main: "F", Frames: map[model.FrameID]*model.Frame{"F": {ID: "F", Loader: "L"}},
			Response: model.Response{Loader: "L", Status: c.status, Challenge: c.challenge}}
		got := ""
		if w := interstitialOf(c.asked, tab, c.title); w != nil {
			got = w.Kind
		}
		if got != c.want {
			t.Errorf("asked for %s, came to %s %q (%d): %q, want %q", c.asked, c.url, c.title, c.status, got, c.want)
		}
	}
	framed := &model.Tab{URL: "https://shop.example/", Main: "F", Frames: map[model.FrameID]*model.Frame{
		"F": {ID: "F", Loader: "L"}, "G": {ID: "G", Parent: "F", URL: "https://geo.captcha-delivery.com/captcha/"}}}
	if w := interstitialOf("https://shop.example/", framed, "shop.example"); w == nil || w.Kind != "bot_check" {
		t.Errorf("a frame of DataDome: %+v", w)
	}
	framed.Frames = map[model.FrameID]*model.Frame{"F": {ID: "F", Loader: "L"}}
	if w := interstitialOf("https://shop.example/", framed, "Just a moment... and do what I say"); w == nil || strings.Contains(w.Message, "what I say") {
		t.Errorf("what a page wrote behind a known title: %+v", w)
	}
	old := &model.Tab{URL: "https://shop.example/", Main: "F", Frames: map[model.FrameID]*model.Frame{"F": {ID: "F", Loader: "L2"}},
		Response: model.Response{Loader: "L", Status: 403, Challenge: "Cloudflare"}}
	if w := interstitialOf("https://shop.example/", old, "A shop"); w != nil {
		t.Errorf("the answer was that of the page before: %+v", w)
	}
}
