package script

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/script/message"
	"github.com/usher-browser/usher/internal/script/vm"
)

// Start returns an engine whose process is starting. The error is that it cannot be started.
func Start(o Options) (*Engine, error) {
	if o.MemoryLimit == 0 {
		o.MemoryLimit = DefaultMemory
	}
	if o.idle == 0 {
		o.idle = idleTime
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	e := &Engine{options: o, running: make(chan struct{}, 1)}
	var err error
	if e.p, err = start(o); err != nil {
		return nil, fmt.Errorf("start the process for JavaScript: %w", err)
	}
	return e, nil
}

// Alive reports whether there is a process. A run starts one if there is none.
func (e *Engine) Alive() bool { return e.PID() != 0 }

// PID returns the number of the process, 0 if there is none.
func (e *Engine) PID() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.p == nil {
		return 0
	}
	return e.p.cmd.Process.Pid
}

// Close ends the process, and a run with it, and waits for both.
func (e *Engine) Close() error {
	e.mu.Lock()
	e.closed = true
	p := e.p
	e.mu.Unlock()
	if p != nil {
		p.kill()
	}
	e.running <- struct{}{} // the run, if there is one, ends
	defer func() { <-e.running }()
	e.drop(p)
	return nil
}

// drop forgets a process that is of no use any more, and waits for its end.
func (e *Engine) drop(p *process) {
	if p == nil {
		return
	}
	p.end()
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.p == p {
		e.p = nil
	}
}

// take returns the process, or a new one.
func (e *Engine) take() (*process, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		return nil, ErrClosed
	}
	if e.p == nil {
		p, err := start(e.options)
		if err != nil {
			return nil, fmt.Errorf("start the process for JavaScript: %w", err)
		}
		e.p = p
	}
	return e.p, nil
}

// Run runs code. What the code does wrong is in the result; an error is one of the engine: [ErrBusy], [ErrClosed], no process, or
// the end of ctx, which ends the run.
func (e *Engine) Run(ctx context.Context, r Run) (Result, error) {
	select {
	case e.running <- struct{}{}:
		defer func() { <-e.running }()
	default:
		return Result{}, ErrBusy
	}
	p, fresh, err := e.ready(ctx)
	if err != nil {
		return Result{}, err
	}
	if r.Timeout <= 0 || r.Timeout > MaxTimeout {
		r.Timeout = MaxTimeout
	}
	if r.Name == "" || strings.HasPrefix(r.Name, "<") || strings.ContainsAny(r.Name, "\n\r()") {
		r.Name = DefaultName
	}
	v := &visit{p: p, run: r, log: e.options.Log}
	if fresh {
		v.restore = e.state
	}
	result, alive, err := v.carryOut(ctx)
	if v.saved != "" {
		e.state = v.saved
	}
	if !alive {
		e.drop(p)
		if _, err := e.take(); err != nil && !errors.Is(err, ErrClosed) { // the next run tries again
			e.options.Log.Warn("no process is ready for the next script", "error", err)
		}
	}
	return result, err
}

// Rest ends the process, after a run if there is one. The next run starts another, which finds what the facade had saved.
func (e *Engine) Rest() {
	e.running <- struct{}{}
	defer func() { <-e.running }()
	e.mu.Lock()
	p := e.p
	e.mu.Unlock()
	e.drop(p)
}

// ready returns a process that is ready for a run, and whether the run gets a new global object. A process that has ended meanwhile is
// replaced.
func (e *Engine) ready(ctx context.Context) (p *process, newGlobal bool, err error) {
	for fresh := false; ; fresh = true {
		e.mu.Lock()
		fresh = fresh || e.p == nil
		e.mu.Unlock()
		p, err := e.take()
		if err != nil {
			return nil, false, err
		}
		select {
		case m := <-p.out:
			if m != nil && m.Type == message.Ready {
				return p, m.Fresh, nil
			}
			e.drop(p)
			if fresh {
				return nil, false, fmt.Errorf("the process for JavaScript ended before it was ready: %w", p.why)
			}
		case <-ctx.Done():
			return nil, false, context.Cause(ctx)
		}
	}
}

// visit is one run in a process.
type visit struct {
	p   *process
	run Run
	log *slog.Logger

	work    sync.WaitGroup // of call and forward: carryOut waits for it
	mu      sync.Mutex     // guards pending
	pending map[int64]pendingCall
	over    bool // guarded by mu: no direct call may begin

	outputs []Output
	bytes   int
	// restore is what the facade had saved, for a new global object, and saved what it saved after this run.
	restore, saved string
}

