package fold

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/supervisor/fold/bridge"
	"github.com/usher-browser/usher/internal/supervisor/fold/core"
	"github.com/usher-browser/usher/internal/supervisor/fold/dialogs"
	"github.com/usher-browser/usher/internal/supervisor/model"
)

// methods lists what has been sent since the last call.
func (m *driver) methods() []string {
	var out []string
	for _, s := range m.sent {
		out = append(out, s.Session+" "+s.Method)
	}
	m.sent = nil
	return out
}

// bridgedTab returns a driver with a tab that uses the bridge; our script has the id 7 in its main frame.
func bridgedTab(t *testing.T) *driver {
	t.Helper()
	m := newDriver(t)
	m.apply(Input{Command: &bridge.SetBridge{Context: "C", Mode: model.BridgeOn}})
	m.tab()
	m.event("P", "Debugger.scriptParsed", `{"scriptId":"7","hash":%q,"executionContextAuxData":{"frameId":"T"}}`, fuzzHash)
	m.sent = nil
	return m
}

// ask pauses a function of script 7.
func (m *driver) ask(script, data string) {
	m.t.Helper()
	m.event("P", "Debugger.paused", `{"callFrames":[{"callFrameId":"f.1","location":{"scriptId":%q},"this":{"type":"string","value":%s}}]}`, script, quoted(m.t, data))
}

