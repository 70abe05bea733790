package code

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/command/run"
	"github.com/usher-browser/usher/internal/supervisor"
	"github.com/usher-browser/usher/internal/supervisor/model"
)

// clockFile is the bundle of ui/page/src/clock.ts: an expression with the function that returns the clock of a document.
//
//go:embed clock.js
var clockFile string

// clockScript is the expression alone.
var clockScript = strings.TrimSuffix(strings.TrimSpace(clockFile), ";")

// clocks has the clock that code sets for the pages of a session. Documents that are open keep theirs. New ones get it by an init script,
// which ends with the run, or stays as long as the code's state is kept. The zero value sets none.
type clocks struct {
	mu      sync.Mutex
	of      clockOwner          // guarded by mu
	browser *supervisor.Browser // guarded by mu: that has the init script
	context model.ContextID     // guarded by mu
	script  string              // guarded by mu: the id of the init script; empty for none
	steps   []clockStep         // guarded by mu
}

// clockOwner is the run, or the name of the kept state, whose clock it is.
type clockOwner struct {
	run  int
	keep string
}

// clockStep is a call of page.clock, which new documents repeat.
type clockStep struct {
	Name string `json:"name"`
	// At is when it was made, in milliseconds since 1970.
	At int64 `json:"at"`
	// Value is a time since 1970 or a duration, in milliseconds.
	Value float64 `json:"value"`
}

// add adds a step for new documents.
func (c *clocks) add(ctx context.Context, e *run.Env, of clockOwner, s clockStep) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.of != of || c.browser != e.Browser {
		c.of, c.steps = of, nil
	}
	c.steps = append(c.steps, s)
	steps, err := json.Marshal(c.steps)
	if err != nil {
		return api.Errorf(api.InvalidArgument, "clock: %w", err)
	}
	id, err := e.Browser.AddInitScript(ctx, e.Context, supervisor.InitScript{Source: clockScript + "(" + string(steps) + ")", From: "page.clock", BuiltIn: true})
	if err != nil {
		return e.Explain(err, "clock")
	}
	if c.script != "" {
		if _, err := c.browser.RemoveInitScript(ctx, c.context, c.script); err != nil {
			return e.Explain(err, "clock")
		}
	}
	c.browser, c.context, c.script = e.Browser, e.Context, id
	return nil
}

// end takes the clock of a run, or of a kept state, away from new documents, and returns why that failed. A browser that has gone has no new
// documents.
func (c *clocks) end(of clockOwner) (left []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.of != of || c.script == "" {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), clockEnd)
	defer cancel()
	_, err := c.browser.RemoveInitScript(ctx, c.context, c.script)
	c.script, c.steps = "", nil
	select {
	case <-c.browser.Done():
	default:
		if err != nil {
			left = []string{fmt.Sprintf("new documents still get the clock of page.clock: %v; initscripts lists it", err)}
		}
	}
	return left
}

// clockEnd is how long the end of a run waits until new documents have the machine's clock again.
const clockEnd = 5 * time.Second

// clockOwner returns whose clock the code's is.
func (d *driver) clockOwner() clockOwner {
	if d.order.State != "" {
		return clockOwner{keep: d.order.State}
	}
	return clockOwner{run: d.number}
}

// clock carries out a call of page.clock, in every document of the session.
func (o operation) clock(ctx context.Context, params jsontext.Value) (any, error) {
	var p struct {
		Name  string  `json:"name"`
		Value float64 `json:"value"`
	}
	if err := json.Unmarshal(params, &p); err != nil {
		return nil, api.Errorf(api.InvalidArgument, "clock: %w", err)
	}
	step := clockStep{p.Name, time.Now().UnixMilli(), p.Value}
	call, err := json.Marshal(step)
	if err != nil {
		return nil, api.Errorf(api.InvalidArgument, "clock: %w", err)
	}
	source := "(async ({name, value}) => { await " + clockScript + "([])[name](value); })(" + string(call) + ")"
	var tabs []*model.Tab
	err = o.inTab(ctx, func(ctx context.Context, e *run.Env) error {
		tabs = e.Browser.State().ContextTabs(e.Context)
		return o.clocks.add(ctx, e, o.clockOwner(), step)
	})
	if err != nil {
		return nil, err
	}
	var failed []error
	for _, tab := range tabs {
		failed = append(failed, operation{driver: o.driver, tab: tab.ID}.setClock(ctx, tab, source))
	}
	if err := errors.Join(failed...); err != nil {
		return nil, err
	}
	return o.state(ctx, nil)
}

// setClock evaluates in the frames of a tab. A frame that went meanwhile, or that the site guard refuses, keeps its time; of the others
// the first error is returned.
func (o operation) setClock(ctx context.Context, tab *model.Tab, source string) error {
	return o.inTab(ctx, func(ctx context.Context, e *run.Env) error {
		var first error
		for id := range tab.Frames {
			_, err := o.evaluateIn(ctx, e, evaluateParams{Frame: string(id), Source: source})
			if err == nil || id != tab.Main && slices.Contains([]api.Code{api.FrameDetached, api.URLBlocked}, api.AsError(err).Code) {
				continue
			}
			if first == nil || id == tab.Main {
				first = err
			}
		}
		return first
	})
}
