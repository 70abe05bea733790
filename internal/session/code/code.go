// Package code runs JavaScript that drives a tab: the command `run`, and with it the tool browser.
//
// The code runs in a child process (package script), which has no access to files, network or other processes. What it
// asks for arrives here as operations: a method and parameters in JSON. Most are commands of the table, which run as those
// of every other frontend do, with the session's site guard, action policy and order of commands. The rest, such as
// evaluating a function with handles, are in this package.
package code

import (
	"context"
	_ "embed"
	"sync"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/command/run"
	"github.com/usher-browser/usher/internal/element/locate"
	"github.com/usher-browser/usher/internal/script"
	"github.com/usher-browser/usher/internal/session/code/executor"
	"github.com/usher-browser/usher/internal/session/code/order"
	"github.com/usher-browser/usher/internal/session/code/permit"
	"github.com/usher-browser/usher/internal/session/code/report"
	"github.com/usher-browser/usher/internal/supervisor/model"
	"github.com/usher-browser/usher/internal/verb"
)

// facade is the bundle of ui/script.
//
//go:embed facade.js
var facade string

// Session runs what code asks for.
type Session interface {
	// Command runs a command of the table.
	Command(ctx context.Context, c Command) (run.Result, error)
	// Work returns the session's work in its browser; nil without a browser.
	Work() *run.BrowserContext
	// Redacts reports whether secrets are redacted in what is read of pages.
	Redacts() bool
	// JudgesCDP reports whether the code's raw CDP calls are judged as those of the command cdp: under the site guard, and with
	// allowed domains.
	JudgesCDP() bool
	// Viewport returns the size of the session's pages; nil if it is not known.
	Viewport() *Viewport
	// Begun counts the commands and operations that have begun in the session, and reports whether an action policy is in force.
	Begun() (number uint64, restricted bool)
	// InTab runs a function in a tab like a command with this grammar, except that it does not wait for its turn: code may
	// wait for what another of its operations does.
	InTab(ctx context.Context, tab model.TargetID, v *verb.Verb, f run.Func) error
	// Outside runs a function that sends a request from this machine to an address, in place of the browser, if the action policy allows
	// that, in the environment of a tab whose guards judge what it sends.
	Outside(ctx context.Context, tab model.TargetID, address string, f func(context.Context, *run.Env) error) error
	// Restrictions returns what the person whose browser this is lets code do; nil for everything, as in all browsers but a
	// person's own over the relay.
	Restrictions(ctx context.Context) (*permit.Restrictions, error)
}

// Viewport is what code sees as page.viewport(): the size in CSS pixels, and what is emulated with it.
type Viewport struct {
	Width    int     `json:"width"`
	Height   int     `json:"height"`
	Scale    float64 `json:"deviceScaleFactor,omitzero"`
	Mobile   bool    `json:"isMobile,omitzero"`
	HasTouch bool    `json:"hasTouch,omitzero"`
}

// Command is a command of the table that code runs.
type Command struct {
	Tab    string // its id, label or target id
	Name   string
	Values verb.Values
	// Limit is how long it may wait, and Limited reports whether the code chose that.
	Limit   time.Duration
	Limited bool
	// Strict refuses selectors that match several elements.
	Strict bool
	// Aim is how an action with the mouse takes its target.
	Aim locate.Aim
	// Category is what the command counts as for an action policy; empty for its own.
	Category verb.Category
}

// Runs are the script engines of a session: one per tab, kept between runs, and one per client whose state is kept.
type Runs struct {
	mu      sync.Mutex
	engines map[model.TargetID]*engine // guarded by mu
	// kept are the engines of code whose state is kept.
	kept executor.Set
	// scripts are the init scripts that code added.
	scripts initScripts
	clocks  clocks
}

// engine is the script engine of a tab. The zero value has no process yet.
type engine struct {
	turn chan struct{} // holds a token while code runs
	*script.Engine
}

