package join_test

import (
	"testing"
	"time"

	"github.com/usher-browser/usher/internal/cdptest"
	"github.com/usher-browser/usher/internal/supervisor/model"
)

// media returns the media type that a page sees.
func (r *rig) media(t *testing.T, tab model.TargetID) string {
	t.Helper()
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

// becomes waits until a page sees a media type.
func (r *rig) becomes(t *testing.T, tab model.TargetID, want, when string) {
	t.Helper()
	for limit := time.Now().Add(cdptest.Timeout); r.media(t, tab) != want; {
		if time.Now().After(limit) {
			t.Fatalf("%s the media is not %s", when, want)
		}
	}
}

// TestEmulationOfOthers: a client that joins one session changes nothing in the pages of another.
func TestEmulationOfOthers(t *testing.T) {
	r := newRig(t, "")
	r.browser.SetInit(r.other, []model.InitCommand{{Method: "Emulation.setEmulatedMedia", Params: map[string]any{"media": "print"}}})
	own, other := r.open(t, r.own, r.site.URL("/small")), r.open(t, r.other, r.site.URL("/small"))
	r.becomes(t, other, "print", "before the client")
	c := r.dial(t)
	c.call(t, "", "Target.setAutoAttach", map[string]any{"autoAttach": true, "waitForDebuggerOnStart": false, "flatten": true})
	c.seen(t, "Target.attachedToTarget", string(own))
	c.call(t, "", "Browser.getVersion", nil) // by now the client's session of the other page has been ended
	r.becomes(t, other, "print", "with the client")
	c.Close()
	r.becomes(t, other, "print", "after the client")
}

// TestEmulationComesBack: what the session emulates is in force again when the last client has left that emulated something else, and not
// before.
func TestEmulationComesBack(t *testing.T) {
	r := newRig(t, "")
	r.browser.SetInit(r.own, []model.InitCommand{{Method: "Emulation.setEmulatedMedia", Params: map[string]any{"media": "print"}}})
	tab := r.open(t, r.own, r.site.URL("/small"))
	r.becomes(t, tab, "print", "before clients")
	one, two := r.dial(t), r.dial(t)
	a, b := one.attach(t, tab), two.attach(t, tab)
	one.call(t, a, "Emulation.setEmulatedMedia", map[string]any{"media": "screen"})
	two.call(t, b, "Emulation.setEmulatedMedia", map[string]any{"media": "screen"})
	r.becomes(t, tab, "screen", "with two clients")
	one.Close()
	for limit := deadline(t); r.server.Clients() != 1; {
		if limit.Err() != nil {
			t.Fatal("the client that left is counted")
		}
	}
	r.becomes(t, tab, "screen", "with one client")
	two.Close()
	r.becomes(t, tab, "print", "after the clients")
}

// TestEmulationOfOtherClient: a client that joins changes nothing in the page that another client has made for itself.
func TestEmulationOfOtherClient(t *testing.T) {
	r := newRig(t, "")
	r.open(t, r.own, r.site.URL("/small"))
	one, two := r.dial(t), r.dial(t)
	made := one.call(t, "", "Target.createBrowserContext", map[string]any{})["browserContextId"]
	page := model.TargetID(one.call(t, "", "Target.createTarget", map[string]any{"url": "about:blank", "browserContextId": made})["targetId"].(string))
	r.await(t, "the page is there", func(s *model.State) bool { tab := s.Tabs[page]; return tab != nil && tab.Ready })
	one.call(t, one.attach(t, page), "Emulation.setEmulatedMedia", map[string]any{"media": "print"})
	r.becomes(t, page, "print", "before the other client")
	two.call(t, "", "Target.setAutoAttach", map[string]any{"autoAttach": true, "waitForDebuggerOnStart": true, "flatten": true})
	for range 20 { // by then a session that had ended would have taken it back
		two.call(t, "", "Browser.getVersion", nil)
		if got := r.media(t, page); got != "print" {
			t.Fatalf("with the other client the media is %s", got)
		}
	}
	one.call(t, "", "Target.createTarget", map[string]any{"url": r.site.URL("/small"), "browserContextId": made})
	r.await(t, "a page that starts while the other client is there has loaded", func(s *model.State) bool {
		for _, tab := range s.Tabs {
			if tab.ID != page && tab.Context == model.ContextID(made.(string)) && tab.MainFrame() != nil && tab.MainFrame().Loaded {
				return true
			}
		}
		return false
	})
}
