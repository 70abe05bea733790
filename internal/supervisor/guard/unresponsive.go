package guard

import (
	"context"
	"time"

	"github.com/usher-browser/usher/internal/supervisor/fold/liveness"
	"github.com/usher-browser/usher/internal/supervisor/model"
)

// UnresponsiveTimeout is when guarded calls end because a renderer does not answer.
type UnresponsiveTimeout struct {
	// Until is the time before which such a renderer does not end them.
	Until time.Time
	// For is how long it must not have answered at a stretch. A page that loads on a slow machine is busy again and again.
	For time.Duration
	// Ignore reports whether the renderer is busy with a script of the caller: it is not probed at all.
	Ignore bool
}

type timeoutKey struct{}

// WithUnresponsiveTimeout returns a context whose guards have that timeout. Without,
// they end as soon as the renderer is found not to answer.
func WithUnresponsiveTimeout(ctx context.Context, t UnresponsiveTimeout) context.Context {
	return context.WithValue(ctx, timeoutKey{}, t)
}

func timeoutOf(ctx context.Context) UnresponsiveTimeout {
	t, _ := ctx.Value(timeoutKey{}).(UnresponsiveTimeout)
	return t
}

// probeLater probes a tab after a period, and again as long as it has guards. Quick calls end before the first probe and
// cost nothing. The caller holds mu.
func (all *Guards) probeLater(tab model.TargetID) {
	if all.probes[tab] != nil {
		return
	}
	timer := all.timers.After(liveness.Period, func() {
		all.mu.Lock()
		defer all.mu.Unlock()
		delete(all.probes, tab)
		for g := range all.open {
			if g.call.Tab == tab && !g.timeout.Ignore {
				all.host.Probe(tab)
				all.probeLater(tab)
				return
			}
		}
	})
	if timer != nil {
		all.probes[tab] = timer
	}
}
