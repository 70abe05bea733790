package supervisor

import (
	"slices"
	"testing"
	"time"

	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/supervisor/model"
)

// pulsed is a model of one tab with a page (session P, frame T) and a frame in a process of its own (session Q, frame
// U), and the time.
type pulsed struct {
	t   *testing.T
	m   *Model
	now time.Time
}

func pulse(t *testing.T) *pulsed {
	p := &pulsed{t, NewModel(false, "nonce"), time.Unix(1000, 0)}
	p.event("", "Target.attachedToTarget", `{"sessionId":"P","targetInfo":{"targetId":"T","type":"page"}}`)
	p.reply(TagRun, "P")
	p.event("P", "Target.attachedToTarget", `{"sessionId":"Q","targetInfo":{"targetId":"U","type":"iframe","parentFrameId":"T"}}`)
	p.reply(TagRun, "Q")
	return p
}

func (p *pulsed) event(session, method, params string) []Effect {
	return p.m.Apply(Input{At: p.now, Event: &cdp.Event{SessionID: session, Method: method, Params: []byte(params)}})
}

func (p *pulsed) reply(kind TagKind, session string) {
	p.m.Apply(Input{At: p.now, Command: &Reply{Tag: Tag{Kind: kind}, Session: session}})
}

// after lets time pass, feels for the tab's life, and returns what was sent to whom.
func (p *pulsed) after(d time.Duration) (sent []string) {
	p.now = p.now.Add(d)
	for _, e := range p.m.Apply(Input{At: p.now, Command: &Pulse{Tab: "T", Patience: pulsePatience}}) {
		if e.Send != nil {
			sent = append(sent, e.Send.Session+" "+e.Send.Method)
		}
	}
	if err := wrong(p.m.cur); err != nil {
		p.t.Fatal(err)
	}
	return sent
}

func (p *pulsed) named(want model.Hold, frame model.FrameID) {
	p.t.Helper()
	u := p.m.cur.Tabs["T"].Unresponsive
	switch {
	case want == "" && u != nil:
		p.t.Errorf("named %+v, want nothing", u)
	case want != "" && (u == nil || u.Reason != want || u.Frame != frame):
		p.t.Errorf("named %+v, want %s in %s", u, want, frame)
	}
}

func TestPulseTellsWhatHoldsARenderer(t *testing.T) {
	for _, at := range []struct {
		name    string
		answers func(p *pulsed)
		want    model.Hold
	}{
		{"script", func(p *pulsed) { p.reply(TagScript, "P"); p.reply(TagBrowser, "") }, model.HeldByScript},
		{"waiting", func(p *pulsed) { p.reply(TagBrowser, "") }, model.HeldWaiting},
		{"browser", func(*pulsed) {}, model.HeldByBrowser},
	} {
		p := pulse(t)
		if sent := p.after(pulsePeriod); len(sent) != 2 {
			t.Fatalf("%s: the first pulse sent %q, want one question to each process", at.name, sent)
		}
		p.reply(TagPing, "Q")
		p.after(pulsePeriod)
		p.reply(TagPing, "Q")
		at.answers(p)
		p.named("", "")
		p.after(pulsePatience)
		p.named(at.want, "T")
		p.reply(TagPing, "P")
		p.named("", "")
	}
}

func TestFrameThatHangsIsNotThePage(t *testing.T) {
	p := pulse(t)
	p.after(pulsePeriod)
	p.reply(TagPing, "P")
	p.after(pulsePeriod)
	p.reply(TagPing, "P")
	p.reply(TagScript, "Q")
	p.reply(TagBrowser, "")
	p.after(pulsePatience)
	p.named(model.HeldByScript, "U")
	tab := p.m.cur.Tabs["T"]
	if u := tab.UnresponsiveFor("T"); u != nil {
		t.Errorf("calls to the page are said to be held by %+v", u)
	}
	if u := tab.UnresponsiveFor("U"); u == nil {
		t.Error("calls to the frame are not said to be held")
	}
	p.event("P", "Page.frameDetached", `{"frameId":"U","reason":"remove"}`)
	p.named("", "")
}

func TestWhatHasANameIsNoHang(t *testing.T) {
	for _, method := range []string{"Page.javascriptDialogOpening", "Page.frameStartedNavigating"} {
		p := pulse(t)
		p.after(pulsePeriod)
		p.event("P", method, `{"frameId":"T","type":"alert","url":"http://silent","navigationType":"differentDocument"}`)
		for range 10 {
			p.reply(TagPing, "Q")
			p.after(pulsePatience)
		}
		p.named("", "")
	}
}

