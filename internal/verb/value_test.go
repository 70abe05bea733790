package verb_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/usher-browser/usher/internal/command/network"
	. "github.com/usher-browser/usher/internal/verb"
	"github.com/usher-browser/usher/internal/verb/spelling"
)

func TestNormalizeURL(t *testing.T) {
	for in, want := range map[string]string{
		"example.com":                 "https://example.com",
		" example.com/a b ":           "https://example.com/a b",
		"example.com:8080/x?y#z":      "https://example.com:8080/x?y#z",
		"user:80@example.com":         "", // reads as a port followed by something else
		"HTTPS://Example.com":         "HTTPS://Example.com",
		"http://x":                    "http://x",
		"http://user:pass@host/":      "http://user:pass@host/",
		"localhost":                   "http://localhost",
		"LOCALHOST:3000/a":            "http://LOCALHOST:3000/a",
		"app.localhost:1":             "http://app.localhost:1",
		"127.0.0.1:8080":              "http://127.0.0.1:8080",
		"10.0.0.7":                    "http://10.0.0.7",
		"[::1]:3000":                  "http://[::1]:3000",
		"256.1.1.1":                   "https://256.1.1.1",
		"//cdn.example.com/x":         "https://cdn.example.com/x",
		"about:blank":                 "about:blank",
		"data:text/html,<h1>x</h1>":   "data:text/html,<h1>x</h1>",
		"file:///tmp/a.html":          "file:///tmp/a.html",
		"chrome://version":            "chrome://version",
		"chrome-extension://abc/x":    "chrome-extension://abc/x",
		"view-source:https://x.org":   "view-source:https://x.org",
		"blob:https://x.org/1":        "blob:https://x.org/1",
		"münchen.de":                  "https://münchen.de",
		"":                            "",
		"foo://x":                     "",
		"javascript:alert(1)":         "",
		"javascript:1":                "",
		"mailto:a@b.c":                "",
		"http:example.com":            "",
		"http://":                     "",
		"https://:80/":                "",
		"http://a b/":                 "",
		"two words":                   "",
		"/etc/passwd":                 "",
		"./a.html":                    "",
		"~/a.html":                    "",
		"?q":                          "",
		"ftp://x":                     "",
		"host:99999":                  "",
		"x:\x00":                      "",
		"https://exam\tple.com/":      "",
		"example.com/\u00a0":          "https://example.com/",
		"https://example.com/%zz?a=b": "https://example.com/%zz?a=b",
	} {
		got, err := NormalizeURL(in)
		if want == "" {
			if err == nil {
				t.Errorf("%q: %q, want an error", in, got)
			}
			continue
		}
		if err != nil || got != want {
			t.Errorf("%q: %q, %v; want %q", in, got, err, want)
		}
	}
}

func TestParseSelector(t *testing.T) {
	for in, want := range map[string]Target{
		"@e4":          {Ref, "e4", 4},
		"e12":          {Ref, "e12", 12},
		"ref=e7":       {Ref, "e7", 7},
		"ref=@e7":      {Ref, "e7", 7},
		" @e4 ":        {Ref, "e4", 4},
		"e0":           {CSS, "e0", 0},
		"e01":          {CSS, "e01", 0},
		"e":            {CSS, "e", 0},
		"em":           {CSS, "em", 0},
		"e1234567890":  {CSS, "e1234567890", 0},
		"#a > .b":      {CSS, "#a > .b", 0},
		"css=@media":   {CSS, "@media", 0},
		"xpath=//a":    {XPath, "//a", 0},
		"//a[@b]":      {XPath, "//a[@b]", 0},
		"(//a)[2]":     {XPath, "(//a)[2]", 0},
		"text=Sign in": {ByText, "Sign in", 0},
	} {
		got, err := ParseSelector(in)
		if err != nil || got != want {
			t.Errorf("%q: %+v, %v; want %+v", in, got, err, want)
		}
	}
	for _, in := range []string{"", "  ", "@", "@4", "@e", "@e0", "@e1x", "@button", "ref=", "ref=x", "xpath=", "text= ", "css="} {
		if got, err := ParseSelector(in); err == nil {
			t.Errorf("%q: %+v, want an error", in, got)
		}
	}
}

func TestParseDuration(t *testing.T) {
	for in, want := range map[string]time.Duration{
		"0": 0, "500": 500 * time.Millisecond, "1.5": 1500 * time.Microsecond, "30s": 30 * time.Second, "5m": 5 * time.Minute, "1h": time.Hour,
		"1h30m": 90 * time.Minute, "250ms": 250 * time.Millisecond, ".5s": 500 * time.Millisecond, "2592000000": Longest,
	} {
		got, err := ParseDuration(in)
		if err != nil || got != want {
			t.Errorf("%q: %v, %v; want %v", in, got, err, want)
		}
	}
	for _, in := range []string{"", "x", "-1", "-1s", "NaN", "Inf", "1e30", "2592000001", "9999h", "5 s", "1d"} {
		if got, err := ParseDuration(in); err == nil {
			t.Errorf("%q: %v, want an error", in, got)
		}
	}
}

