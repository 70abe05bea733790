// Package lane keeps account of the evaluations of a run that go a short way: the goroutine that reads the code's process writes
// them to the browser, and the one that reads the browser writes the answer to the process.
package lane

import (
	"context"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/chromedp/cdproto/runtime"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// soon is how long an evaluation may take before it is handed over to the usual way, where dialogs, crashes and deadlines are
// watched for.
const soon = 10 * time.Millisecond

// Lane has one evaluation at a time. The zero value has none.
type Lane struct {
	work sync.WaitGroup // of watch

	mu      sync.Mutex
	flight  *Flight   // guarded by mu: the evaluation that is on the lane
	used    time.Time // guarded by mu: when an evaluation was put on it
	watched bool      // guarded by mu: watch runs
}

// Flight is an evaluation on the lane. Whoever ends it deals with its result.
type Flight struct {
	// Later takes over an evaluation that is not answered soon.
	Later func()

	over  atomic.Bool
	began time.Time
}

// Take puts an evaluation on the lane; false means that ctx, the run, has ended.
func (l *Lane) Take(ctx context.Context, f *Flight) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if ctx.Err() != nil {
		return false
	}
	f.began = time.Now()
	l.flight, l.used = f, f.began
	if !l.watched {
		l.watched = true
		l.work.Go(func() { l.watch(ctx) }) // ends with the run, or when the lane is not used
	}
	return true
}

// End takes an evaluation from the lane, and reports whether nobody did before.
func (l *Lane) End(f *Flight) bool {
	if !f.over.CompareAndSwap(false, true) {
		return false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.flight == f {
		l.flight = nil
	}
	return true
}

// Wait waits until nothing watches the lane, after the end of the run.
func (l *Lane) Wait() { l.work.Wait() }

// watch has evaluations that take long taken over.
func (l *Lane) watch(ctx context.Context) {
	ticks := time.NewTicker(soon)
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
		if f != nil && (ended || time.Since(f.began) >= soon) {
			f.Later()
		}
	}
}

// Result returns the result of an evaluation as the code gets it; ok is false for one that threw, and for what has no value.
func Result(result jsontext.Value) (value jsontext.Value, ok bool) {
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
