// Package targets tracks the targets of a browser: its tabs, the frames and documents in them, and their CDP sessions.
package targets

import (
	"fmt"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/supervisor/fold/bridge"
	"github.com/usher-browser/usher/internal/supervisor/fold/conditions"
	"github.com/usher-browser/usher/internal/supervisor/fold/core"
	"github.com/usher-browser/usher/internal/supervisor/fold/debugger"
	"github.com/usher-browser/usher/internal/supervisor/fold/dialogs"
	"github.com/usher-browser/usher/internal/supervisor/fold/fetch"
	"github.com/usher-browser/usher/internal/supervisor/fold/interrupts"
	"github.com/usher-browser/usher/internal/supervisor/fold/liveness"
	"github.com/usher-browser/usher/internal/supervisor/fold/logins"
	"github.com/usher-browser/usher/internal/supervisor/fold/permissions"
	"github.com/usher-browser/usher/internal/supervisor/fold/scripts"
	"github.com/usher-browser/usher/internal/supervisor/model"
)

// Targets tracks targets, frames and documents, sets up the CDP sessions, and compares the state after an outage with
// that before.
type Targets struct {
	*core.Core
	interrupts  *interrupts.Queue
	liveness    *liveness.Monitor
	dialogs     *dialogs.Dialogs
	debugger    *debugger.Debugger
	bridge      *bridge.Bridge
	fetch       *fetch.Fetch
	logins      *logins.Logins
	permissions *permissions.Permissions
	conditions  *conditions.Conditions
	scripts     *scripts.Scripts

	numbers  map[model.ContextID]int // of the last tab
	inits    map[model.ContextID][]model.InitCommand
	reporter string         // a script that reports errors in a stealth browser; empty for none
	script   jsontext.Value // the command that adds a script to our world of every page, encoded once: it is long; nil for none

	framesMade      uint64                          // frames made so far
	remoteAddresses map[string]string               // Frame.Peer of documents, by loader: reported before the document is
	keptOrder       map[model.FrameID]uint64        // Frame.Born of frames whose process has ended; they may come back in their parent's
	orphans         map[model.FrameID]model.FrameID // the parent of frames that are attached elsewhere until it is known

	roots      map[model.ContextID][]model.InitCommand // sent to the browser itself on each connection
	identity   model.ContextID                         // the default context, which identifies the browser
	discovered map[model.TargetID]bool                 // reported on a new connection, until all are; nil after that
	unverified map[model.TargetID]bool                 // tabs from before an outage, not yet compared

	expected string                  // the first address of an own page that is being created; empty for none
	ownPages map[model.TargetID]bool // pages that usher opened for itself
}

// Scripts are the scripts that run in new documents before any of their own.
type Scripts struct {
	// Reporter reports errors in a stealth browser; empty for none.
	Reporter string
	// World runs in the isolated world of every page; empty for none. It is not used with Stealth.
	World string
}

// addition returns the parameters of Page.addScriptToEvaluateOnNewDocument for World.
func (s Scripts) addition() jsontext.Value {
	if s.World == "" {
		return nil
	}
	params := append(make([]byte, 0, len(s.World)+len(s.World)/8), `{"worldName":"`+model.WorldName+`","source":`...)
	params, err := jsontext.AppendQuote(params, s.World)
	if err != nil {
		panic(fmt.Sprintf("the script for our world: %v", err)) // it is part of the program
	}
	return append(params, '}')
}

// New returns a Targets without targets.
func New(c *core.Core, queue *interrupts.Queue, monitor *liveness.Monitor, d *dialogs.Dialogs, domain *debugger.Debugger, b *bridge.Bridge, f *fetch.Fetch, l *logins.Logins, p *permissions.Permissions, n *conditions.Conditions, own *scripts.Scripts, first Scripts) *Targets {
	return &Targets{
		Core: c, interrupts: queue, liveness: monitor, dialogs: d, debugger: domain, bridge: b, fetch: f, logins: l, permissions: p, conditions: n, scripts: own,
		numbers: map[model.ContextID]int{}, inits: map[model.ContextID][]model.InitCommand{}, reporter: first.Reporter, script: first.addition(),
		remoteAddresses: map[string]string{}, keptOrder: map[model.FrameID]uint64{}, orphans: map[model.FrameID]model.FrameID{},
		roots: map[model.ContextID][]model.InitCommand{}, unverified: map[model.TargetID]bool{}, ownPages: map[model.TargetID]bool{},
	}
}

