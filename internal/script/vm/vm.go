// Package vm runs an agent's JavaScript. It is the inside of the process that package script starts: QuickJS, what of the web
// platform code expects to find, and the bridge over which the code calls the daemon. The code can do nothing else: it
// has no files, no network and no processes.
//
// What is written for the daemon is package message's. Standard input and output carry the messages.
package vm

import (
	"embed"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	js "modernc.org/libquickjs"

	"github.com/usher-browser/usher/internal/script/message"
)

//go:embed js/*.js
var sources embed.FS

// files are the parts of the prelude, in their order.
var files = []string{"core", "timers", "inspect", "value", "console", "events", "encoding", "url", "clone", "lock", "last"}

// Names of scripts in stacks. What is in angle brackets is ours.
const (
	preludeName = "<usher>"
	facadeName  = "<facade>"
)

// prelude returns the source of the function that everything in a realm begins with.
func prelude() string {
	var b strings.Builder
	b.WriteString("(function (native) {\n'use strict'\n")
	for _, f := range files {
		text, err := sources.ReadFile("js/" + f + ".js")
		if err != nil {
			panic(err) // it is built in
		}
		b.Write(text)
	}
	b.WriteString("})")
	return b.String()
}

// program is what every realm begins with, compiled.
type program struct {
	prelude, facade []byte
	memory          int64
}

// compile compiles the prelude and the facade.
func compile(s *message.Settings) (*program, error) {
	r, err := newRealm(s.Memory)
	if err != nil {
		return nil, err
	}
	defer r.close()
	p := &program{memory: s.Memory}
	if p.prelude, err = r.compile(prelude(), preludeName); err != nil {
		return nil, err
	}
	p.facade, err = r.compile(s.Facade, facadeName)
	return p, err
}

// machine is a realm with the prelude and the facade, for one run.
type machine struct {
	*realm
	memory int64
	// bridge has the prelude's functions, by name.
	bridge map[string]value
	timers timers
	// calls are those without an answer, queue the ones that are not sent yet.
	calls  map[int64]sent
	places places
	queue  []*message.Message
	// poll looks for a message; nil means that one is only to be waited for. took is how long the last answer took.
	poll func() *message.Message
	took time.Duration
	// rest returns a message that poll has read and not returned.
	rest func() *message.Message
	// queued are the bytes of queue.
	queued int
	began  time.Time

	// stop tells that the time is over; alarm has a token then.
	stop  atomic.Bool
	alarm chan struct{}
	mu    sync.Mutex // guards round, and stop while it is set
	round int64      // counts the runs
	// ended is set by the code: it returned, or threw.
	ended bool
	run   *message.Code
	// lead is how many characters stand before the code in its first line.
	lead int
	out  *outlet
	// busy tells that there were promises to go on with when the time was over.
	busy bool
	// main is the promise of the code.
	main value
	// last is where the code was when it was interrupted.
	last *message.Error
	// shown is what the code has shown.
	shown volume

	outcome message.Outcome
	thrown  *message.Error
}

// entries are the prelude's functions.
var entries = []string{"setFacade", "lock", "begin", "start", "finish", "settle", "event", "rejected", "fire", "describe", "save", "cancel", "unawaited"}

// newMachine returns a machine that is ready for a run.
func (p *program) newMachine(out *outlet) (*machine, error) {
	r, err := newRealm(p.memory)
	if err != nil {
		return nil, err
	}
	m := &machine{realm: r, memory: p.memory, bridge: map[string]value{}, calls: map[int64]sent{}, alarm: make(chan struct{}, 1), out: out, began: time.Now(), main: undefined}
	if err := m.prepare(p); err != nil {
		m.close()
		return nil, err
	}
	return m, nil
}

func (m *machine) prepare(p *program) error {
	f, err := m.load(p.prelude)
	if err != nil {
		return m.errorOf("load the prelude", err)
	}
	defer m.free(f)
	natives := m.object()
	defer m.free(natives)
	for name, f := range m.functions() {
		m.setProperty(natives, name, m.function(name, f))
	}
	bridge, err := m.call(f, natives)
	if err != nil {
		return m.errorOf("run the prelude", err)
	}
	defer m.free(bridge)
	for _, name := range entries {
		m.bridge[name] = m.property(bridge, name)
	}
	m.rejected = func(promise, reason value, handled bool) {
		if m.stop.Load() {
			m.noteStop(reason)
			return
		}
		if v, err := m.call(m.bridge["rejected"], promise, reason, boolean(handled)); err == nil {
			m.free(v)
		} else {
			m.drop(err)
		}
	}
	facade, err := m.load(p.facade)
	if err != nil {
		return m.errorOf("load the facade", err)
	}
	defer m.free(facade)
	if err := m.enter("setFacade", facade); err != nil {
		return m.errorOf("set the facade", err)
	}
	if err := m.enter("lock"); err != nil {
		return m.errorOf("lock the realm", err)
	}
	m.interrupted = m.stop.Load
	return nil
}

// close frees everything.
func (m *machine) close() {
	m.interrupted = func() bool { return false }
	for _, v := range m.bridge {
		m.free(v)
	}
	m.free(m.main)
	m.realm.close()
}

