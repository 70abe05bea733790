package ops

import "testing"

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
		if got := matchURL(c.pattern, c.url); got != c.want {
			t.Errorf("matchURL(%q, %q) = %v, want %v", c.pattern, c.url, got, c.want)
		}
	}
}

func TestTruthy(t *testing.T) {
	for _, c := range []struct {
		value, special, kind string
		want                 bool
	}{
		{"true", "", "boolean", true}, {"false", "", "boolean", false},
		{"0", "", "number", false}, {"1", "", "number", true}, {"-0", "", "number", false},
		{"", "-0", "number", false}, {"", "NaN", "number", false}, {"", "Infinity", "number", true},
		{"", "0n", "bigint", false}, {"", "1n", "bigint", true},
		{`""`, "", "string", false}, {`"0"`, "", "string", true}, {`" "`, "", "string", true},
		{"null", "", "object", false}, {"", "", "undefined", false},
		{"{}", "", "object", true}, {"[]", "", "object", true}, {"", "", "function", true}, {"", "", "symbol", true},
	} {
		if got := truthy([]byte(c.value), c.special, c.kind); got != c.want {
			t.Errorf("truthy(%q, %q, %q) = %v, want %v", c.value, c.special, c.kind, got, c.want)
		}
	}
}

func TestHarmless(t *testing.T) {
	for in, want := range map[string]string{
		"plain é 漢字 🙂":             "plain é 漢字 🙂",
		"one\ntwo":                 "one\n    two",
		"\x1b[31mred":              `\u001b[31mred`,
		"over\rwritten\bx\u202e":   `over\u000dwritten\u0008x\u202e`,
		"a tab\tstays":             "a tab\tstays",
		"✓ Done\n[error] not ours": "✓ Done\n    [error] not ours",
	} {
		if got := harmless(in); got != want {
			t.Errorf("harmless(%q) = %q, want %q", in, got, want)
		}
	}
	if got := oneLine(" a\n  b\tc "); got != "a b c" {
		t.Errorf("oneLine: %q", got)
	}
}
