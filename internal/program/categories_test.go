package program_test

import (
	"testing"

	"github.com/usher-browser/usher/internal/program"
	"github.com/usher-browser/usher/internal/verb"
)

// TestEveryCommandHasACategory: a command of an unlisted category could be named by no policy.
func TestEveryCommandHasACategory(t *testing.T) {
	listed := map[verb.Category]bool{}
	for _, c := range verb.Categories() {
		listed[c.Category] = true
	}
	for _, v := range program.Table().All() {
		if !listed[v.Category] {
			t.Errorf("%s has the category %q, which verb.Categories does not list", v.Name, v.Category)
		}
		if v.Category == verb.CatSession && v.Is(verb.NeedsBrowser) {
			t.Errorf("%s works with a page, and no policy judges it: category %q", v.Name, v.Category)
		}
	}
}
