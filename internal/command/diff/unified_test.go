package diff

import (
	"strings"
	"testing"
)

func TestCompare(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ before, after, want string }{
		"the same":           {"- a\n- b", "- a\n- b", ""},
		"other refs":         {"- link \"A\" [ref=e1]\n- b [level=1, ref=e2]", "- link \"A\" [ref=e7]\n- b [level=1, ref=e8]", ""},
		"refs on one side":   {"- link \"A\"\n- b [level=1]\n- c [url=x]", "- link \"A\" [ref=e7]\n- b [level=1, ref=e8]\n- c [ref=e9, url=x]", ""},
		"nothing before":     {"", "- a", "--- before\n+++ after\n@@ -0,0 +1,1 @@\n+- a"},
		"nothing afterwards": {"- a", "", "--- before\n+++ after\n@@ -1,1 +0,0 @@\n-- a"},
		"one line": {"- a\n- b [ref=e1]\n- c\n- d\n- e\n- f", "- a\n- x [ref=e3]\n- c\n- d\n- e\n- f",
			"--- before\n+++ after\n@@ -1,5 +1,5 @@\n - a\n-- b [ref=e1]\n+- x [ref=e3]\n - c\n - d\n - e"},
		"refs tell rows apart": {"- li [ref=e1]\n- li [ref=e2]\n- li [ref=e3]", "- li [ref=e1]\n- li [ref=e3]",
			"--- before\n+++ after\n@@ -1,3 +1,2 @@\n - li [ref=e1]\n-- li [ref=e2]\n - li [ref=e3]"},
	} {
		if _, got := compare(test.before, test.after); got != test.want {
			t.Errorf("%s:\n got %q\nwant %q", name, got, test.want)
		}
	}
}

// FuzzCompare: the numbers add up to the lines of both, and the rows are those of the outlines.
func FuzzCompare(f *testing.F) {
	f.Add("- a\n- b [ref=e1]", "- b [ref=e2]\n- c")
	f.Add("- a\n- a\n- a", "- a")
	f.Fuzz(func(t *testing.T, before, after string) {
		l, text := compare(before, after)
		if old, now := len(lines(before)), len(lines(after)); l.Unchanged+l.Removals != old || l.Unchanged+l.Additions != now {
			t.Fatalf("%+v of %d and %d lines", l, old, now)
		}
		if !l.Changed {
			return
		}
		for row := range strings.Lines(strings.SplitN(text, "\n", 3)[2] + "\n") {
			from := after
			if row[0] == '-' {
				from = before
			}
			if row[0] != '@' && !strings.Contains(from+"\n", strings.TrimSuffix(row[1:], "\n")) {
				t.Errorf("%q is in neither", row)
			}
		}
	})
}
