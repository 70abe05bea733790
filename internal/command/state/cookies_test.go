package state_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/cdptest"
	"github.com/usher-browser/usher/internal/cdptest/commandtest"
)

func TestCookies(t *testing.T) {
	site := cdptest.NewSite(t)
	s := commandtest.New(t)
	s.Run(t, "open", site.URL("/small"))
	s.Run(t, "cookies", "set", "a", "1 2")
	s.Run(t, "cookies", "set", "deep", "3", "--path", "/deep")
	s.Run(t, "cookies", "set", "other", "4", "--url", "https://shop.example/x", "--secure")
	s.Run(t, "cookies", "set", "wide", "5", "--domain", ".shop.example")
	for words, want := range map[string]string{
		"cookies":     "a=1 2",
		"cookies get": "a=1 2",
		"cookies get --url " + site.URL("/deep/er"):       "deep=3\na=1 2",
		"cookies get --url https://www.shop.example/":     "wide=5",
		"cookies get wide --url https://shop.example/":    "wide=5",
		"cookies get nothing --url https://shop.example/": "",
		"cookies get other --all":                         "other=4  (shop.example/)",
	} {
		if got := s.Run(t, strings.Fields(words)...).Text; got != want {
			t.Errorf("%s: %q, want %q", words, got, want)
		}
	}
	if got := s.Eval(t, "document.cookie"); got != `"a=1 2"` {
		t.Errorf("the page has %s", got)
	}
	for words, want := range map[string]string{
		"cookies set __Host-x 1":                        "needs --secure",
		"cookies set x 1;2":                             "a character that no cookie can have",
		"cookies set x 1 --same-site None":              "--same-site None needs --secure",
		"cookies set x 1 --url data:text/plain,x":       "only http and https addresses do",
		"cookies set x 1 --domain .com":                 "public suffix",
		"cookies delete nothing":                        "there is no such cookie",
		"cookies get --all --url https://shop.example/": "not both",
	} {
		if _, err := s.Try(t, strings.Fields(words)...); err == nil || !strings.Contains(api.AsError(err).Sentence(), want) {
			t.Errorf("%s: %v, want %q", words, err, want)
		}
	}
	s.Run(t, "cookies", "delete", "wide", "--domain", "shop.example")
	s.Run(t, "cookies", "delete", "a")
	if got := s.Run(t, "cookies", "get", "--all").Text; got != "deep=3  (127.0.0.1/deep)\nother=4  (shop.example/)" && got != "other=4  (shop.example/)\ndeep=3  (127.0.0.1/deep)" {
		t.Errorf("after deleting two there are %q", got)
	}
	s.Run(t, "cookies", "clear")
	if got := s.Run(t, "cookies", "get", "--all").Text; got != "" {
		t.Errorf("after clear there are %q", got)
	}
	s.Run(t, "open", "about:blank")
	if _, err := s.Try(t, "cookies", "set", "x", "1"); err == nil || !strings.Contains(err.Error(), "about:blank has no cookies") {
		t.Errorf("in a page without cookies: %v", err)
	}
}

