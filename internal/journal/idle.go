package journal

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/usher-browser/usher/internal/supervisor/model"
)

// Quiet is how long a tab makes no request before it counts as idle: the
// half second of Chromium's own networkIdle and of Playwright.
const Quiet = 500 * time.Millisecond

// LongPoll is how long a fetch or XHR may be in flight before it is taken for one
// that the server holds open on purpose, which no longer keeps a tab from being
// idle. What a document is made of (scripts, styles, images, frames) always counts.
const LongPoll = 5 * time.Second

// ErrNoTab is wrapped when nothing is known of a tab (any more).
var ErrNoTab = errors.New("no such tab")

// InFlight is the number of requests of a tab that are under way, without
// WebSockets and event streams.
func (j *Journal) InFlight(tab model.TargetID) int {
	j.mu.Lock()
	defer j.mu.Unlock()
	if b := j.books[tab]; b != nil {
		return len(b.network.inFlight)
	}
	return 0
}

// Unanswered lists the requests of a tab that were sent at least that long ago and
// have had no answer since.
func (j *Journal) Unanswered(tab model.TargetID, since time.Duration) []Request {
	j.mu.Lock()
	defer j.mu.Unlock()
	b := j.books[tab]
	if b == nil {
		return nil
	}
	var out []Request
	for _, f := range b.network.inFlight {
		if f.rec.Status == 0 && time.Since(f.since) >= since {
			out = append(out, f.rec.Request)
		}
	}
	slices.SortFunc(out, func(a, b Request) int { return cmp.Compare(a.seq, b.seq) })
	return out
}

// WaitIdle returns when a tab, its frames and its workers have had no request in
// flight for the time quiet; at once if that is so already. It ends with the cause
// of ctx, or with ErrNoTab when the tab goes away.
func (j *Journal) WaitIdle(ctx context.Context, tab model.TargetID, quiet time.Duration) error {
	timer := time.NewTimer(quiet)
	defer timer.Stop()
	for {
		left, changed, err := j.untilIdle(tab, quiet)
		if err != nil || left <= 0 {
			return err
		}
		timer.Reset(left)
		select {
		case <-timer.C:
		case <-changed:
		case <-ctx.Done():
			return fmt.Errorf("wait until the network is idle: %w", context.Cause(ctx))
		}
	}
}

// Idle reports whether a tab is idle now, as WaitIdle means it; a tab that nothing is known of is.
func (j *Journal) Idle(tab model.TargetID, quiet time.Duration) bool {
	left, _, err := j.untilIdle(tab, quiet)
	return err != nil || left <= 0
}

// untilIdle says how long the tab has to stay as it is to be idle; never less than
// what a further look is due after.
func (j *Journal) untilIdle(tab model.TargetID, quiet time.Duration) (left time.Duration, changed <-chan struct{}, err error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	b := j.books[tab]
	if b == nil {
		return 0, nil, fmt.Errorf("wait until the network of tab %s is idle: %w", tab, ErrNoTab)
	}
	n := &b.network
	now := time.Now()
	left = n.quietSince.Add(quiet).Sub(now)
	for _, f := range n.inFlight {
		if f.rec.Type == "Fetch" || f.rec.Type == "XHR" {
			left = max(left, f.since.Add(LongPoll).Sub(now))
		} else {
			left = max(left, time.Hour) // until it ends, which is a change
		}
	}
	if n.changed == nil {
		n.changed = make(chan struct{})
	}
	return left, n.changed, nil
}

// AnswerLimit is how long after its start a request is still waited for by
// [Journal.WaitAnswered]: one that takes longer is slow, or held open on purpose.
const AnswerLimit = 2 * time.Second

// counts reports whether a page may still become another one by the answer of a request: pictures, fonts and messages
// to a server change no text.
func (f *flight) counts() bool {
	switch f.rec.Type {
	case "Document", "Script", "Stylesheet", "XHR", "Fetch":
		return f.rec.MIMEType != "text/event-stream"
	}
	return false
}

// WaitAnswered returns when all that a tab asked of servers since a moment has been
// answered, or is older than [AnswerLimit]; at once if that is so already. waited says
// that it was not, slow is the address of one that is still under way. err is the
// cause of ctx, or ErrNoTab.
func (j *Journal) WaitAnswered(ctx context.Context, tab model.TargetID, since time.Time) (waited bool, slow string, err error) {
	for {
		left, slow, changed, err := j.untilAnswered(tab, since)
		if err != nil || left <= 0 {
			return waited, slow, err
		}
		waited = true
		timer := time.NewTimer(left)
		select {
		case <-timer.C:
		case <-changed:
		case <-ctx.Done():
			timer.Stop()
			return waited, slow, fmt.Errorf("wait for answers of servers: %w", context.Cause(ctx))
		}
		timer.Stop()
	}
}

// Asking is the address of what [Journal.WaitAnswered] would wait for, empty if it would not wait.
func (j *Journal) Asking(tab model.TargetID, since time.Time) string {
	left, slow, _, err := j.untilAnswered(tab, since)
	if err != nil || left <= 0 {
		return ""
	}
	return slow
}

// untilAnswered says for how long the requests of a tab since a moment are still to be waited for.
func (j *Journal) untilAnswered(tab model.TargetID, since time.Time) (left time.Duration, slow string, changed <-chan struct{}, err error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	b := j.books[tab]
	if b == nil {
		return 0, "", nil, fmt.Errorf("wait for answers to tab %s: %w", tab, ErrNoTab)
	}
	n := &b.network
	now := time.Now()
	for _, f := range n.inFlight {
		if f.since.Before(since) || !f.counts() {
			continue
		}
		slow = f.rec.URL
		left = max(left, f.since.Add(AnswerLimit).Sub(now))
	}
	if left > 0 && n.changed == nil {
		n.changed = make(chan struct{})
	}
	return left, slow, n.changed, nil
}
