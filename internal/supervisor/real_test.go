package supervisor_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	protocol "github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/cdproto/target"

	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/cdptest"
	"github.com/usher-browser/usher/internal/supervisor"
	"github.com/usher-browser/usher/internal/supervisor/model"
)

func eval(t *testing.T, b *supervisor.Browser, session, expression string) string {
	t.Helper()
	res, err := cdp.Do(deadline(t), b.Session(session), runtime.Evaluate, runtime.EvaluateParams{
		Expression: expression, ReturnByValue: new(true), AwaitPromise: new(true), UserGesture: new(true)})
	if err != nil {
		t.Fatalf("%s: %v", expression, err)
	}
	if res.ExceptionDetails != nil {
		t.Fatalf("%s: %+v", expression, res.ExceptionDetails)
	}
	return string(res.Result.Value)
}

// call evaluates in the main world of a frame that shares its parent's process.
func call(t *testing.T, b *supervisor.Browser, f *model.Frame, expression string) {
	t.Helper()
	res, err := cdp.Do(deadline(t), b.Session(f.Session), runtime.Evaluate, runtime.EvaluateParams{
		Expression: expression, UniqueContextID: f.MainContext})
	if err != nil || res.ExceptionDetails != nil {
		t.Fatalf("%s in %s: %v %+v", expression, f.URL, err, res)
	}
}

func navigate(t *testing.T, b *supervisor.Browser, tab model.TargetID, url string) {
	t.Helper()
	before := b.State().Tabs[tab].MainFrame().Loader
	if _, err := cdp.Do(deadline(t), b.Session(b.State().Tabs[tab].Session), page.Navigate, page.NavigateParams{URL: url}); err != nil {
		t.Fatal(err)
	}
	wait(t, b, url+" has loaded", func(s *model.State) bool {
		f := s.Tabs[tab].MainFrame()
		return f.Loader != before && f.Loaded && s.Tabs[tab].URL == url
	})
}

// frameNamed returns the frame whose URL contains part.
func frameWith(t *testing.T, b *supervisor.Browser, tab model.TargetID, part string) *model.Frame {
	t.Helper()
	var found *model.Frame
	wait(t, b, "a frame of "+part+" has loaded", func(s *model.State) bool {
		for _, f := range s.Tabs[tab].Frames {
			if f.Loaded && strings.Contains(f.URL, part) {
				found = f
			}
		}
		return found != nil
	})
	return found
}

