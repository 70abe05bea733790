package supervisor

import (
	"context"

	"github.com/usher-browser/usher/internal/supervisor/fold/conditions"
	"github.com/usher-browser/usher/internal/supervisor/model"
)

// NetworkConditions returns the network conditions that a context emulates.
func (b *Browser) NetworkConditions(c model.ContextID) model.NetworkConditions {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.conditions[c]
}

// UpdateNetworkConditions changes the network conditions of a context: for its tabs, frames and workers, present and
// later ones, until the context ends. It returns when the browser has confirmed the change for the present ones; tabs that wait for HTTP authentication get it
// when that is answered. Errors:
// the browser's refusals, or the cause of ctx's end; the new conditions are set nevertheless.
func (b *Browser) UpdateNetworkConditions(ctx context.Context, c model.ContextID, change func(*model.NetworkConditions)) error {
	in := &conditions.SetConditions{Context: c}
	return b.confirmed(ctx, in, func() {
		now := b.conditions[c]
		change(&now)
		b.conditions[c] = now
		in.NetworkConditions = now
	})
}
