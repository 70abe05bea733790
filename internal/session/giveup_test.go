package session_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/usher-browser/usher/internal/cdptest"
)

// TestCancelledNavigationIsReportedCorrectly cancels navigations at every moment around the commit of their page. The
// error describes the page that is then shown, also if it commits while loading is being stopped.
func TestCancelledNavigationIsReportedCorrectly(t *testing.T) {
	site := cdptest.NewSite(t)
	c := connect(t)
	told := map[bool]int{}
	after := 2 * time.Millisecond
	for n := 0; n < 24 || len(told) < 2 && after < time.Minute; n++ {
		if after += time.Millisecond; n >= 24 { // on a slow machine the page comes later
			after *= 2
		}
		c.must(t, "open "+site.URL("/small"))
		_, err := c.run(t.Context(), fmt.Sprintf("open %s --timeout %s", site.URL("/endless"), after))
		if err == nil {
			t.Fatal("a page without an end was loaded")
		}
		kept := !strings.Contains(err.Error(), "not finished loading")
		told[kept]++
		want := site.URL("/endless")
		if kept {
			want = site.URL("/small")
		}
		for range 3 {
			if got := c.must(t, "eval location.href").Text; strings.Trim(got, `"`) != want {
				t.Fatalf("after %s the page shown is %s, told was: %v", after, got, err)
			}
		}
	}
	t.Logf("%d given up before the page came, %d after", told[true], told[false])
	if len(told) != 2 {
		t.Errorf("only one of both cases was tried: %v", told)
	}
}
