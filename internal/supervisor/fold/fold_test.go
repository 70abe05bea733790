package fold

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/cdptest/statetest"
	"github.com/usher-browser/usher/internal/supervisor/fold/core"
	"github.com/usher-browser/usher/internal/supervisor/fold/dialogs"
	"github.com/usher-browser/usher/internal/supervisor/fold/targets"
	"github.com/usher-browser/usher/internal/supervisor/model"
)

// driver feeds a model with events written as "session method params", and records the commands that it sends.
type driver struct {
	*Model
	t    *testing.T
	sent []core.Send
}

func newDriver(t *testing.T) *driver { return &driver{Model: New(Options{Nonce: "nonce"}), t: t} }

func (m *driver) apply(in Input) {
	m.t.Helper()
	m.after(0, in)
}

// after applies an input some time after the start.
func (m *driver) after(d time.Duration, in Input) {
	m.t.Helper()
	in.At = time.Unix(1000, 0).Add(d)
	for _, e := range m.Apply(in) {
		if e.Send != nil {
			m.sent = append(m.sent, *e.Send)
		}
	}
	if err := statetest.Check(m.State()); err != nil {
		m.t.Fatal(err)
	}
}

func (m *driver) event(session, method, format string, args ...any) {
	m.t.Helper()
	m.apply(Input{Event: &cdp.Event{SessionID: session, Method: method, Params: fmt.Appendf(nil, format, args...)}})
}

// tab attaches a page T with CDP session P and a document L1.
func (m *driver) tab() {
	m.t.Helper()
	m.event("", "Target.attachedToTarget", `{"sessionId":"P","targetInfo":{"targetId":"T","type":"page","url":"http://a/","browserContextId":"C"}}`)
	m.apply(Input{Command: &core.Reply{Tag: core.Tag{Kind: core.TagTree}, Session: "P", Result: jsontext.Value(`{"frameTree":{"frame":{"id":"T","loaderId":"L1","url":"http://a/"}}}`)}})
	m.apply(Input{Command: &core.Reply{Tag: core.Tag{Kind: core.TagRun}, Session: "P"}})
}

func (m *driver) frames() string {
	t := m.State().Tabs["T"]
	if t == nil {
		return "no tab"
	}
	var walk func(id model.FrameID) string
	walk = func(id model.FrameID) string {
		f := t.Frames[id]
		s := string(id)
		if f.OOPIF {
			s += "*"
		}
		s += "@" + f.Session
		for _, c := range t.Children(id) {
			s += "(" + walk(c.ID) + ")"
		}
		return s
	}
	return walk(t.Main)
}

func TestFrameEventsInAnyOrder(t *testing.T) {
	const (
		attach  = `P Page.frameAttached {"frameId":"F","parentFrameId":"T"}`
		load    = `P Page.frameNavigated {"frame":{"id":"F","parentId":"T","loaderId":"M1","url":"http://a/f"}}`
		swapOut = `P Page.frameDetached {"frameId":"F","reason":"swap"}`
		own     = `P Target.attachedToTarget {"sessionId":"O","targetInfo":{"targetId":"F","type":"iframe","url":"","parentFrameId":"T"}}`
		ownLoad = `O Page.frameNavigated {"frame":{"id":"F","parentId":"T","loaderId":"M2","url":"http://b/f"}}`
		inner   = `O Page.frameAttached {"frameId":"G","parentFrameId":"F"}`
		deeper  = `O Target.attachedToTarget {"sessionId":"Q","targetInfo":{"targetId":"G","type":"iframe","parentFrameId":"F"}}`
		remove  = `P Page.frameDetached {"frameId":"F","reason":"remove"}`
		leave   = `P Target.detachedFromTarget {"sessionId":"O"}`
		top     = `P Page.frameNavigated {"frame":{"id":"T","loaderId":"L2","url":"http://c/"}}`
	)
	for _, c := range []struct {
		name   string
		events []string
		want   string
	}{
		{"a frame", []string{attach, load}, "T@P(F@P)"},
		{"a frame of another process (attached before or after the swap)", []string{attach, own, swapOut, ownLoad}, "T@P(F*@O)"},
		{"the swap told first", []string{attach, swapOut, own, ownLoad}, "T@P(F*@O)"},
		{"nested", []string{attach, own, swapOut, ownLoad, inner, deeper}, "T@P(F*@O(G*@Q))"},
		{"removed: the frame goes before its session", []string{attach, own, swapOut, ownLoad, inner, remove, leave}, "T@P"},
		{"removed with what is in it", []string{attach, own, swapOut, ownLoad, inner, deeper, remove, `O Target.detachedFromTarget {"sessionId":"Q"}`, leave}, "T@P"},
		{"a late word of a removed frame", []string{attach, own, swapOut, remove, ownLoad, leave}, "T@P"},
		{"back into the parent's process: session first", []string{attach, own, swapOut, ownLoad, leave, attach, load}, "T@P(F@P)"},
		{"back at its place among its siblings", []string{attach, own, swapOut, ownLoad, `P Page.frameAttached {"frameId":"X","parentFrameId":"T"}`, leave, attach, load}, "T@P(F@P)(X@P)"},
		{"back into the parent's process: frame first", []string{attach, own, swapOut, ownLoad, attach, leave, load}, "T@P(F@P)"},
		{"a top navigation tells of no removed child", []string{attach, load, top}, "T@P"},
		{"a top navigation away from other processes", []string{attach, own, swapOut, ownLoad, inner, deeper, top, leave}, "T@P"},
		{"the top frame cannot be removed", []string{`P Page.frameDetached {"frameId":"T","reason":"remove"}`}, "T@P"},
		{"a frame of a parent nobody knows", []string{`P Page.frameAttached {"frameId":"X","parentFrameId":"nobody"}`}, "T@P(X@P)"},
		{"a circle", []string{attach, `P Page.frameAttached {"frameId":"G","parentFrameId":"F"}`, `P Page.frameAttached {"frameId":"F","parentFrameId":"G"}`}, "T@P(F@P(G@P))"},
		{"loaded before it is known", []string{`P Page.frameNavigated {"frame":{"id":"X","loaderId":"M","url":"http://a/x"}}`}, "T@P(X@P)"},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := newDriver(t)
			m.tab()
			for _, e := range c.events {
				part := strings.SplitN(e, " ", 3)
				m.event(part[0], part[1], "%s", part[2])
			}
			if got := m.frames(); got != c.want {
				t.Errorf("frames are %s, want %s", got, c.want)
			}
		})
	}
}

