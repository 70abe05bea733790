package read_test

import (
	"strings"
	"testing"

	"github.com/usher-browser/usher/internal/cdptest"
	"github.com/usher-browser/usher/internal/cdptest/commandtest"
)

// TestEmptyPageTellsOfItsError: a page that shows nothing because its script failed says so in its snapshot; one that shows something,
// and one that only comes after such a page, do not.
func TestEmptyPageTellsOfItsError(t *testing.T) {
	s := commandtest.New(t)
	site := cdptest.NewSite(t)
	s.Run(t, "open", site.URL("/small"))
	throw := `setTimeout(() => { throw new TypeError('no root') })`
	s.Run(t, "eval", throw)
	if got := s.Run(t, "snapshot").Warning; strings.Contains(got, "failed") {
		t.Errorf("a page with content: %s", got)
	}
	s.Run(t, "open", site.URL("/small?again"))
	s.Run(t, "eval", `document.body.innerHTML = ''; 0`)
	if got := s.Run(t, "snapshot").Warning; strings.Contains(got, "failed") {
		t.Errorf("an error of an earlier page: %s", got)
	}
	s.Run(t, "eval", throw)
	s.Run(t, "eval", `new Promise(done => setTimeout(done, 50)).then(() => 0)`)
	for _, flag := range []string{"--compact", "-i"} {
		if got := s.Run(t, "snapshot", flag).Warning; !strings.Contains(got, "a script of the page failed: Uncaught TypeError: no root") {
			t.Errorf("snapshot %s of an empty page: %q", flag, got)
		}
	}
}
