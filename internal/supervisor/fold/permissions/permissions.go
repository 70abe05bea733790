// Package permissions pauses pages that request a permission until there is an answer.
package permissions

import (
	"maps"
	"slices"
	"strings"

	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/supervisor/fold/core"
	"github.com/usher-browser/usher/internal/supervisor/fold/debugger"
	"github.com/usher-browser/usher/internal/supervisor/fold/interrupts"
	"github.com/usher-browser/usher/internal/supervisor/model"
)

// Permissions makes permission requests of pages interruptions.
type Permissions struct {
	*core.Core
	interrupts *interrupts.Queue
	debugger   *debugger.Debugger
	claimant   *debugger.Claimant
	asked      map[model.ContextID][]string // permissions whose requests pause the page
	decided    map[Decided]bool
}

// New returns a Permissions with no permission requests to pause at.
func New(c *core.Core, queue *interrupts.Queue, domain *debugger.Debugger) *Permissions {
	m := &Permissions{Core: c, interrupts: queue, debugger: domain, asked: map[model.ContextID][]string{}, decided: map[Decided]bool{}}
	m.claimant = &debugger.Claimant{Paused: m.paused, Resumed: m.resumed}
	domain.Add(m.claimant)
	return m
}

// Handlers returns the handlers of permissions.
func (m *Permissions) Handlers() core.Handlers {
	return core.Handlers{Commands: []core.CommandHandler{core.Handle(m.ask), core.Handle(m.decide)}}
}

// Chromium 156, headless, answers every permission request itself, at once, with a denial, and no event of the protocol
// reports it (measured: geolocation, notifications, clipboard-read, MIDI, window management, idle detection; cameras
// and microphones are not found). To answer them, V8 pauses at the entry of the native functions: the page cannot see a
// wrapper, for there is none, but while it is paused nothing in it moves, and an enabled debugger can be detected by
// its timing. So only a session that requests it gets it. The breakpoints that survive a navigation are those Blink
// offers by name; it has none for cameras, microphones, the clipboard and the rest, which can only be allowed or denied
// beforehand, by Browser.setPermission.
var entryPoints = map[string]string{
	"Geolocation.getCurrentPosition": "geolocation",
	"Geolocation.watchPosition":      "geolocation",
	"Notification.requestPermission": "notifications",
}

// AskPermissions makes permission requests of a context interruptions.
type AskPermissions struct {
	Context model.ContextID
	On      bool
	// Of are the permissions; empty for all that have a breakpoint.
	Of []string
}

// InputName returns the name in recordings.
func (*AskPermissions) InputName() string { return "AskPermissions" }

func (m *Permissions) ask(a *AskPermissions) {
	var of []string
	for _, name := range slices.Sorted(maps.Values(entryPoints)) {
		if a.On && (len(a.Of) == 0 || slices.Contains(a.Of, name)) {
			of = append(of, name)
		}
	}
	of = slices.Compact(of)
	before := m.asked[a.Context]
	if slices.Equal(before, of) {
		return
	}
	m.asked[a.Context] = of
	for _, id := range slices.Sorted(maps.Keys(m.Sessions)) {
		if info := m.Sessions[id]; info.Context == a.Context && core.HasFrames(info.Kind) {
			m.setBreakpoints(id, before, of)
		}
	}
}

// setBreakpoints changes the permissions for whose requests the pages of a CDP session pause.
func (m *Permissions) setBreakpoints(session string, before, of []string) {
	if len(of) > 0 {
		m.debugger.Claim(session, m.claimant)
	}
	for _, event := range slices.Sorted(maps.Keys(entryPoints)) {
		switch was, is := slices.Contains(before, entryPoints[event]), slices.Contains(of, entryPoints[event]); {
		case is && !was:
			m.Send(session, "DOMDebugger.setInstrumentationBreakpoint", core.Params{"eventName": event}, core.Tag{})
		case was && !is:
			m.Send(session, "DOMDebugger.removeInstrumentationBreakpoint", core.Params{"eventName": event}, core.Tag{})
		}
	}
	if len(of) == 0 {
		m.debugger.Release(session, m.claimant)
	}
}

// SetUp sets the breakpoints of a context in a CDP session that has none.
func (m *Permissions) SetUp(session string, c model.ContextID) {
	if of := m.asked[c]; len(of) > 0 {
		m.setBreakpoints(session, nil, of)
	}
}

// decide records that a request was answered.
func (m *Permissions) decide(d *Decided) { m.decided[*d] = true }

// Forget removes the data of a browser context that no longer exists.
func (m *Permissions) Forget(c model.ContextID) {
	delete(m.asked, c)
	maps.DeleteFunc(m.decided, func(d Decided, _ bool) bool { return d.Context == c })
}

// paused takes a pause at a permission request, and opens an interruption.
func (m *Permissions) paused(ev *cdp.Event) (taken bool) {
	var p struct {
		Reason string `json:"reason"`
		Data   struct {
			Event string `json:"eventName"`
		} `json:"data"`
	}
	info, ok := m.Sessions[ev.SessionID]
	if !ok || len(m.asked[info.Context]) == 0 || !core.Decode(ev, &p) {
		return false
	}
	permission := entryPoints[strings.TrimPrefix(p.Data.Event, "instrumentation:")]
	t := m.State().Tabs[info.Tab]
	if permission == "" || t == nil {
		return false
	}
	frame := t.Frames[model.FrameID(info.Target)]
	if frame == nil {
		frame = t.MainFrame()
	}
	origin := model.Origin(frame.URL)
	if m.decided[Decided{info.Context, origin, permission}] {
		m.debugger.Resume(ev.SessionID)
		return true
	}
	m.interrupts.Open(&model.Interruption{Kind: model.KindPermission, Tab: t.ID, Frame: frame.ID, Session: ev.SessionID, Blocks: true,
		Permission: permission, Message: "the page requests the permission " + permission})
	return true
}

// resumed closes the interruption of a pause that has ended: it was answered, or the page was left.
func (m *Permissions) resumed(ev *cdp.Event) {
	for _, i := range slices.Clone(m.State().Interrupts) {
		if i.Permission != "" && i.Session == ev.SessionID && !i.Claimed {
			m.interrupts.Close(i, model.ByRemote, "the page withdrew the request")
		}
	}
}

// Decided records an answer to a permission request: the same request does not pause again.
type Decided struct {
	Context    model.ContextID
	Origin     string
	Permission string
}

// InputName returns the name in recordings.
func (*Decided) InputName() string { return "Decided" }
