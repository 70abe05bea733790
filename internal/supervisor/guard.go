package supervisor

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/usher-browser/usher/internal/cdp"
)

// BlockedError is the cause that ends a guarded context: the tab cannot answer.
// Exactly one field besides Tab is set.
type BlockedError struct {
	Tab    TargetID
	Dialog *Dialog       // an open dialog holds the page
	Crash  *Crash        // the renderer is dead
	Waits  *Interruption // a login or permission request holds the page
	Gone   bool          // the tab was closed
	Closed error         // the connection to the browser ended
}

func (e *BlockedError) Error() string {
	switch {
	case e.Dialog != nil:
		return fmt.Sprintf("a JavaScript %s dialog (%s) is open and holds the page: %q", e.Dialog.Type, e.Dialog.ID, e.Dialog.Message)
	case e.Crash != nil:
		return fmt.Sprintf("the page's renderer has died (%s)", e.Crash.Status)
	case e.Waits != nil:
		return fmt.Sprintf("the page waits for an answer to %s (%s): %s", e.Waits.ID, e.Waits.Kind, e.Waits.Message)
	case e.Gone:
		return "the tab is closed"
	}
	return fmt.Sprintf("the browser is gone: %v", e.Closed)
}

// Unwrap makes errors.Is(err, cdp.ErrClosed) true for a lost connection.
func (e *BlockedError) Unwrap() error { return e.Closed }

// relatedGrace is how long a call may take while a dialog is open in another tab
// of the same opener group before that dialog is named as the cause. Such tabs
// often share a renderer process, whose scripts all stop for the dialog.
const relatedGrace = 200 * time.Millisecond

// guard is one call, or group of calls, to a tab.
type guard struct {
	tab    TargetID
	dead   *Crash        // a crash that does not count: the caller is about to replace the page
	past   *Interruption // what held the page before and does not count either
	cancel context.CancelCauseFunc
	timer  *time.Timer // guarded by Browser.mu: the grace of a related dialog
}

// Guard returns a context for calls to a tab. It ends when ctx does, or with a
// *BlockedError as its cause when the tab cannot answer: a dialog is open (or
// opens), the renderer is dead, the tab or the browser is gone. The stop function
// must be called when the calls are done.
func (b *Browser) Guard(ctx context.Context, tab TargetID) (context.Context, context.CancelFunc) {
	return b.guard(ctx, &guard{tab: tab})
}

// GuardNavigation is Guard for a call that leaves the page: a renderer that is
// dead already does not end it, for the browser starts another.
func (b *Browser) GuardNavigation(ctx context.Context, tab TargetID) (context.Context, context.CancelFunc) {
	g := &guard{tab: tab}
	s := b.State()
	if t := s.Tabs[tab]; t != nil {
		g.dead, g.past = t.Crash, s.holding(tab)
	}
	return b.guard(ctx, g)
}

func (b *Browser) guard(ctx context.Context, g *guard) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	g.cancel = cancel
	b.mu.Lock()
	b.guards[g] = struct{}{}
	b.judge(g)
	b.mu.Unlock()
	return ctx, func() {
		b.mu.Lock()
		delete(b.guards, g)
		if g.timer != nil && g.timer.Stop() {
			b.timerWG.Done()
		}
		g.timer = nil
		b.mu.Unlock()
		cancel(context.Canceled)
	}
}

// Blocked returns the *BlockedError inside err, or nil. A call that failed
// because the browser or its CDP session went away is given the reason too.
func (b *Browser) Blocked(err error, tab TargetID) *BlockedError {
	var blocked *BlockedError
	if errors.As(err, &blocked) {
		return blocked
	}
	if errors.Is(err, cdp.ErrClosed) || errors.Is(err, cdp.ErrDetached) {
		return b.State().blocked(tab)
	}
	return nil
}

// blocked says why a tab cannot answer now, nil if it can.
func (s *State) blocked(tab TargetID) *BlockedError {
	if s.Closed != nil {
		return &BlockedError{Tab: tab, Closed: s.Closed}
	}
	t := s.Tabs[tab]
	switch {
	case t == nil:
		return &BlockedError{Tab: tab, Gone: true}
	case t.Crash != nil:
		return &BlockedError{Tab: tab, Crash: t.Crash}
	}
	if d := s.Dialog(tab); d != nil && d.Waits() {
		return &BlockedError{Tab: tab, Dialog: d}
	}
	if i := s.holding(tab); i != nil {
		return &BlockedError{Tab: tab, Waits: i}
	}
	return nil
}

// related returns an open dialog in another tab of the same opener group.
func (s *State) related(tab TargetID) *Dialog {
	root := s.rootOpener(tab)
	for _, d := range s.Dialogs {
		if d.Tab != tab && d.Waits() && s.rootOpener(d.Tab) == root {
			return d
		}
	}
	return nil
}

// rootOpener follows the openers of a tab to the first.
func (s *State) rootOpener(tab TargetID) TargetID {
	for range len(s.Tabs) {
		t := s.Tabs[tab]
		if t == nil || t.Opener == "" {
			break
		}
		tab = t.Opener
	}
	return tab
}

// judge ends a guard whose tab is blocked, by what is published: who is told of a
// dialog finds it in the State. It needs mu.
func (b *Browser) judge(g *guard) {
	s := b.State()
	if err := s.blocked(g.tab); err != nil && !g.foreseen(err) {
		g.cancel(err)
		return
	}
	if g.timer != nil || b.stopped || s.related(g.tab) == nil {
		return
	}
	b.timerWG.Add(1)
	g.timer = time.AfterFunc(relatedGrace, func() {
		defer b.timerWG.Done()
		if d := b.State().related(g.tab); d != nil {
			g.cancel(&BlockedError{Tab: g.tab, Dialog: d})
		}
	})
}

// foreseen says that the caller knew of the block and means to end it.
func (g *guard) foreseen(err *BlockedError) bool {
	switch {
	case err.Crash != nil:
		return err.Crash == g.dead
	case err.Waits != nil:
		return g.past != nil && err.Waits.ID == g.past.ID
	}
	return false
}

// judgeAll judges every guard anew. It needs mu.
func (b *Browser) judgeAll() {
	for g := range b.guards {
		b.judge(g)
	}
}