func TestParseViewport(t *testing.T) {
	for in, want := range map[string]Viewport{
		"1280x720": {1280, 720, 1}, "390X844@3": {390, 844, 3}, "1x1@0.5": {1, 1, 0.5}, "16384x16384@10": {16384, 16384, 10},
	} {
		if got, err := ParseViewport(in); err != nil || got != want {
			t.Errorf("%q: %+v, %v; want %+v", in, got, err, want)
		}
	}
	for _, in := range []string{"", "x", "10", "10x", "0x5", "5x-1", "16385x1", "1x1@", "1x1@0", "1x1@11", "1x1@NaN", "1x1x1", " 1x1"} {
		if got, err := ParseViewport(in); err == nil {
			t.Errorf("%q: %+v, want an error", in, got)
		}
	}
}

func TestParseStatus(t *testing.T) {
	got, err := network.ParseStatus("200, 4XX,500-599")
	if want := []network.StatusRange{{From: 200, To: 200}, {From: 400, To: 499}, {From: 500, To: 599}}; err != nil || !slices.Equal(got, want) {
		t.Errorf("%v, %v; want %v", got, err, want)
	}
	for _, in := range []string{"", ",", "6xx", "x", "500-400", "-1", "1000", "4x"} {
		if got, err := network.ParseStatus(in); err == nil {
			t.Errorf("%q: %v, want an error", in, got)
		}
	}
}

func TestSplitArgs(t *testing.T) {
	for in, want := range map[string][]string{
		"--a,--b":                        {"--a", "--b"},
		"--window-size=800,600, --b":     {"--window-size=800,600", "--b"},
		"--a\n--b\r\n\n --c ":            {"--a", "--b", "--c"},
		"--host-rules=MAP a b,MAP c d":   {"--host-rules=MAP a b,MAP c d"},
		"":                               nil,
		"--disable-features=A,B,--no-x,": {"--disable-features=A,B", "--no-x,"},
	} {
		if got := SplitArgs(in); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

func TestCheckName(t *testing.T) {
	for _, ok := range []string{"a", "default", "Größe-1_x", "日本", "0", strings.Repeat("日", 128)} {
		if err := CheckName(ok); err != nil {
			t.Errorf("%q: %v", ok, err)
		}
	}
	for _, bad := range []string{"", "a b", "../a", "a/b", "a.b", "\xff", "a\x00", strings.Repeat("a", 129)} {
		if CheckName(bad) == nil {
			t.Errorf("%q is accepted", bad)
		}
	}
}

func TestNearest(t *testing.T) {
	words := []string{"click", "check", "close", "snapshot", "scroll", "select"}
	for in, want := range map[string][]string{
		"clik": {"click"}, "clcik": {"click"}, "snapshto": {"snapshot"}, "chick": {"check", "click"}, "zzzz": nil, "": nil, "x": nil,
		"CLIK": {"click"}, "Click": {"click"}, "snap": {"snapshot"}, "sc": nil, "jump": nil, "chase": nil, "elect": {"select"}, "sellect": {"select"},
	} {
		got := spelling.Nearest(in, words)
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

// An unknown device is an error that names some, also if no name is like it.
func TestUnknownDevices(t *testing.T) {
	for name, want := range map[string]string{"iphone 12 por": "iPhone 12 Pro", "nosuch": "Pixel 7", "samsung": "Galaxy S25"} {
		_, err := GlobalFlag("device").Check(name)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, name := range CommonDevices() {
		if _, err := GlobalFlag("device").Check(name); err != nil {
			t.Error(err)
		}
	}
}

// TestHeaders: with a header that no request can have, Chromium sends none at all.
func TestHeaders(t *testing.T) {
	f := Flag{Name: "headers", Kind: JSON}
	for text, ok := range map[string]bool{
		`{}`: true, `{"X-Trace":"1"}`: true, `{"x_a.b~1":""}`: true, `{"A":"é"}`: true,
		`{"":"1"}`: false, `{"a\r\nb":"c"}`: false, `{"a b":"c"}`: false, `{"a:":"c"}`: false, `{"é":"c"}`: false,
		`{"A":"b\r\nC: d"}`: false, `{"A":"b\u0000"}`: false, `{"A":"1","B C":"2"}`: false,
	} {
		if _, err := f.Check(text); (err == nil) != ok {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// TestPointsBeyondEveryPage: input with them is never answered.
func TestPointsBeyondEveryPage(t *testing.T) {
	for text, ok := range map[string]bool{"120,40": true, "-1.5,1e9": true, "1e10,1": false, "1,-1e308": false, "NaN,1": false, "Inf,-Inf": false} {
		if _, _, err := ParsePoint(text); (err == nil) != ok {
			t.Errorf("%s: %v", text, err)
		}
	}
}
