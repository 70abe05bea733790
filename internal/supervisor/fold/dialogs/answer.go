package dialogs

import (
	"errors"
	"strings"

	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/supervisor/fold/core"
	"github.com/usher-browser/usher/internal/supervisor/model"
)

// unmatchedAnswer is an answer in flight to a tab whose dialog was closed from elsewhere.
type unmatchedAnswer struct {
	tab  model.TargetID
	by   model.ClosedBy
	rule string
}

func (m *Dialogs) unmatchedIn(tab model.TargetID) bool {
	for _, a := range m.unmatched {
		if a.tab == tab {
			return true
		}
	}
	return false
}

// answer sends an answer and records its sender: Chromium reports the dialog as closed before it replies to the call
// that closed it (measured on 156).
func (m *Dialogs) answer(a *Answer) {
	d := m.open(a.Dialog)
	if d == nil || !d.NeedsAnswer() && !d.Checking {
		return
	}
	t := m.State().Tabs[d.Tab]
	if t == nil {
		return
	}
	params := core.Params{"accept": a.Accept}
	text := ""
	if d.Type == "prompt" && a.Accept {
		text, params["promptText"] = a.Text, a.Text
	}
	if !d.Bridge && !m.sendAnswer(t, d, a, params) {
		if a.By != model.ByAgent {
			m.Edit()
			m.deferred[d.ID] = a
		}
		return
	}
	m.replace(d.ID, func(d *model.Dialog) {
		d.Answering, d.Checking, d.Rule, d.Accepted, d.Answer = a.By, false, a.Rule, a.Accept, text
	})
	if d.Bridge {
		m.bridge.Answer(m.open(d.ID))
	}
}

// answered handles the reply to an answer. An error means that the dialog was closed from elsewhere before.
func (m *Dialogs) answered(r *core.Reply) {
	if a, ok := m.unmatched[r.Tag.Dialog]; ok {
		delete(m.unmatched, r.Tag.Dialog)
		m.unmatchedAnswered(a, r.Err)
		return
	}
	d := m.open(r.Tag.Dialog)
	if d == nil || d.Answering == "" {
		return
	}
	m.bridge.Release(d)
	accepted, text := d.Accepted, d.Answer
	if d.Ended != nil {
		accepted, text = d.Ended.Accepted, d.Ended.Text
	}
	switch {
	case r.Err == nil:
		m.Close(d, d.Answering, accepted, text)
	case d.Ended == nil && !d.Bridge && beingReplaced(r.Err):
		m.dropWithPage(d, r.Session)
	case d.Ended != nil:
		m.Close(d, model.ByRemote, accepted, text)
	default:
		m.Close(d, model.ByRemote, false, "")
	}
}

// beingReplaced reports whether an error is Chromium's refusal to do something in a page that is about to be replaced.
func beingReplaced(err error) bool {
	var refused *cdp.Error
	return errors.As(err, &refused) && strings.Contains(refused.Message, "Not attached to an active page")
}

// NoopURL is an address whose navigation Chromium blocks without asking the user: its scheme is among the denied ones
// of chrome/browser/external_protocol/external_protocol_handler.cc.
const NoopURL = "vbscript:"

// dropWithPage drops a dialog that opened while the next page was about to replace its page. The process that is to
// show the next page waits for the dialog then, and Chromium accepts no answer to it; ending the CDP session would end
// the whole browser. Any navigation drops the dialog, and the next page is shown; one to [NoopURL] has no other effect
// (all of it measured on Chromium 156, with pages of one site; browsers that usher launches have the features disabled
// that lead to it).
func (m *Dialogs) dropWithPage(d *model.Dialog, session string) {
	t := m.State().Tabs[d.Tab]
	m.replace(d.ID, func(d *model.Dialog) { d.Accepted, d.Answer = false, "" })
	send := m.Send
	if t == nil || t.Session != session {
		send = m.SendStandby
	}
	send(session, "Page.navigate", core.Params{"url": NoopURL}, core.Tag{Kind: core.TagRelease, Dialog: d.ID})
}

