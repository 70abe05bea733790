package dialogs

import (
	"slices"
	"time"

	"github.com/usher-browser/usher/internal/policy"
	"github.com/usher-browser/usher/internal/supervisor/fold/core"
	"github.com/usher-browser/usher/internal/supervisor/model"
)

// SetPolicy sets the dialog policy of a context; it applies to open dialogs, too.
type SetPolicy struct {
	Context model.ContextID
	Policy  model.Policy
}

// InputName returns the name in recordings.
func (*SetPolicy) InputName() string { return "SetPolicy" }

// Override is a rule with precedence over the policy, for the dialogs of one tab while a command is carried out there.
type Override struct {
	Tab model.TargetID
	// ID distinguishes overrides.
	ID uint64
	// Rule is nil to remove the override.
	Rule *policy.DialogRule
}

// InputName returns the name in recordings.
func (*Override) InputName() string { return "Override" }

func (m *Dialogs) override(o *Override) {
	m.overrides = slices.DeleteFunc(m.overrides, func(old Override) bool { return old.ID == o.ID })
	if o.Rule != nil {
		m.overrides = append(m.overrides, *o)
	}
}

func (m *Dialogs) setPolicy(in *SetPolicy) {
	s := m.Edit()
	s.Policies[in.Context] = in.Policy
	for _, d := range slices.Clone(s.Dialogs) {
		if d.Context == in.Context && d.NeedsAnswer() {
			m.ApplyPolicy(d)
		}
	}
}

// ApplyPolicy applies rules and policy to a waiting dialog.
func (m *Dialogs) ApplyPolicy(d *model.Dialog) {
	p := m.State().Policies[d.Context]
	action, text, rule := p.Action(d.Type), d.DefaultPrompt, ""
	if r := m.matchingRule(d, &p); r != nil {
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
		m.setDeadline(d, d.OpenedAt.Add(p.WatchdogTimeout()))
	}
}

// matchingRule finds the first rule that matches a dialog: of the newest command in its
// tab, of earlier commands, of the settings.
func (m *Dialogs) matchingRule(d *model.Dialog, p *model.Policy) *policy.DialogRule {
	if len(m.overrides)+len(p.Rules)+len(p.Standing) == 0 {
		return nil
	}
	about := policy.Dialog{Kind: d.Type, Tab: string(d.Tab), FrameID: string(d.Frame), FrameURL: d.URL, Origin: d.Origin, Message: d.Message}
	if t := m.State().Tabs[d.Tab]; t != nil && t.Frames[d.Frame] != nil {
		about.FrameName = t.Frames[d.Frame].Name
	}
	for _, o := range slices.Backward(m.overrides) {
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

// setDeadline sets until when a dialog may wait for an answer.
func (m *Dialogs) setDeadline(d *model.Dialog, deadline time.Time) {
	if d.Deadline.Equal(deadline) {
		return
	}
	m.replace(d.ID, func(d *model.Dialog) { d.Deadline = deadline })
	m.Do(core.Effect{Timer: &core.Timer{After: max(0, deadline.Sub(m.Now())), Dialog: d.ID}})
}

// watchdog dismisses a dialog whose deadline has passed. One whose deadline was extended meanwhile has another timer.
func (m *Dialogs) watchdog(w *Watchdog) {
	if d := m.open(w.Dialog); d != nil && !m.Now().Before(d.Deadline) {
		m.answer(&Answer{Dialog: w.Dialog, By: model.ByWatchdog})
	}
}

// Forget drops the data of a browser context that no longer exists.
func (m *Dialogs) Forget(c model.ContextID) {
	s := m.Edit()
	delete(s.Policies, c)
	s.RecentDialogs = slices.DeleteFunc(s.RecentDialogs, func(d *model.Dialog) bool { return d.Context == c })
}