// A search of ours through a large page tells of itself, and is heard as often as somebody looks. When it does so no longer,
// the renderer hangs as any other.
func TestASearchOfOursIsNoHang(t *testing.T) {
	p := pulse(t)
	p.after(pulsePeriod)
	for range 10 {
		p.reply(TagPing, "Q")
		if sent := p.after(pulsePeriod); !slices.Contains(sent, "P Performance.getMetrics") {
			t.Fatalf("sent %v; nothing of it lets the search be heard", sent)
		}
		p.reply(TagScript, "P")
		if !p.m.asked.IsZero() {
			p.reply(TagBrowser, "")
		}
		p.event("P", "Runtime.bindingCalled", `{"name":"usherTell","payload":"alive"}`)
		p.named("", "")
	}
	p.reply(TagPing, "Q")
	p.after(pulsePatience)
	p.named(model.HeldByScript, "T")
}

// A page that opens one dialog after the other is alive, although a policy answers
// each before anyone looks.
func TestDialogsInARowAreNoHang(t *testing.T) {
	p := pulse(t)
	p.after(pulsePeriod)
	for range 10 {
		p.reply(TagPing, "Q")
		p.event("P", "Page.javascriptDialogOpening", `{"frameId":"T","type":"alert"}`)
		p.event("P", "Page.javascriptDialogClosed", `{"result":true}`)
		p.after(pulsePatience / 2)
	}
	p.named("", "")
}

func TestSlowMachineGivesTime(t *testing.T) {
	p := pulse(t)
	p.after(pulsePeriod)
	p.after(pulsePeriod)
	p.now = p.now.Add(100 * time.Millisecond) // the browser itself takes long
	p.reply(TagBrowser, "")
	p.after(pulsePatience)
	p.named("", "")
	p.after(mostPatience)
	p.named(model.HeldWaiting, "T")
}

func TestNewDocumentIsANewChance(t *testing.T) {
	p := pulse(t)
	p.after(pulsePeriod)
	p.after(pulsePeriod)
	p.reply(TagBrowser, "")
	p.after(pulsePatience)
	p.named(model.HeldWaiting, "T")
	p.event("P", "Page.frameNavigated", `{"frame":{"id":"T","loaderId":"L2","url":"http://x"}}`)
	p.reply(TagPing, "Q")
	p.named("", "")
	if sent := p.after(pulsePeriod); len(sent) == 0 {
		t.Error("the new document is not asked")
	}
}

// A renderer that carries out what a caller asked for is not unresponsive, once it has come to it; behind that it counts
// again. A caller that has given up leaves it busy until it has done what was sent.
func TestWorkOfACallerIsNoHang(t *testing.T) {
	work := func(p *pulsed, w Work) {
		w.Session = "P"
		p.m.Apply(Input{At: p.now, Command: &w})
	}
	hangs := func(p *pulsed, want model.Hold, frame model.FrameID) {
		p.t.Helper()
		for range 10 {
			p.reply(TagPing, "Q")
			p.reply(TagBrowser, "")
			p.reply(TagScript, "P")
			p.after(pulsePatience)
		}
		p.named(want, frame)
		p.reply(TagPing, "P")
	}
	p := pulse(t)
	p.after(pulsePeriod)
	work(p, Work{})
	hangs(p, model.HeldByScript, "T") // it has not come to it: the page is busy with something else

	work(p, Work{})
	p.reply(TagLead, "P")
	p.reply(TagLead, "P")
	hangs(p, "", "")
	work(p, Work{Over: true})
	hangs(p, "", "") // the other one goes on
	work(p, Work{Over: true, Unanswered: true})
	hangs(p, "", "") // nobody waits for it, and it goes on
	p.reply(TagTrail, "P")
	hangs(p, model.HeldByScript, "T")

	work(p, Work{Over: true}) // one too many
	work(p, Work{})
	p.event("", "Target.detachedFromTarget", `{"sessionId":"P"}`)
	if len(p.m.works) != 0 {
		t.Errorf("a session that is gone still has %v to do", p.m.works)
	}
}

// Where a document came from is known whichever of the two tells first: the renderer that shows it, or the network.
func TestPeerIsKnownInAnyOrder(t *testing.T) {
	const shown, came = `{"frame":{"id":"T","loaderId":"L","url":"http://a/"}}`,
		`{"frameId":"T","loaderId":"L","type":"Document","response":{"url":"http://a/","status":200,"remoteIPAddress":"[::1]"}}`
	for _, first := range []bool{true, false} {
		p := pulse(t)
		if first {
			p.event("P", "Network.responseReceived", came)
		}
		p.event("P", "Page.frameNavigated", shown)
		if !first {
			p.event("P", "Network.responseReceived", came)
		}
		if got := p.m.Snapshot().Tabs["T"].MainFrame().Peer; got != "::1" {
			t.Errorf("network first %v: the document came from %q", first, got)
		}
	}
}
