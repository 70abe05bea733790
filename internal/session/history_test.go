package session_test

import (
	"fmt"
	"testing"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/cdptest"
)

// TestBackDuringNavigation goes back at moments when the browser has no document to ask: directly after a navigation
// that failed, and after one that a script has begun.
func TestBackDuringNavigation(t *testing.T) {
	site := cdptest.NewSite(t)
	c := connect(t)
	c.must(t, "open "+site.URL("/small"))
	for round := range 12 {
		if _, err := c.run(t.Context(), "open "+site.URL("/cut")); api.CodeOf(err) != api.NavigationFailed {
			t.Fatalf("round %d: open a server that hangs up: %v", round, err)
		}
		if _, err := c.run(t.Context(), "back"); err != nil {
			t.Fatalf("round %d: back from a page that failed to load: %v", round, err)
		}
		c.must(t, fmt.Sprintf("open %s", site.URL("/keys")))
		c.must(t, "eval location.reload()")
		if _, err := c.run(t.Context(), "back"); err != nil {
			t.Fatalf("round %d: back from a page that reloads itself: %v", round, err)
		}
	}
}
