package code

import (
	"context"
	"strings"
	"sync/atomic"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/command/run"
	"github.com/usher-browser/usher/internal/element/input"
	"github.com/usher-browser/usher/internal/script"
	"github.com/usher-browser/usher/internal/session/code/dialect"
	"github.com/usher-browser/usher/internal/session/code/executor"
	"github.com/usher-browser/usher/internal/session/code/handle"
	"github.com/usher-browser/usher/internal/session/code/known"
	"github.com/usher-browser/usher/internal/session/code/lane"
	"github.com/usher-browser/usher/internal/session/code/order"
	"github.com/usher-browser/usher/internal/session/code/sequence"
	"github.com/usher-browser/usher/internal/session/code/values"
	"github.com/usher-browser/usher/internal/supervisor"
	"github.com/usher-browser/usher/internal/supervisor/model"
	"github.com/usher-browser/usher/internal/verb"
)

// driver carries out the operations of one run.
type driver struct {
	session   Session
	order     order.Order
	ends      time.Time
	handles   *handle.List
	events    chan script.Event
	changes   subscription
	known     *known.State
	tabs      *executor.Tabs
	clients   clients
	line      sequence.Line
	lane      lane.Lane
	checked   atomic.Pointer[checked] // by the last evaluation in full
	following atomic.Bool             // the code listens to what the browser logs, or to WebSockets
	shots     shots
	hars      hars
	scripts   *initScripts
	clocks    *clocks
	number    int             // of the run
	running   context.Context // ends with the run
	stop      context.CancelFunc
}

func (r *Runs) newDriver(ctx context.Context, s Session, o order.Order) *driver {
	d := &driver{scripts: &r.scripts, clocks: &r.clocks, number: r.scripts.begin(), session: s, order: o, ends: time.Now().Add(o.Timeout), events: make(chan script.Event), handles: &handle.List{}, known: &known.State{}, tabs: &executor.Tabs{}}
	d.running, d.stop = context.WithCancel(ctx)
	return d
}

// close releases what the run left in the pages, and returns what could not be released.
func (d *driver) close() (left []string) {
	d.stop()
	d.lane.Wait()
	d.clients.end()
	left = d.hars.end(d)
	if d.order.State == "" {
		left = append(left, d.clocks.end(d.clockOwner())...)
		d.handles.Release()
	}
	return left
}

// setup is what the code's side knows from the start.
type setup struct {
	Name    string         `json:"name"`   // of the tab
	Target  model.TargetID `json:"target"` // its target id
	Page    known.Page     `json:"page"`
	Timeout int64          `json:"timeout"` // of the run, in milliseconds
	Ends    int64          `json:"ends"`    // when it is over, in milliseconds since 1970
	// Viewport is the size of the session's pages; nil if a person can resize the window, or if another program set it.
	Viewport *Viewport `json:"viewport,omitempty"`
	// Puppeteer reports whether the code is written for Puppeteer: see [dialect.Puppeteer].
	Puppeteer bool `json:"puppeteer"`
	// Playwright gives the code the scope of the tool execute; Keep is the name under which its state is kept.
	Playwright bool   `json:"playwright,omitzero"`
	Keep       string `json:"keep,omitzero"`
	// Workers reports that the code names workers, which page.workers() lists without waiting.
	Workers bool `json:"workers,omitzero"`
	// Emits reports that the code emits events, which may have names of its own.
	Emits bool `json:"emits,omitzero"`
}

func (d *driver) setup() setup {
	return setup{Name: d.order.Label, Target: d.order.Tab, Timeout: d.order.Timeout.Milliseconds(), Ends: d.ends.UnixMilli(), Puppeteer: !d.order.Playwright && dialect.Puppeteer(d.order.Code),
		Playwright: d.order.Playwright, Keep: d.order.State, Workers: strings.Contains(d.order.Code, ".workers("), Emits: strings.Contains(d.order.Code, ".emit("), Viewport: d.session.Viewport(), Page: operation{driver: d, tab: d.order.Tab}.page()}
}

