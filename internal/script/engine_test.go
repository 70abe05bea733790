package script

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// TestCalls: calls run at the same time, at most 1,000 of them, and each gets its answer.
func TestCalls(t *testing.T) {
	t.Parallel()
	e := newEngine(t)
	var now, most atomic.Int64
	r, err := e.Run(t.Context(), Run{
		Code:    "const all = await Promise.all(Array.from({ length: 3000 }, (_, i) => tab.echo(i))); return all.every((v, i) => v === i) && all.length",
		Timeout: time.Minute,
		Call: AnyOrder(func(_ context.Context, _ string, params jsontext.Value) (jsontext.Value, error) {
			n := now.Add(1)
			defer now.Add(-1)
			for old := most.Load(); n > old && !most.CompareAndSwap(old, n); old = most.Load() {
			}
			return params, nil
		}),
	})
	if err != nil || r.Err != nil || r.Text != "3000" {
		t.Errorf("got %s %v %v", r.Text, r.Err, err)
	}
	if most.Load() > 1000 {
		t.Errorf("%d calls at a time", most.Load())
	}
}

// TestLateAnswer: the answer of a call that was not awaited does not reach the next run, whose calls have the same numbers.
func TestLateAnswer(t *testing.T) {
	t.Parallel()
	e := newEngine(t)
	for i := range 50 {
		r := run(t, e, fmt.Sprintf("tab.echo('old'); tab.echo('old'); return await tab.echo(%d)", i))
		if r.Text != fmt.Sprint(i) {
			t.Fatalf("got %s %v", r.Text, r.Err)
		}
	}
}

// TestEvents: events come in order, and code that waits for one is not taken for code that waits for nothing.
func TestEvents(t *testing.T) {
	t.Parallel()
	e := newEngine(t)
	events := make(chan Event, 10)
	for i := range 5 {
		events <- Event{Name: "n", Data: jsontext.Value(fmt.Sprint(i))}
	}
	events <- Event{Name: "last"}
	r, err := e.Run(t.Context(), Run{Code: "while (events.length < 6) await nextEvent(); return JSON.stringify([events, config])", Timeout: time.Minute, Call: AnyOrder(answer), Events: events, Config: jsontext.Value(`{"tab":"main"}`)})
	if want := `[[["n",0],["n",1],["n",2],["n",3],["n",4],["last",null]],{"tab":"main"}]`; err != nil || r.Text != want {
		t.Errorf("got %s %v %v", r.Text, r.Err, err)
	}
}

// TestEventsComeBeforeTheAnswer: what happened before a call ended is known when the code goes on.
func TestEventsComeBeforeTheAnswer(t *testing.T) {
	t.Parallel()
	e := newEngine(t)
	events := make(chan Event)
	call := func(context.Context, string, jsontext.Value) (jsontext.Value, error) {
		events <- Event{Name: "n"}
		events <- Event{}
		return jsontext.Value("1"), nil
	}
	r, err := e.Run(t.Context(), Run{Code: "for (let i = 1; i <= 2000; i++) { await tab.echo(1); if (events.length !== i) return `${events.length} events after ${i} calls` } return 'all'",
		Timeout: time.Minute, Call: AnyOrder(call), Events: events})
	if err != nil || r.Text != "all" {
		t.Errorf("got %s %v %v", r.Text, r.Err, err)
	}
}

// TestEndedContext: the end of the caller's context ends the run, and the engine goes on.
func TestEndedContext(t *testing.T) {
	t.Parallel()
	e := newEngine(t)
	for _, code := range []string{"await tab.forever()", "for (;;) {}", "[].indexOf.call({ length: 2 ** 53 - 1 }, 1)"} {
		ctx, cancel := context.WithCancelCause(t.Context())
		why := errors.New("no longer wanted")
		began := make(chan struct{})
		r, err := e.Run(ctx, Run{Code: "console.log('began'); " + code, Timeout: time.Hour, Call: AnyOrder(answer), Output: func(Output) { close(began); cancel(why) }})
		<-began
		if !errors.Is(err, why) {
			t.Errorf("%s: %+v %v", code, r, err)
		}
		if r := run(t, e, "return 1"); r.Text != "1" {
			t.Errorf("after %s: %+v", code, r)
		}
	}
}