type pendingCall struct {
	method string
	at     time.Time
	cancel context.CancelFunc // nil for a call that Direct took
}

// carryOut sends the code and serves it until it has ended. alive tells whether the process can be used again.
func (v *visit) carryOut(ctx context.Context) (result Result, alive bool, err error) {
	v.pending = map[int64]pendingCall{}
	inner, cancel := context.WithCancel(ctx)
	defer v.work.Wait()
	defer cancel()
	if v.run.Direct != nil {
		take := func(m *message.Message) bool { return v.takeDirect(inner, m) }
		v.p.direct.Store(&take)
		defer v.endDirect()
	}
	err = v.p.send(&message.Message{Type: message.Run, Run: &message.Code{
		Code: v.run.Code, Name: v.run.Name, Timeout: int64(v.run.Timeout), Config: v.run.Config, Events: v.run.Events != nil,
		Expression: v.run.Expression, State: v.restore,
	}})
	if err != nil {
		return Result{}, false, fmt.Errorf("send the code: %w", err)
	}
	v.work.Go(func() { v.forward(inner) })
	kill := time.NewTimer(v.run.Timeout + Grace)
	defer kill.Stop()
	over := ctx.Done()
	for {
		select {
		case m, ok := <-v.p.out:
			if !ok {
				return v.died(fmt.Sprintf("the process that ran the code ended: %v", v.p.why)), false, context.Cause(ctx)
			}
			done, err := v.take(inner, m)
			if err != nil {
				v.p.kill() // so that nobody waits for it
				return v.died("the process that ran the code was killed: " + err.Error()), false, nil
			}
			if done {
				v.saved = m.Result.State
				return v.result(m.Result), !m.Result.Last, context.Cause(ctx)
			}
		case <-over:
			over = nil
			kill.Reset(Grace)
		case <-kill.C:
			v.p.kill()
			return v.overdue(), false, context.Cause(ctx)
		}
	}
}

// forward sends the events, and tells the process when the run is over. It ends with ctx.
func (v *visit) forward(ctx context.Context) {
	for events := v.run.Events; ; {
		select {
		case e, ok := <-events:
			if !ok {
				events = nil
				continue
			}
			if e.Name == "" {
				continue
			}
			if err := v.p.send(&message.Message{Type: message.Event, Name: e.Name, Value: e.Data}); err != nil {
				v.log.Warn("an event for a script was left out", "event", e.Name, "error", err)
			}
		case <-ctx.Done():
			_ = v.p.send(&message.Message{Type: message.Stop}) // it is small; the process may have ended the run already
			return
		}
	}
}

// take serves one message. An error means that the process is not to be trusted any more.
func (v *visit) take(ctx context.Context, m *message.Message) (done bool, err error) {
	switch {
	case m.Type == message.Call:
		v.mu.Lock()
		_, twice := v.pending[m.ID]
		inner, cancel := context.WithCancel(ctx)
		v.pending[m.ID] = pendingCall{m.Called(), time.Now(), cancel}
		count := len(v.pending)
		v.mu.Unlock()
		if twice || count > vm.MaxInFlight {
			cancel()
			return false, fmt.Errorf("call %d is one more than %d at a time, or has the number of another", m.ID, vm.MaxInFlight)
		}
		carryOut := v.run.Call(m.Name, m.Value)
		v.work.Go(func() {
			defer cancel()
			v.call(ctx, m, func() (jsontext.Value, error) { return carryOut(inner) })
		})
	case m.Type == message.Cancel:
		v.mu.Lock()
		cancel := v.pending[m.ID].cancel
		v.mu.Unlock()
		if cancel != nil {
			cancel()
		}
	case m.Type == message.Output && m.Output != nil:
		o := Output{Kind: m.Output.Kind, Level: m.Output.Level, Text: m.Output.Text, Data: m.Output.Data, MIMEType: m.Output.MIMEType}
		v.bytes += len(o.Text) + len(o.Data)
		if v.outputs = append(v.outputs, o); len(v.outputs) > vm.MaxOutputs+1 || v.bytes > vm.MaxShownText+vm.MaxShownData+vm.MaxOneText {
			return false, errors.New("it shows more than it may")
		}
		if v.run.Output != nil {
			v.run.Output(o)
		}
	case m.Type == message.Result && m.Result != nil:
		return true, nil
	default:
		return false, fmt.Errorf("it sent a message of type %q", m.Type)
	}
	return false, nil
}

