package shell_test

import (
	"slices"
	"testing"

	"github.com/usher-browser/usher/internal/verb/shell"
)

func TestSplit(t *testing.T) {
	for in, want := range map[string][]string{
		"":                         nil,
		"  \t\n":                   nil,
		"a  b\tc":                  {"a", "b", "c"},
		`fill @e1 "a b"`:           {"fill", "@e1", "a b"},
		`'it''s'`:                  {"its"},
		`"say \"hi\" \n \\"`:       {`say "hi" \n \`},
		`'a\b'`:                    {`a\b`},
		`a\ b \"c`:                 {"a b", `"c`},
		`x"" ''`:                   {"x", ""},
		`--name="Sign in"`:         {"--name=Sign in"},
		"fill @e1 'línea'\\''s'":   {"fill", "@e1", "línea's"},
		"eval '[1,2].map(x=>x*2)'": {"eval", "[1,2].map(x=>x*2)"},
	} {
		got, err := shell.Split(in)
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %q, %v; want %q", in, got, err, want)
		}
	}
	for _, in := range []string{`"a`, `'a`, `a\`, `a "b\"`} {
		if got, err := shell.Split(in); err == nil {
			t.Errorf("%s: %q, want an error", in, got)
		}
	}
}

// FuzzSplit checks that splitting never panics and that joined words come apart as they were.
func FuzzSplit(f *testing.F) {
	for _, s := range []string{"", `a "b c" 'd'`, `\`, `'`, `"\"`, "a\nb", `x'"'y"'"`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, line string) {
		words, err := shell.Split(line)
		if err == nil {
			again, err := shell.Split(shell.Join(words))
			if err != nil || !slices.Equal(words, again) {
				t.Fatalf("%q: %q, then %q, %v", line, words, again, err)
			}
		}
		// Any text at all survives as one word among others.
		list := []string{"a", line, ""}
		if again, err := shell.Split(shell.Join(list)); err != nil || !slices.Equal(list, again) {
			t.Fatalf("%q came apart as %q, %v", list, again, err)
		}
	})
}