// TestBusy: one run at a time; a closed engine has none.
func TestBusy(t *testing.T) {
	t.Parallel()
	e := newEngine(t)
	began := make(chan struct{})
	ended := make(chan Result)
	go func() { // it sends its result
		r, _ := e.Run(t.Context(), Run{Code: "console.log(1); await tab.forever()", Timeout: time.Hour, Call: AnyOrder(answer), Output: func(Output) { close(began) }})
		ended <- r
	}()
	<-began
	if _, err := e.Run(t.Context(), Run{Code: "1"}); !errors.Is(err, ErrBusy) {
		t.Errorf("a second run: %v", err)
	}
	if err := e.Close(); err != nil {
		t.Error(err)
	}
	if r := <-ended; !r.Killed || r.Err == nil || !strings.Contains(r.Err.Message, "the process that ran the code ended") {
		t.Errorf("the run when the engine is closed: %+v", r)
	}
	if _, err := e.Run(t.Context(), Run{Code: "1"}); !errors.Is(err, ErrClosed) || e.Alive() {
		t.Errorf("after that: %v", err)
	}
}

// TestLostProcess: a process that something else kills is replaced, between runs and in one.
func TestLostProcess(t *testing.T) {
	t.Parallel()
	e := newEngine(t)
	for range 3 {
		run(t, e, "return 1")
		p, err := os.FindProcess(e.PID())
		if err != nil {
			t.Fatal(err)
		}
		_ = p.Kill()
	}
	r, err := e.Run(t.Context(), Run{Code: "console.log(1); await tab.forever()", Timeout: time.Hour, Call: AnyOrder(answer), Output: func(Output) {
		p, _ := os.FindProcess(e.PID())
		_ = p.Kill()
	}})
	if err != nil || !r.Killed || !strings.Contains(r.Err.Message, "signal: killed") {
		t.Errorf("got %+v %v", r, err)
	}
	if r := run(t, e, "return 2"); r.Text != "2" {
		t.Errorf("after that: %+v", r)
	}
}

// TestFloods: what is shown is bounded, and what is left out is counted.
func TestFloods(t *testing.T) {
	t.Parallel()
	e := newEngine(t)
	floods := map[string]string{
		"for (let i = 0; i < 5000; i++) console.log(i)":         "3000 more outputs were left out",
		"for (let i = 0; i < 10; i++) display('x'.repeat(1e6))": "6 more outputs were left out",
		"display('x'.repeat(3e6)); console.log('y')":            "y",
	}
	if !raceDetector { // the bytes and their shadow are over the limit of the process
		floods["const b = Buffer.alloc(3e7); for (let i = 0; i < 3; i++) display({ type: 'image', data: b })"] = "2 more outputs were left out"
	}
	for code, want := range floods {
		r := run(t, e, code)
		last := ""
		if n := len(r.Outputs); n > 0 {
			last = r.Outputs[n-1].Text
		}
		if r.Err != nil || !strings.Contains(last, want) {
			t.Errorf("%s: %v, %d outputs, the last %.200v", code, r.Err, len(r.Outputs), last)
		}
		for _, o := range r.Outputs {
			if len(o.Text) > 1<<20+100 {
				t.Errorf("%s: an output has %d bytes", code, len(o.Text))
			}
		}
	}
}

