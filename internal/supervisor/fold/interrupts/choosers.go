package interrupts

import (
	"maps"
	"slices"

	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/supervisor/fold/core"
	"github.com/usher-browser/usher/internal/supervisor/model"
)

// Choosers sets whether the file choosers of a tab, or of all tabs that a context will have, become interruptions.
// Cancel makes Chromium cancel the next ones in one CDP session, which it reports to the page; they do not become
// interruptions.
type Choosers struct {
	Tab     model.TargetID
	Context model.ContextID
	On      bool
	Session string // for Cancel
	Cancel  bool
}

// InputName returns the name in recordings.
func (*Choosers) InputName() string { return "Choosers" }

func (m *Queue) setChoosers(c *Choosers) {
	if c.Session != "" {
		if _, ok := m.Sessions[c.Session]; !ok {
			return
		}
		if c.Cancel {
			m.cancelling[c.Session] = true
		} else {
			delete(m.cancelling, c.Session)
		}
		m.Intercept(c.Session, true, c.Cancel)
		return
	}
	if c.Context != "" {
		m.choosers[c.Context] = c.On
		return
	}
	if t := m.State().Tabs[c.Tab]; t == nil || t.Choosers == c.On {
		return
	}
	m.Tab(c.Tab).Choosers = c.On
	for _, id := range slices.Sorted(maps.Keys(m.Sessions)) {
		if info := m.Sessions[id]; info.Tab == c.Tab && (info.Kind == "page" || info.Kind == "iframe") {
			m.Intercept(id, c.On, false)
		}
	}
}

// ChoosersOf reports whether the file choosers of a context become interruptions.
func (m *Queue) ChoosersOf(c model.ContextID) bool { return m.choosers[c] }

// ForgetSession drops the data of a CDP session that ended.
func (m *Queue) ForgetSession(session string) { delete(m.cancelling, session) }

// ForgetSessions drops the data of all CDP sessions.
func (m *Queue) ForgetSessions() { clear(m.cancelling) }

// Intercept sets whether the file choosers of a CDP session are intercepted, and whether Chromium cancels them.
func (m *Queue) Intercept(session string, on, cancel bool) {
	params := core.Params{"enabled": on}
	if cancel {
		params["cancel"] = true
	}
	m.Send(session, "Page.setInterceptFileChooserDialog", params, core.Tag{})
}

// chooserOpened records that a page requests files. A request by the File System Access API has no input element to set
// files on; Chromium has already reported to the page that the user chose none (measured on Chromium 156).
func (m *Queue) chooserOpened(ev *cdp.Event) {
	var p struct {
		Frame model.FrameID `json:"frameId"`
		Mode  string        `json:"mode"`
		Node  int64         `json:"backendNodeId"`
	}
	info, ok := m.Sessions[ev.SessionID]
	if !ok || m.State().Tabs[info.Tab] == nil || !core.Decode(ev, &p) {
		return
	}
	if m.cancelling[ev.SessionID] {
		return // we opened this one ourselves, to have it cancelled
	}
	for _, i := range slices.Clone(m.State().Interrupts) {
		if i.Chooser != nil && i.Session == ev.SessionID && i.Chooser.Node == p.Node {
			m.Close(i, model.ByRemote, "the page opened another file chooser")
		}
	}
	c := &model.Chooser{Node: p.Node, Multiple: p.Mode == "selectMultiple"}
	i := &model.Interruption{Kind: model.KindFileChooser, Tab: info.Tab, Frame: p.Frame, Session: ev.SessionID, Chooser: c}
	switch {
	case p.Node == 0:
		i.Message, i.Notice = "the page called the File System Access API, which CDP does not support; it got the answer that no file was chosen", true
	case c.Multiple:
		i.Message = "the page opened a file chooser (several files)"
	default:
		i.Message = "the page opened a file chooser"
	}
	m.Open(i)
}
