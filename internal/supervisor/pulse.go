package supervisor

import (
	"context"
	"time"

	"github.com/usher-browser/usher/internal/supervisor/fold"
	"github.com/usher-browser/usher/internal/supervisor/fold/liveness"
	"github.com/usher-browser/usher/internal/supervisor/model"
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
	b.pulses[tab] = time.AfterFunc(liveness.Period, b.contained(func() {
		defer b.timerWG.Done()
		b.mu.Lock()
		defer b.mu.Unlock()
		delete(b.pulses, tab)
		for g := range b.guards {
			if g.tab == tab && !g.patience.Own {
				b.apply(fold.Input{Command: &liveness.Probe{Tab: tab, Timeout: liveness.Timeout}})
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
func (b *Browser) Heard(tab model.TargetID) {
	b.input(fold.Input{Command: &liveness.InputHandled{Tab: tab}})
}

// Probe asks how the renderers of a tab are and returns what is known when all have
// answered or patience is over: nil if all have answered. It is for the end of a
// command's time.
func (b *Browser) Probe(ctx context.Context, tab model.TargetID, patience time.Duration) *model.Unresponsive {
	pulse := &liveness.Probe{Tab: tab, Timeout: patience, Eager: true}
	b.input(fold.Input{Command: pulse})
	timer := time.NewTimer(patience)
	defer timer.Stop()
	for {
		b.mu.Lock()
		open, pong := b.model.Probing(tab), b.pong
		b.mu.Unlock()
		if open {
			select {
			case <-pong:
				continue
			case <-timer.C:
				b.input(fold.Input{Command: pulse})
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