// TestDialogsOfEveryKindAndPlace opens and answers each kind of dialog in a page, a same-process frame, out-of-process
// frames, and a popup.
func TestDialogsOfEveryKindAndPlace(t *testing.T) {
	b := watch(t)
	site := cdptest.NewSite(t)
	tab := openTab(t, b, site.URL("/dialogs"))
	sessions := map[string]struct {
		tab     model.TargetID
		session string
		in      string // expression for the frame's window, evaluated in the page
	}{
		"page":   {tab.ID, tab.Session, "window"},
		"same":   {tab.ID, tab.Session, "document.getElementById('same').contentWindow"},
		"cross":  {tab.ID, frameWith(t, b, tab.ID, "place=cross").Session, "window"},
		"nested": {tab.ID, frameWith(t, b, tab.ID, "place=nested").Session, "window"},
	}
	eval(t, b, tab.Session, `void open("/small?popup", "_blank", "width=300,height=300")`)
	var popup *model.Tab
	wait(t, b, "the popup has loaded", func(s *model.State) bool {
		for _, p := range s.Tabs {
			if p.Opener == tab.ID && p.Ready && p.MainFrame().Loaded && strings.HasSuffix(p.URL, "?popup") {
				popup = p
			}
		}
		return popup != nil
	})
	p := sessions["page"]
	p.tab, p.session = popup.ID, popup.Session
	sessions["popup"] = p

	for name, place := range sessions {
		for _, c := range []struct {
			call, kind string
			accept     bool
			text       string
		}{
			{"alert('hello')", "alert", true, ""},
			{"confirm('hello')", "confirm", true, ""},
			{"confirm('hello')", "confirm", false, ""},
			{"prompt('hello', 'there')", "prompt", true, "typed"},
			{"prompt('hello', 'there')", "prompt", false, ""},
		} {
			// The guard ends the caller's call; the page continues.
			ctx, stop := b.Guard(deadline(t), place.tab)
			call := cdp.Start(b.Session(place.session), runtime.Evaluate, runtime.EvaluateParams{
				Expression: fmt.Sprintf("String(JSON.stringify(%s.%s))", place.in, c.call), ReturnByValue: new(true)})
			_, err := call.Wait(ctx)
			returned := time.Now()
			stop()
			var blocked *model.BlockedError
			if !errors.As(err, &blocked) || blocked.Dialog == nil || blocked.Dialog.Type != c.kind || blocked.Dialog.Message != "hello" || blocked.Tab != place.tab {
				t.Fatalf("%s %s: the call ended with %v", name, c.call, err)
			}
			if lag := returned.Sub(blocked.Dialog.OpenedAt); lag > 5*time.Second { // the aim is 250 ms; a busy machine gets time
				t.Errorf("%s %s: the call ended %v after the dialog opened", name, c.call, lag)
			}
			// A guard created while the dialog is open ends at once.
			ctx, stop = b.Guard(deadline(t), place.tab)
			if !errors.As(context.Cause(ctx), &blocked) {
				t.Errorf("%s %s: a new guard has the cause %v", name, c.call, context.Cause(ctx))
			}
			stop()
			closed, err := b.Answer(deadline(t), blocked.Dialog.ID, c.accept, c.text)
			if err != nil || closed.ClosedBy != model.ByAgent || closed.Accepted != c.accept || closed.Answer != c.text {
				t.Errorf("%s %s: closed as %+v, %v", name, c.call, closed, err)
			}
			if _, err := b.Answer(deadline(t), blocked.Dialog.ID, c.accept, c.text); !isNoDialog(err) {
				t.Errorf("%s %s: a second answer: %v", name, c.call, err)
			}
			if got := eval(t, b, place.session, "1"); got != "1" {
				t.Errorf("%s: the page does not go on", name)
			}
		}
		// What the page's script gets.
		for _, c := range [][3]string{{"confirm('q')", "true", ""}, {"prompt('q', 'd')", `"typed"`, "typed"}} {
			ctx := deadline(t)
			call := cdp.Start(b.Session(place.session), runtime.Evaluate, runtime.EvaluateParams{Expression: "JSON.stringify(" + place.in + "." + c[0] + ")", ReturnByValue: new(true)})
			wait(t, b, "the dialog is open", func(s *model.State) bool { return s.Dialog(place.tab) != nil })
			if _, err := b.Answer(ctx, b.State().Dialog(place.tab).ID, true, c[2]); err != nil {
				t.Fatal(err)
			}
			res, err := call.Wait(ctx)
			var got string
			if err == nil {
				err = json.Unmarshal(res.Result.Value, &got)
			}
			if err != nil || got != c[1] {
				t.Errorf("%s %s gives the page %s, %v", name, c[0], got, err)
			}
		}
	}
}

func isNoDialog(err error) bool {
	var none *supervisor.NoDialogError
	return errors.As(err, &none)
}