// operations are what code may ask for besides commands of the table, which are asked for by their names.
var operations = map[string]func(operation, context.Context, jsontext.Value) (any, error){
	"page.evaluate":         operation.evaluate,
	"page.dispose":          operation.dispose,
	"page.query":            operation.query,
	"page.states":           operation.states,
	"page.contentFrame":     operation.contentFrame,
	"page.screenshot":       operation.screenshot,
	"page.pdf":              operation.pdf,
	"page.subscribe":        operation.subscribe,
	"page.load":             operation.load,
	"page.request":          operation.request,
	"page.state":            operation.state,
	"page.idle":             operation.idle,
	"page.clock":            operation.clock,
	"page.listenToWorkers":  operation.listenToWorkers,
	"page.evaluateInWorker": operation.evaluateInWorker,
	"page.frameElement":     operation.frameElement,
	"page.listenToLog":      operation.listenToLog,
	"page.listenToSockets":  operation.listenToSockets,
	"page.storageState":     operation.storageState,
	"page.pauseRequests":    operation.pauseRequests,
	"page.answerRequest":    operation.answerRequest,
	"page.fetchRequest":     operation.fetchRequest,
	"page.send":             operation.send,
	"page.touch":            operation.touch,
	"page.expose":           operation.expose,
	"page.answerCall":       operation.answerCall,
	"page.observe":          operation.observe,
	"page.accessibility":    operation.accessibility,
	"page.picture":          operation.picture,
	"page.labels":           operation.labels,
	"page.extract":          operation.extract,
	"page.cdp":              operation.cdp,
	"page.cdpSend":          operation.cdpSend,
	"page.cdpListen":        operation.cdpListen,
	"page.cdpClose":         operation.cdpClose,
}

// operation is one operation, in a tab.
type operation struct {
	*driver
	tab  model.TargetID
	turn *sequence.Turn // nil for one that does not stand in line
}

// page returns the state of the tab now, for the code.
func (o operation) page() known.Page { return o.known.Page(o.session.Work(), o.tab) }

// loader identifies the document of the tab.
func (o operation) loader() string {
	if work := o.session.Work(); work != nil {
		if main := work.Browser.State().MainFrame(o.tab); main != nil {
			return main.Loader
		}
	}
	return ""
}

// call returns what carries out one operation or command, when it is its turn: in the tab of the run, unless its parameters name
// another.
func (d *driver) call(method string, params jsontext.Value) script.Operation {
	f := operations[method]
	if f == nil {
		f = func(o operation, ctx context.Context, params jsontext.Value) (any, error) {
			return o.command(ctx, method, params)
		}
	}
	return d.perform(&d.line, method, params, f)
}

// perform is call with the function of the operation. line is where it stands; nil for what was sent already.
func (d *driver) perform(line *sequence.Line, method string, params jsontext.Value, f func(operation, context.Context, jsontext.Value) (any, error)) script.Operation {
	var in struct {
		Tab     model.TargetID `json:"tab"`
		Timeout *float64       `json:"timeout"`
	}
	if err := json.Unmarshal(params, &in); err != nil {
		return func(context.Context) (jsontext.Value, error) {
			return nil, api.Errorf(api.InvalidArgument, "%s: %w", method, err)
		}
	}
	if in.Tab == "" {
		in.Tab = d.order.Tab
	}
	o := operation{d, in.Tab, line.Take(in.Tab, method)}
	return func(ctx context.Context) (jsontext.Value, error) {
		defer o.turn.End()
		o.turn.Wait(ctx)
		limit, _ := o.limit(in.Timeout)
		return o.perform(ctx, method, params, limit, f)
	}
}

func (o operation) perform(ctx context.Context, method string, params jsontext.Value, limit time.Duration, f func(operation, context.Context, jsontext.Value) (any, error)) (jsontext.Value, error) {
	began := time.Now()
	o.awaitAnswer(ctx, method, limit)
	value, err := f(o, ctx, params)
	for only := reads[method]; err != nil && only && ctx.Err() == nil && api.AsError(err).Code == api.DialogOpen && o.awaitAnswer(ctx, method, limit); {
		value, err = f(o, ctx, params)
	}
	o.catchUp(ctx)
	if err != nil {
		o.known.Forget()
		return nil, o.explain(err, time.Since(began), limit)
	}
	return json.Marshal(value, jsontext.AllowInvalidUTF8(true)) // texts of pages may have half of a surrogate pair
}

// awaitAnswer waits, before an operation, until the dialog that blocks the tab is answered, if the code handles dialogs. Of one
// that it leaves open the operation tells.
func (o operation) awaitAnswer(ctx context.Context, method string, limit time.Duration) (answered bool) {
	switch method {
	case "dialog accept", "dialog dismiss", "dialog status", "interrupt answer", "page.subscribe", "page.state", "page.answerRequest", "page.answerCall", "tab close":
		return false
	}
	work := o.session.Work()
	if work == nil || !o.changes.wants(model.DialogOpened) {
		return false
	}
	return o.awaitClosed(ctx, work.Browser, limit) == nil
}

// awaitClosed waits until the tab has no open dialog.
func (o operation) awaitClosed(ctx context.Context, b *supervisor.Browser, limit time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	return b.Wait(ctx, func(s *model.State) (bool, error) { return s.Dialog(o.tab) == nil, s.TabLost(o.tab) })
}

// awaitHandlers waits, after a command that opened a dialog which the code's handlers answer, until the page's script that opened
// it has gone on: it may open more. That is when the command has ended for Playwright and Puppeteer.
func (o operation) awaitHandlers(ctx context.Context, command string, limit time.Duration) {
	work := o.session.Work()
	if work == nil || command == "interrupt answer" || !o.changes.wants(model.DialogOpened) || work.Browser.State().Dialog(o.tab) == nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	_ = o.inTab(ctx, func(ctx context.Context, e *run.Env) error { // a dialog that stays open is reported by what comes next
		_, err := o.evaluateIn(ctx, e, evaluateParams{Source: "0"})
		return err
	})
}

