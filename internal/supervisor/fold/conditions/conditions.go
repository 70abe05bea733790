// Package conditions emulates network conditions: throttling, and being offline.
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
}

// New returns a Conditions that emulates nothing.
func New(c *core.Core) *Conditions {
	return &Conditions{Core: c, contexts: map[model.ContextID]model.NetworkConditions{}}
}

// Handlers returns the handlers of the feature's commands.
func (m *Conditions) Handlers() core.Handlers {
	return core.Handlers{Commands: []core.CommandHandler{core.Handle(m.set)}}
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
func (m *Conditions) Forget(c model.ContextID) { delete(m.contexts, c) }
