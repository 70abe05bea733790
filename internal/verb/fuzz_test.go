package verb_test

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	. "github.com/usher-browser/usher/internal/verb"
	"github.com/usher-browser/usher/internal/verb/shell"
)

// FuzzParse checks that no line makes the parser panic, that a mistake is always a typed error of modest size, and that a
// parsed call, written out as words, is read back as the same call.
func FuzzParse(f *testing.F) {
	for i := range table.All() {
		for _, e := range table.All()[i].Examples {
			f.Add(e, false)
			f.Add("--session s "+e+" --json", true)
		}
	}
	for _, s := range []string{"type @e1 -- --x", "tab -- -x", "wait --download -- -x", "find nth -1 a fill -- -x", "select @e1 -- true false",
		"--args --x --args=--y,--z back", "screenshot . ./a", "wait -- -1", "type -- true true", "mouse wheel -- -1 -2", "open -- --"} {
		f.Add(s, false)
	}
	f.Fuzz(func(t *testing.T, line string, other bool) {
		mode := Usher
		if other {
			mode = AgentBrowser
		}
		words, err := shell.Split(line)
		if err != nil {
			return
		}
		c, err := table.Parse(words, mode)
		if err != nil {
			var e *Error
			if !errors.As(err, &e) || e.Code == "" || e.Message == "" {
				t.Fatalf("%q: an error without code or message: %#v", words, err)
			}
			if len(e.Error()) > 4000 {
				t.Fatalf("%q: an error of %d bytes", words, len(e.Error()))
			}
			return
		}
		again, err := table.Parse(c.Argv(), mode)
		if err != nil {
			t.Fatalf("%q was accepted, and %q is refused: %v", words, c.Argv(), err)
		}
		equal := func(a, b map[string][]string) bool { return maps.EqualFunc(a, b, slices.Equal) }
		if again.Verb != c.Verb || again.Form != c.Form || !equal(c.Values(), again.Values()) || !equal(c.Globals.Values(), again.Globals.Values()) {
			t.Fatalf("%q\n is  %s %v\n then %s %v", words, c, c.Values(), again, again.Values())
		}
		for _, a := range c.Verb.Args {
			if a.Kind == Selector && c.Has(a.Name) {
				c.Target(a.Name)
			}
		}
	})
}

// FuzzNormalizeURL checks that a completed address is complete: completing it again changes nothing.
func FuzzNormalizeURL(f *testing.F) {
	for _, s := range []string{"example.com", "localhost:1", "[::1]", "data:,x", "a:b@c", "//x", "http://a@b:1/?#"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		once, err := NormalizeURL(s)
		if err != nil {
			return
		}
		twice, err := NormalizeURL(once)
		if err != nil || once != twice {
			t.Fatalf("%q becomes %q, then %q, %v", s, once, twice, err)
		}
		if !strings.Contains(once, ":") {
			t.Fatalf("%q becomes %q, which has no scheme", s, once)
		}
	})
}
