package fold

import (
	"slices"
	"testing"
	"time"

	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/cdptest/statetest"
	"github.com/usher-browser/usher/internal/supervisor/fold/core"
	"github.com/usher-browser/usher/internal/supervisor/fold/liveness"
	"github.com/usher-browser/usher/internal/supervisor/model"
)

// prober is a model of one tab with a page (session P, frame T) and an out-of-process frame (session Q, frame U), and a
// clock.
type prober struct {
	t   *testing.T
	m   *Model
	now time.Time
}

func newProber(t *testing.T) *prober {
	p := &prober{t, New(Options{Nonce: "nonce"}), time.Unix(1000, 0)}
	p.event("", "Target.attachedToTarget", `{"sessionId":"P","targetInfo":{"targetId":"T","type":"page"}}`)
	p.reply(core.TagRun, "P")
	p.event("P", "Target.attachedToTarget", `{"sessionId":"Q","targetInfo":{"targetId":"U","type":"iframe","parentFrameId":"T"}}`)
	p.reply(core.TagRun, "Q")
	return p
}

func (p *prober) event(session, method, params string) []core.Effect {
	return p.m.Apply(Input{At: p.now, Event: &cdp.Event{SessionID: session, Method: method, Params: []byte(params)}})
}

func (p *prober) reply(kind core.TagKind, session string) {
	p.m.Apply(Input{At: p.now, Command: &core.Reply{Tag: core.Tag{Kind: kind}, Session: session}})
}

// after advances the clock, probes the tab, and returns the commands sent, by session.
func (p *prober) after(d time.Duration) (sent []string) {
	p.now = p.now.Add(d)
	for _, e := range p.m.Apply(Input{At: p.now, Command: &liveness.Probe{Tab: "T", Timeout: liveness.Timeout}}) {
		if e.Send != nil {
			sent = append(sent, e.Send.Session+" "+e.Send.Method)
		}
	}
	if err := statetest.Check(p.m.State()); err != nil {
		p.t.Fatal(err)
	}
	return sent
}

func (p *prober) named(want model.UnresponsiveReason, frame model.FrameID) {
	p.t.Helper()
	u := p.m.State().Tabs["T"].Unresponsive
	switch {
	case want == "" && u != nil:
		p.t.Errorf("named %+v, want nothing", u)
	case want != "" && (u == nil || u.Reason != want || u.Frame != frame):
		p.t.Errorf("named %+v, want %s in %s", u, want, frame)
	}
}

func TestReasonOfAnUnresponsiveRenderer(t *testing.T) {
	for _, at := range []struct {
		name    string
		answers func(p *prober)
		want    model.UnresponsiveReason
	}{
		{"script", func(p *prober) { p.reply(core.TagScriptProbe, "P"); p.reply(core.TagBrowserProbe, "") }, model.ReasonScript},
		{"waiting", func(p *prober) { p.reply(core.TagBrowserProbe, "") }, model.ReasonWaiting},
		{"browser", func(*prober) {}, model.ReasonBrowser},
	} {
		p := newProber(t)
		if sent := p.after(liveness.Period); len(sent) != 2 {
			t.Fatalf("%s: the first probe sent %q, want one question to each process", at.name, sent)
		}
		p.reply(core.TagProbe, "Q")
		p.after(liveness.Period)
		p.reply(core.TagProbe, "Q")
		at.answers(p)
		p.named("", "")
		p.after(liveness.Timeout)
		p.named(at.want, "T")
		p.reply(core.TagProbe, "P")
		p.named("", "")
	}
}

func TestUnresponsiveFrameIsNotThePage(t *testing.T) {
	p := newProber(t)
	p.after(liveness.Period)
	p.reply(core.TagProbe, "P")
	p.after(liveness.Period)
	p.reply(core.TagProbe, "P")
	p.reply(core.TagScriptProbe, "Q")
	p.reply(core.TagBrowserProbe, "")
	p.after(liveness.Timeout)
	p.named(model.ReasonScript, "U")
	tab := p.m.State().Tabs["T"]
	if u := tab.UnresponsiveFor("T"); u != nil {
		t.Errorf("calls to the page are said to be held by %+v", u)
	}
	if u := tab.UnresponsiveFor("U"); u == nil {
		t.Error("calls to the frame are not said to be held")
	}
	p.event("P", "Page.frameDetached", `{"frameId":"U","reason":"remove"}`)
	p.named("", "")
}

func TestKnownBlocksAreNotUnresponsive(t *testing.T) {
	for _, method := range []string{"Page.javascriptDialogOpening", "Page.frameStartedNavigating"} {
		p := newProber(t)
		p.after(liveness.Period)
		p.event("P", method, `{"frameId":"T","type":"alert","url":"http://silent","navigationType":"differentDocument"}`)
		for range 10 {
			p.reply(core.TagProbe, "Q")
			p.after(liveness.Timeout)
		}
		p.named("", "")
	}
}

