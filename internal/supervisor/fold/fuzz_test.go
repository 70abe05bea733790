package fold

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/cdptest/statetest"
	"github.com/usher-browser/usher/internal/policy"
	"github.com/usher-browser/usher/internal/supervisor/fold/bridge"
	"github.com/usher-browser/usher/internal/supervisor/fold/core"
	"github.com/usher-browser/usher/internal/supervisor/fold/dialogs"
	"github.com/usher-browser/usher/internal/supervisor/fold/headers"
	"github.com/usher-browser/usher/internal/supervisor/fold/interrupts"
	"github.com/usher-browser/usher/internal/supervisor/fold/liveness"
	"github.com/usher-browser/usher/internal/supervisor/fold/logins"
	"github.com/usher-browser/usher/internal/supervisor/fold/permissions"
	"github.com/usher-browser/usher/internal/supervisor/fold/targets"
	"github.com/usher-browser/usher/internal/supervisor/model"
)

// pick makes choices from fuzzed bytes.
type pick struct{ data []byte }

func (p *pick) n(limit int) int {
	if len(p.data) == 0 {
		return 0
	}
	b := p.data[0]
	p.data = p.data[1:]
	return int(b) % limit
}

func (p *pick) of(words ...string) string { return words[p.n(len(words))] }

func (p *pick) frame() string { return p.of("T", "U", "F", "G", "H", "I", "") }

func (p *pick) session() string { return p.of("", "P", "Q", "R", "S") }

var fuzzedRules = sync.OnceValue(func() (list []policy.DialogRule) {
	for _, words := range []string{"accept kind=alert", "dismiss message=/m/", "ask kind=prompt", "accept frame=F origin=http://*"} {
		r, err := policy.ParseDialogRule(strings.Fields(words))
		if err != nil {
			panic(err)
		}
		list = append(list, r)
	}
	return list
})

func (p *pick) rules() []policy.DialogRule {
	all := fuzzedRules()
	from := p.n(len(all))
	return all[from : from+p.n(2)]
}

