package supervisor

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/policy"
	"github.com/usher-browser/usher/internal/supervisor/fold"
	"github.com/usher-browser/usher/internal/supervisor/fold/dialogs"
	"github.com/usher-browser/usher/internal/supervisor/model"
)

// NoDialogError is the error for a dialog that is not open.
type NoDialogError struct {
	ID     string // as requested
	Closed *model.Dialog
}

func (e *NoDialogError) Error() string {
	if e.Closed != nil {
		return fmt.Sprintf("dialog %s is already closed (by %s)", e.ID, e.Closed.ClosedBy)
	}
	return fmt.Sprintf("no open dialog %s", e.ID)
}

// DismissOnlyError is the error for a dialog that was open when the connection was lost and cannot be accepted any
// more.
type DismissOnlyError struct{ Dialog *model.Dialog }

func (e *DismissOnlyError) Error() string {
	return fmt.Sprintf("%s dialog %s opened before the connection to the browser was lost; over a new connection it can only be dismissed", e.Dialog.Type, e.Dialog.ID)
}

// Answer closes an open dialog and returns it as closed. The error is *NoDialogError if it is not open,
// *DismissOnlyError if it cannot be accepted. While the connection is lost, Answer uses the standby connection or
// waits.
func (b *Browser) Answer(ctx context.Context, id string, accept bool, text string) (*model.Dialog, error) {
	var d *model.Dialog
	err := b.Wait(ctx, func(s *model.State) (bool, error) {
		d = s.OpenDialog(id)
		return d == nil || d.Reach != model.ReachNone, s.Closed
	})
	switch {
	case err != nil && b.State().Outage != nil:
		return nil, &model.BlockedError{Tab: d.Tab, Outage: b.State().Outage}
	case d == nil:
		return nil, &NoDialogError{ID: id, Closed: b.State().ClosedDialog(id)}
	case err != nil:
		return nil, fmt.Errorf("answer dialog %s: %w", id, err)
	case d.Reach == model.ReachDismiss && !d.Dismissible(accept):
		return nil, &DismissOnlyError{Dialog: d}
	}
	b.input(&dialogs.Answer{Dialog: id, By: model.ByAgent, Accept: accept, Text: text})
	var closed *model.Dialog
	err = b.Wait(ctx, func(s *model.State) (bool, error) {
		closed = s.ClosedDialog(id)
		if d := s.OpenDialog(id); d != nil && d.NeedsAnswer() { // it was not sent, or its result will not be reported
			return false, &model.BlockedError{Tab: d.Tab, Outage: cmp.Or(s.Outage, &model.Outage{Since: b.opts.Now(), Cause: cdp.ErrClosed})}
		}
		return closed != nil, s.Closed
	})
	if err != nil && closed == nil {
		return nil, fmt.Errorf("answer dialog %s: %w", id, err)
	}
	return closed, nil
}

// DismissUnreported dismisses a dialog that opened during an outage and was therefore never reported. It blocks a tab
// that was attached again and has not become ready. The page stays. It reports whether the tab became ready; false
// without an error means that this is not the tab's state.
func (b *Browser) DismissUnreported(ctx context.Context, tab model.TargetID) (bool, error) {
	t := b.State().Tabs[tab]
	if t == nil || t.Session == "" || t.Ready || b.State().Dialog(tab) != nil {
		return false, nil
	}
	params := map[string]string{"url": dialogs.NoopURL}
	if err := b.Session(t.Session).Call(ctx, "Page.navigate", params, nil); err != nil {
		return false, fmt.Errorf("release the page: %w", err)
	}
	err := b.Wait(ctx, func(s *model.State) (bool, error) {
		t := s.Tabs[tab]
		return t == nil || t.Ready, s.Unreachable()
	})
	return err == nil, err
}

// SetPolicy sets the dialog policy of a context. It applies to open dialogs, too.
func (b *Browser) SetPolicy(c model.ContextID, p model.Policy) {
	b.input(&dialogs.SetPolicy{Context: c, Policy: p})
}

// UpdatePolicy changes the policy of a context. change gets a copy of it, including its slices; if change returns an
// error, the policy stays.
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

// OverrideDialogRule gives a rule precedence over the policy for the dialogs that open in a tab, until stop is called.
func (b *Browser) OverrideDialogRule(tab model.TargetID, rule policy.DialogRule) (stop func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.overrides++
	id := b.overrides
	b.apply(fold.Input{Command: &dialogs.Override{Tab: tab, ID: id, Rule: &rule}})
	return func() { b.input(&dialogs.Override{Tab: tab, ID: id}) }
}

// Forget drops the data of a browser context that no longer exists.
func (b *Browser) Forget(c model.ContextID) {
	b.mu.Lock()
	delete(b.credentials, c)
	delete(b.headers, c)
	delete(b.conditions, c)
	delete(b.routes, c)
	delete(b.scripts, c)
	b.mu.Unlock()
	b.input(&fold.Forget{Context: c})
}
