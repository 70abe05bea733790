package code

import (
	"context"
	"time"

	"github.com/chromedp/cdproto/runtime"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/command/run"
	"github.com/usher-browser/usher/internal/script"
	"github.com/usher-browser/usher/internal/session/code/lane"
	"github.com/usher-browser/usher/internal/supervisor/model"
)

// Evaluations that follow one that was carried out in full, with all checks of a command, go a short way (package lane): as long
// as neither the state of the browser nor anything in the session has changed since, and for laneTime at most, the same checks would
// come to the same end. What is not answered soon, what fails, and what changes anything goes on the usual way, which then judges
// the result.

const (
	laneTime  = 50 * time.Millisecond // how long checks hold without a change
	maxDirect = 2 << 10               // bytes of source
)

// checked is what held when an evaluation was carried out in full.
type checked struct {
	work    *run.BrowserContext
	state   *model.State
	begun   uint64
	until   time.Time
	session *cdp.Session
}

// found returns what holds before an evaluation in full; nil if the lane is not for what follows: there is an action policy,
// a handle, another frame than the main one of the run's tab, or a page in which [mayRun] judges each source.
func (o operation) found(e *run.Env, frame *model.Frame, session *cdp.Session, p evaluateParams) *checked {
	begun, restricted := o.session.Begun()
	state := e.Browser.State()
	if restricted || p.Frame != "" || len(p.Handles) > 0 || o.tab != o.order.Tab || frame.Parent != "" || state.Frame(frame.ID) != frame || state.Dialog(o.tab) != nil || ofError(frame) {
		return nil
	}
	return &checked{e.BrowserContext, state, begun, time.Now().Add(laneTime), session}
}

// holds reports whether nothing has changed since the checks. What the browser logs, and messages of WebSockets, are passed on before the result of
// an evaluation, for which the lane has no time.
func (d *driver) holds(c *checked) bool {
	begun, restricted := d.session.Begun()
	return begun == c.begun && !restricted && !d.following.Load() && c.work.Browser.State() == c.state && d.session.Work() == c.work && d.running.Err() == nil
}

// quiet reports whether the code has all events so far.
func (d *driver) quiet() bool {
	changes := d.stream()
	if changes == nil {
		return false
	}
	_, last := changes.Bounds()
	return d.changes.reached(last) == nil
}

// direct takes an evaluation that can go by the lane: see [script.Run].
func (d *driver) direct(method string, params jsontext.Value, to script.Delivery) bool {
	c := d.checked.Load()
	if method != "page.evaluate" || c == nil || !time.Now().Before(c.until) || len(params) > maxDirect || !d.holds(c) || !d.quiet() {
		return false
	}
	var p evaluateParams
	if err := json.Unmarshal(params, &p); err != nil || (p.Tab != "" && p.Tab != d.order.Tab) || p.Frame != "" || p.Handle || len(p.Handles) > 0 {
		return false
	}
	command, err := json.Marshal(runtime.EvaluateParams{Expression: expression(p), AwaitPromise: new(true), UserGesture: new(true), ReturnByValue: new(true)}, jsontext.AllowInvalidUTF8(true))
	if err != nil {
		return false
	}
	sent := make(chan struct{})
	f := &lane.Flight{}
	f.Later = func() {
		if d.lane.End(f) {
			to.Later(d.perform(nil, method, params, func(o operation, ctx context.Context, _ jsontext.Value) (any, error) {
				<-sent
				return o.evaluateWith(ctx, p)
			}))
		}
	}
	if !d.lane.Take(d.running, f) {
		return false
	}
	p.started = cdp.StartDirect[runtime.EvaluateResult](c.session, runtime.CommandEvaluate, command, &cdp.Direct{
		Reply: func(result jsontext.Value) bool {
			value, ok := lane.Result(result)
			if !ok || !d.holds(c) || !d.quiet() || !d.lane.End(f) {
				return false
			}
			to.Answer(value)
			return true
		},
		Ended: f.Later,
	})
	close(sent)
	return true
}
