package supervisor

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/supervisor/model"
)

// How much is kept of dialogs.
const (
	recentDialogs    = 20      // closed ones of a context
	allRecentDialogs = 200     // of all contexts
	maxMessage       = 1 << 14 // bytes of a message; a page may write any number
)

// dialogEvent is Page.javascriptDialogOpening.
type dialogEvent struct {
	URL           string        `json:"url"`
	Frame         model.FrameID `json:"frameId"`
	Message       string        `json:"message"`
	Type          string        `json:"type"`
	DefaultPrompt string        `json:"defaultPrompt"`
}

// dialog is what the event tells of.
func (e *dialogEvent) dialog(tab model.TargetID) *model.Dialog {
	return &model.Dialog{Tab: tab, Frame: e.Frame, Type: e.Type, Message: e.Message, DefaultPrompt: e.DefaultPrompt, URL: e.URL}
}

// describes says that the event may be about a dialog that is known already.
func (e *dialogEvent) describes(d *model.Dialog) bool {
	return e.Type == d.Type && model.Cut(e.Message, maxMessage) == d.Message && e.DefaultPrompt == d.DefaultPrompt
}

// dialogEnd is Page.javascriptDialogClosed.
type dialogEnd struct {
	Result bool   `json:"result"`
	Input  string `json:"userInput"`
}

// ending is what it says of a dialog.
func (e *dialogEnd) ending(d *model.Dialog) model.DialogEnd {
	end := model.DialogEnd{Accepted: e.Result}
	if d.Type == "prompt" && e.Result {
		end.Text = e.Input
	}
	return end
}

func (m *Model) dialogOpening(ev *cdp.Event) {
	var p dialogEvent
	info, ok := m.sessions[ev.SessionID]
	if !ok || m.cur.Tabs[info.tab] == nil || !decodeEvent(ev, &p) {
		return
	}
	if d := m.cur.NativeDialog(info.tab); d != nil && d.Session == "" && p.describes(d) {
		return // the standby connection was faster, and can answer it as well
	}
	m.settleEnded(info.tab)
	d := p.dialog(info.tab)
	d.Session = m.cur.Tabs[info.tab].Session
	if m.supersedes(m.cur.Tabs[info.tab], p.Frame) {
		m.addDialog(d)
		m.answer(&Answer{Dialog: d.ID, By: model.ByRemote})
		return
	}
	if f := m.cur.Tabs[info.tab].MainFrame(); f != nil && f.Going != "" {
		m.addDialog(d)
		m.judgeLeaving(d)
		return
	}
	m.showDialog(d)
}

// judgeLeaving finds out whether a dialog of a page that is being left can be answered still. Until then nobody is told to.
func (m *Model) judgeLeaving(d *model.Dialog) {
	m.replaceDialog(d.ID, func(d *model.Dialog) { d.Answering, d.Checking = model.ByRemote, true })
	m.send(d.Session, "Page.getNavigationHistory", nil, Tag{Kind: TagLeaving, Dialog: d.ID})
}

// judgedLeaving handles the reply: of a page that is being replaced, Chromium tells no history.
func (m *Model) judgedLeaving(r *Reply) {
	d := m.openDialog(r.Tag.Dialog)
	switch {
	case d == nil || !d.Checking:
	case beingReplaced(r.Err):
		m.replaceDialog(d.ID, func(d *model.Dialog) { d.Checking = false })
		m.dropWithItsPage(d, r.Session)
	default:
		m.askAfterAll(d)
	}
}

// askAfterAll treats a dialog that was judged, or cannot be any more, as any other.
func (m *Model) askAfterAll(d *model.Dialog) {
	m.replaceDialog(d.ID, func(d *model.Dialog) { d.Answering, d.Checking = "", false })
	m.treat(m.openDialog(d.ID))
	m.block(d.Tab)
}

// addDialog gives a dialog its id, and what is known of its frame.
func (m *Model) addDialog(d *model.Dialog) {
	m.dialogs++
	t := m.cur.Tabs[d.Tab]
	d.ID, d.Context, d.OpenedAt, d.Origin = fmt.Sprintf("d-%d", m.dialogs), t.Context, m.now, model.Origin(d.URL)
	d.Message, d.Reach = model.Cut(d.Message, maxMessage), m.reach(d)
	if f := t.Frames[d.Frame]; f != nil {
		d.Origin = t.Origin(f)
	}
	s := m.mutable()
	s.Dialogs = append(s.Dialogs, d)
	m.note(t, model.Change{Kind: model.DialogOpened, Frame: d.Frame, ID: d.ID, Detail: d.Type, Text: d.Message, URL: d.URL})
}