// input returns one input. There are few names, so that inputs often concern the same object.
func (p *pick) input() Input {
	in := Input{At: time.Unix(int64(1000+p.n(50)), 0)}
	event := func(method, format string, args ...any) {
		in.Event = &cdp.Event{SessionID: p.session(), Method: method, Params: fmt.Appendf(nil, format, args...)}
	}
	dialog := fmt.Sprintf("d-%d", 1+p.n(6))
	switch p.n(43) {
	case 0, 1:
		event("Target.attachedToTarget", `{"sessionId":%q,"targetInfo":{"targetId":%q,"type":%q,"parentFrameId":%q,"browserContextId":"C","openerId":%q}}`,
			p.session(), p.frame(), p.of("page", "iframe", "iframe", "worker", "browser"), p.frame(), p.frame())
	case 2:
		event(p.of("Target.targetCreated", "Target.targetInfoChanged"), `{"targetInfo":{"targetId":%q,"type":%q,"url":"http://x","subtype":%q}}`, p.frame(), p.of("page", "iframe"), p.of("", "", "prerender"))
	case 3:
		event("Target.detachedFromTarget", `{"sessionId":%q}`, p.session())
	case 4:
		event("Target.targetDestroyed", `{"targetId":%q}`, p.frame())
	case 5:
		event("Target.targetCrashed", `{"targetId":%q,"status":"crashed"}`, p.frame())
	case 6, 7:
		event("Page.frameAttached", `{"frameId":%q,"parentFrameId":%q}`, p.frame(), p.frame())
	case 8, 9:
		event("Page.frameNavigated", `{"frame":{"id":%q,"parentId":%q,"loaderId":%q,"url":"http://x"}}`, p.frame(), p.frame(), p.of("L1", "L2", "L3"))
	case 10:
		event("Page.frameDetached", `{"frameId":%q,"reason":%q}`, p.frame(), p.of("remove", "swap"))
	case 11:
		event("Page.navigatedWithinDocument", `{"frameId":%q,"url":"http://x#y"}`, p.frame())
	case 12:
		event("Page.lifecycleEvent", `{"frameId":%q,"loaderId":%q,"name":%q}`, p.frame(), p.of("L1", "L2"), p.of("init", "load", "DOMContentLoaded", "networkIdle"))
	case 13, 14:
		event("Page.javascriptDialogOpening", `{"frameId":%q,"type":%q,"message":"m"}`, p.frame(), p.of("alert", "prompt", "beforeunload"))
	case 15:
		event("Page.javascriptDialogClosed", `{"result":true,"userInput":"x"}`)
	case 16:
		event("Runtime.executionContextCreated", `{"context":{"uniqueId":%q,"auxData":{"isDefault":true,"frameId":%q}}}`, p.of("1", "2"), p.frame())
	case 17:
		event(p.of("Runtime.executionContextDestroyed", "Runtime.executionContextsCleared"), `{"executionContextUniqueId":%q}`, p.of("1", "2"))
	case 18:
		event(p.of("Browser.downloadWillBegin", "Browser.downloadProgress"), `{"guid":%q,"frameId":%q,"state":"completed"}`, p.of("a", "b"), p.frame())
	case 19:
		in.Command = &core.Reply{Tag: core.Tag{Kind: core.TagTree}, Session: p.session(), Result: jsontext.Value(fmt.Sprintf(
			`{"frameTree":{"frame":{"id":%q,"loaderId":"L1"},"childFrames":[{"frame":{"id":%q,"parentId":%q,"loaderId":"L2"},"childFrames":[{"frame":{"id":%q,"parentId":%q}}]}]}}`,
			p.frame(), p.frame(), p.frame(), p.frame(), p.frame()))}
	case 20:
		in.Command = &core.Reply{Tag: core.Tag{Kind: core.TagRun}, Session: p.session()}
	case 21:
		kinds := []core.TagKind{core.TagAnswer, core.TagAnswer, core.TagCheck, core.TagRelease}
		reply := &core.Reply{Tag: core.Tag{Kind: kinds[p.n(len(kinds))], Dialog: dialog}, Session: p.session()}
		in.Command = reply
		switch p.n(3) {
		case 0:
			reply.Err = errors.New("no dialog is showing")
		case 1:
			reply.Err = &cdp.Error{Method: "Page.x", Code: -32000, Message: "Not attached to an active page"}
		}
	case 22:
		in.Command = &dialogs.Answer{Dialog: dialog, By: model.ByAgent, Accept: p.n(2) == 0, Text: "t"}
	case 23:
		in.Command = &dialogs.Watchdog{Dialog: dialog}
	case 24:
		in.Command = &dialogs.SetPolicy{Context: "C", Policy: model.Policy{
			Mode:    model.PolicyMode(p.of("must_respond", "auto_dismiss", "auto_accept", "accept_notices")),
			Timeout: time.Duration(p.n(3)) * time.Minute, Rules: p.rules()}}
	case 26:
		event("Page.fileChooserOpened", `{"frameId":%q,"mode":%q,"backendNodeId":%d}`, p.frame(), p.of("selectSingle", "selectMultiple"), p.n(3))
	case 36:
		switch p.n(6) {
		case 0:
			event("Runtime.bindingCalled", `{"name":"usherTell","payload":%q}`, p.of("print", "alive"))
		case 1, 2:
			event("Debugger.paused", `{"reason":"EventListener","data":{"eventName":%q}}`, p.of("instrumentation:Geolocation.getCurrentPosition", "instrumentation:Notification.requestPermission", "else"))
		case 3:
			event("Debugger.resumed", `{}`)
		case 4:
			in.Command = &permissions.AskPermissions{Context: "C", On: p.n(3) > 0, Of: []string{p.of("geolocation", "notifications", "camera")}[:p.n(2)]}
		case 5:
			in.Command = &interrupts.Printing{Tab: model.TargetID(p.frame()), On: p.n(2) == 0}
		}
	case 37:
		event("Fetch.authRequired", `{"requestId":%q,"frameId":%q,"resourceType":%q,"request":{"url":"http://x/"},"authChallenge":{"source":%q,"origin":"http://x","scheme":"basic","realm":"r"}}`,
			p.of("q1", "q2"), p.frame(), p.of("Document", "XHR"), p.of("Server", "Proxy"))
	case 38:
		switch p.n(7) {
		case 5:
			in.Command = &headers.SetHeaders{Context: "C", Origin: p.of("http://x", "http://y"), Names: []string{p.of("A", "B")}}
		case 6:
			event("Fetch.requestPaused", `{"requestId":"r","redirectedRequestId":%q,"request":{"url":%q,"headers":{"a":"1","Accept":"*"}}}`, p.of("", "before"), p.of("http://x/", "http://y/", "http://z/"))
		case 3:
			in.Command = &logins.HiddenLogin{Tab: model.TargetID(p.frame()), Frame: model.FrameID(p.frame()), URL: "http://x/y", Realm: "r",
				Loader: p.of("L1", "L2"), Full: p.n(2) == 0, Repeat: p.n(2) == 0}
		case 4:
			in.Command = &logins.SetCredentials{Context: "C", Origins: []string{p.of("", "http://x", "http://*", "/x/", "/(/")}[:p.n(2)]}
		case 0:
			event("Network.loadingFailed", `{"requestId":"","type":"Document","errorText":"net::ERR_INVALID_AUTH_CREDENTIALS"}`)
		case 1:
			in.Command = &logins.Fetching{Context: "C", All: p.n(4) == 0, Origin: p.of("", "http://x", "http://y"), Logins: p.n(2) == 0}
		case 2:
			in.Command = &core.Reply{Tag: core.Tag{Kind: core.TagReload, URL: "http://x"}, Session: p.session(), Err: errors.New("Not attached to an active page")}
		}
	case 27:
		if p.n(3) == 0 {
			in.Command = &interrupts.Choosers{Tab: model.TargetID(p.frame()), Session: p.session(), Context: model.ContextID(p.of("", "", "C")), On: p.n(2) == 0, Cancel: p.n(2) == 0}
		} else {
			in.Command = &interrupts.Resolve{ID: fmt.Sprintf("i-%d", 1+p.n(30)), Step: interrupts.ResolveStep(p.n(3)), By: model.ByAgent, Outcome: "done"}
		}
	case 28, 29:
		in.Command = &liveness.Probe{Tab: model.TargetID(p.frame()), Timeout: time.Duration(p.n(3)) * time.Second, Eager: p.n(2) == 0}
	case 30:
		in.Command = &core.Reply{Tag: core.Tag{Kind: []core.TagKind{core.TagProbe, core.TagScriptBegins, core.TagScriptProbe, core.TagBrowserProbe, core.TagScriptEnded}[p.n(5)]}, Session: p.session()}
	case 39:
		if in.Command = (&targets.Connected{}); p.n(2) != 0 {
			in.Command = &targets.Lost{Cause: errors.New("cut")}
		}
	case 40:
		kind := []core.TagKind{core.TagRelease, core.TagEnable, core.TagChildren, core.TagIdentity, core.TagDiscovered, core.TagDiscovered, core.TagStandby, core.TagRun}[p.n(8)]
		reply := &core.Reply{Tag: core.Tag{Kind: kind, Dialog: dialog}, Session: p.session(), Result: jsontext.Value(fmt.Sprintf(`{"defaultBrowserContextId":%q}`, p.of("C", "C", "C", "C", "D")))}
		in.Command = reply
		if p.n(4) == 0 {
			reply.Err = errors.New("refused")
		}
	case 41, 42:
		switch p.n(5) {
		case 0:
			in.Command = &dialogs.StandbyLost{}
			return in
		case 1:
			event("Target.attachedToTarget", `{"sessionId":%q,"targetInfo":{"targetId":%q,"type":"page"}}`, p.of("X", "Y"), p.frame())
		case 2:
			event("Target.detachedFromTarget", `{"sessionId":%q}`, p.of("X", "Y"))
		case 3:
			event("Page.javascriptDialogOpening", `{"frameId":%q,"type":%q,"message":%q}`, p.frame(), p.of("alert", "prompt"), p.of("m", "n"))
		case 4:
			event("Page.javascriptDialogClosed", `{"result":true,"userInput":"x"}`)
		}
		in.Event.SessionID = p.of("X", "Y")
		in.Command, in.Event = &dialogs.StandbyEvent{Event: *in.Event}, nil
	case 25:
		switch p.n(8) {
		case 2:
			in.Command = &Forget{Context: model.ContextID(p.of("C", "D"))}
			if p.n(2) == 0 {
				in.Command = &liveness.InputHandled{Tab: model.TargetID(p.frame())}
				if p.n(2) == 0 {
					in.Command = &liveness.OwnScript{Session: p.session(), Over: p.n(2) == 0, Unanswered: p.n(2) == 0}
				}
			}
		case 3:
			o := dialogs.Override{Tab: model.TargetID(p.frame()), ID: uint64(p.n(3))}
			if rules := p.rules(); len(rules) > 0 {
				o.Rule = &rules[0]
			}
			in.Command = &o
		case 0:
			in.Command = &targets.Closed{Cause: errors.New("gone")}
		case 1:
			in.Command = &targets.Overflow{Session: p.session() + "x"}
		default:
			event(p.of("Page.frameRequestedNavigation", "Page.frameStartedNavigating", "Page.frameStoppedLoading", "Page.windowOpen", "Network.responseReceived"),
				`{"frameId":%q,"url":"http://x","disposition":"currentTab","type":"Document","response":{"status":200}}`, p.frame())
		}
	case 31:
		in.Command = &bridge.SetBridge{Context: "C", Mode: model.BridgeMode(p.of("auto", "on", "off"))}
		if p.of("", "joined") != "" {
			in.Command = &bridge.Joined{Context: "C", Clients: len(p.of("", "1", "12"))}
		}
	case 32:
		event("Debugger.scriptParsed", `{"scriptId":%q,"hash":%q,"executionContextAuxData":{"frameId":%q}}`, p.of("1", "2", "3"), p.of(fuzzHash, fuzzHash, "x"), p.frame())
	case 33:
		event("Debugger.paused", `{"callFrames":[{"callFrameId":%q,"location":{"scriptId":%q},"this":{"value":%s}}]}`, p.of("f1", "f2"), p.of("1", "2", "3"),
			p.of(`"alert\u00001\u0000m"`, `"prompt\u00001\u0000mp"`, `"confirm\u00009\u0000m"`, `"x"`))
	case 34:
		event("Debugger.resumed", `{}`)
	case 35:
		reply := &core.Reply{Session: p.session(), Tag: core.Tag{
			Kind: []core.TagKind{core.TagBridge, core.TagSuspect, core.TagIsolation, core.TagOwner, core.TagOwnerNode}[p.n(5)], Dialog: dialog, Frame: model.FrameID(p.frame()), Loader: p.of("L1", "L2", "")}}
		in.Command = reply
		reply.Result = jsontext.Value(p.of(`{"identifier":"1"}`, `{"backendNodeId":1}`, `{"node":{"attributes":["sandbox",""]}}`, `{"status":{"csp":[{"effectiveDirectives":"sandbox","isEnforced":true}]}}`, `{}`))
		if p.n(4) == 0 {
			reply.Result, reply.Err = nil, errors.New("no")
		}
	}
	return in
}