// open opens a dialog in the tab.
func (m *driver) open(kind string) *model.Dialog {
	m.t.Helper()
	m.event("P", "Page.javascriptDialogOpening", `{"url":"http://a/","frameId":"T","message":"hello","type":%q,"defaultPrompt":"default"}`, kind)
	return m.State().Dialog("T")
}

func (m *driver) closed(result bool, input string) *model.Dialog {
	m.t.Helper()
	d := m.State().Dialog("T")
	m.event("P", "Page.javascriptDialogClosed", `{"frameId":"T","result":%v,"userInput":%q}`, result, input)
	if d != nil && d.Answering != "" { // Chromium reports the end before it replies to the answer
		m.replied(d.ID, nil)
	}
	if len(m.State().RecentDialogs) == 0 {
		return nil
	}
	return m.State().RecentDialogs[len(m.State().RecentDialogs)-1]
}

func (m *driver) replied(dialog string, err error) {
	m.t.Helper()
	m.apply(Input{Command: &core.Reply{Tag: core.Tag{Kind: core.TagAnswer, Dialog: dialog}, Session: "P", Err: err}})
}

func (m *driver) answers() []string {
	var out []string
	for _, s := range m.sent {
		if s.Method == "Page.handleJavaScriptDialog" {
			raw, err := json.Marshal(s.Params)
			if err != nil {
				m.t.Fatal(err)
			}
			out = append(out, s.Session+" "+string(raw))
		}
	}
	return out
}

func TestDialogAnsweredByAgent(t *testing.T) {
	m := newDriver(t)
	m.tab()
	d := m.open("prompt")
	if d == nil || d.ID != "d-1" || d.Message != "hello" || d.DefaultPrompt != "default" || len(m.answers()) != 0 {
		t.Fatalf("open dialog is %+v", d)
	}
	m.apply(Input{Command: &dialogs.Answer{Dialog: "d-1", By: model.ByAgent, Accept: true, Text: "words"}})
	m.after(model.DefaultDialogTimeout, Input{Command: &dialogs.Watchdog{Dialog: "d-1"}}) // too late: an answer is in flight
	if got := m.answers(); !slices.Equal(got, []string{`P {"accept":true,"promptText":"words"}`}) {
		t.Fatalf("answers sent: %v", got)
	}
	c := m.closed(true, "words")
	if c.ClosedBy != model.ByAgent || !c.Accepted || c.Answer != "words" || len(m.State().RecentDialogs) != 1 || len(m.State().Dialogs) != 0 {
		t.Errorf("closed dialog is %+v", c)
	}
}

