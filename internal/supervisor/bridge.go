package supervisor

import (
	"bytes"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/supervisor/model"
)

// stolenWithin is how soon a dialog that nobody here answered must be closed for
// it to have been answered by a program.
const stolenWithin = 50 * time.Millisecond

// bridgedScripts bounds how many of our scripts are remembered per CDP session: one
// per document, and documents come back from the back-forward cache with theirs.
const bridgedScripts = 4096

// SetBridge sets when dialogs of a context come by the bridge.
type SetBridge struct {
	Context model.ContextID
	Mode    model.BridgeMode
}

// InputName is the name in recordings.
func (*SetBridge) InputName() string { return "Bridge" }

// bridge is what the model keeps for it.
type bridge struct {
	nonce        string
	source, hash string // made when first needed
	modes        map[model.ContextID]model.BridgeMode
	sessions     map[string]*bridged
	suspects     map[string]suspect // by dialog: closed too soon
	rules        map[model.FrameID]*modalRule
}

// bridged is one CDP session the bridge is set up in.
type bridged struct {
	identifier string                   // of the script for new documents
	frames     map[string]model.FrameID // scripts of ours, with the frame each runs in
	order      []string                 // of frames, oldest first
	pause      *pause                   // a question that waits for what is known of its frame
}

// callFrame is where a paused function of ours stands.
type callFrame struct{ session, id string }

// newBridge returns the bridge of a model; nonce is a word that no page can guess.
func newBridge(nonce string) bridge {
	return bridge{
		nonce: nonce, modes: map[model.ContextID]model.BridgeMode{}, sessions: map[string]*bridged{},
		suspects: map[string]suspect{}, rules: map[model.FrameID]*modalRule{},
	}
}

// setBridge folds in what was asked for.
func (m *Model) setBridge(b *SetBridge) {
	m.bridge.modes[b.Context] = b.Mode
	now, on := m.cur.Bridges[b.Context]
	switch {
	case b.Mode == model.BridgeOn && !on:
		m.bridgeUp(b.Context, model.Bridge{Since: m.now})
	case b.Mode == model.BridgeOn && now.Stolen != nil: // asked for now, whatever was before
		m.setBridged(b.Context, &model.Bridge{Since: now.Since})
	case b.Mode == model.BridgeOff && on, b.Mode == model.BridgeAuto && on && now.Stolen == nil:
		m.bridgeDown(b.Context)
	}
}