var _, fuzzHash = bridge.Source("nonce")

// FuzzFold applies inputs in any order. The state stays consistent, and published states do not change.
func FuzzFold(f *testing.F) {
	for seed := range 40 {
		data := make([]byte, 1500)
		x := uint32(seed + 1)
		for i := range data {
			x ^= x << 13
			x ^= x >> 17
			x ^= x << 5
			data[i] = byte(x >> 7)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		m := New(Options{Nonce: "nonce"})
		m.Start()
		handed := prints{}
		for p := (&pick{data[:min(len(data), 3000)]}); len(p.data) > 0; { // longer inputs find nothing more and are slow
			in := p.input()
			before := slices.Clone(m.State().Dialogs)
			m.Apply(in)
			err := statetest.Check(m.State())
			if err == nil {
				err = m.wrongLink(&in, before)
			}
			if err != nil {
				text, _ := json.Marshal(in)
				if in.Event != nil {
					text = fmt.Appendf(nil, "%s %s %s", in.Event.SessionID, in.Event.Method, in.Event.Params)
				}
				t.Fatalf("after %s: %v", text, err)
			}
			if p.n(3) == 0 {
				handed.take(m.Snapshot())
			}
		}
		for at, was := range handed {
			if now := print(at); now != was {
				t.Fatalf("what was handed out changed from\n%s\nto\n%s", was, now)
			}
		}
	})
}

