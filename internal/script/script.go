// Package script runs JavaScript that agents write, in a process of its own: the same program, started again, with a JavaScript
// engine inside (package vm) and nothing else: no files, no network, no environment, limited memory. What the code can do is
// to call methods that the daemon carries out, over the pipes that connect them:
//
//	agent's code -> facade -> host.call(method, params) -> process -> Run.Call -> answer
//
// The facade, a script of the project's, makes objects such as page and tab of that. The process is kept for the next run, which
// gets a new global object. It is killed if it does not end when its time is over.
package script

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// Child runs code, and returns true, if this process was started for that. Programs that use an [Engine] call it first.
func Child() bool { return child() }

// Options are those of an engine.
type Options struct {
	// Facade is the source of the script that makes the globals of the code: an expression whose value is a function that takes
	// the host object and returns an object, whose members become the globals.
	Facade string
	// MemoryLimit is the most bytes that the values of a run may take; 0 means 256 MiB.
	MemoryLimit int64
	// Executable is the program that is started; "" means this one. Its main function calls [Child].
	Executable string
	// Keep keeps the global object from one run to the next. It is lost when a run is stopped, or the process ends; the facade then
	// finds what it saved (host.onSave) as host.state.
	Keep bool
	// Log gets what goes wrong without being the result of a run; nil means nowhere.
	Log *slog.Logger

	// idle is how long the process waits for a run before it gives memory back; 0 means idleTime.
	idle time.Duration
}

// idleTime is how long a process keeps the memory that makes the next run fast: 17 MB rather than 9, and 0.4 ms rather than 4.
const idleTime = 10 * time.Second

// DefaultMemory is the memory limit of runs, in bytes.
const DefaultMemory = 256 << 20

// Grace is how long after its deadline a run has to end by itself before its process is killed.
const Grace = 750 * time.Millisecond

// DefaultName is the name of the code in stacks.
const DefaultName = "run.js"

// Engine runs code, one run at a time. It has at most one process, and starts another when that was killed. All methods can be
// called by any goroutine.
type Engine struct {
	options Options

	// running is held during a run.
	running chan struct{}

	mu     sync.Mutex // guards the rest
	p      *process   // nil if there is none
	closed bool

	state string // what the facade saved; changed during a run only
}

// ErrBusy is the error of a run while there is another.
var ErrBusy = errors.New("the engine is running other code")

// ErrClosed is the error of a run on a closed engine.
var ErrClosed = errors.New("the engine is closed")

// Operation carries out a call. Each has its own goroutine, at most 1,000 run at a time; ctx ends with the run, which waits for all
// of them. A nil result is undefined. Of an error the code sees what [api.AsError] makes of it.
type Operation func(ctx context.Context) (jsontext.Value, error)

// AnyOrder returns a function for [Run.Call] that carries out calls without regard to their order.
func AnyOrder(call func(ctx context.Context, method string, params jsontext.Value) (jsontext.Value, error)) func(string, jsontext.Value) Operation {
	return func(method string, params jsontext.Value) Operation {
		return func(ctx context.Context) (jsontext.Value, error) { return call(ctx, method, params) }
	}
}

// Run is code and what it can use.
type Run struct {
	// Code is the body of an async function.
	Code string
	// Name is the code's name in stacks; "" means [DefaultName].
	Name string
	// Timeout is the run's time, at most [MaxTimeout], which 0 means, too.
	Timeout time.Duration
	// Expression returns the value of code that is a single expression, as if it had a return.
	Expression bool
	// Config is what the facade finds as host.config; may be nil.
	Config jsontext.Value
	// Call gets the calls in the order in which the code made them, and returns what carries a call out. It must not block. The
	// parameters are nil if the code gave none.
	Call func(method string, params jsontext.Value) Operation
	// Direct, if not nil, is offered a call first, while no other is in flight. It returns false to leave it to Call. Else it calls
	// one of the functions of Delivery, once. It must not block: it holds up what the process says.
	Direct func(method string, params jsontext.Value, d Delivery) bool
	// Events are handed to the facade in their order. Without them (nil), code that can never go on fails at once rather than
	// when its time is over.
	Events <-chan Event
	// Output gets every output as it comes; may be nil. The outputs are in the result, too.
	Output func(Output)
}

// Delivery takes the answer to a call that [Run.Direct] has taken. Its functions do not block.
type Delivery struct {
	// Answer sends the result.
	Answer func(jsontext.Value)
	// Later carries the call out as [Run.Call] does, in a goroutine of its own, with the context of calls.
	Later func(func(context.Context) (jsontext.Value, error))
}

// MaxTimeout is the longest time of a run.
const MaxTimeout = time.Hour

// Event is something that happened. One without a name is handed to nobody: when it has been received from [Run.Events], the events
// before it have been sent, and an answer that is sent then follows them.
type Event struct {
	Name string
	Data jsontext.Value // nil means undefined
}

// Output is what the code displayed, or wrote to the console.
type Output struct {
	// Kind is "text", "json", "image" or "console".
	Kind string
	// Level is that of the console: log, info, warn, error or debug. Empty for other kinds.
	Level string
	// Text is the text; JSON over several lines for "json"; empty for images.
	Text string
	// Data is an image, MIMEType its type as the code said.
	Data     []byte
	MIMEType string
}

// Result is how a run ended.
type Result struct {
	// Value is the returned value as JSON; nil for undefined. What has no form in JSON is a string ("[Circular]", a function's
	// source, the digits of a BigInt) or an array (a Map, a Set, bytes).
	Value jsontext.Value
	// Text is the returned value as text: a string itself, an object or array as JSON over several lines, and everything else
	// as String gives it; "" for undefined.
	Text string
	// Outputs are what the code displayed and wrote, in order. If there was too much, a last one says how much was left out.
	Outputs []Output
	// Err is the error of the code; nil if it returned.
	Err *Error
	// TimedOut tells that the time was over; Err is a TimeoutError then, which says what the code was waiting for.
	TimedOut bool
	// Killed tells that the process was killed, by the engine or by its limits. Err says why. The next run gets a new one.
	Killed bool
	// Waiting are calls that had no answer when the run ended; they were cancelled. If the code returned, it did not await them.
	Waiting []Waiting
}

// Waiting is a call that had no answer, and for how long.
type Waiting struct {
	Method string
	For    time.Duration
}

// Error is an error of the code.
type Error struct {
	// Name is the error's, such as "TypeError"; "" if what was thrown is no Error.
	Name string
	// Message is the error's message, or what was thrown as text.
	Message string
	// Stack has the frames in the agent's code, the innermost first, one a line; may be empty.
	Stack string
	// Line and Column are the place in the agent's code, from 1; 0 if it is not known.
	Line, Column int
	// Hint is the next step; may be empty.
	Hint string
	// Code and Data are those of the error of a call, if that was thrown; else what the code gave its error.
	Code string
	Data jsontext.Value
	// Unhandled tells that the promise that failed was not awaited, or that a callback threw.
	Unhandled bool
}

// Error returns name and message.
func (e *Error) Error() string {
	if e.Name == "" {
		return e.Message
	}
	return e.Name + ": " + e.Message
}
