// Package fold computes the state of a browser from its events.
//
// [Model.Apply] takes one input at a time, an event or a command, changes the state and returns the effects to carry
// out. It has no clock and does no I/O, so it can be replayed and fuzzed. Each feature has a package of its own below
// this one, with its state and the handlers of its events, replies and commands:
//
//	core         the state under construction, CDP sessions, effects, changes
//	interrupts   the queue of interruptions
//	liveness     renderers that do not answer
//	dialogs      JavaScript dialogs, policies, the standby connection
//	debugger     the Debugger domain, and who shares it
//	bridge       dialogs over the debugger
//	fetch        the Fetch domain, and who shares it
//	headers      request headers for single origins
//	logins       HTTP authentication
//	routes       answers in place of the server's
//	permissions  permission requests
//	conditions   emulated network conditions
//	scripts      scripts of the caller in new documents
//	downloads    downloads of the browser
//	targets      targets, frames and documents; the beginning and end of a connection
package fold

import (
	"fmt"

	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/supervisor/fold/bridge"
	"github.com/usher-browser/usher/internal/supervisor/fold/conditions"
	"github.com/usher-browser/usher/internal/supervisor/fold/core"
	"github.com/usher-browser/usher/internal/supervisor/fold/debugger"
	"github.com/usher-browser/usher/internal/supervisor/fold/dialogs"
	"github.com/usher-browser/usher/internal/supervisor/fold/downloads"
	"github.com/usher-browser/usher/internal/supervisor/fold/fetch"
	"github.com/usher-browser/usher/internal/supervisor/fold/headers"
	"github.com/usher-browser/usher/internal/supervisor/fold/interrupts"
	"github.com/usher-browser/usher/internal/supervisor/fold/liveness"
	"github.com/usher-browser/usher/internal/supervisor/fold/logins"
	"github.com/usher-browser/usher/internal/supervisor/fold/permissions"
	"github.com/usher-browser/usher/internal/supervisor/fold/routes"
	"github.com/usher-browser/usher/internal/supervisor/fold/scripts"
	"github.com/usher-browser/usher/internal/supervisor/fold/targets"
	"github.com/usher-browser/usher/internal/supervisor/model"
)

// Model folds inputs into a state. It is not for concurrent use.
type Model struct {
	*core.Core
	interrupts  *interrupts.Queue
	liveness    *liveness.Monitor
	dialogs     *dialogs.Dialogs
	debugger    *debugger.Debugger
	bridge      *bridge.Bridge
	fetch       *fetch.Fetch
	headers     *headers.Headers
	logins      *logins.Logins
	routes      *routes.Routes
	permissions *permissions.Permissions
	conditions  *conditions.Conditions
	scripts     *scripts.Scripts
	downloads   *downloads.Downloads
	targets     *targets.Targets

	events   map[string]func(*cdp.Event)        // by method
	replies  map[core.TagKind]func(*core.Reply) // by purpose
	commands map[string]core.CommandHandler     // by name
}

// Options of a Model.
type Options struct {
	// Stealth avoids what a page can detect (Runtime.enable).
	Stealth bool
	// Nonce is a random text that no page can guess, which identifies the bridge's script.
	Nonce string
	// Scripts are what new documents run first.
	targets.Scripts
}

// New returns the model of a browser before any event.
func New(o Options) *Model {
	m := &Model{
		Core: core.New(o.Stealth), events: map[string]func(*cdp.Event){}, replies: map[core.TagKind]func(*core.Reply){},
		commands: map[string]core.CommandHandler{},
	}
	m.interrupts = interrupts.New(m.Core)
	m.liveness = liveness.New(m.Core, m.interrupts)
	m.dialogs = dialogs.New(m.Core, m.liveness)
	m.debugger = debugger.New(m.Core)
	// Permissions are asked about a pause before the bridge is.
	m.permissions = permissions.New(m.Core, m.interrupts, m.debugger)
	m.bridge = bridge.New(m.Core, m.dialogs, m.debugger, o.Nonce)
	m.dialogs.UseBridge(m.bridge)
	m.fetch = fetch.New(m.Core)
	m.headers = headers.New(m.Core, m.fetch)
	m.logins = logins.New(m.Core, m.interrupts, m.fetch)
	m.conditions = conditions.New(m.Core)
	m.scripts = scripts.New(m.Core)
	// Routes come last: what they set wins, and what they answer goes to no server.
	m.routes = routes.New(m.Core, m.fetch)
	m.downloads = downloads.New(m.Core, m.interrupts)
	m.targets = targets.New(m.Core, m.interrupts, m.liveness, m.dialogs, m.debugger, m.bridge, m.fetch, m.logins, m.permissions, m.conditions, m.scripts, o.Scripts)
	for _, feature := range []interface{ Handlers() core.Handlers }{
		m.targets, m.dialogs, m.debugger, m.bridge, m.permissions, m.fetch, m.headers, m.logins, m.routes, m.interrupts, m.liveness, m.conditions, m.scripts, m.downloads,
	} {
		m.add(feature.Handlers())
	}
	m.add(core.Handlers{Commands: []core.CommandHandler{core.Handle(m.reply), core.Handle(m.forget)}})
	return m
}