// wrongLink returns what is inconsistent with the existing connections. before are the dialogs that were open before the
// input; none may get lost.
func (m *Model) wrongLink(in *Input, before []*model.Dialog) error {
	for _, d := range before {
		if m.State().OpenDialog(d.ID) == nil && m.State().ClosedDialog(d.ID) == nil {
			return fmt.Errorf("dialog %s is lost", d.ID)
		}
	}
	for _, d := range m.State().Dialogs {
		if d.Reach != m.dialogs.Reach(d) {
			return fmt.Errorf("dialog %s is said to be reached %q, and is %q", d.ID, d.Reach, m.dialogs.Reach(d))
		}
	}
	_, lost := in.Command.(*targets.Lost)
	for id, t := range m.State().Tabs {
		if lost && t.Session != "" {
			return fmt.Errorf("tab %s has a session of the lost connection", id)
		}
	}
	if lost && m.State().Outage == nil && m.State().Closed == nil {
		return errors.New("the outage is not known")
	}
	return nil
}

// prints returns the published objects as text, by address. Each is printed once, however many states contain it;
// otherwise printing would take most of the fuzzing time.
type prints map[any]string

func (p prints) take(s *model.State) {
	p.add(s)
	for _, t := range s.Tabs {
		p.add(t)
		for _, f := range t.Frames {
			p.add(f)
		}
	}
	for _, list := range [][]*model.Dialog{s.Dialogs, s.RecentDialogs} {
		for _, d := range list {
			p.add(d)
		}
	}
	for _, d := range s.Downloads {
		p.add(d)
	}
}

