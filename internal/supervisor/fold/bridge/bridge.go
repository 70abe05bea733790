// Package bridge passes dialogs to the agent where another program answers native ones first.
package bridge

import (
	"bytes"
	"maps"
	"slices"
	"time"

	jsonv2 "github.com/go-json-experiment/json"

	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/supervisor/fold/core"
	"github.com/usher-browser/usher/internal/supervisor/fold/debugger"
	"github.com/usher-browser/usher/internal/supervisor/fold/dialogs"
	"github.com/usher-browser/usher/internal/supervisor/model"
)

// The bridge is the second transport of a dialog to the agent, for browsers in which another program answers native
// dialogs before the agent can: a proxy in front of a remote browser, or another client attached to the same one.
//
//	page calls prompt("Name?")
//	   our function: `debugger` ---- Debugger.paused ----> Model: Dialog d-7
//	        |  the page is paused, as for a native one        |
//	        |                                                  | answer
//	   reply = "Ada"  <------ Debugger.setVariableValue -------+
//	   returns "Ada"  <------ Debugger.resume -----------------+
//
// A pause is recognised by the script it is in, and the script by the hash of its text, which contains a nonce that no
// page can guess. Any failure on the way leaves reply unset, and the function calls the native one.

// Bridge passes dialogs over the debugger.
type Bridge struct {
	*core.Core
	dialogs  *dialogs.Dialogs
	debugger *debugger.Debugger
	claimant *debugger.Claimant

	nonce        string
	source, hash string // made when first needed
	modes        map[model.ContextID]model.BridgeMode
	joined       map[model.ContextID]int // clients that have joined, by context
	sessions     map[string]*bridgedSession
	suspects     map[string]suspect // by dialog: closed too soon
	sandboxes    map[model.FrameID]*sandbox
}

// New returns a bridge that is off everywhere; nonce is a random text that no page can
// guess.
func New(c *core.Core, all *dialogs.Dialogs, domain *debugger.Debugger, nonce string) *Bridge {
	m := &Bridge{Core: c, dialogs: all, debugger: domain}
	m.claimant = &debugger.Claimant{Only: scriptURL, Paused: m.paused, Resumed: m.resumed, ScriptParsed: m.scriptParsed}
	domain.Add(m.claimant)
	m.Renew(nonce)
	return m
}

// Renew drops all data and continues with another nonce.
func (m *Bridge) Renew(nonce string) {
	m.nonce, m.source, m.hash = nonce, "", ""
	m.modes, m.joined, m.sessions = map[model.ContextID]model.BridgeMode{}, map[model.ContextID]int{}, map[string]*bridgedSession{}
	m.suspects, m.sandboxes = map[string]suspect{}, map[model.FrameID]*sandbox{}
}

// Handlers returns what concerns the bridge alone.
func (m *Bridge) Handlers() core.Handlers {
	return core.Handlers{
		Replies: map[core.TagKind]func(*core.Reply){
			core.TagBridge:    m.added,
			core.TagSuspect:   m.checked,
			core.TagIsolation: m.sandboxReply,
			core.TagOwner:     m.sandboxReply,
			core.TagOwnerNode: m.sandboxReply,
		},
		Commands: []core.CommandHandler{core.Handle(m.set), core.Handle(m.join)},
	}
}

// automaticWithin is the longest time until the end of a dialog that was answered by a program and not by a person.
const automaticWithin = 50 * time.Millisecond

// MaxScripts bounds the stored scripts of the bridge per CDP session: one per document, and documents are restored from
// the back-forward cache with theirs.
const MaxScripts = 4096

// SetBridge sets when dialogs of a context use the bridge.
type SetBridge struct {
	Context model.ContextID
	Mode    model.BridgeMode
}

// InputName returns the name in recordings.
func (*SetBridge) InputName() string { return "SetBridge" }

// Joined sets how many CDP clients have joined a context over usher's endpoint. While there are some, it is no surprise that another
// client answers dialogs: the bridge, whose dialogs they would not see, is used on request only.
type Joined struct {
	Context model.ContextID
	Clients int
}

// InputName returns the name in recordings.
func (*Joined) InputName() string { return "Joined" }

func (m *Bridge) join(j *Joined) {
	if j.Clients == 0 {
		delete(m.joined, j.Context)
	} else {
		m.joined[j.Context] = j.Clients
	}
}

// bridgedSession is one CDP session the bridge is set up in.
type bridgedSession struct {
	identifier string                   // of the script for new documents
	frames     map[string]model.FrameID // ids of our scripts, with their frames
	order      []string                 // of frames, oldest first
	pause      *pause                   // a question that waits for what is known of its frame
}

// callFrame identifies the paused call frame of one of our functions.
type callFrame struct{ session, id string }

// set folds in the requested mode.
func (m *Bridge) set(b *SetBridge) {
	m.modes[b.Context] = b.Mode
	now, on := m.State().Bridges[b.Context]
	switch {
	case b.Mode == model.BridgeOn && !on:
		m.switchOn(b.Context, model.Bridge{Since: m.Now()})
	case b.Mode == model.BridgeOn && now.AnsweredElsewhere != nil: // requested now, whatever was before
		m.publish(b.Context, &model.Bridge{Since: now.Since})
	case b.Mode == model.BridgeOff && on, b.Mode == model.BridgeAuto && on && now.AnsweredElsewhere == nil:
		m.switchOff(b.Context)
	}
}

