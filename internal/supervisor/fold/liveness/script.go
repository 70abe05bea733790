package liveness

import (
	"github.com/usher-browser/usher/internal/supervisor/fold/core"
)

// OwnScript is a script that a caller has a renderer carry out and that takes as long as the
// page is large, as a snapshot of 100,000 elements. While it goes on the renderer answers
// nothing, and nothing is wrong. The page has no part in it: what can run code of the page
// is no Work, for that may never end.
type OwnScript struct {
	Session string
	// Over reports whether it has ended; else it is about to be sent.
	Over bool
	// Unanswered says, if Over is set, that the caller has given up: it may go on or not have begun.
	Unanswered bool
}

// InputName is the name in recordings.
func (*OwnScript) InputName() string { return "Work" }

// scripts are those of one renderer. A renderer does one thing after the other: when it
// has answered what was sent right before a script, it has come to the script.
type scripts struct {
	sent  int // not over yet
	begun int // of these
}

func (w *scripts) running() bool { return w != nil && w.begun > 0 }

func (m *Monitor) ownScript(in *OwnScript) {
	if _, known := m.Sessions[in.Session]; !known {
		return
	}
	w := m.scripts[in.Session]
	switch {
	case !in.Over:
		if w == nil {
			w = &scripts{}
			m.scripts[in.Session] = w
		}
		w.sent++
		m.askTurn(in.Session, core.TagScriptBegins)
	case in.Unanswered:
		m.askTurn(in.Session, core.TagScriptEnded)
	default:
		m.scriptEnded(in.Session)
	}
}

// askTurn asks what is answered when a renderer has done all that was sent before.
func (m *Monitor) askTurn(session string, kind core.TagKind) {
	m.Send(session, "Runtime.evaluate", core.Params{"expression": "0", "silent": true}, core.Tag{Kind: kind})
}

// scriptTurn notes that a renderer has come to a script, or behind it.
func (m *Monitor) scriptTurn(r *core.Reply) {
	w := m.scripts[r.Session]
	switch {
	case r.Tag.Kind == core.TagScriptEnded:
		m.scriptEnded(r.Session)
	case w != nil && w.begun < w.sent:
		w.begun++
	}
}

func (m *Monitor) scriptEnded(session string) {
	w := m.scripts[session]
	if w == nil {
		return
	}
	w.sent--
	w.begun = max(0, min(w.begun-1, w.sent))
	if w.sent == 0 {
		delete(m.scripts, session)
	}
	if q := m.probes[session]; q != nil {
		q.since = m.Now() // its time begins when it can answer
	}
}
