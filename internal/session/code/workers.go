package code

import (
	"context"
	"sync"
	"time"

	"github.com/chromedp/cdproto/runtime"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/command/run"
)

// listenToWorkers begins to tell the code which dedicated workers the documents of the tab have. Those that are there come first.
func (o operation) listenToWorkers(ctx context.Context, _ jsontext.Value) (any, error) {
	if o.session.JudgesCDP() {
		return nil, api.Errorf(api.Unsupported, "workers: under the site guard and with allowed domains code has no workers of pages, which may be of other sites").
			WithHint("Let the page ask its worker: page.evaluate with a message and its answer.")
	}
	if _, err := o.ofTab(ctx); err != nil {
		return nil, err
	}
	return o.state(ctx, nil)
}

// worker is a dedicated worker of a page.
type worker struct {
	once   sync.Once
	loaded chan struct{} // closed when its script has run, which Chromium tells since version 143, also of a worker that was there before
}

func (c *client) workerLoaded(session string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if w := c.workers[session]; w != nil {
		w.once.Do(func() { close(w.loaded) })
	}
}

// workerAttached tells the code of a worker.
func (c *client) workerAttached(session, url string) {
	c.mu.Lock()
	if c.workers == nil {
		c.workers = map[string]*worker{}
	}
	c.workers[session] = &worker{loaded: make(chan struct{})}
	c.mu.Unlock()
	c.tell("worker", map[string]any{"tab": c.tab, "id": session, "url": url})
}

// workerDetached tells the code that a worker has ended, if the session was of one.
func (c *client) workerDetached(session string) {
	c.mu.Lock()
	ours := c.workers[session]
	delete(c.workers, session)
	c.mu.Unlock()
	if ours != nil {
		c.tell("workerClosed", map[string]any{"tab": c.tab, "id": session})
	}
}

// evaluateInWorker evaluates an expression in a worker.
func (o operation) evaluateInWorker(ctx context.Context, params jsontext.Value) (any, error) {
	var p struct {
		ID     string `json:"id"`
		Source string `json:"source"`
	}
	if err := json.Unmarshal(params, &p); err != nil {
		return nil, api.Errorf(api.InvalidArgument, "evaluate: %w", err)
	}
	c, err := o.ofTab(ctx)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	w := c.workers[p.ID]
	c.mu.Unlock()
	s := c.session.Session(p.ID)
	if w == nil || s == nil {
		return nil, api.Errorf(api.StaleRef, "the worker has ended")
	}
	limit, _ := o.limit(nil)
	late := time.NewTimer(limit)
	defer late.Stop()
	select {
	case <-w.loaded:
	case <-late.C:
		return nil, api.Errorf(api.Timeout, "the script of the worker has not run within %s", limit.Round(time.Second))
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	var out evaluated
	err = o.inTab(ctx, func(ctx context.Context, e *run.Env) error {
		res, err := cdp.Do(ctx, s, runtime.Evaluate, runtime.EvaluateParams{Expression: p.Source, AwaitPromise: new(true), ReturnByValue: new(true)})
		if err != nil {
			return e.Explain(err, "evaluate in the worker")
		}
		got, err := evaluation(e, res.Result, res.ExceptionDetails)
		if err != nil {
			return err
		}
		out, err = o.result(ctx, e, nil, s, got, false)
		return err
	})
	out.Page = o.page()
	return out, err
}
