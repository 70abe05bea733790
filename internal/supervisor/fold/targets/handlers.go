package targets

import (
	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/supervisor/fold/core"
	"github.com/usher-browser/usher/internal/wire"
)

// Handlers returns the handlers of targets, frames, documents and the connection.
func (m *Targets) Handlers() core.Handlers {
	return core.Handlers{
		Events: m.events(),
		Replies: map[core.TagKind]func(*core.Reply){
			core.TagTree:       m.frameTree,
			core.TagRun:        m.running,
			core.TagEnable:     m.enabled,
			core.TagChildren:   m.childrenAttached,
			core.TagIdentity:   m.compareBrowser,
			core.TagDiscovered: m.allDiscovered,
		},
		Commands: []core.CommandHandler{
			core.Handle(func(c *Overflow) { m.overflow(c.Session) }),
			core.Handle(func(c *Closed) { m.closed(c.Cause) }),
			core.Handle(func(c *Lost) { m.lost(c.Cause) }),
			core.Handle(func(*Connected) { m.Start() }),
			core.Handle(m.expectOwn),
		},
	}
}

func (m *Targets) events() map[string]func(*cdp.Event) {
	return map[string]func(*cdp.Event){
		wire.EventsLost:                     func(ev *cdp.Event) { m.eventsLost(ev.SessionID) },
		"Target.targetCreated":              m.targetInfo,
		"Target.targetInfoChanged":          m.targetInfo,
		"Target.targetDestroyed":            m.targetDestroyed,
		"Target.targetCrashed":              m.targetCrashed,
		"Target.attachedToTarget":           m.attached,
		"Target.detachedFromTarget":         m.detached,
		"Page.frameAttached":                m.frameAttached,
		"Page.frameNavigated":               m.frameNavigated,
		"Page.frameRequestedNavigation":     m.navigationRequested,
		"Page.frameStartedNavigating":       m.navigationStarted,
		"Page.frameStoppedLoading":          m.stoppedLoading,
		"Page.windowOpen":                   m.windowOpen,
		"Page.navigatedWithinDocument":      m.navigatedWithin,
		"Page.frameDetached":                m.frameDetached,
		"Page.lifecycleEvent":               m.lifecycle,
		"Network.responseReceived":          m.response,
		"Network.loadingFailed":             m.loadingFailed,
		"Runtime.bindingCalled":             m.bindingCalled,
		"Runtime.executionContextCreated":   m.contextCreated,
		"Runtime.executionContextDestroyed": m.contextDestroyed,
		"Runtime.executionContextsCleared":  m.contextsCleared,
	}
}
