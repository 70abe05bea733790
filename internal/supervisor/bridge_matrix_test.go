package supervisor_test

import (
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	protocol "github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/cdproto/target"

	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/cdptest"
	"github.com/usher-browser/usher/internal/supervisor"
	"github.com/usher-browser/usher/internal/supervisor/model"
)

// testFrame is a frame in which dialogs are opened.
type testFrame struct {
	name  string
	tab   model.TargetID
	frame model.FrameID
}

// secureWatch connects to a browser that accepts the test site's certificates.
func secureWatch(t *testing.T) *supervisor.Browser {
	t.Helper()
	return watch(t, "--ignore-certificate-errors")
}

// newContext creates a browser context with the bridge in the given mode.
func newContext(t *testing.T, b *supervisor.Browser, mode model.BridgeMode) model.ContextID {
	t.Helper()
	made, err := cdp.Do(deadline(t), b.Session(""), target.CreateBrowserContext, target.CreateBrowserContextParams{})
	if err != nil {
		t.Fatal(err)
	}
	id := model.ContextID(made.BrowserContextID)
	b.SetBridge(id, mode)
	return id
}

// openIn opens a page in a context and waits until it and the given number of frames have loaded.
func openIn(t *testing.T, b *supervisor.Browser, c model.ContextID, url string, frames int) *model.Tab {
	t.Helper()
	made, err := cdp.Do(deadline(t), b.Session(""), target.CreateTarget,
		target.CreateTargetParams{URL: url, BrowserContextID: protocol.BrowserContextID(c)})
	if err != nil {
		t.Fatal(err)
	}
	id := model.TargetID(made.TargetID)
	wait(t, b, url+" has loaded", func(s *model.State) bool {
		tab := s.Tabs[id]
		if tab == nil || !tab.Ready || len(tab.Frames) < frames || tab.URL == "about:blank" {
			return false
		}
		for _, f := range tab.Frames {
			if !f.Loaded {
				return false
			}
		}
		return true
	})
	return b.State().Tabs[id]
}

// testFrames opens all frames of the matrix in a context.
func testFrames(t *testing.T, b *supervisor.Browser, site *cdptest.Site, c model.ContextID) []testFrame {
	t.Helper()
	var all []testFrame
	add := func(name string, tab *model.Tab, part string) {
		for _, f := range tab.Frames {
			if part == "" && f.ID == tab.Main || part != "" && strings.Contains(f.URL, part) {
				all = append(all, testFrame{name, tab.ID, f.ID})
				return
			}
		}
		t.Fatalf("%s is not there", name)
	}
	tops := []struct{ name, url string }{
		{"https", site.Secure("/under")},
		{"https + CSP none", site.Secure("/under?csp=" + url.QueryEscape("default-src 'none'"))},
		{"https + sync-xhr=()", site.Secure("/under?permissions=" + url.QueryEscape("sync-xhr=()"))},
		{"data:", "data:text/html,<title>Data</title>"},
	}
	framed := openIn(t, b, c, site.URL("/dialogs"), 6)
	add("http", framed, "")
	for _, top := range tops {
		add(top.name, openIn(t, b, c, top.url, 1), "")
	}
	add("srcdoc", framed, "about:srcdoc")
	add("cross-site frame", framed, "place=cross")
	add("nested cross-site", framed, "place=nested")
	evalIn(t, b, framed.ID, framed.Main, `void open("/small?popup", "_blank", "width=300,height=300")`)
	var popup *model.Tab
	wait(t, b, "the popup has loaded", func(s *model.State) bool {
		for _, p := range s.Tabs {
			if p.Opener == framed.ID && p.Ready && p.MainFrame().Loaded && strings.HasSuffix(p.URL, "?popup") {
				popup = p
			}
		}
		return popup != nil
	})
	add("popup", popup, "")
	return all
}

// startIn starts an evaluation in a frame's main world.
func startIn(t *testing.T, b *supervisor.Browser, frame model.FrameID, expression string) *cdp.Pending[runtime.EvaluateResult] {
	t.Helper()
	f := b.State().Frame(frame)
	if f == nil {
		t.Fatalf("frame %s is not there", frame)
	}
	params := runtime.EvaluateParams{Expression: expression, ReturnByValue: new(true), AwaitPromise: new(true), UserGesture: new(true)}
	switch {
	case runsInFrame(f):
	case f.MainContext != "":
		params.UniqueContextID = f.MainContext
	case f.URL == "about:srcdoc": // Chromium may reuse the empty document's context for it, without an event
		params.Expression = fmt.Sprintf("document.querySelector('iframe[srcdoc]').contentWindow.eval(%q)", expression)
	default:
		t.Fatalf("the context of %s is not known", f.URL)
	}
	return cdp.Start(b.Session(f.Session), runtime.Evaluate, params)
}