func TestImport(t *testing.T) {
	site := cdptest.NewSite(t)
	s := commandtest.New(t)
	s.Run(t, "open", site.URL("/small"))
	for text, want := range map[string]string{
		`[{"name":"a","value":"1","domain":".shop.example","path":"/p","expirationDate":1893456000.5,"httpOnly":true,"sameSite":"no_restriction","secure":true,"session":false,"storeId":"0"},` +
			`{"name":"b","value":"2","hostOnly":true,"domain":"shop.example","sameSite":"unspecified"}]`: "a=1  (.shop.example/p) b=2  (shop.example/)",
		`{"cookies":[{"name":"c","value":"3","domain":"shop.example","path":"/","expires":-1,"httpOnly":false,"secure":false,"sameSite":"Lax"}],"origins":[]}`: "c=3  (shop.example/)",
		"curl 'https://shop.example/x?y=1' \\\n  -H 'accept: */*' \\\n  -H 'Cookie: d=4; e=five=5' --compressed":                                               "d=4  (shop.example/) e=five=5  (shop.example/)",
		"curl -b f=6 https://shop.example/": "f=6  (shop.example/)",
		"Cookie: g=7; h=8":                  "g=7  (127.0.0.1/) h=8  (127.0.0.1/)",
		"i=9":                               "i=9  (127.0.0.1/)",
		"# Netscape HTTP Cookie File\n.shop.example\tTRUE\t/\tTRUE\t1893456000\tj\t10\n#HttpOnly_shop.example\tFALSE\t/k\tFALSE\t0\tk\t11\n": "j=10  (.shop.example/) k=11  (shop.example/k)",
	} {
		s.Run(t, "cookies", "clear")
		if err := os.WriteFile(filepath.Join(s.Dir, "in"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		s.Run(t, "cookies", "set", "--curl", "in")
		got := strings.Split(s.Run(t, "cookies", "get", "--all").Text, "\n")
		if len(got) == 2 && got[0] > got[1] {
			got[0], got[1] = got[1], got[0]
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s\ngave %q, want %q", text, got, want)
		}
	}
	s.Run(t, "cookies", "clear")
	for text, want := range map[string]string{
		"":             "the file is empty",
		"[]":           "the file has no cookies",
		`{"a":1}`:      "no member cookies",
		`[{"name":1}]`: "/0/name has another type",
		`[{"name":"a","value":"b","sameSite":"odd"}]`: `its sameSite is "odd"`,
		"curl https://shop.example":                   "no Cookie header",
		"curl 'open":                                  "cannot be split",
		"just text":                                   "is not name=value",
		"a\tb":                                        "2 fields instead of the 7",
		`[{"name":"ok","value":"1"},{"name":"bad","value":"1;2"}]`: "a character that no cookie can have",
	} {
		if err := os.WriteFile(filepath.Join(s.Dir, "in"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Try(t, "cookies", "set", "--curl", "in"); api.CodeOf(err) != api.InvalidArgument || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
	if got := s.Run(t, "cookies", "get", "--all").Text; got != "" {
		t.Errorf("imports that failed set %q", got)
	}
	if _, err := s.Try(t, "cookies", "set", "--curl", "none"); api.CodeOf(err) != api.FileNotFound {
		t.Errorf("a missing file: %v", err)
	}
}

func TestStorage(t *testing.T) {
	site := cdptest.NewSite(t)
	s := commandtest.New(t)
	s.Run(t, "open", site.URL("/sandboxes"))
	s.Run(t, "storage", "local", "set", "k", "two", "words")
	s.Run(t, "storage", "local", "set", "get", "-1")
	s.Run(t, "storage", "session", "set", "s", "1")
	for words, want := range map[string]string{
		"storage local k":        "two words",
		"storage local get get":  "-1",
		"storage local get none": "No entry none",
		"storage session":        "s: 1",
		"storage local --frame " + site.Cross("/small?mute-cross"): "No storage entries",
		"storage local remove none":                                "No entry none",
	} {
		if got := s.Run(t, strings.Fields(words)...).Text; got != want {
			t.Errorf("%s: %q, want %q", words, got, want)
		}
	}
	if got := s.Eval(t, "localStorage.k + sessionStorage.s"); got != `"two words1"` {
		t.Errorf("the page has %s", got)
	}
	if _, err := s.Try(t, "storage", "local", "--frame", site.URL("/small?mute-same")); api.CodeOf(err) != api.StorageUnavailable {
		t.Errorf("in a sandboxed frame: %v", err)
	}
	if _, err := s.Try(t, "storage", "local", "set", "big", strings.Repeat("x", 6<<20)); api.CodeOf(err) != api.StorageUnavailable {
		t.Errorf("over the quota: %v", err)
	}
	s.Run(t, "storage", "local", "remove", "k")
	s.Run(t, "storage", "local", "clear")
	if got := s.Eval(t, "localStorage.length + sessionStorage.length"); got != "1" {
		t.Errorf("%s entries are left, want that of the session", got)
	}
	s.Run(t, "open", "data:text/html,x")
	if _, err := s.Try(t, "storage", "local"); api.CodeOf(err) != api.StorageUnavailable {
		t.Errorf("in a data: page: %v", err)
	}
}
