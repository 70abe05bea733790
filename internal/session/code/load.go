package code

import (
	"context"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/command/run"
	"github.com/usher-browser/usher/internal/journal"
	"github.com/usher-browser/usher/internal/session/code/known"
	"github.com/usher-browser/usher/internal/supervisor/model"
)

// loadParams are the parameters of page.load.
type loadParams struct {
	// Command is open, reload, back or forward.
	Command string         `json:"command"`
	Values  map[string]any `json:"values"`
	// Until is how far it waits: load, domcontentloaded or commit.
	Until   string   `json:"until"`
	Timeout *float64 `json:"timeout"`
}

// loaded is the result of page.load.
type loaded struct {
	// Response is the request that the document came from; null for a document without one, and for the same document.
	Response *entry     `json:"response"`
	Page     known.Page `json:"page"`
}

// entry is a request with the earlier steps of it.
type entry struct {
	journal.Request
	Redirects []journal.Request `json:"redirects,omitzero"`
	Seen      *journal.Seen     `json:"seen,omitzero"`
}

func entryOf(d *journal.Detail) *entry { return &entry{d.Request, d.Redirects, d.Seen} }

// load loads a document.
func (o operation) load(ctx context.Context, params jsontext.Value) (any, error) {
	var p loadParams
	if err := json.Unmarshal(params, &p); err != nil {
		return nil, api.Errorf(api.InvalidArgument, "load: %w", err)
	}
	before := o.loader()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	done := make(chan error, 1)
	go func() {
		_, err := o.run(ctx, p.Command, commandParams{Values: p.Values, Timeout: p.Timeout})
		done <- err
	}()
	err := o.reached(ctx, p.Until, before, done)
	if err != nil && api.AsError(err).Code == api.DialogOpen && o.awaitAnswer(ctx, p.Command, answerLimit) {
		err = o.left(ctx, before, err)
	}
	if err != nil {
		if api.AsError(err).Code == api.NoHistory {
			return loaded{Page: o.page()}, nil
		}
		return nil, err
	}
	out := loaded{Page: o.page()}
	if out.Page.Loader != before {
		out.Response = o.entry(out.Page.Loader)
	}
	return out, nil
}

// reached waits for the end of a command that loads a document, or until the document has a state before its load event.
func (o operation) reached(ctx context.Context, until, before string, done <-chan error) error {
	work := o.session.Work()
	if until == "load" || work == nil {
		return <-done
	}
	early, cancel := context.WithCancel(ctx)
	defer cancel()
	there := make(chan error, 1)
	go func() {
		there <- work.Browser.Wait(early, func(s *model.State) (bool, error) {
			main := s.MainFrame(o.tab)
			return main != nil && main.Loader != before && (until == "commit" || main.Ready()), s.TabLost(o.tab)
		})
	}()
	select {
	case err := <-done:
		return err
	case err := <-there:
		if err != nil {
			return <-done
		}
		return nil
	}
}

// left waits until a page whose dialog the code answered while it was left is replaced by another. If it stays, the error is that
// of the dialog.
func (o operation) left(ctx context.Context, before string, dialog error) error {
	work := o.session.Work()
	if work == nil {
		return dialog
	}
	limit, _ := o.limit(nil)
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	started := time.Now()
	err := work.Browser.Wait(ctx, func(s *model.State) (bool, error) {
		main := s.MainFrame(o.tab)
		if main != nil && main.Loader == before && main.PendingURL == "" && time.Since(started) > answerLimit {
			return false, dialog // it was dismissed
		}
		return main != nil && main.Loader != before && main.Loaded, s.TabLost(o.tab)
	})
	if err != nil {
		return dialog
	}
	return nil
}

// entry returns a request of the tab; nil if there is none with this id.
func (o operation) entry(id string) *entry {
	work := o.session.Work()
	if work == nil || id == "" {
		return nil
	}
	found, err := work.Journal.Request(id, work.Journal.Tabs(work.Context)...)
	if err != nil {
		return nil
	}
	return entryOf(found)
}

// request returns a request as it is recorded now.
func (o operation) request(_ context.Context, params jsontext.Value) (any, error) {
	var p struct {
		ID string `json:"id"`
	}
	if err := json.Unmarshal(params, &p); err != nil {
		return nil, api.Errorf(api.InvalidArgument, "request: %w", err)
	}
	found := o.entry(p.ID)
	if found == nil {
		return nil, api.Errorf(api.RequestNotFound, "no request %s in this session", p.ID)
	}
	return struct {
		Request *entry     `json:"request"`
		Page    known.Page `json:"page"`
	}{found, o.page()}, nil
}

// state returns the state of the tab.
func (o operation) state(context.Context, jsontext.Value) (any, error) {
	return struct {
		Page known.Page `json:"page"`
	}{o.page()}, nil
}

// idle waits until no more than some requests of the tab have been in flight for a time.
func (o operation) idle(ctx context.Context, params jsontext.Value) (any, error) {
	var p struct {
		Idle        float64  `json:"idle"` // in milliseconds
		Connections int      `json:"connections"`
		Timeout     *float64 `json:"timeout"`
	}
	if err := json.Unmarshal(params, &p); err != nil {
		return nil, api.Errorf(api.InvalidArgument, "waitForNetworkIdle: %w", err)
	}
	limit, _ := o.limit(p.Timeout)
	err := o.inTab(ctx, func(ctx context.Context, e *run.Env) error {
		ctx, cancel := context.WithTimeout(ctx, limit)
		defer cancel()
		quiet := time.Duration(p.Idle * float64(time.Millisecond))
		tick := time.NewTicker(min(max(quiet/5, 5*time.Millisecond), 50*time.Millisecond))
		defer tick.Stop()
		for since := time.Now(); time.Since(since) < quiet; {
			select {
			case <-tick.C:
			case <-ctx.Done():
				return api.Errorf(api.Timeout, "waitForNetworkIdle: %d requests were still in flight after %s", e.Journal.InFlight(o.tab), limit)
			}
			if e.Journal.InFlight(o.tab) > p.Connections {
				since = time.Now()
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return o.state(ctx, nil)
}