func (m *Targets) addTab(info *core.TargetInfo) *model.Tab {
	if m.discovered != nil {
		m.discovered[info.TargetID] = true
	}
	if t := m.Tab(info.TargetID); t != nil {
		return t
	}
	s := m.Edit()
	m.numbers[info.Context]++
	main := model.FrameID(info.TargetID)
	t := &model.Tab{
		ID: info.TargetID, Context: info.Context, Number: m.numbers[info.Context],
		Opener: info.OpenerID, URL: info.URL, Title: info.Title, Main: main,
		Frames: map[model.FrameID]*model.Frame{},
	}
	opener := s.Tabs[t.Opener]
	t.Choosers = m.interrupts.ChoosersOf(t.Context) || opener != nil && opener.Choosers
	m.newFrame(t, main, "").URL = info.URL
	m.AddTab(t)
	s.Order = append(s.Order, t.ID)
	m.NoteTab(t, model.Change{Kind: model.TabOpened, URL: t.URL, Text: t.Title})
	m.interrupts.TabOpened(t)
	return t
}

func (m *Targets) targetInfo(ev *cdp.Event) {
	var p struct {
		Info core.TargetInfo `json:"targetInfo"`
	}
	if !core.Decode(ev, &p) || p.Info.TargetID == "" {
		return
	}
	switch p.Info.Kind() {
	case "page":
		if m.own(&p.Info) {
			return
		}
		t := m.addTab(&p.Info)
		if t.Title != p.Info.Title {
			t.Title = p.Info.Title
			// The browser reports a title late: it belongs to the address reported with it, which the tab may have
			// left.
			m.NoteTab(t, model.Change{Kind: model.TabTitle, Text: t.Title, URL: p.Info.URL})
		}
		if t.Session == "" {
			t.URL = p.Info.URL
		}
	case "iframe":
		if t := m.TabWithFrame(model.FrameID(p.Info.TargetID)); t != nil {
			if f := m.Frame(t, model.FrameID(p.Info.TargetID)); f.OOPIF && p.Info.URL != "" {
				f.URL = p.Info.URL
			}
		}
	}
}

func (m *Targets) attached(ev *cdp.Event) {
	var p struct {
		SessionID string          `json:"sessionId"`
		Waiting   bool            `json:"waitingForDebugger"`
		Info      core.TargetInfo `json:"targetInfo"`
	}
	if !core.Decode(ev, &p) || p.SessionID == "" || p.Info.TargetID == "" {
		return
	}
	info := core.Session{Kind: p.Info.Kind(), Target: p.Info.TargetID, Context: p.Info.Context}
	parent := m.Sessions[ev.SessionID]
	if m.attachedSide(parent, p.SessionID, &p.Info) || info.Kind == "page" && m.attachedOwn(p.SessionID, &p.Info) {
		return
	}
	switch info.Kind {
	case "page":
		t := m.addTab(&p.Info)
		for id, f := range t.Frames { // of an earlier session to the same target
			if t.Session != "" && f.Session == t.Session {
				m.Frame(t, id).Session = p.SessionID
			}
		}
		t.Session = p.SessionID
		if !m.unverified[t.ID] { // after an outage a page keeps this state until it answers
			t.Crash = nil
		}
		m.Frame(t, t.Main).Session = p.SessionID
		info.Tab = t.ID
	case "iframe":
		info.Tab = parent.Tab
		if f := m.State().Frame(model.FrameID(p.Info.TargetID)); info.Tab == "" && f != nil {
			info.Tab = f.Tab
		}
		if t := m.Tab(info.Tab); t != nil {
			m.frameSwappedOut(t, &p.Info, p.SessionID)
		}
	default:
		info.Tab = parent.Tab
	}
	m.Sessions[p.SessionID] = info
	m.setUp(p.SessionID, info, p.Waiting)
	if info.Kind == "page" {
		m.dialogs.UpdateReach()
	}
}