// contextSessions lists the CDP sessions of a context's pages and frames, in order.
func (m *Model) contextSessions(c model.ContextID) []string {
	var ids []string
	for id, info := range m.sessions {
		if info.context == c && framed(info.kind) {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

// setBridged publishes whether dialogs of a context come by the bridge. The map is
// never changed, so that States may share it.
func (m *Model) setBridged(c model.ContextID, b *model.Bridge) {
	all := maps.Clone(m.cur.Bridges)
	if all == nil {
		all = map[model.ContextID]model.Bridge{}
	}
	delete(all, c)
	if b != nil {
		all[c] = *b
	}
	m.mutable().Bridges = all
}

// bridgeUp switches the bridge on in all tabs of a context, present and future.
func (m *Model) bridgeUp(c model.ContextID, b model.Bridge) {
	m.setBridged(c, &b)
	for _, id := range m.contextSessions(c) {
		m.bridgeSession(id)
	}
}

// bridgeDown switches it off: functions of ours that are in documents already find
// no debugger and call the native ones. So do those that wait for an answer.
func (m *Model) bridgeDown(c model.ContextID) {
	m.setBridged(c, nil)
	for _, id := range m.contextSessions(c) {
		b := m.bridge.sessions[id]
		if b == nil {
			continue
		}
		m.send(id, "Debugger.disable", nil, Tag{})
		if b.identifier != "" {
			m.send(id, "Page.removeScriptToEvaluateOnNewDocument", obj{"identifier": b.identifier}, Tag{})
		}
		m.bridgeLost(id)
		m.askIn(id, c) // permissions need the debugger, too
	}
}

// bridgeSession sets up the bridge in one page or frame process, before its own
// scripts run if it is new.
func (m *Model) bridgeSession(session string) {
	if m.bridge.sessions[session] != nil {
		return
	}
	if m.bridge.source == "" {
		m.bridge.source, m.bridge.hash = bridgeSource(m.bridge.nonce)
	}
	m.bridge.sessions[session] = &bridged{frames: map[string]model.FrameID{}}
	m.send(session, "Debugger.enable", nil, Tag{})
	m.send(session, "Debugger.setBlackboxPatterns", obj{"patterns": []string{"^(?!" + bridgeURL + "$)"}, "skipAnonymous": true}, Tag{})
	m.send(session, "Page.addScriptToEvaluateOnNewDocument", obj{"source": m.bridge.source, "runImmediately": true}, Tag{Kind: TagBridge})
}

// bridgeActive reports whether the bridge is set up in a CDP session.
func (m *Model) bridgeActive(session string) bool { return m.bridge.sessions[session] != nil }

// forgetBridge drops what is kept for a browser context that no longer exists.
func (m *Model) forgetBridge(c model.ContextID) {
	delete(m.bridge.modes, c)
	s := m.mutable()
	if _, on := s.Bridges[c]; on {
		s.Bridges = maps.Clone(s.Bridges)
		delete(s.Bridges, c)
	}
}

// bridgeAdded keeps the name under which the script can be taken back.
func (m *Model) bridgeAdded(r *Reply) {
	var p struct {
		Identifier string `json:"identifier"`
	}
	b := m.bridge.sessions[r.Session]
	if b == nil || r.Err != nil || jsonv2.Unmarshal(r.Result, &p) != nil {
		return
	}
	b.identifier = p.Identifier
}

// scriptParsed remembers the scripts that are ours.
func (m *Model) scriptParsed(ev *cdp.Event) {
	b := m.bridge.sessions[ev.SessionID]
	if b == nil || !bytes.Contains(ev.Params, []byte(m.bridge.hash)) {
		return
	}
	var p struct {
		ScriptID string `json:"scriptId"`
		Hash     string `json:"hash"`
		Aux      struct {
			Frame model.FrameID `json:"frameId"`
		} `json:"executionContextAuxData"`
	}
	if !decodeEvent(ev, &p) || p.Hash != m.bridge.hash || p.ScriptID == "" {
		return
	}
	if _, known := b.frames[p.ScriptID]; !known {
		b.order = append(b.order, p.ScriptID)
	}
	b.frames[p.ScriptID] = p.Aux.Frame
	if len(b.order) > bridgedScripts {
		delete(b.frames, b.order[0])
		b.order = b.order[1:]
	}
}

// paused takes a question to the agent. Any other pause ends at once.
func (m *Model) paused(ev *cdp.Event) {
	b := m.bridge.sessions[ev.SessionID]
	if b == nil {
		return
	}
	var p struct {
		Frames []struct {
			ID       string `json:"callFrameId"`
			Location struct {
				Script string `json:"scriptId"`
			} `json:"location"`
			This struct {
				Value jsontext.Value `json:"value"`
			} `json:"this"`
		} `json:"callFrames"`
	}
	if !decodeEvent(ev, &p) || len(p.Frames) == 0 {
		m.resume(ev.SessionID)
		return
	}
	top := &p.Frames[0]
	frame, ours := b.frames[top.Location.Script]
	q, ok := readQuestion(top.This.Value)
	f := m.cur.Frame(frame)
	info := m.sessions[ev.SessionID]
	if !ours || !ok || f == nil || f.Tab != info.tab || m.cur.Tabs[info.tab] == nil {
		m.resume(ev.SessionID)
		return
	}
	b.pause = &pause{at: callFrame{ev.SessionID, top.ID}, frame: frame, question: q}
	m.judgePause(b.pause)
}

func (m *Model) resume(session string) { m.send(session, "Debugger.resume", nil, Tag{}) }

// question is what a page asks: kind, message and preset of the script's ask.
type question struct{ kind, message, preset string }

// readQuestion takes apart what ask was called with: kind, NUL, length of the
// message in UTF-16 units, NUL, message, preset.
func readQuestion(raw jsontext.Value) (q question, ok bool) {
	var text string
	if len(raw) == 0 || jsonv2.Unmarshal(raw, &text, jsontext.AllowInvalidUTF8(true)) != nil {
		return q, false
	}
	kind, rest, ok := strings.Cut(text, "\x00")
	length, rest, found := strings.Cut(rest, "\x00")
	n, err := strconv.Atoi(length)
	if !ok || !found || err != nil || kind != "alert" && kind != "confirm" && kind != "prompt" {
		return q, false
	}
	message, preset, ok := cutUnits(rest, n)
	return question{kind, message, preset}, ok
}

// cutUnits cuts a text after n UTF-16 units.
func cutUnits(s string, n int) (before, after string, ok bool) {
	for i, r := range s {
		if n <= 0 {
			return s[:i], s[i:], n == 0
		}
		n--
		if r > 0xffff {
			n--
		}
	}
	return s, "", n == 0
}

// openBridged opens the dialog of a question.
func (m *Model) openBridged(p *pause) {
	f := m.cur.Frame(p.frame)
	info := m.sessions[p.at.session]
	if f == nil || m.cur.Tabs[info.tab] == nil {
		m.resume(p.at.session)
		return
	}
	m.showDialog(&model.Dialog{
		Tab: info.tab, Frame: p.frame, Type: p.question.kind, Message: p.question.message, DefaultPrompt: p.question.preset,
		URL: f.URL, Bridge: true, Session: p.at.session, CallFrame: p.at.id, Loader: f.Loader,
	})
}

// answerBridged puts the answer where the page's function waits for it. The page
// goes on when the browser says that it is there: sent in one go with it, resume
// may overtake (measured on Chromium 156). The variable is set and no
// script evaluated, so that nothing of the page's can be in the way.
func (m *Model) answerBridged(d *model.Dialog) {
	reply := obj{"value": d.Accepted}
	if d.Type == "prompt" {
		reply["value"] = nil
		if d.Accepted {
			reply["value"] = d.Answer
		}
	}
	m.send(d.Session, "Debugger.setVariableValue",
		obj{"callFrameId": d.CallFrame, "scopeNumber": 0, "variableName": "reply", "newValue": reply}, Tag{Kind: TagAnswer, Dialog: d.ID})
}

// resumed notes that a page goes on. If its dialog is still open, another debugger
// let it, for we do so only after the answer is there; the page then opens a native
// dialog, and holds back the reply to an answer that came too late.
func (m *Model) resumed(ev *cdp.Event) {
	b := m.bridge.sessions[ev.SessionID]
	if b == nil {
		return
	}
	b.pause = nil
	m.closeBridged(func(d *model.Dialog) bool { return d.Session == ev.SessionID })
}

// bridgeLost forgets a CDP session that ended or has the bridge no longer.
func (m *Model) bridgeLost(session string) {
	if m.bridge.sessions[session] == nil {
		return
	}
	delete(m.bridge.sessions, session)
	m.closeBridged(func(d *model.Dialog) bool { return d.Session == session })
	m.unasked(session)
}

// sweepBridge closes the dialogs of a tab whose documents are gone. Chromium ends
// a pause without a word when its page is left (measured on Chromium 156).
func (m *Model) sweepBridge(tab model.TargetID) {
	t := m.cur.Tabs[tab]
	m.closeBridged(func(d *model.Dialog) bool {
		if d.Tab != tab || t == nil {
			return false
		}
		f := t.Frames[d.Frame]
		return f == nil || f.Session != d.Session || d.Loader != "" && f.Loader != d.Loader || f.Crash != nil
	})
}

// supersedes is called when a native dialog opens. If a dialog of the same frame
// waits for an answer by the bridge, its page has gone on without one, and what
// opens is the native one instead. That happens when the page is being left: the
// browser ends the pause, and holds back all we send (measured on Chromium 156).
// Such a dialog is nobody's business any more; Chromium dismisses native ones then.
func (m *Model) supersedes(t *model.Tab, frame model.FrameID) (left bool) {
	waiting := m.cur.BridgedDialog(frame)
	if waiting == nil {
		return false
	}
	m.closeDialog(waiting, model.ByRemote, false, "")
	for _, f := range t.Frames {
		if f.Going != "" && model.Within(t, frame, f.ID) {
			return true
		}
	}
	return false
}

// letGo ends the pause of a dialog that was closed from outside, if there is one.
func (m *Model) letGo(d *model.Dialog) {
	if d.Bridge && m.bridge.sessions[d.Session] != nil {
		m.resume(d.Session)
	}
}

func (m *Model) closeBridged(gone func(*model.Dialog) bool) {
	for _, d := range slices.Clone(m.cur.Dialogs) {
		if d.Bridge && gone(d) {
			m.closeDialog(d, model.ByRemote, false, "")
		}
	}
}
