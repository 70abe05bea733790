package join_test

import (
	"testing"
	"time"

	"github.com/usher-browser/usher/internal/cdptest"
	"github.com/usher-browser/usher/internal/supervisor/model"
)

// TestEmulationComesBack: what the session emulates is in force again when the last client has left that emulated something else, and not
// before.
func TestEmulationComesBack(t *testing.T) {
	r := newRig(t, "")
	r.browser.SetInit(r.own, []model.InitCommand{{Method: "Emulation.setEmulatedMedia", Params: map[string]any{"media": "print"}}})
	tab := r.open(t, r.own, r.site.URL("/small"))
	seen := func() string {
		var got struct {
			Result struct {
				Value string `json:"value"`
			} `json:"result"`
		}
		page := r.browser.Session(r.browser.State().Tabs[tab].Session)
		expression := map[string]any{"expression": "matchMedia('print').matches ? 'print' : 'screen'", "returnByValue": true}
		if err := page.Call(deadline(t), "Runtime.evaluate", expression, &got); err != nil {
			t.Fatal(err)
		}
		return got.Result.Value
	}
	becomes := func(want, when string) {
		t.Helper()
		for limit := time.Now().Add(cdptest.Timeout); seen() != want; {
			if time.Now().After(limit) {
				t.Fatalf("%s the media is not %s", when, want)
			}
		}
	}
	becomes("print", "before clients")
	one, two := r.dial(t), r.dial(t)
	a, b := one.attach(t, tab), two.attach(t, tab)
	one.call(t, a, "Emulation.setEmulatedMedia", map[string]any{"media": "screen"})
	two.call(t, b, "Emulation.setEmulatedMedia", map[string]any{"media": "screen"})
	becomes("screen", "with two clients")
	one.Close()
	for limit := deadline(t); r.server.Clients() != 1; {
		if limit.Err() != nil {
			t.Fatal("the client that left is counted")
		}
	}
	becomes("screen", "with one client")
	two.Close()
	becomes("print", "after the clients")
}