// reads are the operations that a dialog may interrupt and that are then repeated: they change nothing.
var reads = map[string]bool{"page.query": true, "page.states": true, "page.contentFrame": true, "page.screenshot": true, "wait": true}

// commandParams are the parameters of a command.
type commandParams struct {
	Values map[string]any `json:"values"`
	// Timeout is how long it may wait, in milliseconds; nil for the default, 0 for the rest of the run.
	Timeout *float64 `json:"timeout"`
}

// defaultLimit is how long an operation may wait if the code does not say: Playwright's and Puppeteer's default.
const defaultLimit = 30 * time.Second

// answerLimit is how long an operation waits for the code's handler of a dialog, and for the page to go on after it.
const answerLimit = 8 * time.Second

// reserve is what is left of the run when an operation has taken all of its time, of a short one a tenth, so that the code has the
// error, which says what the operation waited for, and can handle it or return what it has.
const reserve = time.Second

// limit returns how long a command may wait, and whether the code chose that.
func (o operation) limit(timeout *float64) (limit time.Duration, given bool) {
	left := max(0, time.Until(o.ends))
	most := left - min(reserve, left/10)
	switch {
	case timeout == nil:
		return min(defaultLimit, most), false
	case *timeout > 0:
		return min(most, time.Duration(*timeout*float64(time.Millisecond))), true
	}
	return most, true
}

// refused reports whether a command is not for code: it would end what runs the code, read standard input, or confirm what a person is to confirm.
func refused(v string) bool {
	switch v {
	case "batch", "run", "confirm", "deny", "close", "connect":
		return true
	}
	return false
}

// command runs a command of the table.
func (o operation) command(ctx context.Context, name string, params jsontext.Value) (any, error) {
	var p commandParams
	if err := json.Unmarshal(params, &p); err != nil {
		return nil, api.Errorf(api.InvalidArgument, "%s: %w", name, err)
	}
	if refused(name) {
		return nil, api.Errorf(api.InvalidArgument, "%s cannot be used in code", name)
	}
	return o.carryOut(ctx, name, p)
}

// carryOut runs a command of the table. Its result has the state of the tab, and is to reach the code.
func (o operation) carryOut(ctx context.Context, name string, p commandParams) (any, error) {
	limit, _ := o.limit(p.Timeout)
	began := time.Now()
	res, err := o.run(ctx, name, p)
	if err != nil {
		return nil, err
	}
	o.awaitHandlers(ctx, name, min(answerLimit, limit-time.Since(began)))
	return commandResult{Data: res.Data, Text: res.Text, Warning: res.Warning, Page: o.page()}, nil
}

func (o operation) run(ctx context.Context, name string, p commandParams) (run.Result, error) {
	given := verb.Values{}
	c := Command{Tab: string(o.tab), Name: name, Values: given}
	// What the command line has no words for.
	for key, to := range map[string]*bool{"strict": &c.Strict, "force": &c.Aim.Force, "trial": &c.Aim.Trial, "padding": &c.Aim.Padding} {
		*to = p.Values[key] == true
		delete(p.Values, key)
	}
	for key, value := range p.Values {
		if err := values.Set(given, key, value); err != nil {
			return run.Result{}, err
		}
	}
	c.Limit, c.Limited = o.limit(p.Timeout)
	res, err := o.session.Command(input.WithoutShift(ctx), c)
	switch {
	case name == "tab new" || name == "tab close":
		o.tabs.Own(o.session.Work())
	case name == "network har" && err == nil:
		o.hars.add(given["path"][0])
	case name == "addinitscript" && err == nil:
		err = o.scripts.added(ctx, o.session.Work(), o.number)
	}
	return res, err
}

type commandResult struct {
	Data    any        `json:"data"`
	Text    string     `json:"text"`
	Warning string     `json:"warning,omitzero"`
	Page    known.Page `json:"page"`
}

// evalVerb is the grammar of operations that run JavaScript in the page.
var evalVerb = &verb.Verb{Name: "run", Category: verb.CatEval, Marks: verb.NeedsBrowser | verb.NeedsTab | verb.ChangesPage}

// inTab runs a function in the tab of the run, with what is left of its time.
func (o operation) inTab(ctx context.Context, f func(context.Context, *run.Env) error) error {
	return o.session.InTab(ctx, o.tab, evalVerb, func(ctx context.Context, e *run.Env, _ *verb.Call) (run.Result, error) {
		e.Limit, e.Limited, e.Patient = max(0, time.Until(o.ends)), true, true
		return run.Result{}, f(ctx, e)
	})
}