// showDialog opens a dialog and does with it what its context's policy says.
func (m *Model) showDialog(d *model.Dialog) {
	m.addDialog(d)
	m.treat(d)
	m.block(d.Tab)
}

// settleEnded files the dialog of a tab that had ended while an answer was on its
// way to it, because the page has opened another: the browser replies to an answer
// right after it told of the end (measured on Chromium 156), so this one was closed
// by somebody else. The answer will now meet the new dialog, if any.
func (m *Model) settleEnded(tab model.TargetID) {
	for _, d := range slices.Clone(m.cur.Dialogs) {
		if d.Tab != tab || d.Ended == nil {
			continue
		}
		if d.Answering != "" {
			m.strays[d.ID] = stray{tab: tab, by: d.Answering, rule: d.Rule}
		}
		m.closeDialog(d, model.ByRemote, d.Ended.Accepted, d.Ended.Text)
	}
}

// stray is an answer on its way to a tab whose dialog was closed by somebody else.
type stray struct {
	tab  model.TargetID
	by   model.ClosedBy
	rule string
}

func (m *Model) strayIn(tab model.TargetID) bool {
	for _, a := range m.strays {
		if a.tab == tab {
			return true
		}
	}
	return false
}

// openDialog finds an open dialog by its id.
func (m *Model) openDialog(id string) *model.Dialog {
	for _, d := range m.cur.Dialogs {
		if d.ID == id {
			return d
		}
	}
	return nil
}

// replaceDialog changes an open dialog, which readers may hold, by putting a copy
// in its place.
func (m *Model) replaceDialog(id string, change func(*model.Dialog)) {
	s := m.mutable()
	for i, d := range s.Dialogs {
		if d.ID == id {
			c := *d
			change(&c)
			s.Dialogs[i] = &c
			return
		}
	}
}

// answer sends an answer and remembers whose it is: Chromium reports the dialog
// as closed before it replies to the call that closed it (measured on 156).
func (m *Model) answer(a *Answer) {
	d := m.openDialog(a.Dialog)
	if d == nil || !d.Waits() && !d.Checking {
		return
	}
	t := m.cur.Tabs[d.Tab]
	if t == nil {
		return
	}
	params := obj{"accept": a.Accept}
	text := ""
	if d.Type == "prompt" && a.Accept {
		text, params["promptText"] = a.Text, a.Text
	}
	if !d.Bridge && !m.sendAnswer(t, d, a, params) {
		if a.By != model.ByAgent {
			m.mutable()
			m.due[d.ID] = a
		}
		return
	}
	m.replaceDialog(d.ID, func(d *model.Dialog) {
		d.Answering, d.Checking, d.Rule, d.Accepted, d.Answer = a.By, false, a.Rule, a.Accept, text
	})
	if d.Bridge {
		m.answerBridged(m.openDialog(d.ID))
	}
}

// answered handles the reply to an answer. A refusal means that somebody else was
// faster.
func (m *Model) answered(r *Reply) {
	if a, ok := m.strays[r.Tag.Dialog]; ok {
		delete(m.strays, r.Tag.Dialog)
		m.strayAnswered(a, r.Err)
		return
	}
	d := m.openDialog(r.Tag.Dialog)
	if d == nil || d.Answering == "" {
		return
	}
	if d.Bridge {
		m.resume(d.Session)
	}
	accepted, text := d.Accepted, d.Answer
	if d.Ended != nil {
		accepted, text = d.Ended.Accepted, d.Ended.Text
	}
	switch {
	case r.Err == nil:
		m.closeDialog(d, d.Answering, accepted, text)
	case d.Ended == nil && !d.Bridge && beingReplaced(r.Err):
		m.dropWithItsPage(d, r.Session)
	case d.Ended != nil:
		m.closeDialog(d, model.ByRemote, accepted, text)
	default:
		m.closeDialog(d, model.ByRemote, false, "")
	}
}

// beingReplaced recognises Chromium's refusal to do something in a page that another is about to take the place of.
func beingReplaced(err error) bool {
	var refused *cdp.Error
	return errors.As(err, &refused) && strings.Contains(refused.Message, "Not attached to an active page")
}

// nowhere is an address that Chromium goes to for nobody, and asks nobody about: its scheme is among the denied ones of
// chrome/browser/external_protocol/external_protocol_handler.cc.
const nowhere = "vbscript:"

