package supervisor

import (
	"slices"

	"github.com/usher-browser/usher/internal/policy"
	"github.com/usher-browser/usher/internal/supervisor/fold"
	"github.com/usher-browser/usher/internal/supervisor/fold/dialogs"
	"github.com/usher-browser/usher/internal/supervisor/model"
)

// SetPolicy sets what happens to the dialogs of a context, those that are open
// included.
func (b *Browser) SetPolicy(c model.ContextID, p model.Policy) {
	b.input(fold.Input{Command: &dialogs.SetPolicy{Context: c, Policy: p}})
}

// UpdatePolicy changes the policy of a context. change gets a copy of the present
// one, with slices of its own; an error leaves things as they are.
func (b *Browser) UpdatePolicy(c model.ContextID, change func(*model.Policy) error) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	p := b.model.State().Policies[c]
	p.Rules, p.Standing = slices.Clone(p.Rules), slices.Clone(p.Standing)
	if err := change(&p); err != nil {
		return err
	}
	b.apply(fold.Input{Command: &dialogs.SetPolicy{Context: c, Policy: p}})
	b.publish()
	return nil
}

// Overrule lets a rule come before the policy for the dialogs that open in a tab,
// until stop is called.
func (b *Browser) Overrule(tab model.TargetID, rule policy.DialogRule) (stop func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.rulings++
	id := b.rulings
	b.apply(fold.Input{Command: &dialogs.Override{Tab: tab, ID: id, Rule: &rule}})
	return func() { b.input(fold.Input{Command: &dialogs.Override{Tab: tab, ID: id}}) }
}

// Forget drops what is kept for a browser context that is no more.
func (b *Browser) Forget(c model.ContextID) {
	b.mu.Lock()
	delete(b.credentials, c)
	b.mu.Unlock()
	b.input(fold.Input{Command: &fold.Forget{Context: c}})
}