// TestDialogAnsweredOverTheStandbyConnection: the new connection is ready before the reply to an answer arrives over the
// standby one. The agent's answer must be recorded.
func TestDialogAnsweredOverTheStandbyConnection(t *testing.T) {
	m := newDriver(t)
	m.tab()
	standby := func(method, params string) {
		m.apply(Input{Command: &dialogs.StandbyEvent{Event: cdp.Event{SessionID: "X", Method: method, Params: []byte(params)}}})
	}
	m.apply(Input{Command: &dialogs.StandbyEvent{Event: cdp.Event{Method: "Target.attachedToTarget", Params: []byte(`{"sessionId":"X","targetInfo":{"targetId":"T","type":"page"}}`)}}})
	d := m.open("prompt")
	standby("Page.javascriptDialogOpening", `{"url":"http://a/","frameId":"T","message":"hello","type":"prompt","defaultPrompt":"default"}`)
	m.apply(Input{Command: &targets.Lost{Cause: errors.New("cut")}})
	m.apply(Input{Command: &targets.Connected{}})
	m.event("", "Target.attachedToTarget", `{"sessionId":"Q","targetInfo":{"targetId":"T","type":"page","url":"http://a/","browserContextId":"C"}}`)
	m.apply(Input{Command: &dialogs.Answer{Dialog: d.ID, By: model.ByAgent, Accept: true, Text: "Ada"}})
	if got := m.answers(); !slices.Equal(got, []string{`X {"accept":true,"promptText":"Ada"}`}) {
		t.Fatalf("answers sent: %v", got)
	}
	m.apply(Input{Command: &core.Reply{Tag: core.Tag{Kind: core.TagEnable}, Session: "Q"}})
	standby("Page.javascriptDialogClosed", `{"frameId":"T","result":true,"userInput":"Ada"}`)
	m.apply(Input{Command: &core.Reply{Tag: core.Tag{Kind: core.TagAnswer, Dialog: d.ID}, Session: "X"}})
	if len(m.State().Dialogs) != 0 || len(m.State().RecentDialogs) != 1 {
		t.Fatalf("open are %v, closed %v", m.State().Dialogs, m.State().RecentDialogs)
	}
	if c := m.State().RecentDialogs[0]; c.ClosedBy != model.ByAgent || !c.Accepted || c.Answer != "Ada" {
		t.Errorf("closed: %+v", c)
	}
}

func TestDialogClosedBySomebodyElse(t *testing.T) {
	m := newDriver(t)
	m.tab()
	m.open("confirm")
	if c := m.closed(true, ""); c.ClosedBy != model.ByRemote || !c.Accepted {
		t.Errorf("closed by another client: %+v", c)
	}
	m.open("alert")
	m.apply(Input{Command: &dialogs.Answer{Dialog: "d-2", By: model.ByAgent, Accept: true}})
	m.replied("d-2", errors.New("No dialog is showing"))
	if c := m.State().RecentDialogs[1]; c.ClosedBy != model.ByRemote {
		t.Errorf("an answer that came too late: %+v", c)
	}
	m.open("alert")
	m.event("", "Target.detachedFromTarget", `{"sessionId":"P"}`)
	if c := m.State().RecentDialogs[2]; c.ClosedBy != model.ByRemote || len(m.State().Dialogs) != 0 {
		t.Errorf("a dialog of a detached page: %+v", c)
	}
}

func TestDialogPolicies(t *testing.T) {
	for _, c := range []struct {
		mode model.PolicyMode
		kind string
		want string // command sent; empty if the dialog is left to the agent
	}{
		{model.MustRespond, "alert", ""}, {model.MustRespond, "beforeunload", ""}, {"", "confirm", ""},
		{model.AutoDismiss, "alert", `{"accept":false}`}, {model.AutoDismiss, "prompt", `{"accept":false}`}, {model.AutoDismiss, "beforeunload", `{"accept":false}`},
		{model.AutoAccept, "confirm", `{"accept":true}`}, {model.AutoAccept, "prompt", `{"accept":true,"promptText":"default"}`}, {model.AutoAccept, "beforeunload", `{"accept":true}`},
		{model.AcceptNotices, "alert", `{"accept":true}`}, {model.AcceptNotices, "beforeunload", `{"accept":true}`}, {model.AcceptNotices, "confirm", ""}, {model.AcceptNotices, "prompt", ""},
	} {
		m := newDriver(t)
		m.tab()
		m.apply(Input{Command: &dialogs.SetPolicy{Context: "C", Policy: model.Policy{Mode: c.mode, Timeout: time.Second}}})
		m.open(c.kind)
		got := strings.TrimPrefix(strings.Join(m.answers(), "; "), "P ")
		if got != c.want {
			t.Errorf("%s %s: sent %s, want %s", c.mode, c.kind, got, c.want)
		}
		if c.want != "" {
			if d := m.closed(true, ""); d.ClosedBy != model.ByPolicy {
				t.Errorf("%s %s: closed by %s", c.mode, c.kind, d.ClosedBy)
			}
		}
	}
	m := newDriver(t)
	m.tab()
	m.apply(Input{Command: &dialogs.SetPolicy{Context: "another", Policy: model.Policy{Mode: model.AutoDismiss}}})
	m.open("alert")
	if len(m.answers()) != 0 {
		t.Error("another context's policy was used")
	}
	m.after(model.DefaultDialogTimeout-time.Second, Input{Command: &dialogs.Watchdog{Dialog: "d-1"}}) // an outdated timer
	if len(m.answers()) != 0 {
		t.Error("the watchdog did not wait")
	}
	m.after(model.DefaultDialogTimeout, Input{Command: &dialogs.Watchdog{Dialog: "d-1"}})
	if got := m.answers(); !slices.Equal(got, []string{`P {"accept":false}`}) {
		t.Errorf("the watchdog sent %v", got)
	}
	if d := m.closed(false, ""); d.ClosedBy != model.ByWatchdog {
		t.Errorf("closed by %s", d.ClosedBy)
	}
}

