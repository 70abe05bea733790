package supervisor

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/supervisor/fold/liveness"
	"github.com/usher-browser/usher/internal/supervisor/model"
)

// relatedGrace is how long a call may take while a dialog is open in another tab
// of the same opener group before that dialog is named as the cause. Such tabs
// often share a renderer process, whose scripts all stop for the dialog.
const relatedGrace = 200 * time.Millisecond

// guard is one call, or group of calls, to a tab.
type guard struct {
	tab      model.TargetID
	frame    model.FrameID       // what the calls are to, besides the page
	dead     *model.Crash        // a crash that does not count: the caller is about to replace the page
	past     *model.Interruption // what held the page before and does not count either
	cancel   context.CancelCauseFunc
	patience Patience
	timer    *time.Timer // guarded by Browser.mu: the grace of a related dialog; nil while there is none
	related  string      // guarded by Browser.mu: the id of that dialog
	bear     *time.Timer // guarded by Browser.mu: the end of its patience
}

// Guard returns a context for calls to a tab. It ends when ctx does, or with a
// *BlockedError as its cause when the tab cannot answer: a dialog is open (or
// opens), the renderer is dead, the tab or the browser is gone. The stop function
// must be called when the calls are done.
func (b *Browser) Guard(ctx context.Context, tab model.TargetID) (context.Context, context.CancelFunc) {
	return b.guard(ctx, &guard{tab: tab})
}

// GuardFrame is Guard for calls to one frame: besides those of the page, its
// renderer can end it, when it is one of its own.
func (b *Browser) GuardFrame(ctx context.Context, tab model.TargetID, frame model.FrameID) (context.Context, context.CancelFunc) {
	return b.guard(ctx, &guard{tab: tab, frame: frame})
}

// GuardNavigation is Guard for a call that leaves the page: a renderer that is
// dead already does not end it, for the browser starts another.
func (b *Browser) GuardNavigation(ctx context.Context, tab model.TargetID) (context.Context, context.CancelFunc) {
	g := &guard{tab: tab}
	s := b.State()
	if t := s.Tabs[tab]; t != nil {
		g.dead, g.past = t.Crash, s.PendingInterruption(tab)
	}
	return b.guard(ctx, g)
}

func (b *Browser) guard(ctx context.Context, g *guard) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	g.cancel, g.patience = cancel, patienceOf(ctx)
	// A renderer that is known not to answer gets the time of a question to think
	// better of it: who tries again should not be turned away at once.
	if least := b.opts.Now().Add(liveness.Timeout); g.patience.Until.Before(least) {
		g.patience.Until = least
	}
	b.mu.Lock()
	b.guards[g] = struct{}{}
	b.judge(g)
	if !g.patience.Own {
		b.startPulse(g.tab)
	}
	b.mu.Unlock()
	return ctx, func() {
		b.mu.Lock()
		delete(b.guards, g)
		b.stopClocks(g)
		b.mu.Unlock()
		cancel(context.Canceled)
	}
}

// stopClocks stops the timers of a guard. It needs mu.
func (b *Browser) stopClocks(g *guard) {
	for _, t := range []*time.Timer{g.timer, g.bear} {
		if t != nil && t.Stop() {
			b.timerWG.Done()
		}
	}
	g.timer, g.bear = nil, nil
}

// Blocked returns the *BlockedError inside err, or nil. A call that failed
// because the browser or its CDP session went away is given the reason too.
func (b *Browser) Blocked(err error, tab model.TargetID) *model.BlockedError {
	var blocked *model.BlockedError
	if errors.As(err, &blocked) {
		return blocked
	}
	s := b.State()
	switch {
	case b.outlives() && s.Closed == nil && b.wasLost(err):
		if s.Outage != nil {
			return &model.BlockedError{Tab: tab, Outage: s.Outage}
		}
		return &model.BlockedError{Tab: tab, Outage: &model.Outage{Since: b.opts.Now(), Cause: err}} // not folded in yet, or over already
	case errors.Is(err, cdp.ErrClosed) || errors.Is(err, cdp.ErrDetached):
		return s.Blocked(tab)
	}
	return nil
}

// wasLost says that a call failed with its connection, or was for a CDP session of
// an earlier one (Chromium's words on 156).
func (b *Browser) wasLost(err error) bool {
	var refused *cdp.Error
	return errors.Is(err, cdp.ErrClosed) ||
		errors.As(err, &refused) && refused.Code == -32001 && strings.HasPrefix(refused.Message, "Session with given id not found")
}

// judge ends a guard whose tab is blocked, by what is published: who is told of a
// dialog finds it in the State. It needs mu.
func (b *Browser) judge(g *guard) {
	s := b.State()
	if err := s.Blocked(g.tab); err != nil && !g.foreseen(err) {
		g.cancel(err)
		return
	}
	b.judgeAnswers(g, s)
	b.judgeRelated(g, s)
}

// judgeRelated begins the grace of a dialog in a related tab. Each such dialog has a grace of its own: one that closes in time
// says nothing of the next. It needs mu.
func (b *Browser) judgeRelated(g *guard, s *model.State) {
	d := s.RelatedDialog(g.tab)
	if g.timer != nil || b.stopped || d == nil {
		return
	}
	g.related = d.ID
	b.timerWG.Add(1)
	g.timer = time.AfterFunc(relatedGrace, b.contained(func() {
		defer b.timerWG.Done()
		b.mu.Lock()
		defer b.mu.Unlock()
		if _, ends := b.guards[g]; !ends {
			return
		}
		g.timer = nil
		s := b.State()
		if d := s.RelatedDialog(g.tab); d != nil && d.ID == g.related {
			g.cancel(&model.BlockedError{Tab: g.tab, Dialog: d})
			return
		}
		b.judgeRelated(g, s)
	}))
}

// foreseen says that the caller knew of the block and means to end it.
func (g *guard) foreseen(err *model.BlockedError) bool {
	switch {
	case err.Crash != nil:
		return err.Crash == g.dead
	case err.Waits != nil:
		return g.past != nil && err.Waits.ID == g.past.ID
	}
	return false
}

// judgeAnswers ends a guard whose renderer does not answer when its patience is
// over. It needs mu.
func (b *Browser) judgeAnswers(g *guard, s *model.State) {
	t := s.Tabs[g.tab]
	if t == nil || g.patience.Own {
		return
	}
	u, now := t.UnresponsiveFor(g.frame), b.opts.Now()
	switch left := g.patience.Until.Sub(now); {
	case u == nil:
	case left <= 0:
		g.cancel(&model.BlockedError{Tab: g.tab, Unresponsive: u, For: now.Sub(u.Since)})
	case g.bear == nil && !b.stopped:
		b.timerWG.Add(1)
		g.bear = time.AfterFunc(left, b.contained(func() {
			defer b.timerWG.Done()
			b.mu.Lock()
			defer b.mu.Unlock()
			if _, ends := b.guards[g]; ends {
				g.bear = nil
				b.judge(g)
			}
		}))
	}
}

// judgeAll judges every guard anew. It needs mu.
func (b *Browser) judgeAll() {
	for g := range b.guards {
		b.judge(g)
	}
}
