package policy

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

func TestText(t *testing.T) {
	t.Parallel()
	tail := strings.Repeat("aB3x", 10)
	jwt := "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl-_x"
	for in, want := range map[string]string{
		"": "",
		"nothing to hide, sk-not, ghp_short, key AKIA":        "nothing to hide, sk-not, ghp_short, key AKIA",
		"the key is sk-ant-" + tail + ".":                     "the key is sk-ant-[redacted].",
		`{"k":"ghp_` + tail + `"}`:                            `{"k":"ghp_[redacted]"}`,
		"github_pat_11AA_" + tail:                             "github_pat_[redacted]",
		"AKIAIOSFODNN7EXAMPLE":                                "AKIA[redacted]",
		"xAKIAIOSFODNN7EXAMPLE":                               "xAKIAIOSFODNN7EXAMPLE", // the middle of a word
		"xoxb-123456-abcdef and xoxp-123456-abcdef":           "xoxb-[redacted] and xoxp-[redacted]",
		"AIza" + tail:                                         "AIza[redacted]",
		"token " + jwt + " end":                               "token eyJ[redacted] end",
		"eyJ is no token, eyJhbGciOiJIUzI1NiJ9 alone":         "eyJ is no token, eyJhbGciOiJIUzI1NiJ9 alone",
		"curl -H 'Authorization: Bearer abc" + tail + "'":     "curl -H 'Authorization: Bearer [redacted]'",
		"GET / HTTP/1.1\r\nCookie: a=b; c=d\r\nAccept: x\r\n": "GET / HTTP/1.1\r\nCookie: [redacted]\r\nAccept: x\r\n",
		"set-cookie:sid=1":                                    "set-cookie:[redacted]",
		"Cookie:":                                             "Cookie:",
		"Cookies: a few":                                      "Cookies: a few",
		"https://ada:pw@host/x?y=1":                           "https://[redacted]@host/x?y=1",
		"wss://token@host":                                    "wss://[redacted]@host",
		"https://medium.com/@ada":                             "https://medium.com/@ada",
		"https://host?mail=ada@example.com":                   "https://host?mail=ada@example.com",
		"mailto:ada@example.com":                              "mailto:ada@example.com",
		"https://h/p?a=1&access_token=x.y&b":                  "https://h/p?a=1&access_token=[redacted]&b",
		"https://h/cb#id_token=abc&x=1":                       "https://h/cb#id_token=[redacted]&x=1",
		"https://h/?X-Amz-Signature=beef":                     "https://h/?X-Amz-Signature=[redacted]",
		"https://h/?tokens=3&token=":                          "https://h/?tokens=3&token=",
		"-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----": "-----BEGIN RSA PRIVATE KEY-----[redacted]-----END RSA PRIVATE KEY-----",
		"-----BEGIN PRIVATE KEY-----\nMIIE":                                    "-----BEGIN PRIVATE KEY-----[redacted]",
		"-----BEGIN CERTIFICATE-----\nMIIE":                                    "-----BEGIN CERTIFICATE-----\nMIIE",
	} {
		if got := Text(in); got != want {
			t.Errorf("%q\nbecame %q\nwanted %q", in, got, want)
		}
	}
}

func TestJSON(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		`{"a":1,"b":[true,null,1e400,12345678901234567890]}`:                     `{"a":1,"b":[true,null,1e400,12345678901234567890]}`,
		`{"headers":{"Cookie":"a=b","accept":"x","AUTHORIZATION":"Basic eA=="}}`: `{"headers":{"Cookie":"[redacted]","accept":"x","AUTHORIZATION":"[redacted]"}}`,
		`[{"value":"secret","name":"set-cookie"},{"name":"x","value":"y"}]`:      `[{"value":"[redacted]","name":"set-cookie"},{"name":"x","value":"y"}]`,
		`{"cookies":[{"name":"sid","value":"1","domain":"h","httpOnly":true}]}`:  `{"cookies":[{"name":"sid","value":"[redacted]","domain":"h","httpOnly":true}]}`,
		`{"cookie":["a",{"b":"c"}],"set-cookie":""}`:                             `{"cookie":["[redacted]",{"b":"[redacted]"}],"set-cookie":""}`,
		`{"url":"https://u:p@h/"}`:                                               `{"url":"https://[redacted]@h/"}`,
		`{"data":"https://u:p@h/","in":{"data":"https://u:p@h/"}}`:               `{"data":"https://u:p@h/","in":{"data":"https://[redacted]@h/"}}`,
		`"\ud800 alone"`: `"\ufffd alone"`,
	} {
		got, err := JSON(jsontext.Value(in), "data")
		if err != nil {
			t.Errorf("%s: %v", in, err)
			continue
		}
		wanted := jsontext.Value(want)
		if err := wanted.Compact(jsontext.AllowInvalidUTF8(true)); err != nil {
			t.Fatal(err)
		}
		if string(got) != strings.ReplaceAll(string(wanted), `\ufffd`, "\ufffd") {
			t.Errorf("%s\nbecame %s\nwanted %s", in, got, want)
		}
	}
	for _, in := range []string{"", "{", `{"a"`, "[1", "[1,]", "1 2", "{}{}", `{"a":tru}`} {
		if got, err := JSON(jsontext.Value(in)); err == nil {
			t.Errorf("%q was taken for JSON: %s", in, got)
		}
	}
}

// FuzzText: redacting never fails, never does more the second time, and keeps text valid.
func FuzzText(f *testing.F) {
	for _, s := range []string{"https://a:b@c/?token=x&sig=y", "Cookie: a\nSet-Cookie: b", "eyJhbGciOi.eyJzdWIi.x", "Bearer aaaaaaaaaaaaaaaaaaaa",
		"-----BEGIN PRIVATE KEY-----x-----END", "ghp_aaaaaaaaaaaaaaaaaaaaaaaaaaa", "\xff://\xfe@?token=\xfd"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		once := Text(s)
		if twice := Text(once); twice != once {
			t.Errorf("%q\nonce  %q\ntwice %q", s, once, twice)
		}
		if utf8.ValidString(s) && !utf8.ValidString(once) {
			t.Errorf("%q became the invalid %q", s, once)
		}
		secret := "sk-ant-" + strings.Repeat("q9", 12)
		if got := Text(s + " " + secret + " " + s); strings.Contains(got, secret) {
			t.Errorf("%q hides a key: %q", s, got)
		}
	})
}

// FuzzJSON: what is JSON stays JSON, also the second time; what is not is refused.
func FuzzJSON(f *testing.F) {
	for _, s := range []string{`{"cookie":{"a":["b"]},"data":"x"}`, `[{"name":"Cookie","value":"x"}]`, `1`, `{"a":1,"a":2}`, `"\udfff"`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		once, err := JSON(jsontext.Value(s), "data")
		if valid := jsontext.Value(s).IsValid(lenient()); valid != (err == nil) {
			t.Fatalf("%q: valid %t, %v", s, valid, err)
		}
		if err != nil {
			return
		}
		twice, err := JSON(once, "data")
		if err != nil || string(twice) != string(once) {
			t.Errorf("%q\nonce  %s\ntwice %s (%v)", s, once, twice, err)
		}
	})
}

// BenchmarkText is a megabyte of page text with an address in every line.
func BenchmarkText(b *testing.B) {
	s := strings.Repeat("Some words of a page and https://example.com/path?page=2&sort=up in a line of it.\n", 12500)
	b.SetBytes(int64(len(s)))
	for b.Loop() {
		Text(s)
	}
}