func (p prints) add(at any) {
	if _, known := p[at]; !known {
		p[at] = print(at)
	}
}

// print prints all fields of a struct, following pointers.
func print(at any) string { return fmt.Sprintf("%+v", reflect.ValueOf(at).Elem()) }

// BenchmarkFold folds the most frequent events of a page.
func BenchmarkFold(b *testing.B) {
	m := New(Options{Nonce: "nonce"})
	apply := func(session, method, format string, args ...any) {
		m.Apply(Input{Event: &cdp.Event{SessionID: session, Method: method, Params: fmt.Appendf(nil, format, args...)}})
	}
	apply("", "Target.attachedToTarget", `{"sessionId":"P","targetInfo":{"targetId":"T","type":"page"}}`)
	for i := range 30 {
		apply("P", "Page.frameAttached", `{"frameId":"F%d","parentFrameId":"T"}`, i)
	}
	events := []cdp.Event{
		{SessionID: "P", Method: "Network.requestWillBeSent", Params: []byte(`{"requestId":"1"}`)},
		{SessionID: "P", Method: "Network.responseReceived", Params: []byte(`{"requestId":"1","type":"Script"}`)},
		{SessionID: "P", Method: "Network.loadingFinished", Params: []byte(`{"requestId":"1"}`)},
		{SessionID: "P", Method: "Page.lifecycleEvent", Params: []byte(`{"frameId":"F1","loaderId":"L","name":"firstPaint","timestamp":1}`)},
		{SessionID: "P", Method: "Page.lifecycleEvent", Params: []byte(`{"frameId":"F1","loaderId":"L","name":"load","timestamp":1}`)},
	}
	b.ReportAllocs()
	n := 0
	for b.Loop() {
		m.Apply(Input{Event: &events[n%len(events)]})
		if n++; n%20 == 0 {
			m.Snapshot()
		}
	}
	b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "events/s")
}
