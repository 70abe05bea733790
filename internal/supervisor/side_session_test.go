package supervisor_test

import (
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/cdptest"
	"github.com/usher-browser/usher/internal/supervisor"
	"github.com/usher-browser/usher/internal/supervisor/model"
)

// TestSideSession uses side sessions on the model's pages: the model misses no event and gets none twice, and the side
// session keeps its enabled domains for as long as the tab lives.
func TestSideSession(t *testing.T) {
	c := cdptest.Launch(t).Dial(t)
	var mu sync.Mutex
	var tapped []string // guarded by mu
	b := supervisor.New(c, supervisor.Options{Observers: []supervisor.Observer{supervisor.Tap(func(ev cdp.Event, _ model.TargetID) {
		mu.Lock()
		defer mu.Unlock()
		if ev.Method == "Runtime.consoleAPICalled" || strings.HasPrefix(ev.Method, "DOM.") {
			tapped = append(tapped, ev.Method)
		}
	})}})
	t.Cleanup(func() { b.Close() })
	site := cdptest.NewSite(t)
	tab := openTab(t, b, site.URL("/frames"))
	far := frameWith(t, b, tab.ID, "name=third")

	began := time.Now()
	s, err := b.SideSession(deadline(t), tab.ID)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("the first side session took %s", time.Since(began))
	began = time.Now()
	inFar, err := b.SideSession(deadline(t), model.TargetID(far.ID))
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("the second took %s", time.Since(began))
	if s.ID() == tab.Session || s.ID() == inFar.ID() {
		t.Fatal("a side session is the model's own session")
	}
	if again, err := b.SideSession(deadline(t), tab.ID); err != nil || again != s {
		t.Errorf("the second question gave another side session: %v", err)
	}
	for _, method := range []string{"Page.enable", "Runtime.enable", "DOM.enable", "Network.enable", "Page.disable", "Runtime.disable"} {
		if err := s.Call(deadline(t), method, nil, nil); err != nil {
			t.Fatal(err)
		}
	}
	var root struct{}
	if err := s.Call(deadline(t), "DOM.getDocument", nil, &root); err != nil {
		t.Fatal(err)
	}
	var said struct {
		Result struct {
			Value string `json:"value"`
		} `json:"result"`
	}
	near := frameWith(t, b, tab.ID, "name=same")
	for frame, in := range map[string]map[string]any{
		"Frame same":  {"expression": "console.log('one'), document.title", "uniqueContextId": near.MainContext},
		"Frame third": {"expression": "console.log('two'), document.title"},
		"Frames":      {"expression": "console.log('three'), document.body.append('x'), document.title"},
	} {
		session := s
		if frame == "Frame third" {
			session = inFar
		}
		if err := session.Call(deadline(t), "Runtime.evaluate", in, &said); err != nil || said.Result.Value != frame {
			t.Errorf("%s: %v, title %q", frame, err, said.Result.Value)
		}
	}
	byNumber := map[string]any{"functionDeclaration": "function(){return document.title}", "executionContextId": near.ContextNumber}
	if err := s.Call(deadline(t), "Runtime.callFunctionOn", byNumber, &said); err != nil || said.Result.Value != "Frame same" {
		t.Errorf("by number: %v, title %q", err, said.Result.Value)
	}
	navigate(t, b, tab.ID, site.URL("/small")) // it is still reported to the model
	mu.Lock()
	got := slices.Clone(tapped)
	mu.Unlock()
	if len(got) != 3 {
		t.Errorf("the tap got %v, wanted the console three times", got)
	}
	if len(b.State().Tabs) != 1 && b.State().Tabs[tab.ID].Session != tab.Session {
		t.Error("the side session became a tab, or its session")
	}

	if err := b.Session("").Call(deadline(t), "Target.createTarget", map[string]any{"url": "about:blank"}, nil); err != nil {
		t.Fatal(err)
	}
	if err := b.Session("").Call(deadline(t), "Target.closeTarget", map[string]any{"targetId": string(tab.ID)}, nil); err != nil {
		t.Fatal(err)
	}
	wait(t, b, "the tab is gone", func(s *model.State) bool { return s.Tabs[tab.ID] == nil })
	if _, err := b.SideSession(deadline(t), tab.ID); err == nil {
		t.Error("a closed tab has a side session")
	}
}

// TestSideSessionWhileHeld creates a side session for a page that a dialog blocks.
func TestSideSessionWhileHeld(t *testing.T) {
	b := watch(t)
	tab := openTab(t, b, cdptest.NewSite(t).URL("/dialogs"))
	b.Session(tab.Session).Post("Runtime.evaluate", map[string]any{"expression": "alert('held')"}, nil)
	wait(t, b, "the dialog is open", func(s *model.State) bool { return s.Dialog(tab.ID) != nil })
	s, err := b.SideSession(deadline(t), tab.ID)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Call(deadline(t), "Page.getNavigationHistory", nil, nil); err != nil {
		t.Error(err)
	}
	if _, err := b.Answer(deadline(t), b.State().Dialog(tab.ID).ID, true, ""); err != nil {
		t.Error(err)
	}
}
