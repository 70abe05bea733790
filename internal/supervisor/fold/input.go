package fold

import (
	"time"

	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/supervisor/fold/core"
	"github.com/usher-browser/usher/internal/supervisor/model"
)

// Input is an event of the browser or a command.
type Input struct {
	At      time.Time
	Event   *cdp.Event
	Command core.Command
}

// Forget drops the data of a browser context that no longer exists.
type Forget struct{ Context model.ContextID }

// InputName returns the name in recordings.
func (*Forget) InputName() string { return "Forget" }

// forget drops the data of a browser context that no longer exists.
func (m *Model) forget(f *Forget) {
	m.targets.Forget(f.Context)
	m.interrupts.Forget(f.Context)
	m.fetch.Forget(f.Context)
	m.headers.Forget(f.Context)
	m.logins.Forget(f.Context)
	m.routes.Forget(f.Context)
	m.permissions.Forget(f.Context)
	m.conditions.Forget(f.Context)
	m.scripts.Forget(f.Context)
	m.dialogs.Forget(f.Context)
	m.bridge.Forget(f.Context)
}