func TestTargets(t *testing.T) {
	m := newDriver(t)
	m.tab()
	m.event("", "Target.targetCreated", `{"targetInfo":{"targetId":"U","type":"page","url":"about:blank","openerId":"T","browserContextId":"C"}}`)
	m.event("", "Target.targetCreated", `{"targetInfo":{"targetId":"V","type":"page","subtype":"prerender","url":"http://a/next"}}`)
	m.event("", "Target.targetCreated", `{"targetInfo":{"targetId":"W","type":"service_worker"}}`)
	if len(m.State().Tabs) != 2 || m.State().Tabs["U"].Opener != "T" || m.State().Tabs["U"].Number != 2 || m.State().Tabs["U"].Ready {
		t.Errorf("tabs are %v", m.State().Tabs)
	}
	m.event("", "Target.targetCrashed", `{"targetId":"T","status":"crashed","errorCode":11}`)
	if c := m.State().Tabs["T"].Crash; c == nil || c.Code != 11 {
		t.Errorf("crash is %+v", c)
	}
	m.event("P", "Page.frameNavigated", `{"frame":{"id":"T","loaderId":"L2","url":"http://a/"}}`)
	if m.State().Tabs["T"].Crash != nil {
		t.Error("a page that loaded anew is still crashed")
	}
	m.event("", "Target.targetDestroyed", `{"targetId":"U"}`)
	m.event("", "Target.targetCreated", `{"targetInfo":{"targetId":"X","type":"page","browserContextId":"C"}}`)
	if m.State().Tabs["X"].Number != 3 || len(m.State().Gone) != 1 || m.State().Gone[0].Number != 2 {
		t.Errorf("a number was given twice: %+v, gone %+v", m.State().Tabs["X"], m.State().Gone)
	}
	m.apply(Input{Command: &targets.Closed{Cause: errors.New("gone")}})
	if m.State().Closed == nil {
		t.Error("the end is not known")
	}
}

// TestFrameReportedBeforeItsParent: after an outage Chromium reports out-of-process frames before the page's frames that
// contain them (found by the soak test).
func TestFrameReportedBeforeItsParent(t *testing.T) {
	m := newDriver(t)
	m.tab()
	for _, frame := range []string{"G", "F"} { // G, which is below F, contains another
		m.event("P", "Target.attachedToTarget", `{"sessionId":"S%[1]s","targetInfo":{"targetId":%[1]q,"type":"iframe","parentFrameId":%[2]q,"browserContextId":"C"}}`,
			frame, map[string]string{"G": "F", "F": "E"}[frame])
		// The root frame of a process is reported without its parent.
		m.apply(Input{Command: &core.Reply{Tag: core.Tag{Kind: core.TagTree}, Session: "S" + frame, Result: fmt.Appendf(nil,
			`{"frameTree":{"frame":{"id":%q,"loaderId":"L","url":"http://b/"}}}`, frame)}})
	}
	m.apply(Input{Command: &core.Reply{Tag: core.Tag{Kind: core.TagTree}, Session: "P", Result: jsontext.Value(
		`{"frameTree":{"frame":{"id":"T","loaderId":"L1","url":"http://a/"},"childFrames":[{"frame":{"id":"E","parentId":"T","loaderId":"L2","url":"http://a/e"}}]}}`)}})
	frames := m.State().Tabs["T"].Frames
	for id, parent := range map[model.FrameID]model.FrameID{"E": "T", "F": "E", "G": "F"} {
		if got := frames[id].Parent; got != parent {
			t.Errorf("%s is in %q, want %q", id, got, parent)
		}
	}
	if n := entries(m.Model, "Targets.orphans"); n != 0 {
		t.Errorf("%d frames still wait for their parents", n)
	}
}
