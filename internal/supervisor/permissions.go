package supervisor

import (
	"maps"
	"slices"
	"strings"

	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/supervisor/model"
)

// Chromium 156, headless, answers every permission request itself, at once, with
// no, and no event of the protocol tells of it (measured: geolocation,
// notifications, clipboard-read, MIDI, window management, idle detection;
// cameras and microphones are not found). Who wants to be asked has V8 pause at
// the entry of the native functions: the page cannot see a wrapper, for there is
// none, but while it is paused nothing in it moves, and an enabled debugger can be
// noticed by the time it takes. So only a session that wants it gets it. The
// breakpoints that survive a navigation are those Blink offers by name; it has none
// for cameras, microphones, the clipboard and the rest, which can only be allowed
// or denied beforehand, by Browser.setPermission.
var asked = map[string]string{
	"Geolocation.getCurrentPosition": "geolocation",
	"Geolocation.watchPosition":      "geolocation",
	"Notification.requestPermission": "notifications",
}

// AskPermissions makes permission requests of a context interruptions.
type AskPermissions struct {
	Context model.ContextID
	On      bool
	// Of are the permissions that are meant; none for all that can be asked for.
	Of []string
}

// InputName is the name in recordings.
func (*AskPermissions) InputName() string { return "Asking" }

func (m *Model) setAsking(a *AskPermissions) {
	var of []string
	for _, name := range slices.Sorted(maps.Values(asked)) {
		if a.On && (len(a.Of) == 0 || slices.Contains(a.Of, name)) {
			of = append(of, name)
		}
	}
	of = slices.Compact(of)
	before := m.asks[a.Context]
	if slices.Equal(before, of) {
		return
	}
	m.asks[a.Context] = of
	for _, id := range slices.Sorted(maps.Keys(m.sessions)) {
		if info := m.sessions[id]; info.context == a.Context && framed(info.kind) {
			m.ask(id, before, of)
		}
	}
}

// ask changes the permissions at whose requests the pages of a CDP session stop.
func (m *Model) ask(session string, before, of []string) {
	if len(of) > 0 && len(before) == 0 {
		m.send(session, "Debugger.enable", nil, Tag{})
	}
	for _, event := range slices.Sorted(maps.Keys(asked)) {
		switch was, is := slices.Contains(before, asked[event]), slices.Contains(of, asked[event]); {
		case is && !was:
			m.send(session, "DOMDebugger.setInstrumentationBreakpoint", obj{"eventName": event}, Tag{})
		case was && !is:
			m.send(session, "DOMDebugger.removeInstrumentationBreakpoint", obj{"eventName": event}, Tag{})
		}
	}
	if len(of) == 0 && !m.bridgeActive(session) {
		m.send(session, "Debugger.disable", nil, Tag{})
	}
}

// askIn sets the breakpoints of a context in a CDP session that has none.
func (m *Model) askIn(session string, c model.ContextID) {
	if of := m.asks[c]; len(of) > 0 {
		m.ask(session, nil, of)
	}
}

// decide notes that a request was answered.
func (m *Model) decide(d *Decided) { m.decided[*d] = true }

// debuggerPaused asks about a permission, or takes the pause to the bridge.
func (m *Model) debuggerPaused(ev *cdp.Event) {
	if !m.permissionAsked(ev) {
		m.paused(ev)
	}
}

func (m *Model) debuggerResumed(ev *cdp.Event) {
	m.permissionPassed(ev)
	m.resumed(ev)
}

// forgetAsking drops what is kept for a browser context that no longer exists.
func (m *Model) forgetAsking(c model.ContextID) {
	delete(m.asks, c)
	maps.DeleteFunc(m.decided, func(d Decided, _ bool) bool { return d.Context == c })
}

// permissionAsked notes that a page stands before a request for a permission. Any
// other pause is of no use to anybody but the bridge, and ends at once without it.
// It says whether it has dealt with the pause.
func (m *Model) permissionAsked(ev *cdp.Event) bool {
	var p struct {
		Reason string `json:"reason"`
		Data   struct {
			Event string `json:"eventName"`
		} `json:"data"`
	}
	info, ok := m.sessions[ev.SessionID]
	if !ok || len(m.asks[info.context]) == 0 || !decodeEvent(ev, &p) {
		return false
	}
	permission := asked[strings.TrimPrefix(p.Data.Event, "instrumentation:")]
	t := m.cur.Tabs[info.tab]
	if permission == "" && m.bridgeActive(ev.SessionID) {
		return false
	}
	if permission == "" || t == nil {
		m.resume(ev.SessionID)
		return true
	}
	frame := t.Frames[model.FrameID(info.target)]
	if frame == nil {
		frame = t.MainFrame()
	}
	origin := model.Origin(frame.URL)
	if m.decided[Decided{info.context, origin, permission}] {
		m.resume(ev.SessionID)
		return true
	}
	m.interrupt(&model.Interruption{Kind: model.KindPermission, Tab: t.ID, Frame: frame.ID, Session: ev.SessionID, Blocks: true,
		Permission: permission, Message: "the page requests the permission " + permission})
	return true
}

// permissionPassed closes what a pause was about: it was answered, or the page was left.
func (m *Model) permissionPassed(ev *cdp.Event) {
	for _, i := range slices.Clone(m.cur.Interrupts) {
		if i.Permission != "" && i.Session == ev.SessionID && !i.Claimed {
			m.closeInterruption(i, model.ByRemote, "the page no longer waits for it")
		}
	}
}

// SetAsking says which permission requests of a context become interruptions.
func (b *Browser) SetAsking(c model.ContextID, of ...string) {
	b.input(Input{Command: &AskPermissions{Context: c, On: len(of) > 0, Of: of}})
}

// Decided notes that an interruption about a permission was answered, so that the
// page is not stopped for the same again.
func (b *Browser) Decided(i *model.Interruption) {
	b.input(Input{Command: &Decided{Context: i.Context, Origin: i.Origin, Permission: i.Permission}})
}

// Decided is an answer to a permission request: the same is not asked for again.
type Decided struct {
	Context    model.ContextID
	Origin     string
	Permission string
}

// InputName is the name in recordings.
func (*Decided) InputName() string { return "Decided" }
