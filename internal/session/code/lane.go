package code

import (
	"context"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/chromedp/cdproto/runtime"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/command/run"
	"github.com/usher-browser/usher/internal/script"
	"github.com/usher-browser/usher/internal/supervisor/model"
)

// lane is the short way for evaluations that follow one that was carried out in full, with all checks of a command: as long as
// neither the state of the browser nor anything in the session has changed since, and for laneTime at most, the same checks would
// come to the same end. The goroutine that reads the code's process writes the command to the browser, and the goroutine that reads
// the browser writes the answer to the process. What is not answered soon, what fails, and what changes anything goes on the usual
// way, which then judges the result.
//
// It is not in use: [Runs.Run] does not set [script.Run.Direct]. An evaluation whose document is replaced before it is handed over to
// the usual way has no answer and no guard (runlibrary.txtar, goto.js, waited until the end of the run).
type lane struct {
	last atomic.Pointer[checked]
	work sync.WaitGroup // of watch: the end of the run waits for it

	mu      sync.Mutex
	flight  *flight   // guarded by mu: the evaluation that is on the lane
	used    time.Time // guarded by mu: when an evaluation was put on it
	watched bool      // guarded by mu: watch runs
}

const (
	laneTime  = 50 * time.Millisecond // how long checks hold without a change
	watchTime = 10 * time.Millisecond // how long an evaluation may take before dialogs, crashes and deadlines are watched for
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

// flight is an evaluation on the lane. Whoever sets over deals with its end.
type flight struct {
	over  atomic.Bool
	began time.Time
	later func() // goes on the usual way
}

// found returns what holds before an evaluation in full; nil if the lane is not for what follows: there is an action policy,
// a handle, or another frame than the main one of the run's tab.
func (l *lane) found(o operation, e *run.Env, frame *model.Frame, session *cdp.Session, p evaluateParams) *checked {
	begun, restricted := o.session.Begun()
	state := e.Browser.State()
	if restricted || p.Frame != "" || len(p.Handles) > 0 || o.tab != o.order.Tab || frame.Parent != "" || state.Frame(frame.ID) != frame || state.Dialog(o.tab) != nil {
		return nil
	}
	return &checked{e.BrowserContext, state, begun, time.Now().Add(laneTime), session}
}

// open opens the lane after an evaluation in full.
func (l *lane) open(c *checked) {
	if c != nil {
		l.last.Store(c)
	}
}

// holds reports whether nothing has changed since the checks.
func (d *driver) holds(c *checked) bool {
	begun, restricted := d.session.Begun()
	return begun == c.begun && !restricted && c.work.Browser.State() == c.state && d.session.Work() == c.work && d.running.Err() == nil
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
	c := d.lane.last.Load()
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
	f := &flight{began: time.Now()}
	f.later = func() {
		if f.over.CompareAndSwap(false, true) {
			d.lane.leave(f)
			to.Later(func(ctx context.Context) (jsontext.Value, error) {
				<-sent
				return d.perform(ctx, method, params, func(o operation, ctx context.Context, _ jsontext.Value) (any, error) {
					return o.evaluateWith(ctx, p)
				})
			})
		}
	}
	if !d.lane.take(d.running, f) {
		return false
	}
	p.started = cdp.StartDirect[runtime.EvaluateResult](c.session, runtime.CommandEvaluate, command, &cdp.Direct{
		Reply: func(result jsontext.Value) bool {
			value, ok := plainResult(result)
			if !ok || !d.holds(c) || !d.quiet() || !f.over.CompareAndSwap(false, true) {
				return false
			}
			d.lane.leave(f)
			to.Answer(value)
			return true
		},
		Ended: f.later,
	})
	close(sent)
	return true
}

// plainResult returns the result of an evaluation as the code gets it; ok is false for one that threw, and for what has no value.
func plainResult(result jsontext.Value) (value jsontext.Value, ok bool) {
	var got struct {
		Result struct {
			Type  runtime.RemoteObjectType    `json:"type"`
			Value jsontext.Value              `json:"value"`
			Other runtime.UnserializableValue `json:"unserializableValue"`
		} `json:"result"`
		Thrown jsontext.Value `json:"exceptionDetails"`
	}
	if err := json.Unmarshal(result, &got, jsontext.AllowInvalidUTF8(true)); err != nil || len(got.Thrown) > 0 {
		return nil, false
	}
	switch {
	case got.Result.Other != "":
		return append(strconv.AppendQuote([]byte(`{"special":`), string(got.Result.Other)), '}'), true
	case got.Result.Type == runtime.RemoteObjectTypeUndefined:
		return jsontext.Value(`{"special":"undefined"}`), true
	case !got.Result.Value.IsValid(): // also none
		return nil, false
	}
	return append(append([]byte(`{"value":`), got.Result.Value...), '}'), true
}

// take puts an evaluation on the lane; false means that the run is ending.
func (l *lane) take(ctx context.Context, f *flight) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if ctx.Err() != nil {
		return false
	}
	l.flight, l.used = f, f.began
	if !l.watched {
		l.watched = true
		l.work.Go(func() { l.watch(ctx) }) // ends with the run, or when the lane is not used
	}
	return true
}

func (l *lane) leave(f *flight) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.flight == f {
		l.flight = nil
	}
}

// watch sends evaluations that take long on the usual way.
func (l *lane) watch(ctx context.Context) {
	ticks := time.NewTicker(watchTime)
	defer ticks.Stop()
	for {
		ended := false
		select {
		case <-ticks.C:
		case <-ctx.Done():
			ended = true
		}
		l.mu.Lock()
		f := l.flight
		if f == nil && (ended || time.Since(l.used) > time.Second) {
			l.watched = false
			l.mu.Unlock()
			return
		}
		l.mu.Unlock()
		if f != nil && (ended || time.Since(f.began) >= watchTime) {
			f.later()
		}
	}
}