// acquire returns the engine of a tab, for one run.
func (r *Runs) acquire(tab model.TargetID) (e *engine, release func(), err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.engines == nil {
		r.engines = map[model.TargetID]*engine{}
	}
	if e = r.engines[tab]; e == nil {
		e = &engine{turn: make(chan struct{}, 1)}
		r.engines[tab] = e
	}
	select {
	case e.turn <- struct{}{}:
		return e, func() { <-e.turn }, nil
	default:
		return nil, nil, api.Errorf(api.TabBusy, "tab %s is busy: other code runs in it", tab).
			WithHint("Wait until it has ended, or run this in another tab.")
	}
}

// Keep ends the engines of tabs that are not among these.
func (r *Runs) Keep(open func(model.TargetID) bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for tab, e := range r.engines {
		if open(tab) {
			continue
		}
		select {
		case e.turn <- struct{}{}:
			e.end()
			delete(r.engines, tab)
		default: // its run notices
		}
	}
}

// Close ends all engines. Code that runs is ended.
func (r *Runs) Close() {
	r.kept.Close()
	r.mu.Lock()
	defer r.mu.Unlock()
	for tab, e := range r.engines {
		e.end()
		delete(r.engines, tab)
	}
}

func (e *engine) end() {
	if e.Engine != nil {
		_ = e.Close() // it ends a process, whose exit status says nothing
	}
}

// Run runs code and returns what came of it. The error is one of starting the engine; an error of the code is in the
// result.
func (r *Runs) Run(ctx context.Context, s Session, o order.Order) (report.Result, error) {
	if o.State != "" {
		return r.runKept(ctx, s, o)
	}
	e, release, err := r.acquire(o.Tab)
	if err != nil {
		return report.Result{}, err
	}
	defer release()
	if e.Engine == nil || !e.Alive() {
		if e.Engine, err = script.Start(script.Options{Facade: facade}); err != nil {
			return report.Result{}, api.Errorf(api.Internal, "the process for scripts did not start: %w", err)
		}
	}
	return r.carryOut(ctx, s, o, r.newDriver(ctx, s, o), e.Engine)
}

// runKept runs code whose state is kept.
func (r *Runs) runKept(ctx context.Context, s Session, o order.Order) (report.Result, error) {
	e, ctx, release, err := r.kept.Acquire(ctx, o.State, func() (*script.Engine, error) {
		return script.Start(script.Options{Facade: facade, Keep: true})
	})
	if err != nil {
		return report.Result{}, err
	}
	defer release()
	d := r.newDriver(ctx, s, o)
	d.handles, d.known, d.tabs = &e.Handles, &e.Known, &e.Tabs
	d.known.Forget() // what a run was told last may not have arrived
	result, err := r.carryOut(ctx, s, o, d, e.Engine)
	return result, executor.Ended(ctx, err)
}

func (r *Runs) carryOut(ctx context.Context, s Session, o order.Order, d *driver, engine *script.Engine) (out report.Result, err error) {
	defer func() { out.News = append(out.News, d.close()...) }()
	d.tabs.Begin(s.Work(), o.Tab)
	setup, err := json.Marshal(d.setup())
	if err != nil {
		return report.Result{}, api.Errorf(api.Internal, "run: %w", err)
	}
	result, err := engine.Run(ctx, script.Run{
		Code: o.Code, Name: o.Name, Timeout: o.Timeout, Expression: o.Playwright, Config: jsontext.Value(setup), Call: d.call, Direct: d.direct, Events: d.events, Output: o.Output,
	})
	recoverTab(ctx, s, &o, &result)
	out = report.Result{Result: result, Screenshots: d.shots.all()}
	if o.Playwright {
		out.News = d.tabs.News(s.Work())
	}
	return out, err
}

// Reset ends what is kept under a name, with code that runs. It reports whether there was anything.
func (r *Runs) Reset(name string) bool {
	r.clocks.end(clockOwner{keep: name})
	return r.kept.Reset(name)
}