func (m *Targets) detached(ev *cdp.Event) {
	var p struct {
		SessionID string `json:"sessionId"`
	}
	if !core.Decode(ev, &p) {
		return
	}
	info, ok := m.Sessions[p.SessionID]
	if !ok {
		return
	}
	m.liveness.Answered(p.SessionID) // a question to it will have no answer
	m.liveness.ForgetSession(p.SessionID)
	delete(m.Sessions, p.SessionID)
	m.interrupts.ForgetSession(p.SessionID)
	m.sessionGone(p.SessionID)
	if info.Side() {
		return
	}
	m.repeat(info.Context)
	t := m.Tab(info.Tab)
	if t == nil {
		return
	}
	switch info.Kind {
	case "page":
		if t.Session == p.SessionID {
			t.Session, t.Ready = "", false
			m.dialogs.CloseOf(t.ID)
			m.CheckGuards(t.ID)
		}
	case "iframe":
		// The frame is gone, or is attached again in its parent's process with frameAttached under the same id.
		if f := t.Frames[model.FrameID(info.Target)]; f != nil && f.Session == p.SessionID {
			if len(m.keptOrder) >= maxKeptOrder {
				clear(m.keptOrder)
			}
			m.keptOrder[f.ID] = f.Order
			m.removeFrame(t, f.ID)
		}
	}
}

func (m *Targets) targetDestroyed(ev *cdp.Event) {
	var p struct {
		TargetID model.TargetID `json:"targetId"`
	}
	if !core.Decode(ev, &p) {
		return
	}
	delete(m.ownPages, p.TargetID)
	m.removeTab(p.TargetID)
}

// removeTab removes a closed tab from the state.
func (m *Targets) removeTab(id model.TargetID) {
	s := m.Edit()
	t := s.Tabs[id]
	if t == nil {
		return
	}
	delete(m.unverified, id)
	delete(m.discovered, id)
	m.dialogs.CloseOf(t.ID)
	m.NoteTab(t, model.Change{Kind: model.TabClosed, URL: t.URL, Text: t.Title})
	m.RemoveTab(t.ID)
	m.logins.ForgetTab(t.ID)
	m.interrupts.ForgetTab(t.ID)
	s.Order = slices.DeleteFunc(s.Order, func(id model.TargetID) bool { return id == t.ID })
	s.Gone = core.AppendBounded(s.Gone, model.GoneTab{ID: t.ID, Context: t.Context, Number: t.Number, URL: t.URL, At: m.Now()}, 32)
	for id, info := range m.Sessions {
		if info.Tab == t.ID {
			m.liveness.ForgetSession(id)
			m.interrupts.ForgetSession(id)
			delete(m.Sessions, id)
			m.sessionGone(id)
		}
	}
	m.bridge.ForgetTab(t.ID)
	m.CheckGuards(t.ID)
}

func (m *Targets) targetCrashed(ev *cdp.Event) {
	var p struct {
		TargetID model.TargetID `json:"targetId"`
		Status   string         `json:"status"`
		Code     int64          `json:"errorCode"`
	}
	if !core.Decode(ev, &p) {
		return
	}
	crash := &model.Crash{Status: p.Status, Code: p.Code, At: m.Now()}
	if t := m.Tab(p.TargetID); t != nil {
		t.Crash = crash
		m.NoteTab(t, model.Change{Kind: model.TabCrashed, Detail: p.Status, URL: t.URL})
		m.interrupts.RendererCrashed(t, t.Main, crash)
		m.liveness.Answered(t.Session)
		m.dialogs.CloseOf(t.ID)
		m.CheckGuards(t.ID)
		return
	}
	if t := m.TabWithFrame(model.FrameID(p.TargetID)); t != nil {
		f := m.Frame(t, model.FrameID(p.TargetID))
		f.Crash = crash
		m.NoteTab(t, model.Change{Kind: model.FrameCrashed, Frame: f.ID, Detail: p.Status, URL: f.URL})
		m.interrupts.RendererCrashed(t, f.ID, crash)
		m.liveness.Answered(f.Session)
		m.bridge.CloseStale(t.ID)
		m.CheckGuards(t.ID)
	}
}

// Forget drops the data of a browser context that no longer exists.
func (m *Targets) Forget(c model.ContextID) {
	delete(m.numbers, c)
	delete(m.inits, c)
	delete(m.roots, c)
}
