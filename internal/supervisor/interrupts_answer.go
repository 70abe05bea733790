package supervisor

import (
	"fmt"
	"maps"
	"slices"

	"github.com/usher-browser/usher/internal/supervisor/model"
)

// NoInterruptionError says that the interruption to answer is not open.
type NoInterruptionError struct {
	ID string // as asked for
	// Over is the interruption that is over, nil if none of that name is known.
	Over *model.Interruption
	// Busy says that it is open and somebody else is answering it now.
	Busy bool
}

func (e *NoInterruptionError) Error() string {
	switch {
	case e.Busy:
		return fmt.Sprintf("interruption %s is already being answered", e.ID)
	case e.Over != nil:
		return fmt.Sprintf("interruption %s is already closed (by %s): %s", e.ID, e.Over.ClosedBy, e.Over.Outcome)
	}
	return fmt.Sprintf("no interruption %s", e.ID)
}

// Claim reserves an open interruption, dialogs excepted, for the caller's answer
// and returns it. The caller says by [Browser.Settle] or [Browser.Release] what
// came of the answer. The error is a *NoInterruptionError.
func (b *Browser) Claim(id string) (*model.Interruption, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	open := b.model.cur.Interrupts
	i := slices.IndexFunc(open, func(i *model.Interruption) bool { return i.ID == id })
	if i < 0 {
		over, _ := b.model.cur.Interruption(id)
		return nil, &NoInterruptionError{ID: id, Over: over}
	}
	if open[i].Claimed {
		return nil, &NoInterruptionError{ID: id, Busy: true}
	}
	found := open[i]
	b.apply(Input{Command: &Resolve{ID: id, Step: ResolveClaim}})
	b.publish()
	return found, nil
}

// Release opens a claimed interruption again: the answer could not be given.
func (b *Browser) Release(id string) {
	b.input(Input{Command: &Resolve{ID: id, Step: ResolveRelease}})
}

// Settle ends an interruption.
func (b *Browser) Settle(id string, by model.ClosedBy, outcome string) {
	b.input(Input{Command: &Resolve{ID: id, Step: ResolveClose, By: by, Outcome: outcome}})
}

// Choosers says whether the file choosers of a tab, or of all tabs that a context
// will have, are ours to answer. Cancel makes the next ones be cancelled
// by Chromium itself, which tells the page so, in one CDP session; they are no
// interruptions.
type Choosers struct {
	Tab     model.TargetID
	Context model.ContextID
	On      bool
	Session string // for Cancel
	Cancel  bool
}

// InputName is the name in recordings.
func (*Choosers) InputName() string { return "Choosers" }

func (m *Model) setChoosers(c *Choosers) {
	if c.Session != "" {
		if _, ok := m.sessions[c.Session]; !ok {
			return
		}
		if c.Cancel {
			m.cancelling[c.Session] = true
		} else {
			delete(m.cancelling, c.Session)
		}
		m.interceptChoosers(c.Session, true, c.Cancel)
		return
	}
	if c.Context != "" {
		m.choosers[c.Context] = c.On
		return
	}
	if t := m.cur.Tabs[c.Tab]; t == nil || t.Choosers == c.On {
		return
	}
	m.tab(c.Tab).Choosers = c.On
	for _, id := range slices.Sorted(maps.Keys(m.sessions)) {
		if info := m.sessions[id]; info.tab == c.Tab && (info.kind == "page" || info.kind == "iframe") {
			m.interceptChoosers(id, c.On, false)
		}
	}
}

// choosersOf reports whether the file choosers of a context become interruptions.
func (m *Model) choosersOf(c model.ContextID) bool { return m.choosers[c] }

// forgetChooser drops what is known of a CDP session that ended.
func (m *Model) forgetChooser(session string) { delete(m.cancelling, session) }

// forgetCancelled drops what is known of all CDP sessions.
func (m *Model) forgetCancelled() { clear(m.cancelling) }

// forgetPrinting drops what is known of a tab that was closed.
func (m *Model) forgetPrinting(tab model.TargetID) { delete(m.printing, tab) }

func (m *Model) interceptChoosers(session string, on, cancel bool) {
	params := obj{"enabled": on}
	if cancel {
		params["cancel"] = true
	}
	m.send(session, "Page.setInterceptFileChooserDialog", params, Tag{})
}

// SetChoosers says whether the file choosers of a tab become interruptions. A
// headless browser would tell the page at once that the person cancelled; a
// person's own window would show one.
func (b *Browser) SetChoosers(tab model.TargetID, on bool) {
	b.input(Input{Command: &Choosers{Tab: tab, On: on}})
}

// SetChoosersOf is SetChoosers for the tabs that a context will have.
func (b *Browser) SetChoosersOf(c model.ContextID, on bool) {
	b.input(Input{Command: &Choosers{Context: c, On: on}})
}

// CancelChoosers makes Chromium itself cancel the file choosers of a CDP session
// until the returned function is called.
func (b *Browser) CancelChoosers(session string) (done func()) {
	b.input(Input{Command: &Choosers{Session: session, Cancel: true}})
	return func() { b.input(Input{Command: &Choosers{Session: session}}) }
}
