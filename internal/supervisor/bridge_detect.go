package supervisor

import (
	"maps"

	"github.com/usher-browser/usher/internal/supervisor/model"
)

// suspect is a dialog that was closed too soon for a person, before it is known
// whether its page went away.
type suspect struct {
	dialog  *model.Dialog
	commits int
	loader  string // of the dialog's frame
}

// suspectTheft looks at a native dialog that is being closed by nobody here. If its
// page then answers and is still the same, another client has answered it.
func (m *Model) suspectTheft(d *model.Dialog) {
	t, f := m.cur.Tabs[d.Tab], m.cur.Frame(d.Frame)
	mode := m.bridge.modes[t.Context]
	// A page can notice the debugger that the bridge stands on: in stealth it is there only when it is asked for.
	if mode != model.BridgeAuto || m.stealth || f == nil || t.Session == "" || m.now.Sub(d.OpenedAt) > stolenWithin {
		return
	}
	if _, on := m.cur.Bridges[t.Context]; on {
		return
	}
	m.bridge.suspects[d.ID] = suspect{dialog: d, commits: t.Commits, loader: f.Loader}
	m.send(t.Session, "Runtime.evaluate", obj{"expression": "0", "silent": true}, Tag{Kind: TagStolen, Dialog: d.ID})
}

// stolen is the answer of such a page. One that crashed, was closed or left gives
// none, or is not the same.
func (m *Model) stolen(r *Reply) {
	s, ok := m.bridge.suspects[r.Tag.Dialog]
	delete(m.bridge.suspects, r.Tag.Dialog)
	if !ok || r.Err != nil {
		return
	}
	t, f := m.cur.Tabs[s.dialog.Tab], m.cur.Frame(s.dialog.Frame)
	if t == nil || f == nil || t.Crash != nil || t.Commits != s.commits || f.Loader != s.loader || t.MainFrame().Going != "" || f.Going != "" {
		return
	}
	if _, on := m.cur.Bridges[t.Context]; !on && m.bridge.modes[t.Context] == model.BridgeAuto {
		m.bridgeUp(t.Context, model.Bridge{Since: m.now, Stolen: s.dialog})
	}
}

// forgetSuspects drops those whose page will not answer any more.
func (m *Model) forgetSuspects(tab model.TargetID) {
	maps.DeleteFunc(m.bridge.suspects, func(_ string, s suspect) bool { return s.dialog.Tab == tab })
}