// dropWithItsPage lets go of a dialog that opened while the next page was about to take its page's place. The process that is to
// show the next page waits for the dialog then, and Chromium takes no answer to it; ending the CDP session would end the whole
// browser. Any navigation drops the dialog, and the next page comes; one to nowhere does nothing else (all of it measured on
// Chromium 156, with pages of one site; browsers that we launch have switched off what leads to it).
func (m *Model) dropWithItsPage(d *model.Dialog, session string) {
	t := m.cur.Tabs[d.Tab]
	m.replaceDialog(d.ID, func(d *model.Dialog) { d.Accepted, d.Answer = false, "" })
	send := m.send
	if t == nil || t.Session != session {
		send = m.sendStandby
	}
	send(session, "Page.navigate", obj{"url": nowhere}, Tag{Kind: TagRelease, Dialog: d.ID})
}

// strayAnswered handles the reply to an answer that had lost its dialog: if the
// browser took it, it closed the next one.
func (m *Model) strayAnswered(a stray, err error) {
	d := m.cur.NativeDialog(a.tab)
	switch {
	case d == nil || d.Ended == nil:
	case err == nil:
		m.replaceDialog(d.ID, func(d *model.Dialog) { d.Rule = a.rule })
		m.closeDialog(m.openDialog(d.ID), a.by, d.Ended.Accepted, d.Ended.Text)
	case d.Answering == "":
		m.closeDialog(d, model.ByRemote, d.Ended.Accepted, d.Ended.Text)
	}
}

func (m *Model) dialogClosed(ev *cdp.Event) {
	var p dialogEnd
	info, ok := m.sessions[ev.SessionID]
	if !ok || !decodeEvent(ev, &p) {
		return
	}
	d := m.cur.NativeDialog(info.tab)
	if d == nil || d.Ended != nil {
		return
	}
	end := p.ending(d)
	if d.Answering != "" && !d.Checking || m.strayIn(d.Tab) {
		// The reply, which comes next, tells whether our answer did it. To readers the
		// dialog is being answered before and after: nobody is woken for this.
		unseen := d.Answering != "" && !m.Dirty()
		m.replaceDialog(d.ID, func(d *model.Dialog) { d.Ended = &end })
		m.markUnseen(unseen)
		return
	}
	m.suspectTheft(d)
	m.closeUnseen(d, end.Accepted, end.Text)
}

// closeDialog moves a dialog to the recent ones.
func (m *Model) closeDialog(d *model.Dialog, by model.ClosedBy, accepted bool, text string) {
	s := m.mutable()
	s.Dialogs = slices.DeleteFunc(s.Dialogs, func(o *model.Dialog) bool { return o.ID == d.ID })
	c := *d
	c.ClosedAt, c.ClosedBy, c.Accepted, c.Answer, c.Ended = m.now, by, accepted, model.Cut(text, maxMessage), nil
	c.DefaultPrompt = model.Cut(c.DefaultPrompt, maxMessage)
	if by != model.ByPolicy {
		c.Rule = ""
	}
	delete(m.due, d.ID)
	s.RecentDialogs = append(s.RecentDialogs, &c)
	own := func(o *model.Dialog) bool { return o.Context == c.Context }
	if n := countFunc(s.RecentDialogs, own); n > recentDialogs {
		i := slices.IndexFunc(s.RecentDialogs, own)
		s.RecentDialogs = slices.Delete(s.RecentDialogs, i, i+1)
	} else if len(s.RecentDialogs) > allRecentDialogs {
		s.RecentDialogs = slices.Delete(s.RecentDialogs, 0, 1)
	}
	if t := s.Tabs[d.Tab]; t != nil {
		m.note(t, model.Change{Kind: model.DialogClosed, Frame: d.Frame, ID: d.ID, Detail: c.Outcome(), By: by, Text: text, URL: d.URL})
	}
	if d.Type == "beforeunload" && !accepted {
		m.stays(d)
	}
	m.heard(d.Tab)
	m.block(d.Tab)
}

func countFunc[T any](list []T, is func(T) bool) (n int) {
	for _, v := range list {
		if is(v) {
			n++
		}
	}
	return n
}

// loseDialog files a dialog whose page is gone, or nobody to ask about it.
func (m *Model) loseDialog(d *model.Dialog) {
	if d.Ended != nil && d.Answering != "" {
		m.closeDialog(d, d.Answering, d.Ended.Accepted, d.Ended.Text)
		return
	}
	m.closeDialog(d, model.ByRemote, d.Ended != nil && d.Ended.Accepted, "")
}

func (m *Model) closeDialogsOf(tab model.TargetID) {
	maps.DeleteFunc(m.strays, func(_ string, a stray) bool { return a.tab == tab })
	for {
		d := m.cur.Dialog(tab)
		if d == nil {
			return
		}
		m.loseDialog(d)
		m.letGo(d)
	}
}
