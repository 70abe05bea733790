package bridge

import (
	"maps"

	"github.com/usher-browser/usher/internal/supervisor/fold/core"
	"github.com/usher-browser/usher/internal/supervisor/model"
)

// suspect is a dialog that was closed too soon for a person, before it is known whether its page was left.
type suspect struct {
	dialog  *model.Dialog
	commits int
	loader  string // of the dialog's frame
}

// Suspect examines a native dialog that is not closed by this connection. If its page then answers and is still the
// same, another client has answered it.
func (m *Bridge) Suspect(d *model.Dialog) {
	t, f := m.State().Tabs[d.Tab], m.State().Frame(d.Frame)
	mode := m.modes[t.Context]
	// A page can detect the debugger that the bridge uses: with Stealth it is used only on request.
	if mode != model.BridgeAuto || m.joined[t.Context] > 0 || m.Stealth || f == nil || t.Session == "" || m.Now().Sub(d.OpenedAt) > automaticWithin {
		return
	}
	if _, on := m.State().Bridges[t.Context]; on {
		return
	}
	m.suspects[d.ID] = suspect{dialog: d, commits: t.Commits, loader: f.Loader}
	m.Send(t.Session, "Runtime.evaluate", core.Params{"expression": "0", "silent": true}, core.Tag{Kind: core.TagSuspect, Dialog: d.ID})
}

// checked handles the reply of such a page. One that crashed, was closed or left gives none, or is not the same.
func (m *Bridge) checked(r *core.Reply) {
	s, ok := m.suspects[r.Tag.Dialog]
	delete(m.suspects, r.Tag.Dialog)
	if !ok || r.Err != nil {
		return
	}
	t, f := m.State().Tabs[s.dialog.Tab], m.State().Frame(s.dialog.Frame)
	if t == nil || f == nil || t.Crash != nil || t.Commits != s.commits || f.Loader != s.loader || t.MainFrame().PendingURL != "" || f.PendingURL != "" {
		return
	}
	if _, on := m.State().Bridges[t.Context]; !on && m.modes[t.Context] == model.BridgeAuto {
		m.switchOn(t.Context, model.Bridge{Since: m.Now(), AnsweredElsewhere: s.dialog})
	}
}

// ForgetTab drops those whose page will not answer any more.
func (m *Bridge) ForgetTab(tab model.TargetID) {
	maps.DeleteFunc(m.suspects, func(_ string, s suspect) bool { return s.dialog.Tab == tab })
}