// Our search through a large page reports progress, which is delivered with each probe. Without progress the renderer
// counts as unresponsive.
func TestOwnScriptThatReportsIsNotUnresponsive(t *testing.T) {
	p := newProber(t)
	p.after(liveness.Period)
	for range 10 {
		p.reply(core.TagProbe, "Q")
		sent := p.after(liveness.Period)
		if !slices.Contains(sent, "P Performance.getMetrics") {
			t.Fatalf("sent %v; nothing of it delivers the report", sent)
		}
		p.reply(core.TagScriptProbe, "P")
		if slices.Contains(sent, " Browser.getVersion") {
			p.reply(core.TagBrowserProbe, "")
		}
		p.event("P", "Runtime.bindingCalled", `{"name":"usherTell","payload":"alive"}`)
		p.named("", "")
	}
	p.reply(core.TagProbe, "Q")
	p.after(liveness.Timeout)
	p.named(model.ReasonScript, "T")
}

// A page that opens dialogs in succession is responsive, even if a policy answers each at once.
func TestDialogsInARowAreNotUnresponsive(t *testing.T) {
	p := newProber(t)
	p.after(liveness.Period)
	for range 10 {
		p.reply(core.TagProbe, "Q")
		p.event("P", "Page.javascriptDialogOpening", `{"frameId":"T","type":"alert"}`)
		p.event("P", "Page.javascriptDialogClosed", `{"result":true}`)
		p.after(liveness.Timeout / 2)
	}
	p.named("", "")
}

func TestSlowBrowserExtendsTheTimeout(t *testing.T) {
	p := newProber(t)
	p.after(liveness.Period)
	p.after(liveness.Period)
	p.now = p.now.Add(100 * time.Millisecond) // the browser itself is slow
	p.reply(core.TagBrowserProbe, "")
	p.after(liveness.Timeout)
	p.named("", "")
	p.after(liveness.MaxTimeout)
	p.named(model.ReasonWaiting, "T")
}

func TestNewDocumentResetsUnresponsive(t *testing.T) {
	p := newProber(t)
	p.after(liveness.Period)
	p.after(liveness.Period)
	p.reply(core.TagBrowserProbe, "")
	p.after(liveness.Timeout)
	p.named(model.ReasonWaiting, "T")
	p.event("P", "Page.frameNavigated", `{"frame":{"id":"T","loaderId":"L2","url":"http://x"}}`)
	p.reply(core.TagProbe, "Q")
	p.named("", "")
	if sent := p.after(liveness.Period); len(sent) == 0 {
		t.Error("the new document is not asked")
	}
}

// A renderer that runs a caller's script counts as responsive from the script's start to its end. If the caller stops
// waiting, that still holds until the script ends.
func TestOwnScriptIsNotUnresponsive(t *testing.T) {
	work := func(p *prober, w liveness.OwnScript) {
		w.Session = "P"
		p.m.Apply(Input{At: p.now, Command: &w})
	}
	hangs := func(p *prober, want model.UnresponsiveReason, frame model.FrameID) {
		p.t.Helper()
		for range 10 {
			p.reply(core.TagProbe, "Q")
			p.reply(core.TagBrowserProbe, "")
			p.reply(core.TagScriptProbe, "P")
			p.after(liveness.Timeout)
		}
		p.named(want, frame)
		p.reply(core.TagProbe, "P")
	}
	p := newProber(t)
	p.after(liveness.Period)
	work(p, liveness.OwnScript{})
	hangs(p, model.ReasonScript, "T") // it has not started: the page is busy with something else

	work(p, liveness.OwnScript{})
	p.reply(core.TagScriptBegins, "P")
	p.reply(core.TagScriptBegins, "P")
	hangs(p, "", "")
	work(p, liveness.OwnScript{Over: true})
	hangs(p, "", "") // the other script is still running
	work(p, liveness.OwnScript{Over: true, Unanswered: true})
	hangs(p, "", "") // the caller has left, the script is running
	p.reply(core.TagScriptEnded, "P")
	hangs(p, model.ReasonScript, "T")

	work(p, liveness.OwnScript{Over: true}) // one too many
	work(p, liveness.OwnScript{})
	p.event("", "Target.detachedFromTarget", `{"sessionId":"P"}`)
	if n := entries(p.m, "Monitor.scripts"); n != 0 {
		t.Errorf("%d sessions that are gone still have scripts to run", n)
	}
}

// The peer of a document is recorded whichever event comes first: the renderer's or the network's.
func TestPeerIsKnownInAnyOrder(t *testing.T) {
	const shown, came = `{"frame":{"id":"T","loaderId":"L","url":"http://a/"}}`,
		`{"frameId":"T","loaderId":"L","type":"Document","response":{"url":"http://a/","status":200,"remoteIPAddress":"[::1]"}}`
	for _, first := range []bool{true, false} {
		p := newProber(t)
		if first {
			p.event("P", "Network.responseReceived", came)
		}
		p.event("P", "Page.frameNavigated", shown)
		if !first {
			p.event("P", "Network.responseReceived", came)
		}
		if got := p.m.Snapshot().Tabs["T"].MainFrame().RemoteAddress; got != "::1" {
			t.Errorf("network first %v: the document came from %q", first, got)
		}
	}
}
