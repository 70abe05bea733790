package supervisor

import (
	"fmt"
	"slices"

	"github.com/usher-browser/usher/internal/cdp"
)

func (m *Model) dialogOpening(ev *cdp.Event) {
	var p struct {
		URL           string  `json:"url"`
		Frame         FrameID `json:"frameId"`
		Message       string  `json:"message"`
		Type          string  `json:"type"`
		DefaultPrompt string  `json:"defaultPrompt"`
	}
	info, ok := m.sessions[ev.SessionID]
	if !ok || m.cur.Tabs[info.tab] == nil || !decodeEvent(ev, &p) {
		return
	}
	m.dialogs++
	d := &Dialog{
		ID: fmt.Sprintf("d-%d", m.dialogs), Tab: info.tab, Frame: p.Frame, Type: p.Type,
		Message: p.Message, DefaultPrompt: p.DefaultPrompt, URL: p.URL, OpenedAt: m.now,
	}
	s := m.mutable()
	s.Dialogs = append(s.Dialogs, d)
	m.note(s.Tabs[d.Tab], Change{Kind: DialogOpened, Frame: d.Frame, ID: d.ID, Detail: d.Type, Text: d.Message, URL: d.URL})
	policy := m.policies[info.context]
	switch {
	case policy.Mode == AutoDismiss:
		m.answer(&Answer{Dialog: d.ID, By: ByPolicy})
		return
	case policy.Mode == AutoAccept, policy.Mode == AcceptNotices && (d.Type == "alert" || d.Type == "beforeunload"):
		m.answer(&Answer{Dialog: d.ID, By: ByPolicy, Accept: true, Text: d.DefaultPrompt})
		return
	}
	timeout := policy.Timeout
	if timeout <= 0 {
		timeout = DefaultDialogTimeout
	}
	m.effects = append(m.effects, Effect{Timer: &Timer{After: timeout, Dialog: d.ID}})
	m.block(info.tab)
}

// answer sends an answer and remembers whose it is: Chromium reports the dialog
// as closed before it replies to the call that closed it (measured on 156).
func (m *Model) answer(a *Answer) {
	s := m.mutable()
	i := slices.IndexFunc(s.Dialogs, func(d *Dialog) bool { return d.ID == a.Dialog })
	if i < 0 || s.Dialogs[i].answering != "" {
		return
	}
	d := *s.Dialogs[i]
	t := s.Tabs[d.Tab]
	if t == nil || t.Session == "" {
		return
	}
	d.answering, d.Accepted, d.Answer = a.By, a.Accept, ""
	params := obj{"accept": a.Accept}
	if d.Type == "prompt" && a.Accept {
		d.Answer, params["promptText"] = a.Text, a.Text
	}
	s.Dialogs[i] = &d
	m.send(t.Session, "Page.handleJavaScriptDialog", params, Tag{Kind: TagAnswer, Dialog: d.ID})
}

// answered handles the reply to an answer: a refusal means that somebody else
// was faster, unless the dialog is still the one that is open.
func (m *Model) answered(r *Reply) {
	s := m.mutable()
	i := slices.IndexFunc(s.Dialogs, func(d *Dialog) bool { return d.ID == r.Tag.Dialog })
	if i < 0 {
		return
	}
	d := s.Dialogs[i]
	if d.answering == "" {
		return
	}
	if r.Err != nil {
		m.closeDialog(d, ByRemote, false, "")
		return
	}
	m.closeDialog(d, d.answering, d.Accepted, d.Answer)
}

func (m *Model) dialogClosed(ev *cdp.Event) {
	var p struct {
		Result bool   `json:"result"`
		Input  string `json:"userInput"`
	}
	info, ok := m.sessions[ev.SessionID]
	if !ok || !decodeEvent(ev, &p) {
		return
	}
	d := m.cur.Dialog(info.tab)
	if d == nil {
		return
	}
	by := d.answering
	if by == "" {
		by = ByRemote
	}
	text := ""
	if d.Type == "prompt" && p.Result {
		text = p.Input
	}
	m.closeDialog(d, by, p.Result, text)
}

// closeDialog moves a dialog to the recent ones.
func (m *Model) closeDialog(d *Dialog, by ClosedBy, accepted bool, text string) {
	s := m.mutable()
	s.Dialogs = slices.DeleteFunc(s.Dialogs, func(o *Dialog) bool { return o.ID == d.ID })
	c := *d
	c.ClosedAt, c.ClosedBy, c.Accepted, c.Answer = m.now, by, accepted, text
	s.RecentDialogs = appendBounded(s.RecentDialogs, &c, 20)
	if t := s.Tabs[d.Tab]; t != nil {
		m.note(t, Change{Kind: DialogClosed, Frame: d.Frame, ID: d.ID, Detail: c.outcome(), By: by, Text: text, URL: d.URL})
	}
	m.block(d.Tab)
}

// outcome is how a closed dialog ended, in one word.
func (d *Dialog) outcome() string {
	if d.Accepted {
		return "accepted"
	}
	return "dismissed"
}

func (m *Model) closeDialogsOf(tab TargetID) {
	for {
		d := m.cur.Dialog(tab)
		if d == nil {
			return
		}
		m.closeDialog(d, ByRemote, false, "")
	}
}