func TestFiveHundredDialogsInARow(t *testing.T) {
	b := watch(t)
	site := cdptest.NewSite(t)
	tab := openTab(t, b, site.URL("/dialog-in-row?n=500&kind=confirm"))
	done := make(chan error, 1)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	go func() {
		_, err := cdp.Do(ctx, b.Session(tab.Session), runtime.Evaluate, runtime.EvaluateParams{Expression: "run()"})
		done <- err
	}()
	for i := 1; i <= 250; i++ {
		var d *model.Dialog
		if err := b.Wait(ctx, func(s *model.State) (bool, error) { d = s.Dialog(tab.ID); return d != nil, nil }); err != nil {
			t.Fatal(err)
		}
		if want := fmt.Sprintf("confirm %d of 500", i); d.Message != want {
			t.Fatalf("dialog says %q, want %q", d.Message, want)
		}
		if _, err := b.Answer(ctx, d.ID, true, ""); err != nil {
			t.Fatal(err)
		}
	}
	// From now on the policy answers: it changes while a dialog is open.
	b.SetPolicy(b.State().Tabs[tab.ID].Context, model.Policy{Mode: model.AutoDismiss})
	if d := b.State().Dialog(tab.ID); d != nil {
		if _, err := b.Answer(ctx, d.ID, true, ""); err != nil && !isNoDialog(err) {
			t.Fatal(err)
		}
	}
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	s := b.State()
	if len(s.Dialogs) != 0 || len(s.RecentDialogs) != 20 || s.RecentDialogs[19].ClosedBy != model.ByPolicy || s.RecentDialogs[19].Message != "confirm 500 of 500" {
		t.Errorf("at the end: open %d, last %+v", len(s.Dialogs), s.RecentDialogs[19])
	}
}

func TestTabsOfLinks(t *testing.T) {
	b := watch(t)
	site := cdptest.NewSite(t)
	tab := openTab(t, b, site.URL("/popup"))
	for _, id := range []string{"blank", "cross", "open", "talk"} {
		before := len(b.State().Tabs)
		eval(t, b, tab.Session, "document.getElementById('"+id+"').click()")
		wait(t, b, id+" has opened a tab", func(s *model.State) bool {
			if len(s.Tabs) != before+1 {
				return false
			}
			last := s.Tabs[s.Order[len(s.Order)-1]]
			return last.Ready && last.Context == tab.Context && last.Number > tab.Number && (id == "talk" || last.MainFrame().Loaded && strings.Contains(last.URL, "/small"))
		})
	}
}

// TestFrameTreeIsTrue compares the model with the browser's frame tree after each step of a walk across processes.
func TestFrameTreeIsTrue(t *testing.T) {
	b := watch(t)
	site := cdptest.NewSite(t)
	tab := openTab(t, b, "about:blank") // a document that is there before the watch may have come from anywhere
	navigate(t, b, tab.ID, site.URL("/frames"))
	check := func(step string, want int) {
		t.Helper()
		wait(t, b, step+": all frames have loaded", func(s *model.State) bool {
			for _, f := range s.Tabs[tab.ID].Frames {
				if !f.Loaded {
					return false
				}
			}
			return len(s.Tabs[tab.ID].Frames) == want
		})
		sameTree(t, b, tab.ID, step)
		for _, f := range b.State().Tabs[tab.ID].Frames {
			if ip, err := netip.ParseAddr(f.RemoteAddress); strings.HasPrefix(f.URL, "http") != (err == nil && ip.IsLoopback()) {
				t.Errorf("%s: %s came from %q", step, f.URL, f.RemoteAddress)
			}
		}
	}
	check("at first", 10)
	navigate(t, b, tab.ID, site.Cross("/frames"))
	check("another site", 10)
	navigate(t, b, tab.ID, site.URL("/frame-swap"))
	check("one frame", 2)
	for range 5 {
		eval(t, b, tab.Session, "void toCross.click()")
		frameWith(t, b, tab.ID, "name=cross")
		check("to another process", 2)
		eval(t, b, tab.Session, "void toSame.click()")
		frameWith(t, b, tab.ID, "name=same")
		check("and back", 2)
	}
	eval(t, b, tab.Session, "void toCross.click()")
	frameWith(t, b, tab.ID, "name=cross")
	eval(t, b, tab.Session, "f.remove()")
	check("removed", 1)
	eval(t, b, tab.Session, "void history.go(2 - history.length)")
	wait(t, b, "the first page is back", func(s *model.State) bool { return s.Tabs[tab.ID].URL == site.URL("/frames") })
	check("back at first", 10)
}

