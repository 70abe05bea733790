// Package conditions emulates network conditions, throttling and being offline, and makes the browser keep bodies.
package conditions

import (
	"github.com/usher-browser/usher/internal/supervisor/fold/core"
	"github.com/usher-browser/usher/internal/supervisor/model"
)

// Conditions sends the network conditions of a browser context to its pages, frames, service workers and shared workers,
// also to later ones and over later connections. Dedicated workers have those of their document.
type Conditions struct {
	*core.Core
	contexts map[model.ContextID]model.NetworkConditions
	bodies   map[model.ContextID]bool // contexts whose bodies are kept
}

// New returns a Conditions that emulates nothing.
func New(c *core.Core) *Conditions {
	return &Conditions{Core: c, contexts: map[model.ContextID]model.NetworkConditions{}, bodies: map[model.ContextID]bool{}}
}

// Handlers returns the handlers of the feature's commands.
func (m *Conditions) Handlers() core.Handlers {
	return core.Handlers{Commands: []core.CommandHandler{core.Handle(m.set), core.Handle(m.keepBodies)}}
}

// SetConditions sets the network conditions of a context, in place of the earlier ones.
type SetConditions struct {
	Context model.ContextID
	model.NetworkConditions
}

// InputName returns the name in recordings.
func (*SetConditions) InputName() string { return "Conditions" }

func (m *Conditions) set(s *SetConditions) {
	if m.contexts[s.Context] == s.NetworkConditions {
		return
	}
	m.contexts[s.Context] = s.NetworkConditions
	if s.NetworkConditions == (model.NetworkConditions{}) {
		delete(m.contexts, s.Context)
	}
	for _, id := range m.NetworkSessions(s.Context) {
		m.emulate(id, s.NetworkConditions)
	}
}

// SetUp emulates the conditions of its context in a new CDP session.
func (m *Conditions) SetUp(session string, c model.ContextID) {
	if now, some := m.contexts[c]; some {
		m.emulate(session, now)
	}
	if m.bodies[c] {
		m.keep(session, true)
	}
}

// KeepBodies sets whether the browser keeps the bodies of responses of a context when their page is left, so that they can
// be read a moment later. Without it, bodies end with the renderer process.
type KeepBodies struct {
	Context model.ContextID
	Keep    bool
}

// InputName returns the name in recordings.
func (*KeepBodies) InputName() string { return "KeepBodies" }

func (m *Conditions) keepBodies(k *KeepBodies) {
	if k.Keep {
		m.bodies[k.Context] = true
	} else {
		delete(m.bodies, k.Context)
	}
	for _, id := range m.NetworkSessions(k.Context) {
		m.keep(id, k.Keep)
	}
}

// Limits of the kept bodies of one CDP session, in bytes; the oldest are dropped first.
const (
	maxKept    = 256 << 20
	maxKeptOne = 32 << 20
)

// keep configures one CDP session. Older browsers do not have the command and keep no bodies.
func (m *Conditions) keep(session string, keep bool) {
	limits := core.Params{}
	if keep {
		limits = core.Params{"maxTotalBufferSize": maxKept, "maxResourceBufferSize": maxKeptOne}
	}
	m.Send(session, "Network.configureDurableMessages", limits, core.Tag{})
}

func (m *Conditions) emulate(session string, c model.NetworkConditions) {
	m.Send(session, "Network.emulateNetworkConditions", core.Params{"offline": c.Offline, "latency": c.Latency,
		"downloadThroughput": bound(c.Download), "uploadThroughput": bound(c.Upload)}, core.Tag{})
}

// bound returns a throughput as the protocol has it: -1 for no bound.
func bound(throughput float64) float64 {
	if throughput <= 0 {
		return -1
	}
	return throughput
}

// Forget removes the data of a browser context that no longer exists.
func (m *Conditions) Forget(c model.ContextID) {
	delete(m.contexts, c)
	delete(m.bodies, c)
}
