package liveness

import (
	"github.com/usher-browser/usher/internal/supervisor/fold/core"
)

// OwnScript announces a script of a caller's that takes as long as the page is large, as a snapshot of 100,000
// elements. While it runs, the renderer answers nothing, which is normal. It must not be used for a script that can run
// code of the page, because that may never end.
type OwnScript struct {
	Session string
	// Over reports whether it has ended; else it is about to be sent.
	Over bool
	// Unanswered reports, if Over is set, whether the caller has stopped waiting: the script may still run or not have
	// begun.
	Unanswered bool
}

// InputName returns the name in recordings.
func (*OwnScript) InputName() string { return "OwnScript" }

// scripts are those of one renderer. A renderer handles calls in order: when it has answered the call right before a
// script, it has come to the script.
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
		m.sendBarrier(in.Session, core.TagScriptBegins)
	case in.Unanswered:
		m.sendBarrier(in.Session, core.TagScriptEnded)
	default:
		m.scriptEnded(in.Session)
	}
}

// sendBarrier sends a call that is answered when a renderer has handled everything before it.
func (m *Monitor) sendBarrier(session string, kind core.TagKind) {
	m.Send(session, "Runtime.evaluate", core.Params{"expression": "0", "silent": true}, core.Tag{Kind: kind})
}

// barrierReached records that a renderer has reached a script, or has finished it.
func (m *Monitor) barrierReached(r *core.Reply) {
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
