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

// Quiet is how long a tab must have no request in flight until it counts as idle: the half second of Chromium's own
// networkIdle and of Playwright.
const Quiet = 500 * time.Millisecond

// LongPoll is how long a fetch or XHR may be in flight until it counts as a long poll, which does not keep a tab from
// being idle. The resources of a document (scripts, styles, images, frames) always count.
const LongPoll = 5 * time.Second

// ErrNoTab is wrapped when the journal has no such tab (any more).
var ErrNoTab = errors.New("no such tab")

// InFlight returns the number of requests of a tab in flight, without WebSockets and event streams.
func (j *Journal) InFlight(tab model.TargetID) int {
	j.mu.Lock()
	defer j.mu.Unlock()
	if b := j.records[tab]; b != nil {
		return len(b.network.inFlight)
	}
	return 0
}

// Unanswered returns the requests of a tab that were sent at least that long ago and have no response.
func (j *Journal) Unanswered(tab model.TargetID, since time.Duration) []Request {
	j.mu.Lock()
	defer j.mu.Unlock()
	b := j.records[tab]
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

// WaitIdle returns when a tab, its frames and its workers have had no request in flight for the time quiet; at once if
// that is so already. It ends with the cause of ctx, or with ErrNoTab when the tab is closed.
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

// Idle reports whether a tab is idle now, as defined by WaitIdle; an unknown tab is.
func (j *Journal) Idle(tab model.TargetID, quiet time.Duration) bool {
	left, _, err := j.untilIdle(tab, quiet)
	return err != nil || left <= 0
}

// untilIdle returns how long the tab has to stay unchanged to be idle; at least the time until it should be checked
// again.
func (j *Journal) untilIdle(tab model.TargetID, quiet time.Duration) (left time.Duration, changed <-chan struct{}, err error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	b := j.records[tab]
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

// AnswerLimit is the age of a request from which [Journal.WaitAnswered] ignores it: one that takes longer is slow, or a
// long poll.
const AnswerLimit = 2 * time.Second

// mayChangeText reports whether a page may still become another one by the answer of a request: pictures, fonts and
// messages to a server change no text.
func (f *flight) mayChangeText() bool {
	switch f.rec.Type {
	case "Document", "Script", "Stylesheet", "XHR", "Fetch":
		return f.rec.MIMEType != "text/event-stream"
	}
	return false
}

// WaitAnswered returns when all requests that a tab sent since a moment have a response, or are older than
// [AnswerLimit]; at once if that is so already. waited reports whether it had to wait, slow is the address of a request
// that is still in flight. err is the cause of ctx, or ErrNoTab.
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

// PendingRequest returns the address of a request that [Journal.WaitAnswered] would wait for, empty if it would not wait.
func (j *Journal) PendingRequest(tab model.TargetID, since time.Time) string {
	left, slow, _, err := j.untilAnswered(tab, since)
	if err != nil || left <= 0 {
		return ""
	}
	return slow
}

// untilAnswered returns for how long the requests of a tab since a moment are still to be waited for.
func (j *Journal) untilAnswered(tab model.TargetID, since time.Time) (left time.Duration, slow string, changed <-chan struct{}, err error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	b := j.records[tab]
	if b == nil {
		return 0, "", nil, fmt.Errorf("wait for answers to tab %s: %w", tab, ErrNoTab)
	}
	n := &b.network
	now := time.Now()
	for _, f := range n.inFlight {
		if f.since.Before(since) || !f.mayChangeText() {
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
