package targets

import (
	"github.com/usher-browser/usher/internal/supervisor/fold/core"
)

// attachedSide notes a CDP session that is none of the model's own and reports whether it is one.
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