// publish publishes whether dialogs of a context use the bridge. The map is never changed, so that States may share it.
func (m *Bridge) publish(c model.ContextID, b *model.Bridge) {
	all := maps.Clone(m.State().Bridges)
	if all == nil {
		all = map[model.ContextID]model.Bridge{}
	}
	delete(all, c)
	if b != nil {
		all[c] = *b
	}
	m.Edit().Bridges = all
}

// switchOn switches the bridge on in all tabs of a context, present and future.
func (m *Bridge) switchOn(c model.ContextID, b model.Bridge) {
	m.publish(c, &b)
	for _, id := range m.ContextSessions(c) {
		m.SetUp(id)
	}
}

// switchOff switches the bridge off. Our functions in existing documents then no longer pause, and call the native ones.
// Those that wait for an answer do the same.
func (m *Bridge) switchOff(c model.ContextID) {
	m.publish(c, nil)
	for _, id := range m.ContextSessions(c) {
		b := m.sessions[id]
		if b == nil {
			continue
		}
		m.debugger.Release(id, m.claimant)
		if b.identifier != "" {
			m.Send(id, "Page.removeScriptToEvaluateOnNewDocument", core.Params{"identifier": b.identifier}, core.Tag{})
		}
		m.ForgetSession(id)
	}
}

// SetUp sets up the bridge in one page or frame process, before its own
// scripts run if it is new.
func (m *Bridge) SetUp(session string) {
	if m.sessions[session] != nil {
		return
	}
	if m.source == "" {
		m.source, m.hash = Source(m.nonce)
	}
	m.sessions[session] = &bridgedSession{frames: map[string]model.FrameID{}}
	m.debugger.Claim(session, m.claimant)
	m.Send(session, "Page.addScriptToEvaluateOnNewDocument", core.Params{"source": m.source, "runImmediately": true}, core.Tag{Kind: core.TagBridge})
}

// Forget drops what is kept for a browser context that no longer exists.
func (m *Bridge) Forget(c model.ContextID) {
	delete(m.modes, c)
	delete(m.joined, c)
	s := m.Edit()
	if _, on := s.Bridges[c]; on {
		s.Bridges = maps.Clone(s.Bridges)
		delete(s.Bridges, c)
	}
}

// added stores the identifier for removing the script.
func (m *Bridge) added(r *core.Reply) {
	var p struct {
		Identifier string `json:"identifier"`
	}
	b := m.sessions[r.Session]
	if b == nil || r.Err != nil || jsonv2.Unmarshal(r.Result, &p) != nil {
		return
	}
	b.identifier = p.Identifier
}

// scriptParsed records the ids of our scripts.
func (m *Bridge) scriptParsed(ev *cdp.Event) {
	b := m.sessions[ev.SessionID]
	if b == nil || !bytes.Contains(ev.Params, []byte(m.hash)) {
		return
	}
	var p struct {
		ScriptID string `json:"scriptId"`
		Hash     string `json:"hash"`
		Aux      struct {
			Frame model.FrameID `json:"frameId"`
		} `json:"executionContextAuxData"`
	}
	if !core.Decode(ev, &p) || p.Hash != m.hash || p.ScriptID == "" {
		return
	}
	if _, known := b.frames[p.ScriptID]; !known {
		b.order = append(b.order, p.ScriptID)
	}
	b.frames[p.ScriptID] = p.Aux.Frame
	if len(b.order) > MaxScripts {
		delete(b.frames, b.order[0])
		b.order = b.order[1:]
	}
}

// ForgetSession drops the data of a CDP session that ended or does not have the bridge any more.
func (m *Bridge) ForgetSession(session string) {
	if m.sessions[session] == nil {
		return
	}
	delete(m.sessions, session)
	m.closeWhere(func(d *model.Dialog) bool { return d.Session == session })
	m.dropQuestions(session)
}

// CloseStale closes the dialogs of a tab whose documents are gone. Chromium ends
// a pause without an event when its page is left (measured on Chromium 156).
func (m *Bridge) CloseStale(tab model.TargetID) {
	t := m.State().Tabs[tab]
	m.closeWhere(func(d *model.Dialog) bool {
		if d.Tab != tab || t == nil {
			return false
		}
		f := t.Frames[d.Frame]
		return f == nil || f.Session != d.Session || d.Loader != "" && f.Loader != d.Loader || f.Crash != nil
	})
}

// CloseForNative is called when a native dialog opens. If a bridged dialog of the same frame waits for an answer, its page
// has continued without one, and what opens is the native one in its place. That happens when the page is being left:
// the browser ends the pause, and holds back all calls (measured on Chromium 156). Such a dialog needs no answer any
// more; Chromium dismisses native ones then.
func (m *Bridge) CloseForNative(t *model.Tab, frame model.FrameID) (left bool) {
	waiting := m.State().BridgedDialog(frame)
	if waiting == nil {
		return false
	}
	m.dialogs.Close(waiting, model.ByRemote, false, "")
	for _, f := range t.Frames {
		if f.PendingURL != "" && model.Within(t, frame, f.ID) {
			return true
		}
	}
	return false
}

// Release ends the pause of a dialog, if there is one.
func (m *Bridge) Release(d *model.Dialog) {
	if d.Bridge && m.sessions[d.Session] != nil {
		m.debugger.Resume(d.Session)
	}
}

func (m *Bridge) closeWhere(gone func(*model.Dialog) bool) {
	for _, d := range slices.Clone(m.State().Dialogs) {
		if d.Bridge && gone(d) {
			m.dialogs.Close(d, model.ByRemote, false, "")
		}
	}
}