// enter calls a function of the prelude.
func (m *machine) enter(name string, args ...value) error {
	v, err := m.call(m.bridge[name], args...)
	if err == nil {
		m.free(v)
	}
	return err
}

// enterText calls a function of the prelude with texts.
func (m *machine) enterText(name string, texts ...string) error {
	args := make([]value, len(texts))
	for i, s := range texts {
		args[i] = m.text(s)
		defer m.free(args[i])
	}
	return m.enter(name, args...)
}

// drop frees what was thrown where nobody asks.
func (m *machine) drop(err error) {
	var t *thrown
	if errors.As(err, &t) {
		m.free(t.v)
	}
}

// The agent's code is the body of this function. The first line of the code stands behind head.
const (
	head = "(async function () {"
	tail = "\n})"
	// Code that is an expression stands between these, inside.
	returned = "return ("
	closed   = "\n)"
)

// renew makes the machine ready for another run with the same global object. Timers and calls of the last run have ended.
func (m *machine) renew() {
	m.mu.Lock()
	m.round++
	m.places = places{}
	m.stop.Store(false)
	select {
	case <-m.alarm:
	default:
	}
	m.mu.Unlock()
	m.free(m.main)
	m.main = undefined
	m.setMemory(m.memory)
	m.interrupted = m.stop.Load
	m.timers, m.calls, m.queue, m.queued = timers{}, map[int64]sent{}, nil, 0
	m.ended, m.busy, m.last, m.thrown, m.shown, m.outcome = false, false, nil, nil, volume{}, message.Outcome{}
}

// begin starts a run. Its error is the code's, and the run is over then.
func (m *machine) begin(c *message.Code) *message.Error {
	m.run, m.lead = c, len(head)
	if err := m.enterText("begin", string(c.Config), c.State); err != nil {
		return m.failure(err)
	}
	source := head + c.Code + tail
	if expression := head + returned + strings.TrimRight(c.Code, "; \t\r\n") + closed + tail; c.Expression && m.parses(source) && m.parses(expression) {
		source, m.lead = expression, len(head)+len(returned)
	} else if last, lead, ok := m.awaitLast(c.Code); ok {
		source, m.lead = last, lead
	}
	f, err := m.eval(source, c.Name, 0)
	if err != nil {
		return m.failure(err)
	}
	defer m.free(f)
	if m.main, err = m.call(m.bridge["start"], f); err != nil {
		return m.failure(err)
	}
	return nil
}

// parses reports whether a script has no syntax error.
func (m *machine) parses(source string) bool {
	v, err := m.eval(source, "", js.MJS_EVAL_FLAG_COMPILE_ONLY)
	if err != nil {
		m.drop(err)
		return false
	}
	m.free(v)
	return true
}

// saveTime is how long the facade may take to save its state.
const saveTime = 200 * time.Millisecond

// save returns what the facade wants to have back if the global object is lost. After a run that was stopped, too, the realm answers: only
// its jobs are not to go on.
func (m *machine) save() string {
	limit := time.Now().Add(saveTime)
	m.interrupted = func() bool { return time.Now().After(limit) }
	m.setMemory(m.memory + valueSlack)
	v, err := m.call(m.bridge["save"])
	if err != nil {
		m.drop(err)
		return ""
	}
	defer m.free(v)
	text, _ := m.toText(v)
	if len(text) > message.MaxState {
		return ""
	}
	return withoutSurrogates(text)
}

// finish returns how the run ended by itself.
func (m *machine) finish() *message.Outcome {
	m.setMemory(m.memory + valueSlack)
	if err := m.enter("finish"); err != nil {
		m.thrown = m.failure(err)
	}
	if m.thrown != nil {
		m.outcome = message.Outcome{Error: m.thrown}
	}
	return &m.outcome
}

// failure describes what was thrown.
func (m *machine) failure(err error) *message.Error {
	var t *thrown
	if !errors.As(err, &t) {
		return &message.Error{Name: "InternalError", Message: err.Error()}
	}
	defer m.free(t.v)
	v, err := m.call(m.bridge["describe"], t.v, boolean(false))
	if err != nil {
		m.drop(err)
		return &message.Error{Name: "InternalError", Message: "what was thrown cannot be described"}
	}
	defer m.free(v)
	text, _ := m.toText(v)
	return m.errorFrom(text)
}

// errorFrom reads what the prelude wrote of an error.
func (m *machine) errorFrom(text string) *message.Error {
	e := &message.Error{}
	if err := json.Unmarshal([]byte(wellFormed(text)), e); err != nil {
		return &message.Error{Name: "InternalError", Message: fmt.Sprintf("what was thrown cannot be described: %v", err)}
	}
	m.locate(e)
	m.advise(e)
	return e
}

// jsonValue returns JSON that the code made.
func jsonValue(text string) (jsontext.Value, error) {
	v := jsontext.Value(wellFormed(text))
	if !v.IsValid() {
		return nil, fmt.Errorf("%w: it has more than 10000 levels", errRange)
	}
	return v, nil
}

// outlet is where messages go.
type outlet struct {
	w io.Writer
	// err is the first failure: the daemon is gone.
	err error
}

func (o *outlet) write(m *message.Message) {
	if o.err == nil {
		o.err = message.Write(o.w, m)
	}
}
