package relay_test

import (
	"strings"
	"testing"

	"github.com/usher-browser/usher/internal/cdp"
)

// goes navigates and returns errorText of the reply.
func goes(t *testing.T, s *cdp.Session, url string) string {
	t.Helper()
	var got struct {
		Text string `json:"errorText"`
	}
	if err := s.Call(deadline(t), "Page.navigate", map[string]string{"url": url}, &got); err != nil {
		t.Fatal(err)
	}
	return got.Text
}

// TestScriptDoesNotOvertake: a navigation of a client goes on although a script of the page begins another one meanwhile, and a page that never rests
// gets the error.
func TestScriptDoesNotOvertake(t *testing.T) {
	r := newRig(t)
	s, seen, target := r.keeper(t, "/form")
	must(t, r.direct.Browser(), "Target.activateTarget", map[string]string{"targetId": target}) // timers of others are slow
	form, err := evaluate(t, s, "location.href")
	if err != nil {
		t.Fatal(err)
	}
	site := strings.Trim(strings.TrimSuffix(form, `/form"`), `"`)

	count := seen.count()
	if text := goes(t, s, site+"/hasty"); text != "" {
		t.Fatal(text)
	}
	seen.await(t, count, "Page.loadEventFired")
	if text := goes(t, s, site+"/slow"); text != "" {
		t.Errorf("the navigation failed with %s", text)
	}
	becomes(t, s, "document.title", `"slow"`)
	becomes(t, s, "location.pathname", `"/slow"`)

	if text := goes(t, s, site+"/restless"); text != "" {
		t.Fatal(text)
	}
	if text := goes(t, s, site+"/slow?asked"); text != "net::ERR_ABORTED" {
		t.Errorf("in a page that never rests the navigation ended with %q", text)
	}
	if text := goes(t, s, site+"/form"); text != "" {
		t.Errorf("away from the page: %s", text)
	}
	becomes(t, s, "document.title", `"form"`)
}
