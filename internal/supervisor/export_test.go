package supervisor

import (
	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/supervisor/model"
)

// Tap is an observer that adds no changes.
type Tap func(ev cdp.Event, tab model.TargetID)

// Tap handles one event.
func (f Tap) Tap(ev cdp.Event, tab model.TargetID, _ func(model.Change)) { f(ev, tab) }
