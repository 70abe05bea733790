package targets

import (
	"github.com/usher-browser/usher/internal/supervisor/fold/core"
)

// attachedSide reports whether a CDP session is a side session, which the model does not use, and records it.
func (m *Targets) attachedSide(parent core.Session, session string, info *core.TargetInfo) bool {
	switch {
	case parent.Kind == core.KindBrowserSide:
		m.Sessions[session] = core.Session{Kind: core.KindSide, Target: info.TargetID}
	case parent.Side():
		m.Sessions[session] = core.Session{Kind: core.KindNestedSide, Target: info.TargetID}
	case info.Type == core.KindBrowserSide:
		m.Sessions[session] = core.Session{Kind: core.KindBrowserSide, Target: info.TargetID}
	default:
		return false
	}
	return true
}