func quoted(t *testing.T, text string) string {
	t.Helper()
	raw, err := json.Marshal(text)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

func (m *driver) noSandbox() {
	m.t.Helper()
	m.apply(Input{Command: &core.Reply{Tag: core.Tag{Kind: core.TagIsolation, Frame: "T", Loader: "L1"}, Session: "P", Result: jsontext.Value(`{"status":{}}`)}})
}

func TestBridgeModel(t *testing.T) {
	m := bridgedTab(t)
	m.ask("7", "prompt\x003\x00\U0001f600?Ada")
	if d := m.State().Dialog("T"); d != nil {
		t.Fatalf("a dialog is open before it is known that the page may open one: %+v", d)
	}
	m.noSandbox()
	d := m.State().Dialog("T")
	if d == nil || d.ID != "d-1" || !d.Bridge || d.Type != "prompt" || d.Message != "\U0001f600?" || d.DefaultPrompt != "Ada" || d.Frame != "T" || d.URL != "http://a/" {
		t.Fatalf("the dialog is %+v", d)
	}
	m.methods()
	m.apply(Input{Command: &dialogs.Answer{Dialog: "d-1", By: model.ByAgent, Accept: true, Text: "\"\u2028"}})
	if p := m.sent[0].Params.(core.Params); p["newValue"].(core.Params)["value"] != "\"\u2028" || p["callFrameId"] != "f.1" {
		t.Errorf("sent %v", p)
	}
	if got := m.methods(); !slices.Equal(got, []string{"P Debugger.setVariableValue"}) {
		t.Errorf("sent %v", got)
	}
	m.apply(Input{Command: &core.Reply{Tag: core.Tag{Kind: core.TagAnswer, Dialog: "d-1"}, Session: "P", Result: jsontext.Value(`{"result":{}}`)}})
	if got := m.methods(); !slices.Equal(got, []string{"P Debugger.resume"}) {
		t.Errorf("sent %v", got)
	}
	if c := m.State().RecentDialogs[0]; c.ClosedBy != model.ByAgent || !c.Accepted || c.Answer != "\"\u2028" {
		t.Errorf("closed as %+v", c)
	}
	// The sandbox is known at the document's second dialog, so no evaluation comes first.
	m.ask("7", "alert\x002\x00hi")
	if d := m.State().Dialog("T"); d == nil || d.Type != "alert" {
		t.Errorf("the dialog is %+v", d)
	}
	m.methods()
	// If the answer does not arrive, the page opens the native dialog.
	m.apply(Input{Command: &dialogs.Answer{Dialog: "d-2", By: model.ByAgent, Accept: true}})
	m.apply(Input{Command: &core.Reply{Tag: core.Tag{Kind: core.TagAnswer, Dialog: "d-2"}, Session: "P", Err: errors.New("Could not find call frame")}})
	if got := m.methods(); !slices.Equal(got, []string{"P Debugger.setVariableValue", "P Debugger.resume"}) || m.State().RecentDialogs[1].ClosedBy != model.ByRemote {
		t.Errorf("sent %v, closed as %+v", got, m.State().RecentDialogs[1])
	}
}

// TestBridgedAnswerOutlivesTheStandbyConnection: an answer to a bridged dialog is sent over the main connection, so the
// end of the standby connection does not affect it.
func TestBridgedAnswerOutlivesTheStandbyConnection(t *testing.T) {
	m := bridgedTab(t)
	m.ask("7", "confirm\x005\x00sure?")
	m.noSandbox()
	m.apply(Input{Command: &dialogs.Answer{Dialog: "d-1", By: model.ByAgent, Accept: true}})
	m.apply(Input{Command: &dialogs.StandbyLost{}})
	if d := m.State().Dialog("T"); d == nil || d.NeedsAnswer() {
		t.Fatalf("with its answer in flight the dialog is %+v", d)
	}
	m.methods()
	m.apply(Input{Command: &core.Reply{Tag: core.Tag{Kind: core.TagAnswer, Dialog: "d-1"}, Session: "P", Result: jsontext.Value(`{"result":{}}`)}})
	if got := m.methods(); !slices.Equal(got, []string{"P Debugger.resume"}) {
		t.Errorf("sent %v", got)
	}
	if list := m.State().RecentDialogs; len(list) != 1 || list[0].ClosedBy != model.ByAgent || !list[0].Accepted {
		t.Errorf("closed are %+v", list)
	}
}

// TestPausesOfOtherScripts: pauses that are not of our script are resumed at once.
func TestPausesOfOtherScripts(t *testing.T) {
	for name, pause := range map[string]func(*driver){
		"another script":         func(m *driver) { m.ask("8", "alert\x002\x00hi") },
		"not a question":         func(m *driver) { m.ask("7", "hello") },
		"another kind":           func(m *driver) { m.ask("7", "print\x002\x00hi") },
		"a length too large":     func(m *driver) { m.ask("7", "alert\x003\x00hi") },
		"a length inside a pair": func(m *driver) { m.ask("7", "alert\x001\x00\U0001f600") },
		"no frames":              func(m *driver) { m.event("P", "Debugger.paused", `{"callFrames":[],"reason":"OOM"}`) },
		"a script with another hash": func(m *driver) {
			m.event("P", "Debugger.scriptParsed", `{"scriptId":"9","hash":"x","url":%q,"executionContextAuxData":{"frameId":"T"}}`, fuzzHash)
			m.ask("9", "alert\x002\x00hi")
		},
		"a frame that is gone": func(m *driver) {
			m.event("P", "Debugger.scriptParsed", `{"scriptId":"9","hash":%q,"executionContextAuxData":{"frameId":"F"}}`, fuzzHash)
			m.ask("9", "alert\x002\x00hi")
		},
	} {
		m := bridgedTab(t)
		pause(m)
		m.noSandbox()
		if got := m.methods(); !slices.Equal(got, []string{"P Debugger.resume"}) || len(m.State().Dialogs) != 0 {
			t.Errorf("%s: sent %v, dialogs %+v", name, got, m.State().Dialogs)
		}
	}
	m := newDriver(t) // without the bridge a pause is another client's
	m.tab()
	m.sent = nil
	m.ask("7", "alert\x002\x00hi")
	if got := m.methods(); len(got) != 0 {
		t.Errorf("sent %v", got)
	}
}

// TestSessionEndsBeforeTheSandboxReply: if a CDP session ends before its reply about a sandbox, the paused document is
// resumed.
func TestSessionEndsBeforeTheSandboxReply(t *testing.T) {
	m := bridgedTab(t)
	m.event("P", "Page.frameAttached", `{"frameId":"F","parentFrameId":"T"}`)
	m.event("P", "Target.attachedToTarget", `{"sessionId":"O","targetInfo":{"targetId":"F","type":"iframe","parentFrameId":"T","browserContextId":"C"}}`)
	m.event("O", "Debugger.scriptParsed", `{"scriptId":"3","hash":%q,"executionContextAuxData":{"frameId":"F"}}`, fuzzHash)
	m.methods()
	m.event("O", "Debugger.paused", `{"callFrames":[{"callFrameId":"f.1","location":{"scriptId":"3"},"this":{"value":"alert\u00002\u0000hi"}}]}`)
	if got := strings.Join(m.methods(), ", "); got != "O Network.getSecurityIsolationStatus, P DOM.getFrameOwner, P Network.getSecurityIsolationStatus" {
		t.Fatalf("asked %s", got)
	}
	m.noSandbox()
	m.apply(Input{Command: &core.Reply{Tag: core.Tag{Kind: core.TagIsolation, Frame: "F"}, Session: "O", Err: errors.New("no")}})
	m.apply(Input{Command: &core.Reply{Tag: core.Tag{Kind: core.TagOwner, Frame: "F"}, Session: "P", Result: jsontext.Value(`{"backendNodeId":4}`)}})
	if got := m.methods(); !slices.Equal(got, []string{"P DOM.describeNode"}) || len(m.State().Dialogs) != 0 {
		t.Fatalf("asked %v, dialogs %+v", got, m.State().Dialogs)
	}
	m.event("", "Target.detachedFromTarget", `{"sessionId":"P"}`)
	// The tab's dialogs end with its CDP session, and nothing stays paused.
	if got := m.methods(); !slices.Equal(got, []string{"O Debugger.resume"}) || len(m.State().RecentDialogs) != 1 || m.State().RecentDialogs[0].Frame != "F" {
		t.Errorf("sent %v, dialogs %+v", got, m.State().RecentDialogs)
	}
}

// TestDialogsAnsweredByAnotherClient: only a dialog that another client answered switches the bridge on.
func TestDialogsAnsweredByAnotherClient(t *testing.T) {
	answers := func(m *driver) {
		m.apply(Input{Command: &core.Reply{Tag: core.Tag{Kind: core.TagSuspect, Dialog: "d-1"}, Session: "P"}})
	}
	for _, c := range []struct {
		name string
		mode model.BridgeMode
		end  func(*driver)
		want bool
	}{
		{"answered at once", model.BridgeAuto, func(m *driver) { m.closed(false, ""); answers(m) }, true},
		{"before the page answers", model.BridgeAuto, func(m *driver) { m.closed(false, "") }, false},
		{"switched off", model.BridgeOff, func(m *driver) { m.closed(false, ""); answers(m) }, false},
		{"nobody asked for it", "", func(m *driver) { m.closed(false, ""); answers(m) }, false},
		{"answered by us", model.BridgeAuto, func(m *driver) {
			m.apply(Input{Command: &dialogs.Answer{Dialog: "d-1", By: model.ByAgent}})
			m.closed(false, "")
			answers(m)
		}, false},
		{"left", model.BridgeAuto, func(m *driver) {
			m.closed(false, "")
			m.event("P", "Page.frameNavigated", `{"frame":{"id":"T","loaderId":"L2","url":"http://a/2"}}`)
			answers(m)
		}, false},
		{"being left", model.BridgeAuto, func(m *driver) {
			m.event("P", "Page.frameStartedNavigating", `{"frameId":"T","url":"http://a/2"}`)
			m.closed(false, "")
			answers(m)
		}, false},
		{"crashed", model.BridgeAuto, func(m *driver) {
			m.closed(false, "")
			m.event("", "Target.targetCrashed", `{"targetId":"T","status":"crashed"}`)
			m.apply(Input{Command: &core.Reply{Tag: core.Tag{Kind: core.TagSuspect, Dialog: "d-1"}, Session: "P", Err: errors.New("crashed")}})
		}, false},
		{"closed", model.BridgeAuto, func(m *driver) { m.closed(false, ""); m.event("", "Target.targetDestroyed", `{"targetId":"T"}`) }, false},
		{"a person's pace", model.BridgeAuto, func(m *driver) {
			d := *m.State().Dialogs[0]
			d.OpenedAt = d.OpenedAt.Add(-51 * time.Millisecond)
			m.Edit().Dialogs[0] = &d
			m.closed(true, "")
			answers(m)
		}, false},
	} {
		m := newDriver(t)
		if c.mode != "" {
			m.apply(Input{Command: &bridge.SetBridge{Context: "C", Mode: c.mode}})
		}
		m.tab()
		m.open("confirm")
		c.end(m)
		b, on := m.State().Bridges["C"]
		if on != c.want || on && (b.AnsweredElsewhere == nil || b.AnsweredElsewhere.ID != "d-1") {
			t.Errorf("%s: bridge %v %+v", c.name, on, b)
		}
		if n := entries(m.Model, "Bridge.suspects"); n != 0 && c.name != "before the page answers" {
			t.Errorf("%s: %d suspects are kept", c.name, n)
		}
	}
}

// TestBridgeSource: the script is complete, and hides the source of its functions.
func TestBridgeSource(t *testing.T) {
	source, hash := bridge.Source("secret")
	if n := strings.Count(source, strings.Repeat(" ", 1<<16)); n != 3 {
		t.Errorf("%d functions are hidden, want 3", n)
	}
	for _, part := range []string{"/*secret*/", "let reply;debugger;return reply"} {
		if !strings.Contains(source, part) {
			t.Errorf("the script lacks %s", part)
		}
	}
	if _, other := bridge.Source("another"); other == hash || len(hash) != 64 {
		t.Errorf("hashes are %s and %s", hash, other)
	}
	m := New(Options{Nonce: "secret"})
	for i := range 3 * bridge.MaxScripts {
		if i == 0 {
			m.Apply(Input{Command: &bridge.SetBridge{Context: "C", Mode: model.BridgeOn}})
			tell := &driver{Model: m, t: t}
			tell.tab()
		}
		(&driver{Model: m, t: t}).event("P", "Debugger.scriptParsed", `{"scriptId":"%d","hash":%q,"executionContextAuxData":{"frameId":"T"}}`, i, hash)
	}
	s := feature(m, "Bridge").FieldByName("sessions").MapIndex(reflect.ValueOf("P")).Elem()
	frames, order := s.FieldByName("frames"), s.FieldByName("order")
	last := frames.MapIndex(reflect.ValueOf(fmt.Sprint(3*bridge.MaxScripts - 1)))
	if frames.Len() != bridge.MaxScripts || order.Len() != bridge.MaxScripts || !last.IsValid() || last.String() != "T" {
		t.Errorf("%d scripts are kept, the last is of %v", frames.Len(), last)
	}
}
