package plain

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestText(t *testing.T) {
	for in, want := range map[string]string{
		"plain":                         "plain",
		"a\x1b]0;x\x07b\u009b31m":       "a]0;xb31m",
		"a\u202eb\u2066c\u200f\u061cd":  "abcd",
		"a\u200bb\ufeffc\u00add\u2060e": "abcde",
		"a\u2028b\u2029c\u0085d":        "a\nb\nc\nd",
		"e\U000e0041\U000e0042f":        "ef",
		"😀\ufe00\ufe01\U000e0100x":      "😀x",
		"\xff\xed\xa0\x80":              "\ufffd\ufffd\ufffd\ufffd",
		"a\u200db \u200c":               "ab ",
		// What stays.
		"👩‍💻 👨‍👩‍👧 ❤️ 1️⃣ 🏳️‍🌈":                                    "👩‍💻 👨‍👩‍👧 ❤️ 1️⃣ 🏳️‍🌈",
		"می\u200cخواهم שלום العربية":                               "می\u200cخواهم שלום العربية",
		"क्\u200dष 葛\U000e0100":                                    "क्\u200dष 葛\U000e0100",
		"🏴" + tagged("gbeng") + tagged("gbeng") + tagged("hidden"): "🏴" + tagged("gbeng"),
	} {
		if got := Text(in); got != want {
			t.Errorf("%+q: %+q, want %+q", in, got, want)
		}
	}
	if got := Cut(strings.Repeat("ä", 30), 10); got != strings.Repeat("ä", 10)+"… (30 characters)" {
		t.Error(got)
	}
}

func TestEscaped(t *testing.T) {
	in := "a\x1b]52;c;x\x07\u202e\U000e0041\xff\u009b\tü\n"
	if got, want := Escaped(in), `a\x1b]52;c;x\x07\u202e\U000e0041\xff\u009b`+"\tü\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got, want := EscapedJSON("\"\u202e\U000e0041\u009b\""), `"\u202e\udb40\udc41\u009b"`; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// FuzzText: nothing that is hidden stays, nothing is left to do the second time, and JSON keeps its meaning.
func FuzzText(f *testing.F) {
	for _, seed := range []string{"a", "\x1b[0m", "👩‍💻", "🏴" + tagged("gbwls"), "\u202e\ufe0f\u200d", "\xed\xa0\x80", "1️⃣\u200d\u200d", "\u200d\ufe0f\u0680"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		once := Text(s)
		if twice := Text(once); twice != once || !utf8.ValidString(once) {
			t.Errorf("%+q: once %+q, twice %+q", s, once, twice)
		}
		for _, r := range once + Escaped(s) {
			if (r < ' ' && r != '\n' && r != '\t') || r >= 0x7f && r < 0xa0 || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 || r == 0x200b {
				t.Errorf("%+q: %+q and %+q hold %U", s, once, Escaped(s), r)
			}
		}
		quoted, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		var a, b string
		if err := json.Unmarshal(quoted, &a); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal([]byte(EscapedJSON(string(quoted))), &b); err != nil || a != b {
			t.Errorf("%q: as JSON it is %q, escaped %q, %v", s, a, b, err)
		}
	})
}
