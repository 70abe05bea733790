package session_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/usher-browser/usher/internal/cdptest"
)

// TestGivenUpIsTrue gives navigations up at every moment around the arrival of their page: what is told of the page then
// shown holds, also where it arrives while loading is being stopped.
func TestGivenUpIsTrue(t *testing.T) {
	site := cdptest.NewSite(t)
	c := connect(t)
	told := map[bool]int{}
	for n := range 24 {
		c.must(t, "open "+site.URL("/small"))
		_, err := c.run(t.Context(), fmt.Sprintf("open %s --timeout %dms", site.URL("/endless"), 2+n))
		if err == nil {
			t.Fatal("a page without an end was loaded")
		}
		kept := strings.Contains(err.Error(), "given up")
		told[kept]++
		want := site.URL("/endless")
		if kept {
			want = site.URL("/small")
		}
		for range 3 {
			if got := c.must(t, "eval location.href").Text; strings.Trim(got, `"`) != want {
				t.Fatalf("after %d ms the page shown is %s, told was: %v", 2+n, got, err)
			}
		}
	}
	t.Logf("%d given up before the page came, %d after", told[true], told[false])
	if len(told) != 2 {
		t.Errorf("only one of both cases was tried: %v", told)
	}
}