// add adds what a feature handles.
func (m *Model) add(h core.Handlers) {
	for method, f := range h.Events {
		put(m.events, method, f)
	}
	for tag, f := range h.Replies {
		put(m.replies, tag, f)
	}
	for _, c := range h.Commands {
		put(m.commands, c.New().InputName(), c)
	}
}

// put sets the handler of a key, which must have none.
func put[K comparable, H any](all map[K]H, key K, h H) {
	if _, taken := all[key]; taken {
		panic(fmt.Sprintf("fold: two features handle %v", key))
	}
	all[key] = h
}

// Start returns the first effects for a browser. Call it before the first input.
func (m *Model) Start() []core.Effect {
	m.targets.Start()
	return m.Effects()
}

// Renew restarts the model with other settings.
func (m *Model) Renew(stealth bool, nonce string) {
	m.Stealth = stealth
	m.debugger.Renew()
	m.bridge.Renew(nonce)
}

// SetInit sets the commands that new pages of a context receive first.
func (m *Model) SetInit(c model.ContextID, cmds []model.InitCommand) { m.targets.SetInit(c, cmds) }

// Inits returns the commands that were set for new pages of a context. They are not changed any more.
func (m *Model) Inits(c model.ContextID) []model.InitCommand { return m.targets.Inits(c) }

// SetRoot repeats a command about a context at the beginning of every later connection. It replaces one of the same
// method and name.
func (m *Model) SetRoot(c model.ContextID, cmd model.InitCommand) { m.targets.SetRoot(c, cmd) }

// Routes returns the routes of a context, in the order in which they are tried.
func (m *Model) Routes(c model.ContextID) []routes.Status { return m.routes.Of(c) }

// Probing reports whether a probe of a renderer of the tab is unanswered and not excused, and the renderer is not known
// to be unresponsive.
func (m *Model) Probing(tab model.TargetID) bool { return m.liveness.Probing(tab) }

// Apply folds one input and returns the effects, in order.
func (m *Model) Apply(in Input) []core.Effect {
	m.Begin(in.At)
	switch {
	case in.Event != nil:
		m.event(in.Event)
	case in.Command != nil:
		m.command(in.Command)
	}
	if len(m.State().Interrupts) > 0 && (in.Event == nil || interrupts.MayResolve(in.Event.Method)) {
		m.interrupts.ResolveStale()
	}
	return m.Effects()
}

// event takes one event to its feature.
func (m *Model) event(ev *cdp.Event) {
	handler := m.events[ev.Method]
	if handler == nil {
		return
	}
	if from := m.Sessions[ev.SessionID]; from.Side() && !reaches(from, ev.Method) {
		return
	}
	handler(ev)
}

// reaches reports whether the model gets an event of a side session, or of an own page.
func reaches(from core.Session, method string) bool {
	switch method {
	case "Target.attachedToTarget", "Target.detachedFromTarget":
		return true
	case "Fetch.requestPaused":
		return from.Kind == core.KindOwn
	}
	return false
}

// command takes one command to its feature.
func (m *Model) command(c core.Command) {
	if h, known := m.commands[c.InputName()]; known {
		h.Call(c)
	}
}

// reply takes the outcome of a protocol command to the feature that sent it.
func (m *Model) reply(r *core.Reply) {
	if h := m.replies[r.Tag.Kind]; h != nil {
		h(r)
	}
}