// takeDirect offers a call to Direct. It is called by the goroutine that reads.
func (v *visit) takeDirect(ctx context.Context, m *message.Message) bool {
	v.mu.Lock()
	if v.over || len(v.pending) > 0 {
		v.mu.Unlock()
		return false
	}
	v.pending[m.ID] = pendingCall{m.Called(), time.Now(), nil}
	v.work.Add(1)
	v.mu.Unlock()
	taken := v.run.Direct(m.Name, m.Value, Delivery{
		Answer: func(result jsontext.Value) {
			v.answered(m)
			answer := &message.Message{Type: message.Answer, ID: m.ID, Value: result}
			if v.p.trySend(answer) {
				v.work.Done()
				return
			}
			go func() {
				defer v.work.Done()
				v.send(m, answer)
			}()
		},
		Later: func(f func(context.Context) (jsontext.Value, error)) {
			go func() {
				defer v.work.Done()
				v.call(ctx, m, func() (jsontext.Value, error) { return f(ctx) })
			}()
		},
	})
	if !taken {
		v.answered(m)
		v.work.Done()
	}
	return taken
}

// endDirect sees to it that no direct call begins any more.
func (v *visit) endDirect() {
	v.p.direct.Store(nil)
	v.mu.Lock()
	defer v.mu.Unlock()
	v.over = true
}

// call carries out a call and sends the answer.
func (v *visit) call(ctx context.Context, m *message.Message, carryOut func() (jsontext.Value, error)) {
	answer := &message.Message{Type: message.Answer, ID: m.ID}
	result, err := carryOut()
	if err == nil && len(result) > 0 && !result.IsValid() {
		err = errors.New("the answer is not JSON")
	}
	if answer.Value = result; err != nil {
		answer.Value, answer.Error = nil, errorMessage(err)
	}
	v.answered(m)
	if ctx.Err() != nil {
		return // the run is over
	}
	v.send(m, answer)
}

func (v *visit) answered(m *message.Message) {
	v.mu.Lock()
	defer v.mu.Unlock()
	delete(v.pending, m.ID)
}

// send sends the answer to a call, or why it cannot be sent.
func (v *visit) send(m, answer *message.Message) {
	if err := v.p.send(answer); err != nil {
		answer.Value, answer.Error = nil, errorMessage(fmt.Errorf("send the answer of %s: %w", m.Name, err))
		_ = v.p.send(answer) // it is small
	}
}

// errorMessage returns what the code sees of an error.
func errorMessage(err error) *message.Error {
	e := api.AsError(err)
	m := &message.Error{Name: "Error", Message: e.Message, Code: string(e.Code), Hint: e.NextStep()}
	if e.Code == api.Timeout {
		m.Name = "TimeoutError"
	}
	if e.Data != nil {
		if data, err := json.Marshal(e.Data); err == nil {
			m.Data = data
		}
	}
	return m
}

// result returns what the process reported.
func (v *visit) result(o *message.Outcome) Result {
	r := Result{Value: o.Value, Text: o.Text, TimedOut: o.TimedOut, Outputs: v.outputs}
	for _, w := range o.Waiting {
		r.Waiting = append(r.Waiting, Waiting{Method: w.Method, For: time.Duration(w.For)})
	}
	if o.Error != nil {
		e := o.Error
		r.Err = &Error{
			Name: e.Name, Message: e.Message, Stack: e.Stack, Line: e.Line, Column: e.Column,
			Hint: e.Hint, Code: e.Code, Data: e.Data, Unhandled: e.Unhandled,
		}
	}
	return r
}

// died returns the result of a run whose process is gone.
func (v *visit) died(why string) Result {
	r := v.result(&message.Outcome{Error: &message.Error{Name: "InternalError", Message: why}})
	r.Killed = true
	return r
}

// overdue returns the result of a run that did not end when it should have.
func (v *visit) overdue() Result {
	waiting := v.waiting()
	text := "it was computing, in one long operation of the language"
	if len(waiting) > 0 {
		text = "it was computing, and had not awaited " + vm.Describe(waiting)
	}
	r := v.result(&message.Outcome{TimedOut: true, Waiting: waiting, Error: &message.Error{
		Name: "TimeoutError", Message: fmt.Sprintf("the code did not finish within %s, and was killed: %s", vm.Time(v.run.Timeout), text),
	}})
	r.Killed = true
	return r
}

// waiting returns the calls without an answer, the oldest first.
func (v *visit) waiting() []message.Waiting {
	v.mu.Lock()
	defer v.mu.Unlock()
	ids := slices.Sorted(maps.Keys(v.pending))
	list := make([]message.Waiting, 0, len(ids))
	for _, id := range ids {
		list = append(list, message.Waiting{Method: v.pending[id].method, For: int64(time.Since(v.pending[id].at))})
	}
	return list
}
