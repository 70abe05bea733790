package dialogs

import (
	"cmp"
	"maps"
	"slices"

	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/supervisor/fold/core"
	"github.com/usher-browser/usher/internal/supervisor/model"
)

// dialogEnd is Page.javascriptDialogClosed.
type dialogEnd struct {
	Result bool   `json:"result"`
	Input  string `json:"userInput"`
}

// ending returns what it contains about a dialog.
func (e *dialogEnd) ending(d *model.Dialog) model.DialogEnd {
	end := model.DialogEnd{Accepted: e.Result}
	if d.Type == "prompt" && e.Result {
		end.Text = e.Input
	}
	return end
}

// closeEnded closes the dialog of a tab that had ended while an answer was in flight, because the page has opened
// another: the browser replies to an answer right after it reported the end (measured on Chromium 156), so this one was
// closed from elsewhere. The answer will now reach the new dialog, if any.
func (m *Dialogs) closeEnded(tab model.TargetID) {
	for _, d := range slices.Clone(m.State().Dialogs) {
		if d.Tab != tab || d.Ended == nil {
			continue
		}
		if d.Answering != "" {
			m.unmatched[d.ID] = unmatchedAnswer{tab: tab, by: d.Answering, rule: d.Rule}
		}
		m.Close(d, model.ByRemote, d.Ended.Accepted, d.Ended.Text)
	}
}

func (m *Dialogs) closed(ev *cdp.Event) {
	var p dialogEnd
	info, ok := m.Sessions[ev.SessionID]
	if !ok || !core.Decode(ev, &p) {
		return
	}
	d := m.State().NativeDialog(info.Tab)
	if d == nil || d.Ended != nil {
		return
	}
	end := p.ending(d)
	if d.Answering != "" && !d.Checking || m.unmatchedIn(d.Tab) {
		// The reply, which comes next, shows whether our answer did it. To readers the dialog is being answered before
		// and after: no new State is published for this.
		unseen := d.Answering != "" && !m.Dirty()
		m.replace(d.ID, func(d *model.Dialog) { d.Ended = &end })
		m.SetInternal(unseen)
		return
	}
	m.bridge.Suspect(d)
	m.closeByAnswerer(d, end.Accepted, end.Text)
}

// Close moves a dialog to the recent ones.
func (m *Dialogs) Close(d *model.Dialog, by model.ClosedBy, accepted bool, text string) {
	s := m.Edit()
	s.Dialogs = slices.DeleteFunc(s.Dialogs, func(o *model.Dialog) bool { return o.ID == d.ID })
	c := *d
	c.ClosedAt, c.ClosedBy, c.Accepted, c.Answer, c.Ended = m.Now(), by, accepted, model.Cut(text, MaxMessage), nil
	c.DefaultPrompt = model.Cut(c.DefaultPrompt, MaxMessage)
	if by != model.ByPolicy {
		c.Rule = ""
	}
	delete(m.deferred, d.ID)
	s.RecentDialogs = append(s.RecentDialogs, &c)
	own := func(o *model.Dialog) bool { return o.Context == c.Context }
	if n := countFunc(s.RecentDialogs, own); n > MaxRecentOfContext {
		i := slices.IndexFunc(s.RecentDialogs, own)
		s.RecentDialogs = slices.Delete(s.RecentDialogs, i, i+1)
	} else if len(s.RecentDialogs) > MaxRecent {
		s.RecentDialogs = slices.Delete(s.RecentDialogs, 0, 1)
	}
	if t := s.Tabs[d.Tab]; t != nil {
		m.NoteTab(t, model.Change{Kind: model.DialogClosed, Frame: d.Frame, ID: d.ID, Detail: c.Outcome(), By: by, Text: text, URL: d.URL})
	}
	if d.Type == "beforeunload" && !accepted {
		m.cancelNavigation(d)
	}
	m.liveness.InputHandled(d.Tab)
	m.CheckGuards(d.Tab)
}

func countFunc[T any](list []T, is func(T) bool) (n int) {
	for _, v := range list {
		if is(v) {
			n++
		}
	}
	return n
}

// CloseLost closes a dialog whose page is gone, or whose connection cannot report its end.
func (m *Dialogs) CloseLost(d *model.Dialog) {
	if d.Ended != nil && d.Answering != "" {
		m.Close(d, d.Answering, d.Ended.Accepted, d.Ended.Text)
		return
	}
	m.Close(d, model.ByRemote, d.Ended != nil && d.Ended.Accepted, "")
}

// CloseOf closes the dialogs of a tab whose page is gone.
func (m *Dialogs) CloseOf(tab model.TargetID) {
	maps.DeleteFunc(m.unmatched, func(_ string, a unmatchedAnswer) bool { return a.tab == tab })
	for {
		d := m.State().Dialog(tab)
		if d == nil {
			return
		}
		m.CloseLost(d)
		m.bridge.Release(d)
	}
}

// cancelNavigation ends the navigation of a beforeunload dialog whose answer did not allow it: Chromium sends no event
// for it if a script began the navigation. The frame of the dialog is the one that was to navigate, or is below it.
func (m *Dialogs) cancelNavigation(d *model.Dialog) {
	t := m.Tab(d.Tab)
	if t == nil {
		return
	}
	for f := t.Frames[d.Frame]; f != nil; f = t.Frames[f.Parent] {
		m.SetPendingURL(t, f.ID, "")
	}
}

// CloseEarlier closes the dialogs of a tab that opened before a CDP session.
func (m *Dialogs) CloseEarlier(tab model.TargetID, session string) {
	for {
		i := slices.IndexFunc(m.State().Dialogs, func(d *model.Dialog) bool { return d.Tab == tab && !d.Bridge && d.Session != session })
		if i < 0 {
			return
		}
		m.closeUnreported(m.State().Dialogs[i])
	}
}

// closeUnreported is closeUnseen where it is also unknown how the dialog ended: the end is that of the answer in
// flight.
func (m *Dialogs) closeUnreported(d *model.Dialog) {
	if d.Answering != "" || d.UnconfirmedBy != "" {
		m.closeByAnswerer(d, d.Accepted, d.Answer)
		return
	}
	m.closeByAnswerer(d, false, "")
}

// closeByAnswerer closes a dialog whose end its own connection did not report: its cause is the sender of the answer in
// flight, if there was one.
func (m *Dialogs) closeByAnswerer(d *model.Dialog, accepted bool, text string) {
	m.Close(d, cmp.Or(cmp.Or(d.Answering, d.UnconfirmedBy), model.ByRemote), accepted, text)
}
