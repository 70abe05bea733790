package code

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/policy"
	"github.com/usher-browser/usher/internal/script"
	"github.com/usher-browser/usher/internal/supervisor/model"
	"github.com/usher-browser/usher/internal/supervisor/stream"
)

// subscription passes changes of the browser on to the code: those of the kinds that it asked for.
type subscription struct {
	mu      sync.Mutex
	kinds   map[model.ChangeKind]bool // guarded by mu
	started bool                      // guarded by mu
	passed  uint64                    // guarded by mu: the last change that was passed on or left out
	moved   chan struct{}             // guarded by mu: closed when passed grows
}

// wants reports whether the code asked for a kind.
func (s *subscription) wants(k model.ChangeKind) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.kinds[k]
}

// advance notes that the changes up to a number were passed on.
func (s *subscription) advance(to uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.passed = to
	if s.moved != nil {
		close(s.moved)
		s.moved = nil
	}
}

// reached returns nil if the changes up to a number were passed on, or nobody asked for any; else a channel that is closed
// when there was progress.
func (s *subscription) reached(n uint64) <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.started || s.passed >= n {
		return nil
	}
	if s.moved == nil {
		s.moved = make(chan struct{})
	}
	return s.moved
}

// subscribe begins to pass on changes of these kinds. Those that follow the answer are passed on, and none before.
func (o operation) subscribe(ctx context.Context, params jsontext.Value) (any, error) {
	var p struct {
		Kinds []model.ChangeKind `json:"kinds"`
	}
	if err := json.Unmarshal(params, &p); err != nil {
		return nil, api.Errorf(api.InvalidArgument, "subscribe: %w", err)
	}
	changes := o.session.Changes()
	if changes == nil {
		return nil, api.Errorf(api.TabGone, "the session has no browser")
	}
	s := &o.changes
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.kinds == nil {
		s.kinds = map[model.ChangeKind]bool{}
	}
	for _, k := range p.Kinds {
		s.kinds[k] = true
	}
	if !s.started {
		s.started = true
		_, s.passed = changes.Bounds()
		go o.pass(o.running, changes.Subscribe(s.passed)) //nolint:contextcheck // it lasts as long as the run, not as this operation
	}
	return nil, nil
}

// pass passes changes on until the run ends.
func (d *driver) pass(ctx context.Context, changes *stream.Subscription) {
	for {
		list, err := changes.Next(ctx)
		var behind *stream.FellBehindError
		if errors.As(err, &behind) {
			list = []model.Change{{Kind: model.EventsLost, Seq: behind.Last}}
		} else if err != nil {
			return
		}
		for _, c := range list {
			if !d.changes.wants(c.Kind) {
				continue
			}
			if d.session.Redacts() {
				c.Text, c.URL, c.Detail = policy.Text(c.Text), policy.Text(c.URL), policy.Text(c.Detail)
			}
			data, err := json.Marshal(&c)
			if err != nil {
				continue // a Change has no value that JSON lacks
			}
			select {
			case d.events <- script.Event{Name: string(c.Kind), Data: data}:
			case <-ctx.Done():
				return
			}
		}
		d.changes.advance(changes.Last())
		if behind != nil {
			return
		}
	}
}

// catchUp waits until the changes so far were passed on, so that code has the events of an operation before its result.
func (d *driver) catchUp(ctx context.Context) {
	changes := d.session.Changes()
	if changes == nil {
		return
	}
	_, last := changes.Bounds()
	limit := time.NewTimer(catchUpLimit)
	defer limit.Stop()
	for {
		moved := d.changes.reached(last)
		if moved == nil {
			return
		}
		select {
		case <-moved:
		case <-ctx.Done():
			return
		case <-limit.C: // a slow handler must not hold results
			return
		}
	}
}

// catchUpLimit is how long the result of an operation waits for the events before it.
const catchUpLimit = 100 * time.Millisecond
