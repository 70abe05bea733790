package code

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/command/run/redact"
	"github.com/usher-browser/usher/internal/journal"
	"github.com/usher-browser/usher/internal/script"
	"github.com/usher-browser/usher/internal/session/code/known"
	"github.com/usher-browser/usher/internal/supervisor/model"
	"github.com/usher-browser/usher/internal/supervisor/stream"
)

// subscription passes changes of the browser on to the code: those of the kinds that it asked for.
type subscription struct {
	mu      sync.Mutex
	kinds   map[model.ChangeKind]bool // guarded by mu
	number  int                       // guarded by mu: that of the message that kinds are of
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

// subscribe passes on changes of these kinds from now on, and of no others. Those that follow the answer are passed on, and none
// before. Messages are carried out at the same time, so one with a lower number than another that was is out of date.
func (o operation) subscribe(ctx context.Context, params jsontext.Value) (any, error) {
	var p struct {
		Number int                `json:"number"`
		Kinds  []model.ChangeKind `json:"kinds"`
	}
	if err := json.Unmarshal(params, &p); err != nil {
		return nil, api.Errorf(api.InvalidArgument, "subscribe: %w", err)
	}
	changes := o.stream()
	if changes == nil {
		return nil, api.Errorf(api.TabGone, "the session has no browser")
	}
	s := &o.changes
	s.mu.Lock()
	defer s.mu.Unlock()
	if p.Number > s.number {
		s.number, s.kinds = p.Number, make(map[model.ChangeKind]bool, len(p.Kinds))
		for _, k := range p.Kinds {
			s.kinds[k] = true
		}
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
		if work := d.session.Work(); work != nil {
			work.Browser.CaughtUp() // the state that events come with is that after them
		}
		for _, c := range list {
			if !d.changes.wants(c.Kind) {
				continue
			}
			data, err := d.event(&c)
			if err != nil {
				continue // a Change has no value that JSON lacks
			}
			select {
			case d.events <- script.Event{Name: string(c.Kind), Data: data}:
			case <-ctx.Done():
				return
			}
		}
		select {
		case d.events <- script.Event{}: // until those before have been sent
		case <-ctx.Done():
			return
		}
		d.changes.advance(changes.Last())
		if behind != nil {
			return
		}
	}
}

// event is a change as the code gets it, with the record that it is about, and the state of its tab after it.
type event struct {
	*model.Change
	Request *entry           `json:"request,omitzero"`
	Message *journal.Message `json:"message,omitzero"`
	Thrown  *journal.Error   `json:"thrown,omitzero"`
	Page    *known.Page      `json:"page,omitzero"`
	Dialog  *dialog          `json:"dialog,omitzero"`
	Chooser *chooser         `json:"chooser,omitzero"`
}

type dialog struct {
	Type    string `json:"type"`
	Message string `json:"message"`
	Prompt  string `json:"defaultPrompt"`
}

type chooser struct {
	Multiple bool `json:"multiple"`
}

func (d *driver) event(c *model.Change) (jsontext.Value, error) {
	out := event{Change: c}
	if work := d.session.Work(); work != nil {
		switch c.Kind {
		case model.RequestSent, model.RequestDone, model.RequestFailed:
			if found, err := work.Journal.RequestAt(c.ID, c.Record, c.Tab); err == nil {
				out.Request = entryOf(found)
			}
		case model.DialogOpened:
			if d := work.Browser.State().OpenDialog(c.ID); d != nil {
				out.Dialog = &dialog{d.Type, d.Message, d.DefaultPrompt}
			}
		case model.InterruptionOpened:
			if i, open := work.Browser.State().Interruption(c.ID); open && i.Chooser != nil {
				out.Chooser = &chooser{i.Chooser.Multiple}
			}
		case model.ConsoleMessage:
			out.Message = work.Journal.Message(c.Tab, c.Record)
		case model.PageError:
			out.Thrown = work.Journal.Error(c.Tab, c.Record)
		}
	}
	if c.Tab != "" {
		state := operation{driver: d, tab: c.Tab}.page()
		out.Page = &state
	}
	if d.session.Redacts() {
		return redact.Data(out)
	}
	return json.Marshal(&out, jsontext.AllowInvalidUTF8(true))
}

// stream returns the changes of the session's tabs; nil without a browser.
func (d *driver) stream() *stream.Stream {
	work := d.session.Work()
	if work == nil {
		return nil
	}
	return work.Browser.Stream(work.Context)
}

// catchUp waits until the changes so far were passed on, so that code has the events of an operation before its result.
func (d *driver) catchUp(ctx context.Context) {
	changes := d.stream()
	if changes == nil {
		return
	}
	limit := time.NewTimer(catchUpLimit)
	defer limit.Stop()
	d.flush(ctx, limit.C)
	_, last := changes.Bounds()
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
const catchUpLimit = time.Second