// TestUntrustedProcess: whatever a process writes, a run with it ends with an error that says so.
func TestUntrustedProcess(t *testing.T) {
	// Not beside other tests: a process that they start meanwhile would have the script open for writing.
	if runtime.GOOS == "windows" {
		t.Skip("the processes are shell scripts")
	}
	ready := `printf '\000\000\000\020{"type":"ready"}'; `
	for name, script := range map[string]string{
		"silent":        "exit 0",
		"complains":     "echo the reason >&2; exit 3",
		"too large":     ready + `printf '\377\377\377\377'; cat`,
		"no JSON":       ready + `printf '\000\000\000\002xx'; cat`,
		"unknown":       ready + `printf '\000\000\000\020{"type":"other"}'; cat`,
		"again ready":   ready + ready + "cat",
		"half":          ready + `printf '\000\000\001\000{'`,
		"call twice":    ready + `printf '\000\000\000\026{"type":"call","id":1}\000\000\000\026{"type":"call","id":1}'; cat`,
		"empty result":  ready + `printf '\000\000\000\021{"type":"result"}'; cat`,
		"ignores input": ready + "exec sleep 100",
	} {
		path := filepath.Join(t.TempDir(), "process")
		if err := os.WriteFile(path, []byte("#!/bin/sh\n"+script+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
		e, err := Start(Options{Facade: facade, Executable: path})
		if err != nil {
			t.Fatal(err)
		}
		r, err := e.Run(t.Context(), Run{Code: "return 1", Timeout: 50 * time.Millisecond, Call: AnyOrder(func(ctx context.Context, _ string, _ jsontext.Value) (jsontext.Value, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		})})
		if err == nil && (r.Err == nil || !r.Killed) {
			t.Errorf("%s: %+v", name, r)
		}
		if name == "complains" && (err == nil || !strings.Contains(err.Error(), "exit status 3: the reason")) {
			t.Errorf("%s: %v", name, err)
		}
		_ = e.Close()
	}
}

// TestAnswers: answers that are no JSON, or too large for a message, are errors of the call.
func TestAnswers(t *testing.T) {
	t.Parallel()
	e := newEngine(t)
	for want, value := range map[string]jsontext.Value{
		"the answer is not JSON": jsontext.Value("{"),
		"more than the limit":    jsontext.Value(`"` + strings.Repeat("x", 65<<20) + `"`),
	} {
		r, err := e.Run(t.Context(), Run{Code: "return await tab.echo(1)", Timeout: time.Minute, Call: AnyOrder(func(context.Context, string, jsontext.Value) (jsontext.Value, error) { return value, nil })})
		if err != nil || r.Err == nil || !strings.Contains(r.Err.Message, want) {
			t.Errorf("got %+v %v, want %s", r.Err, err, want)
		}
	}
}

// keeping is a facade with an object that is kept, also as text.
const keeping = `(() => {
  let state
  return (host) => {
    if (state === undefined) {
      state = host.state ? JSON.parse(host.state) : {}
      host.onSave(() => JSON.stringify(state))
      host.onResult((v) => v === undefined ? 'nothing' : v)
    }
    return { state, forever: () => host.call('forever') }
  }
})()`

// TestKeep: what code keeps is there in the next run, with functions and promises; timers and calls of a run end with it. After a run
// that was stopped, and after the process's end, it is what the facade saved.
func TestKeep(t *testing.T) {
	t.Parallel()
	e, err := Start(Options{Facade: keeping, Keep: true})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	for _, step := range []struct {
		code, text string
		limit      time.Duration
		rest       bool
	}{
		{code: "state.n = 1; state.f = () => state.n + 1; globalThis.left = 7", text: "nothing"},
		{code: "return [state.n, state.f(), left]", text: "[\n  1,\n  2,\n  7\n]"},
		{code: "setTimeout(() => { state.n = 'fired' }, 1); state.p = forever(); state.n = 2", text: "nothing"},
		{code: "await new Promise((resolve) => setTimeout(resolve, 20)); return state.n", text: "2"},
		{code: "throw new Error('of the code')", text: "Error: of the code"},
		{code: "return typeof state.f", text: "function"},
		{code: "state.n = 3; while (true) {}", limit: 300 * time.Millisecond, text: "TimeoutError"},
		{code: "return [state.n, typeof state.f, typeof left]", text: "[\n  3,\n  \"undefined\",\n  \"undefined\"\n]"},
		{code: "state.f = () => {}; for (;;) await null", limit: 300 * time.Millisecond, text: "TimeoutError"},
		{code: "state.n++; return state.f === undefined", text: "true"},
		{rest: true, code: "return state.n", text: "4"},
		{code: "Object.defineProperty(state, 'bad', { enumerable: true, get() { for (;;); } }); return 1", text: "1"}, // it cannot be saved
		{code: "return state.n", text: "4"},
		{code: "await state.p", limit: 300 * time.Millisecond, text: "undefined"}, // it is in the earlier object
		{code: "Object.defineProperty(globalThis, 'state', { value: 1, configurable: false, writable: false })", text: "nothing"},
		{code: "return 1", text: "earlier code made it read-only"},
	} {
		if step.rest {
			e.Rest()
		}
		if step.limit == 0 {
			step.limit = time.Minute
		}
		r, err := e.Run(t.Context(), Run{Code: step.code, Timeout: step.limit, Call: AnyOrder(answer)})
		if err != nil {
			t.Fatal(err)
		}
		got := r.Text
		if r.Err != nil {
			got = r.Err.Error()
		}
		if step.text == "undefined" { // no value
			continue
		}
		if got != step.text && (r.Err == nil || !strings.Contains(got, step.text)) {
			t.Errorf("%s: got %q, wanted %q", step.code, got, step.text)
		}
	}
}

// TestExpression: code that is one expression returns its value, and errors have their place.
func TestExpression(t *testing.T) {
	t.Parallel()
	e := newEngine(t)
	for code, want := range map[string]string{
		"1 + 1":                         "2",
		"await tab.echo('x');":          "x",
		"// first\nawait tab.echo(5)":   "5",
		"[1].map((x) => x);\n\n":        "[\n  1\n]",
		"({a: 1})":                      "{\n  \"a\": 1\n}",
		"const a = 1; a":                "",
		"return 3":                      "3",
		"if (true) { return 4 }":        "4",
		"'a'; 'b'":                      "",
		"1); display('x'); (2":          "SyntaxError",
		"tab.echo(1), nothing":          "ReferenceError: 'nothing' is not defined@1:14",
		"let x = ;":                     "SyntaxError",
		"\n  null.x":                    "TypeError",
		"async () => 1":                 "async () => 1",
		"await Promise.resolve('y') //": "y",
	} {
		r, err := e.Run(t.Context(), Run{Code: code, Expression: true, Timeout: time.Minute, Call: AnyOrder(answer)})
		if err != nil {
			t.Fatal(err)
		}
		got := r.Text
		if r.Err != nil {
			got = fmt.Sprintf("%v@%d:%d", r.Err, r.Err.Line, r.Err.Column)
		}
		if got != want && (r.Err == nil || want == "" || !strings.HasPrefix(got, want)) {
			t.Errorf("%q: got %q, wanted %q", code, got, want)
		}
	}
}

// TestGarbageIsCollectedBeforeTheLimit: cycles that nobody has any more take no memory from values near the limit.
func TestGarbageIsCollectedBeforeTheLimit(t *testing.T) {
	t.Parallel()
	e := newEngine(t)
	for _, megabytes := range []string{"100", "180", "220"} {
		r := run(t, e, "const kept = []; for (let i = 0; i < "+megabytes+"; i++) kept.push('x'.repeat(1e6) + i);"+
			"for (let i = 0; i < 1e6; i++) { const a = {}; a.b = { a, text: 'y'.repeat(100) + i } }; return kept.length")
		if r.Text != megabytes {
			t.Errorf("%s MB kept: %s %v", megabytes, r.Text, r.Err)
		}
	}
}