// sameTree compares the frames of a tab with Page.getFrameTree of all its processes.
func sameTree(t *testing.T, b *supervisor.Browser, id model.TargetID, step string) {
	t.Helper()
	tab := b.State().Tabs[id]
	var want []string
	for _, session := range sessionsOf(tab) {
		res, err := cdp.Do(deadline(t), b.Session(session), page.GetFrameTree, protocol.Empty{})
		if err != nil {
			t.Fatal(err)
		}
		var walk func(*page.FrameTree)
		walk = func(n *page.FrameTree) {
			want = append(want, fmt.Sprintf("%s in %s: %s %s@%s", n.Frame.ID, n.Frame.ParentID, n.Frame.LoaderID, n.Frame.URL+n.Frame.URLFragment, session))
			for _, c := range n.ChildFrames {
				walk(c)
			}
		}
		walk(res.FrameTree)
	}
	var got []string
	for _, f := range tab.Frames {
		got = append(got, fmt.Sprintf("%s in %s: %s %s@%s", f.ID, f.Parent, f.Loader, f.URL, f.Session))
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("%s: the model has\n%s\nthe browser\n%s", step, strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	infos, err := cdp.Do(deadline(t), b.Session(""), target.GetTargets, target.GetTargetsParams{})
	if err != nil {
		t.Fatal(err)
	}
	pages := 0
	for _, i := range infos.TargetInfos {
		if i.Type == "page" {
			pages++
			if b.State().Tabs[model.TargetID(i.TargetID)] == nil {
				t.Errorf("%s: the model lacks the tab %s", step, i.URL)
			}
		}
	}
	if pages != len(b.State().Tabs) {
		t.Errorf("%s: the model has %d tabs, the browser %d", step, len(b.State().Tabs), pages)
	}
}

func sessionsOf(tab *model.Tab) []string {
	seen := map[string]bool{}
	var out []string
	for _, f := range tab.Frames {
		if !seen[f.Session] {
			seen[f.Session] = true
			out = append(out, f.Session)
		}
	}
	return out
}

func TestCrashThenReload(t *testing.T) {
	b := watch(t)
	site := cdptest.NewSite(t)
	tab := openTab(t, b, site.URL("/frames"))
	for range 2 {
		b.Session(b.State().Tabs[tab.ID].Session).Post("Page.crash", nil, nil)
		wait(t, b, "the crash is known", func(s *model.State) bool { return s.Tabs[tab.ID].Crash != nil })
		b.Session(b.State().Tabs[tab.ID].Session).Post("Page.reload", nil, nil)
		wait(t, b, "the page is back", func(s *model.State) bool {
			t := s.Tabs[tab.ID]
			return t.Crash == nil && t.Ready && t.MainFrame().Loaded && len(t.Frames) == 10
		})
		if got := eval(t, b, b.State().Tabs[tab.ID].Session, "frames.length"); got != "7" {
			t.Errorf("the page has %s frames", got)
		}
	}
}

// TestGuardOfARelatedTab calls a popup whose opener has an open dialog. They share a process, so the call cannot return,
// and its error names the dialog.
func TestGuardOfARelatedTab(t *testing.T) {
	b := watch(t)
	site := cdptest.NewSite(t)
	tab := openTab(t, b, site.URL("/popup"))
	eval(t, b, tab.Session, "document.getElementById('open').click()")
	var popup *model.Tab
	wait(t, b, "the popup has loaded", func(s *model.State) bool {
		for _, p := range s.Tabs {
			if p.Opener == tab.ID && p.Ready && p.MainFrame().Loaded {
				popup = p
			}
		}
		return popup != nil
	})
	b.Session(tab.Session).Post("Runtime.evaluate", map[string]any{"expression": "alert('held')"}, nil)
	wait(t, b, "the dialog is open", func(s *model.State) bool { return s.Dialog(tab.ID) != nil })
	ctx, stop := b.Guard(deadline(t), popup.ID)
	defer stop()
	_, err := cdp.Do(ctx, b.Session(popup.Session), runtime.Evaluate, runtime.EvaluateParams{Expression: "1"})
	var blocked *model.BlockedError
	if !errors.As(err, &blocked) || blocked.Dialog == nil || blocked.Dialog.Tab != tab.ID {
		t.Fatalf("the call ended with %v", err)
	}
	if _, err := b.Answer(deadline(t), blocked.Dialog.ID, true, ""); err != nil {
		t.Fatal(err)
	}
	ctx, stop = b.Guard(deadline(t), popup.ID)
	defer stop()
	if _, err := cdp.Do(ctx, b.Session(popup.Session), runtime.Evaluate, runtime.EvaluateParams{Expression: "1"}); err != nil {
		t.Errorf("after the answer: %v", err)
	}
}

func TestBeforeUnload(t *testing.T) {
	b := watch(t)
	site := cdptest.NewSite(t)
	// Chromium shows beforeunload once per page: after it was dismissed, the next navigation proceeds.
	for _, accept := range []bool{false, true} {
		tab := openTab(t, b, site.URL("/dialogs"))
		press(t, b, tab, "guard") // Chromium shows beforeunload only after a user gesture
		if got := eval(t, b, tab.Session, "document.getElementById('answer').textContent"); got != `"\"guarded\""` {
			t.Fatalf("the page answered %s", got)
		}
		ctx, stop := b.Guard(deadline(t), tab.ID)
		_, err := cdp.Do(ctx, b.Session(tab.Session), page.Navigate, page.NavigateParams{URL: site.URL("/small?left")})
		stop()
		var blocked *model.BlockedError
		if !errors.As(err, &blocked) || blocked.Dialog == nil || blocked.Dialog.Type != "beforeunload" {
			t.Fatalf("the navigation that is to be answered with %v ended with %v", accept, err)
		}
		closed, err := b.Answer(deadline(t), blocked.Dialog.ID, accept, "")
		if err != nil || closed.Accepted != accept || closed.ClosedBy != model.ByAgent {
			t.Fatalf("closed as %+v, %v", closed, err)
		}
		if !accept {
			if got := eval(t, b, tab.Session, "location.pathname"); got != `"/dialogs"` {
				t.Errorf("a dismissed question led to %s", got)
			}
			continue
		}
		wait(t, b, "the page is left", func(s *model.State) bool { return strings.HasSuffix(s.Tabs[tab.ID].URL, "?left") })
	}
}

// TestDismissedBeforeUnload: if a page navigates itself and its beforeunload is dismissed, no navigation stays pending.
func TestDismissedBeforeUnload(t *testing.T) {
	b := watch(t)
	site := cdptest.NewSite(t)
	tab := openTab(t, b, site.URL("/dialogs"))
	press(t, b, tab, "guard")
	eval(t, b, tab.Session, "setTimeout(() => { location.href = '/small?left' }); 0")
	wait(t, b, "the page asks", func(s *model.State) bool { return s.Dialog(tab.ID) != nil })
	if _, err := b.Answer(deadline(t), b.State().Dialog(tab.ID).ID, false, ""); err != nil {
		t.Fatal(err)
	}
	wait(t, b, "it stays", func(s *model.State) bool { return s.Tabs[tab.ID].MainFrame().PendingURL == "" })
}

// press clicks an element of a page as a person would.
func press(t *testing.T, b *supervisor.Browser, tab *model.Tab, id string) {
	t.Helper()
	at := eval(t, b, tab.Session, `(r => [r.x + r.width / 2, r.y + r.height / 2])(document.getElementById('`+id+`').getBoundingClientRect())`)
	var point [2]float64
	if err := json.Unmarshal([]byte(at), &point); err != nil {
		t.Fatal(err)
	}
	for _, kind := range []string{"mousePressed", "mouseReleased"} {
		if err := b.Session(tab.Session).Call(deadline(t), "Input.dispatchMouseEvent", map[string]any{
			"type": kind, "x": point[0], "y": point[1], "button": "left", "clickCount": 1}, nil); err != nil {
			t.Fatal(err)
		}
	}
}
