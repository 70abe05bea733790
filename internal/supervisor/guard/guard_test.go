package guard_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/usher-browser/usher/internal/supervisor/guard"
	"github.com/usher-browser/usher/internal/supervisor/model"
	"github.com/usher-browser/usher/internal/supervisor/timers"
)

// host has one tab, T, whose renderer answers or does not.
type host struct {
	mu    sync.Mutex
	since time.Time // zero while it answers
}

func (h *host) State() *model.State {
	f := &model.Frame{ID: "F"}
	if !h.since.IsZero() {
		f.Unresponsive = &model.Unresponsive{Since: h.since, Reason: model.ReasonScript}
	}
	return &model.State{Tabs: map[model.TargetID]*model.Tab{"T": {ID: "T", Main: "F", Frames: map[model.FrameID]*model.Frame{"F": f}}}}
}

func (*host) Now() time.Time       { return time.Now() }
func (*host) Probe(model.TargetID) {}

// busy lets the renderer not answer for a time, and then answer.
func (h *host) busy(all *guard.Guards, d time.Duration) {
	h.set(all, time.Now())
	time.Sleep(d)
	h.set(all, time.Time{})
}

func (h *host) set(all *guard.Guards, since time.Time) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.since = since
	all.Judge()
}

// TestUnresponsiveAtAStretch: a renderer that is busy again and again and answers between does not end calls that are given time for
// one that is busy, however long they take; one that is busy for that time at a stretch does.
func TestUnresponsiveAtAStretch(t *testing.T) {
	for name, c := range map[string]struct {
		timeout guard.UnresponsiveTimeout
		busy    time.Duration
		ends    bool
	}{
		"shorter":         {guard.UnresponsiveTimeout{For: 10 * time.Second}, 9 * time.Second, false},
		"longer":          {guard.UnresponsiveTimeout{For: 10 * time.Second}, 11 * time.Second, true},
		"by default":      {guard.UnresponsiveTimeout{}, 9 * time.Second, true},
		"before the time": {guard.UnresponsiveTimeout{Until: time.Now().Add(1000 * time.Hour)}, 11 * time.Second, false},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := &host{}
				made := timers.New(func(f func()) func() { return f })
				all := guard.New(h, &h.mu, made)
				ctx, stop := all.Start(guard.WithUnresponsiveTimeout(t.Context(), c.timeout), guard.Call{Tab: "T"})
				for range 3 {
					h.busy(all, c.busy)
					time.Sleep(time.Second)
				}
				var blocked *model.BlockedError
				if ended := errors.As(context.Cause(ctx), &blocked); ended != c.ends {
					t.Errorf("the calls end with %v, want an end: %v", context.Cause(ctx), c.ends)
				}
				stop()
				h.mu.Lock()
				all.Close()
				made.Close()
				h.mu.Unlock()
				made.Wait()
			})
		})
	}
}
