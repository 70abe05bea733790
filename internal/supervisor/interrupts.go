package supervisor

import (
	"fmt"
	"slices"

	"github.com/usher-browser/usher/internal/supervisor/fold"
	"github.com/usher-browser/usher/internal/supervisor/fold/interrupts"
	"github.com/usher-browser/usher/internal/supervisor/fold/permissions"
	"github.com/usher-browser/usher/internal/supervisor/model"
)

// NoInterruptionError is the error for an interruption that is not open.
type NoInterruptionError struct {
	ID string // as requested
	// Over is the interruption that is closed, nil if the id is unknown.
	Over *model.Interruption
	// Busy reports whether it is open and another caller is answering it now.
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

// Claim reserves an open interruption, dialogs excepted, for the caller's answer and returns it. The caller then calls
// [Browser.CloseInterruption] or [Browser.Release]. The error is a *NoInterruptionError.
func (b *Browser) Claim(id string) (*model.Interruption, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	open := b.model.State().Interrupts
	i := slices.IndexFunc(open, func(i *model.Interruption) bool { return i.ID == id })
	if i < 0 {
		over, _ := b.model.State().Interruption(id)
		return nil, &NoInterruptionError{ID: id, Over: over}
	}
	if open[i].Claimed {
		return nil, &NoInterruptionError{ID: id, Busy: true}
	}
	found := open[i]
	b.apply(fold.Input{Command: &interrupts.Resolve{ID: id, Step: interrupts.ResolveClaim}})
	b.publish()
	return found, nil
}

// Release reopens a claimed interruption whose answer could not be given.
func (b *Browser) Release(id string) {
	b.input(&interrupts.Resolve{ID: id, Step: interrupts.ResolveRelease})
}

// CloseInterruption closes an interruption.
func (b *Browser) CloseInterruption(id string, by model.ClosedBy, outcome string) {
	b.input(&interrupts.Resolve{ID: id, Step: interrupts.ResolveClose, By: by, Outcome: outcome})
}

// InterceptChoosers sets whether the file choosers of a tab become interruptions. Otherwise a headless browser reports
// to the page at once that the user cancelled; a headed one shows a window.
func (b *Browser) InterceptChoosers(tab model.TargetID, on bool) {
	b.input(&interrupts.Choosers{Tab: tab, On: on})
}

// InterceptChoosersOf is InterceptChoosers for the future tabs of a context.
func (b *Browser) InterceptChoosersOf(c model.ContextID, on bool) {
	b.input(&interrupts.Choosers{Context: c, On: on})
}

// CancelChoosers makes Chromium cancel the file choosers of a CDP session until the returned function is called.
func (b *Browser) CancelChoosers(session string) (done func()) {
	b.input(&interrupts.Choosers{Session: session, Cancel: true})
	return func() { b.input(&interrupts.Choosers{Session: session}) }
}

// InterceptPermissions sets which permission requests of a context become interruptions.
func (b *Browser) InterceptPermissions(c model.ContextID, of ...string) {
	b.input(&permissions.AskPermissions{Context: c, On: len(of) > 0, Of: of})
}

// RecordDecision records that a permission interruption was answered, so that the page is not paused for the same
// request again.
func (b *Browser) RecordDecision(i *model.Interruption) {
	b.input(&permissions.Decided{Context: i.Context, Origin: i.Origin, Permission: i.Permission})
}

// Printing ignores the print events of a tab while usher prints it itself, until the returned function is called.
func (b *Browser) Printing(tab model.TargetID) (done func()) {
	b.input(&interrupts.Printing{Tab: tab, On: true})
	return func() { b.input(&interrupts.Printing{Tab: tab}) }
}