// unmatchedAnswered handles the reply to an answer that had lost its dialog: if the browser accepted it, it closed the
// next one.
func (m *Dialogs) unmatchedAnswered(a unmatchedAnswer, err error) {
	d := m.State().NativeDialog(a.tab)
	switch {
	case d == nil || d.Ended == nil:
	case err == nil:
		m.replace(d.ID, func(d *model.Dialog) { d.Rule = a.rule })
		m.Close(m.open(d.ID), a.by, d.Ended.Accepted, d.Ended.Text)
	case d.Answering == "":
		m.Close(d, model.ByRemote, d.Ended.Accepted, d.Ended.Text)
	}
}

// Answer is the command to close a dialog.
type Answer struct {
	Dialog string
	By     model.ClosedBy
	Accept bool
	Text   string // for a prompt
	Rule   string // the rule that applied, if By is ByPolicy
}

// InputName returns the name in recordings.
func (*Answer) InputName() string { return "Answer" }

// Watchdog is the command at a dialog's deadline.
type Watchdog struct{ Dialog string }

// InputName returns the name in recordings.
func (*Watchdog) InputName() string { return "Watchdog" }

// UpdateReach sets how each open dialog can be answered now, and answers those whose deadline passed before.
func (m *Dialogs) UpdateReach() {
	for i := 0; i < len(m.State().Dialogs); i++ {
		d := m.State().Dialogs[i]
		if reach := m.Reach(d); reach != d.Reach {
			s := m.Edit()
			c := *d
			c.Reach = reach
			s.Dialogs[i], d = &c, &c
		}
		if due := m.deferred[d.ID]; due != nil && d.Reach != model.ReachNone && d.NeedsAnswer() {
			a := *due
			a.Accept = a.Accept && (d.Reach == model.ReachFull || d.Type == "alert")
			m.answer(&a)
		}
	}
}

// Reach returns how a dialog can be answered now.
func (m *Dialogs) Reach(d *model.Dialog) model.Reach {
	t := m.State().Tabs[d.Tab]
	switch {
	case t == nil:
		return model.ReachNone
	case d.Bridge: // it ends with the connection
		return model.ReachFull
	case t.Session != "" && t.Session == d.Session:
		return model.ReachFull
	case m.standby[d.Tab] != nil && m.standby[d.Tab].dialog != nil:
		return model.ReachFull
	case t.Session != "":
		return model.ReachDismiss
	}
	return model.ReachNone
}

// sendAnswer sends an answer the way that is open, and reports whether there was one.
func (m *Dialogs) sendAnswer(t *model.Tab, d *model.Dialog, a *Answer, params core.Params) bool {
	tag := core.Tag{Kind: core.TagAnswer, Dialog: d.ID}
	switch reach := m.Reach(d); {
	case reach == model.ReachNone, reach == model.ReachDismiss && !d.Dismissible(a.Accept):
		return false
	case reach == model.ReachDismiss:
		tag.Kind = core.TagRelease
		m.Send(t.Session, "Page.navigate", core.Params{"url": NoopURL}, tag)
	case t.Session != "" && t.Session == d.Session:
		m.Send(t.Session, "Page.handleJavaScriptDialog", params, tag)
	default:
		m.SendStandby(m.standby[d.Tab].session, "Page.handleJavaScriptDialog", params, tag)
	}
	return true
}

// released handles the reply to a navigation that releases a page: on success the dialog has been reported closed. If
// Chromium refused it, the page stays blocked.
func (m *Dialogs) released(r *core.Reply) {
	d := m.open(r.Tag.Dialog)
	switch {
	case d == nil || d.Answering == "":
	case d.Ended != nil || r.Err == nil:
		m.Close(d, d.Answering, false, "")
	default:
		m.replace(d.ID, func(d *model.Dialog) { d.Answering = "" })
		m.CheckGuards(d.Tab)
	}
}
