package supervisor_test

import (
	"testing"

	"github.com/usher-browser/usher/internal/cdptest"
	"github.com/usher-browser/usher/internal/supervisor/model"
)

// TestBridgeOverOutage: a bridged dialog ends with the connection, and the page opens the native one, which can be
// answered. On the next connection dialogs use the bridge again, in the same page and in others.
func TestBridgeOverOutage(t *testing.T) {
	b, proxy, _ := watchThroughProxy(t, false)
	site := cdptest.NewSite(t)
	tab := standing(t, b, site.URL("/small"))
	b.SetBridge(tab.Context, model.BridgeOn)
	// Documents from before the bridge keep native dialogs, so open another page.
	tab = standing(t, b, site.URL("/small?bridged"))
	asked := openDialog(t, b, tab.ID, `prompt("who?", "nobody")`)
	if !asked.Bridge {
		t.Fatalf("the dialog is native: %+v", asked)
	}

	proxy.CutOldest()
	wait(t, b, "the native dialog is there", func(s *model.State) bool {
		d := s.Dialog(tab.ID)
		return d != nil && d.ID != asked.ID && !d.Bridge && d.Reach == model.ReachFull
	})
	s := b.State()
	if len(s.RecentDialogs) != 1 || s.RecentDialogs[0].ID != asked.ID || s.RecentDialogs[0].ClosedBy != model.ByRemote {
		t.Errorf("the one by the bridge: %+v", s.RecentDialogs)
	}
	native := s.Dialog(tab.ID)
	if native.Message != asked.Message || native.DefaultPrompt != asked.DefaultPrompt {
		t.Errorf("the native one is %+v", native)
	}
	if _, err := b.Answer(deadline(t), native.ID, true, "Ada"); err != nil {
		t.Fatal(err)
	}
	wait(t, b, "the page is back", back(tab.ID))
	if got := eval(t, b, b.State().Tabs[tab.ID].Session, "kept + answer"); got != `"keptAda"` {
		t.Errorf("the page got %s", got)
	}

	for _, id := range []model.TargetID{tab.ID, openTab(t, b, site.URL("/small?later")).ID} {
		d := openDialog(t, b, id, `prompt("again?")`)
		if !d.Bridge {
			t.Errorf("behind the outage the dialog is native: %+v", d)
		}
		if _, err := b.Answer(deadline(t), d.ID, true, "Grace"); err != nil {
			t.Fatal(err)
		}
		if got := eval(t, b, b.State().Tabs[id].Session, "answer"); got != `"Grace"` {
			t.Errorf("the page got %s", got)
		}
	}
}

// TestBridgeReleased: no event reports the native dialog that a page opens after its bridged dialog ended with the
// connection.
func TestBridgeReleased(t *testing.T) {
	b, proxy, _ := watchThroughProxy(t, true)
	site := cdptest.NewSite(t)
	tab := openTab(t, b, site.URL("/small"))
	b.SetBridge(tab.Context, model.BridgeOn)
	tab = openTab(t, b, site.URL("/small?bridged"))
	asked := openDialog(t, b, tab.ID, `prompt("who?", "nobody")`)
	proxy.Cut()
	wait(t, b, "the outage is known", down)
	wait(t, b, "the tab is attached again", func(s *model.State) bool { return s.Outage == nil && s.Tabs[tab.ID].Session != "" })
	if len(b.State().RecentDialogs) != 1 || b.State().RecentDialogs[0].ID != asked.ID {
		t.Errorf("closed: %+v", b.State().RecentDialogs)
	}
	if released, err := b.DismissUnreported(deadline(t), tab.ID); err != nil || !released {
		t.Fatalf("release: %v, %v", released, err)
	}
	d := openDialog(t, b, tab.ID, `confirm("again?")`)
	if !d.Bridge {
		t.Errorf("behind the outage the dialog is native: %+v", d)
	}
	if _, err := b.Answer(deadline(t), d.ID, true, ""); err != nil {
		t.Fatal(err)
	}
	if got := eval(t, b, b.State().Tabs[tab.ID].Session, "answer"); got != `"true"` {
		t.Errorf("the page got %s", got)
	}
}
