package supervisor

import (
	"context"
	"time"

	"github.com/usher-browser/usher/internal/loadavg"
	"github.com/usher-browser/usher/internal/supervisor/fold/liveness"
	"github.com/usher-browser/usher/internal/supervisor/model"
)

// InputHandled records that the page of a tab has handled input that a caller sent. A renderer handles input before
// calls, so one with much input may not answer for seconds although it is responsive.
func (b *Browser) InputHandled(tab model.TargetID) {
	b.input(&liveness.InputHandled{Tab: tab})
}

// Probe probes the renderers of a tab. It returns nil when all have answered, or at the timeout the state of one that has
// not. Call it at the end of a command's time. The timeout is that of a quiet machine.
func (b *Browser) Probe(ctx context.Context, tab model.TargetID, timeout time.Duration) *model.Unresponsive {
	timeout = loadavg.Scale(timeout)
	probe := &liveness.Probe{Tab: tab, Timeout: timeout, Eager: true}
	b.input(probe)
	timer := time.NewTimer(timeout)
	defer timer.Stop()
	for {
		b.mu.Lock()
		open, answered := b.model.Probing(tab), b.probeAnswered
		b.mu.Unlock()
		if open {
			select {
			case <-answered:
				continue
			case <-timer.C:
				b.input(probe)
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

// OwnScript announces a script that the caller runs in a frame, so that a renderer that is busy with it does not count as
// unresponsive. The caller calls over when the script has been answered, or when it stops waiting.
func (b *Browser) OwnScript(frame model.FrameID) (over func(answered bool)) {
	f := b.State().Frame(frame)
	if f == nil || f.Session == "" {
		return func(bool) {}
	}
	b.input(&liveness.OwnScript{Session: f.Session})
	return func(answered bool) {
		b.input(&liveness.OwnScript{Session: f.Session, Over: true, Unanswered: !answered})
	}
}
