package entry_test

import (
	"testing"

	"github.com/usher-browser/usher/internal/element/entry"
)

func TestSameText(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		held, text string
		same       bool
	}{
		{"a\n\nb\n", "a\nb", true}, {"4242 4242", "42424242", true}, {"", "", true}, {"ab", "a\nb", false}, {"old", "", false}, {"xab", "ab", false},
	} {
		if entry.SameText(c.held, c.text) != c.same {
			t.Errorf("%q as %q: %v, want %v", c.held, c.text, !c.same, c.same)
		}
	}
}
