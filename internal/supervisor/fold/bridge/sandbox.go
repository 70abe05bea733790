package bridge

import (
	"maps"
	"slices"
	"strings"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/supervisor/fold/core"
	"github.com/usher-browser/usher/internal/supervisor/model"
)

// A document in a sandbox without allow-modals opens no dialogs: its native functions return at once, so ours must too.
// Chromium does not report a document's sandbox; its sources are read while the page is paused: the `sandbox` of the
// policy of each document above, which the browser process has, and the attribute of each frame's owner element, which
// the process of its parent has, even if it is paused itself (measured on Chromium 156).

// pause is a question that is not a dialog yet.
type pause struct {
	at       callFrame
	frame    model.FrameID
	question question
}

// sandbox is the known state of one document's sandbox.
type sandbox struct {
	loader    string
	waiting   map[string]int // the pending calls, by CDP session
	sandboxed bool
}

// decide opens the dialog of a paused function, resumes it to the native one that will do nothing, or waits until the
// sandbox is known.
func (m *Bridge) decide(p *pause) {
	b := m.sessions[p.at.session]
	f := m.State().Frame(p.frame)
	if f == nil {
		b.pause = nil
		m.debugger.Resume(p.at.session)
		return
	}
	t := m.State().Tabs[f.Tab]
	known := true
	for f != nil {
		rule := m.sandboxOf(t, f)
		if rule.sandboxed {
			b.pause = nil
			m.debugger.Resume(p.at.session)
			return
		}
		known = known && len(rule.waiting) == 0
		if f.ID == t.Main {
			break
		}
		f = t.Frames[f.Parent]
	}
	if known {
		b.pause = nil
		m.open(p)
	}
}

// decideAll judges all that wait.
func (m *Bridge) decideAll() {
	for _, id := range slices.Sorted(maps.Keys(m.sessions)) {
		if b := m.sessions[id]; b != nil && b.pause != nil {
			m.decide(b.pause)
		}
	}
}

// sandboxOf returns the known sandbox of a frame's document, and reads it if it is unknown.
func (m *Bridge) sandboxOf(t *model.Tab, f *model.Frame) *sandbox {
	if r := m.sandboxes[f.ID]; r != nil && r.loader == f.Loader {
		return r
	}
	maps.DeleteFunc(m.sandboxes, func(id model.FrameID, _ *sandbox) bool { return m.State().Frame(id) == nil })
	r := &sandbox{loader: f.Loader, waiting: map[string]int{}}
	m.sandboxes[f.ID] = r
	ask := func(session, method string, kind core.TagKind) {
		if m.sessions[session] == nil {
			return // its end would not be reported
		}
		r.waiting[session]++
		m.Send(session, method, core.Params{"frameId": f.ID}, core.Tag{Kind: kind, Frame: f.ID, Loader: f.Loader})
	}
	ask(f.Session, "Network.getSecurityIsolationStatus", core.TagIsolation)
	if parent := t.Frames[f.Parent]; parent != nil && f.ID != t.Main {
		ask(parent.Session, "DOM.getFrameOwner", core.TagOwner)
	}
	return r
}

// sandboxReply folds in an answer about a document. One that cannot be had counts as
// no sandbox: the agent rather sees a dialog too many.
func (m *Bridge) sandboxReply(r *core.Reply) {
	rule := m.sandboxes[r.Tag.Frame]
	if rule == nil || rule.loader != r.Tag.Loader || rule.waiting[r.Session] == 0 {
		return
	}
	switch r.Tag.Kind {
	case core.TagIsolation:
		rule.sandboxed = rule.sandboxed || r.Err == nil && policySandboxes(r.Result)
	case core.TagOwner:
		if node := ownerNode(r); node != 0 {
			m.Send(r.Session, "DOM.describeNode", core.Params{"backendNodeId": node}, core.Tag{Kind: core.TagOwnerNode, Frame: r.Tag.Frame, Loader: r.Tag.Loader})
			return
		}
	case core.TagOwnerNode:
		rule.sandboxed = rule.sandboxed || r.Err == nil && elementSandboxes(r.Result)
	}
	if rule.waiting[r.Session]--; rule.waiting[r.Session] == 0 {
		delete(rule.waiting, r.Session)
	}
	m.decideAll()
}

// dropQuestions drops the pending calls of an ended CDP session.
func (m *Bridge) dropQuestions(session string) {
	for _, r := range m.sandboxes {
		delete(r.waiting, session)
	}
	m.decideAll()
}

func ownerNode(r *core.Reply) int64 {
	var p struct {
		Node int64 `json:"backendNodeId"`
	}
	if r.Err != nil || jsonv2.Unmarshal(r.Result, &p) != nil {
		return 0
	}
	return p.Node
}

func policySandboxes(raw jsontext.Value) bool {
	var p struct {
		Status struct {
			CSP []struct {
				Directives string `json:"effectiveDirectives"`
				Enforced   bool   `json:"isEnforced"`
			} `json:"csp"`
		} `json:"status"`
	}
	if jsonv2.Unmarshal(raw, &p) != nil {
		return false
	}
	for _, policy := range p.Status.CSP {
		for directive := range strings.SplitSeq(policy.Directives, ";") {
			words := strings.Fields(strings.ToLower(directive))
			if policy.Enforced && len(words) > 0 && words[0] == "sandbox" && !slices.Contains(words, "allow-modals") {
				return true
			}
		}
	}
	return false
}

func elementSandboxes(raw jsontext.Value) bool {
	var p struct {
		Node struct {
			Attributes []string `json:"attributes"` // name, value, name, value, …
		} `json:"node"`
	}
	if jsonv2.Unmarshal(raw, &p, jsontext.AllowInvalidUTF8(true)) != nil {
		return false
	}
	for i := 0; i+1 < len(p.Node.Attributes); i += 2 {
		if p.Node.Attributes[i] == "sandbox" {
			return !slices.Contains(strings.Fields(strings.ToLower(p.Node.Attributes[i+1])), "allow-modals")
		}
	}
	return false
}
