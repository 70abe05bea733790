package supervisor

import (
	"context"
	"time"

	"github.com/usher-browser/usher/internal/supervisor/model"
)

// How a tab is felt for life while a command is held up there. The first question
// comes after one period, so that quiet commands cost nothing; with the patience
// it gives the page, a renderer that stops answering is named within two seconds.
const (
	pulsePeriod   = 400 * time.Millisecond
	pulsePatience = 1100 * time.Millisecond
)

// Patience is how guarded calls bear a renderer that does not answer.
type Patience struct {
	// Until is the time before which such a renderer does not end them.
	Until time.Time
	// Own says that the renderer is busy because the caller keeps it so (a script of
	// its own): it is not asked at all.
	Own bool
}

type patienceKey struct{}

// WithPatience returns a context whose guards have that patience. Without, they
// end as soon as the renderer is found not to answer.
func WithPatience(ctx context.Context, p Patience) context.Context {
	return context.WithValue(ctx, patienceKey{}, p)
}

func patienceOf(ctx context.Context) Patience {
	p, _ := ctx.Value(patienceKey{}).(Patience)
	return p
}

// startPulse begins to feel for a tab's life; it goes on while the tab has guards.
// It needs mu.
func (b *Browser) startPulse(tab model.TargetID) {
	if b.stopped || b.pulses[tab] != nil {
		return
	}
	b.timerWG.Add(1)
	b.pulses[tab] = time.AfterFunc(pulsePeriod, b.contained(func() {
		defer b.timerWG.Done()
		b.mu.Lock()
		defer b.mu.Unlock()
		delete(b.pulses, tab)
		for g := range b.guards {
			if g.tab == tab && !g.patience.Own {
				b.apply(Input{Command: &Pulse{Tab: tab, Patience: pulsePatience}})
				b.publish()
				b.startPulse(tab)
				return
			}
		}
	}))
}

// Heard says that the page of a tab has handled something a caller sent it. Input
// goes before questions in a renderer, so one that works through much of it may not
// come to answer for seconds and is alive all the same.
func (b *Browser) Heard(tab model.TargetID) { b.input(Input{Command: &InputHandled{Tab: tab}}) }

// Probe asks how the renderers of a tab are and returns what is known when all have
// answered or patience is over: nil if all have answered. It is for the end of a
// command's time.
func (b *Browser) Probe(ctx context.Context, tab model.TargetID, patience time.Duration) *model.Unresponsive {
	pulse := &Pulse{Tab: tab, Patience: patience, Eager: true}
	b.input(Input{Command: pulse})
	timer := time.NewTimer(patience)
	defer timer.Stop()
	for {
		b.mu.Lock()
		open, pong := b.model.asking(tab), b.pong
		b.mu.Unlock()
		if open {
			select {
			case <-pong:
				continue
			case <-timer.C:
				b.input(Input{Command: pulse})
			case <-ctx.Done():
			case <-b.Done():
			}
		}
		if t := b.State().Tabs[tab]; t != nil {
			return t.Unresponsive
		}
		return nil
	}
}

// asking says that a renderer of the tab owes an answer, has no excuse, and is not
// known to be unresponsive.
func (m *Model) asking(tab model.TargetID) bool {
	t := m.cur.Tabs[tab]
	if t == nil {
		return false
	}
	for _, session := range m.processes(t) {
		if m.pings[session] != nil && !m.excused(t, session) && m.root(t, session).Unresponsive == nil {
			return true
		}
	}
	return false
}
