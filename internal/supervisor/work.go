package supervisor

import (
	"github.com/usher-browser/usher/internal/supervisor/model"
)

// Work is a script that a caller has a renderer carry out and that takes as long as the
// page is large, as a snapshot of 100,000 elements. While it goes on the renderer answers
// nothing, and nothing is wrong. The page has no part in it: what can run code of the page
// is no Work, for that may never end.
type Work struct {
	Session string
	// Over says that it is over; else it is about to be sent.
	Over bool
	// Unanswered says, when it is over, that the caller has given up: it may go on or not have begun.
	Unanswered bool
}

// InputName is the name in recordings.
func (*Work) InputName() string { return "Work" }

// works are those of one renderer. A renderer does one thing after the other: when it
// has answered what was sent right before a script, it has come to the script.
type works struct {
	sent  int // not over yet
	begun int // of these
}

func (w *works) goOn() bool { return w != nil && w.begun > 0 }

// Work says that a script of the caller's own is about to be sent to a frame, so that a
// renderer that is busy with it does not count as unresponsive. The function it returns
// is called when the script has been answered, or the caller does not wait for it any more.
func (b *Browser) Work(frame model.FrameID) (over func(answered bool)) {
	f := b.State().Frame(frame)
	if f == nil || f.Session == "" {
		return func(bool) {}
	}
	b.input(Input{Command: &Work{Session: f.Session}})
	return func(answered bool) {
		b.input(Input{Command: &Work{Session: f.Session, Over: true, Unanswered: !answered}})
	}
}

func (m *Model) work(in *Work) {
	if _, known := m.sessions[in.Session]; !known {
		return
	}
	w := m.works[in.Session]
	switch {
	case !in.Over:
		if w == nil {
			w = &works{}
			m.works[in.Session] = w
		}
		w.sent++
		m.askTurn(in.Session, TagLead)
	case in.Unanswered:
		m.askTurn(in.Session, TagTrail)
	default:
		m.workOver(in.Session)
	}
}

// askTurn asks what is answered when a renderer has done all that was sent before.
func (m *Model) askTurn(session string, kind TagKind) {
	m.send(session, "Runtime.evaluate", obj{"expression": "0", "silent": true}, Tag{Kind: kind})
}

// workTurn notes that a renderer has come to a script, or behind it.
func (m *Model) workTurn(r *Reply) {
	w := m.works[r.Session]
	switch {
	case r.Tag.Kind == TagTrail:
		m.workOver(r.Session)
	case w != nil && w.begun < w.sent:
		w.begun++
	}
}

func (m *Model) workOver(session string) {
	w := m.works[session]
	if w == nil {
		return
	}
	w.sent--
	w.begun = max(0, min(w.begun-1, w.sent))
	if w.sent == 0 {
		delete(m.works, session)
	}
	if q := m.pings[session]; q != nil {
		q.sent = m.now // its time begins when it can answer
	}
}