// runsInFrame reports whether an evaluation in a frame's CDP session runs in that frame.
func runsInFrame(f *model.Frame) bool { return f.Parent == "" || f.OOPIF }

func value(t *testing.T, p *cdp.Pending[runtime.EvaluateResult], what string) string {
	t.Helper()
	res, err := p.Wait(deadline(t))
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	if res.ExceptionDetails != nil {
		t.Fatalf("%s: %s %+v", what, res.ExceptionDetails.Text, res.ExceptionDetails.Exception)
	}
	return string(res.Result.Value)
}

func evalIn(t *testing.T, b *supervisor.Browser, _ model.TargetID, frame model.FrameID, expression string) string {
	t.Helper()
	return value(t, startIn(t, b, frame, expression), expression)
}

// TestDialogMatrix compares what a page gets, and who closed the dialog, for every kind, frame, transport, answer and
// policy.
func TestDialogMatrix(t *testing.T) {
	b := secureWatch(t)
	site := cdptest.NewSite(t)
	answers := []struct {
		policy       model.PolicyMode
		answer, text string
	}{
		{model.MustRespond, "accept", ""},
		{model.MustRespond, "dismiss", ""},
		{model.MustRespond, "text", "typed \"é\u2028\U0001f600\\"},
		{model.AutoDismiss, "dismiss", ""},
		{model.AutoAccept, "text", "preset"},
	}
	for _, way := range []model.BridgeMode{model.BridgeOff, model.BridgeOn} {
		c := newContext(t, b, way)
		places := testFrames(t, b, site, c)
		var visible []time.Duration
		for _, a := range answers {
			b.SetPolicy(c, model.Policy{Mode: a.policy})
			for i, place := range places {
				for _, kind := range []string{"alert", "confirm", "prompt"} {
					name := fmt.Sprintf("%s, %s, bridge %s, %s, %s", kind, place.name, way, a.policy, a.answer)
					message := fmt.Sprintf("%s %d", name, i)
					began := time.Now()
					call := startIn(t, b, place.frame, fmt.Sprintf(`(v => [typeof v, v === undefined ? null : v])(%s(%q, "preset"))`, kind, message))
					if a.policy == model.MustRespond {
						var d *model.Dialog
						wait(t, b, name+" is visible", func(s *model.State) bool { d = s.Dialog(place.tab); return d != nil })
						visible = append(visible, time.Since(began))
						if d.Message != message || d.Frame != place.frame || d.Type != kind || d.Bridge != (way == model.BridgeOn) || kind == "prompt" && d.DefaultPrompt != "preset" {
							t.Errorf("%s: the dialog is %+v", name, d)
						}
						if _, err := b.Answer(deadline(t), d.ID, a.answer != "dismiss", a.text); err != nil {
							t.Fatal(err)
						}
					}
					got := value(t, call, name)
					if want := given(kind, a.answer, a.text); !sameJSON(t, got, want) {
						t.Errorf("%s: the page got %s, want %v", name, got, want)
					}
					by := model.ByPolicy
					if a.policy == model.MustRespond {
						by = model.ByAgent
					}
					closedAs(t, b, message, by)
				}
			}
		}
		slices.Sort(visible)
		t.Logf("bridge %s: %d dialogs, visible after %v (median), %v (largest), counted from the call", way, len(visible), visible[len(visible)/2], visible[len(visible)-1])
	}
}

// given returns what a page gets from a dialog: typeof value, value.
func given(kind, answer, text string) []any {
	switch {
	case kind == "alert":
		return []any{"undefined", nil}
	case kind == "confirm":
		return []any{"boolean", answer != "dismiss"}
	case answer == "dismiss":
		return []any{"object", nil}
	}
	return []any{"string", text}
}

func sameJSON(t *testing.T, raw string, want []any) bool {
	t.Helper()
	var got []any
	if err := json.Unmarshal([]byte(raw), &got); err != nil {
		t.Fatal(err)
	}
	return slices.Equal(got, want)
}

func closedAs(t *testing.T, b *supervisor.Browser, message string, by model.ClosedBy) {
	t.Helper()
	for _, d := range b.State().RecentDialogs {
		if d.Message == message {
			if d.ClosedBy != by {
				t.Errorf("%s: closed by %s, want %s", message, d.ClosedBy, by)
			}
			return
		}
	}
	t.Errorf("%s: no such dialog was closed", message)
}
