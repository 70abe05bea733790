package supervisor

import (
	"slices"
	"time"

	"github.com/usher-browser/usher/internal/policy"
	"github.com/usher-browser/usher/internal/supervisor/model"
)

// SetPolicy sets what happens to the dialogs of a context, those that are open
// included.
type SetPolicy struct {
	Context model.ContextID
	Policy  model.Policy
}

// InputName is the name in recordings.
func (*SetPolicy) InputName() string { return "Policy" }

// Override is a rule that comes before the policy, for the dialogs of one tab
// while a command is carried out there.
type Override struct {
	Tab model.TargetID
	// ID tells overrides apart.
	ID uint64
	// Rule is nil to take the override back.
	Rule *policy.DialogRule
}

// InputName is the name in recordings.
func (*Override) InputName() string { return "Override" }

func (m *Model) override(o *Override) {
	m.rulings = slices.DeleteFunc(m.rulings, func(old Override) bool { return old.ID == o.ID })
	if o.Rule != nil {
		m.rulings = append(m.rulings, *o)
	}
}

func (m *Model) setPolicy(in *SetPolicy) {
	s := m.mutable()
	s.Policies[in.Context] = in.Policy
	for _, d := range slices.Clone(s.Dialogs) {
		if d.Context == in.Context && d.Waits() {
			m.treat(d)
		}
	}
}

// treat does with a dialog that waits what rules and policy want.
func (m *Model) treat(d *model.Dialog) {
	p := m.cur.Policies[d.Context]
	action, text, rule := p.Action(d.Type), d.DefaultPrompt, ""
	if r := m.rule(d, &p); r != nil {
		action, rule = r.Action, r.Name
		if r.HasText {
			text = r.Text
		}
	}
	switch action {
	case policy.Accept:
		m.answer(&Answer{Dialog: d.ID, By: model.ByPolicy, Accept: true, Text: text, Rule: rule})
	case policy.Dismiss:
		m.answer(&Answer{Dialog: d.ID, By: model.ByPolicy, Rule: rule})
	case policy.Ask:
		m.await(d, d.OpenedAt.Add(p.WatchdogTimeout()))
	}
}

// rule finds the first rule that matches a dialog: of the newest command in its
// tab, of earlier commands, of the settings.
func (m *Model) rule(d *model.Dialog, p *model.Policy) *policy.DialogRule {
	if len(m.rulings)+len(p.Rules)+len(p.Standing) == 0 {
		return nil
	}
	about := policy.Dialog{Kind: d.Type, FrameID: string(d.Frame), FrameURL: d.URL, Origin: d.Origin, Message: d.Message}
	if t := m.cur.Tabs[d.Tab]; t != nil && t.Frames[d.Frame] != nil {
		about.FrameName = t.Frames[d.Frame].Name
	}
	for _, o := range slices.Backward(m.rulings) {
		if o.Tab == d.Tab && o.Rule.Matches(&about) {
			return o.Rule
		}
	}
	for _, list := range [][]policy.DialogRule{p.Rules, p.Standing} {
		for i := range list {
			if list[i].Matches(&about) {
				return &list[i]
			}
		}
	}
	return nil
}

// await sets until when a dialog may wait for an answer.
func (m *Model) await(d *model.Dialog, deadline time.Time) {
	if d.Deadline.Equal(deadline) {
		return
	}
	m.replaceDialog(d.ID, func(d *model.Dialog) { d.Deadline = deadline })
	m.do(Effect{Timer: &Timer{After: max(0, deadline.Sub(m.now)), Dialog: d.ID}})
}

// watchdog dismisses a dialog whose time is over. One that was given more time
// meanwhile has another timer.
func (m *Model) watchdog(id string) {
	if d := m.openDialog(id); d != nil && !m.now.Before(d.Deadline) {
		m.answer(&Answer{Dialog: id, By: model.ByWatchdog})
	}
}

// forgetDialogs drops what is kept for a browser context that no longer exists.
func (m *Model) forgetDialogs(c model.ContextID) {
	s := m.mutable()
	delete(s.Policies, c)
	s.RecentDialogs = slices.DeleteFunc(s.RecentDialogs, func(d *model.Dialog) bool { return d.Context == c })
}
