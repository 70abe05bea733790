// Package dialogs tracks JavaScript dialogs from their opening to their end.
package dialogs

import (
	"fmt"

	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/supervisor/fold/core"
	"github.com/usher-browser/usher/internal/supervisor/fold/liveness"
	"github.com/usher-browser/usher/internal/supervisor/model"
)

// Dialogs tracks JavaScript dialogs from their opening to their end, and answers those that a policy decides.
type Dialogs struct {
	*core.Core
	liveness  *liveness.Monitor
	bridge    Bridge
	count     int                            // of dialogs so far, for their ids
	overrides []Override                     // of commands under way, oldest first
	deferred  map[string]*Answer             // to be given as soon as they can be sent, by dialog
	unmatched map[string]unmatchedAnswer     // answers in flight whose dialog was closed from elsewhere, by its id
	standby   map[model.TargetID]*standbyTab // what the standby connection reported
}

// Bridge is the second transport of a dialog to the agent; see package bridge.
type Bridge interface {
	// Answer sends the answer of a dialog to the page that is paused for it.
	Answer(d *model.Dialog)
	// Release ends the pause of a dialog that came by the bridge.
	Release(d *model.Dialog)
	// Suspect examines a native dialog that was not closed by this connection.
	Suspect(d *model.Dialog)
	// CloseForNative closes the bridged dialog of a frame that opens a native one, and
	// reports whether the frame's page is being left.
	CloseForNative(t *model.Tab, frame model.FrameID) (left bool)
}

// New returns a Dialogs without dialogs. It needs a bridge before the first input.
func New(c *core.Core, monitor *liveness.Monitor) *Dialogs {
	return &Dialogs{
		Core: c, liveness: monitor, deferred: map[string]*Answer{}, unmatched: map[string]unmatchedAnswer{},
		standby: map[model.TargetID]*standbyTab{},
	}
}

// UseBridge sets the bridge.
func (m *Dialogs) UseBridge(b Bridge) { m.bridge = b }

// Handlers returns the handlers of dialogs.
func (m *Dialogs) Handlers() core.Handlers {
	return core.Handlers{
		Events: map[string]func(*cdp.Event){
			"Page.javascriptDialogOpening": m.opening,
			"Page.javascriptDialogClosed":  m.closed,
		},
		Replies: map[core.TagKind]func(*core.Reply){
			core.TagAnswer:  m.answered,
			core.TagRelease: m.released,
			core.TagCheck:   m.checked,
			core.TagStandby: m.standbyEnabled,
		},
		Commands: []core.CommandHandler{
			core.Handle(m.answer), core.Handle(m.watchdog), core.Handle(m.setPolicy), core.Handle(m.override),
			core.Handle(m.standbyEvent), core.Handle(m.standbyLost),
		},
	}
}

// Limits of stored dialogs.
const (
	MaxRecentOfContext = 20      // closed ones of a context
	MaxRecent          = 200     // of all contexts
	MaxMessage         = 1 << 14 // bytes of a message; a page may write any number
)

// dialogEvent is Page.javascriptDialogOpening.
type dialogEvent struct {
	URL           string        `json:"url"`
	Frame         model.FrameID `json:"frameId"`
	Message       string        `json:"message"`
	Type          string        `json:"type"`
	DefaultPrompt string        `json:"defaultPrompt"`
}

// dialog returns what the event reports.
func (e *dialogEvent) dialog(tab model.TargetID) *model.Dialog {
	return &model.Dialog{Tab: tab, Frame: e.Frame, Type: e.Type, Message: e.Message, DefaultPrompt: e.DefaultPrompt, URL: e.URL}
}

// describes reports whether the event may be about a dialog that is in the model already.
func (e *dialogEvent) describes(d *model.Dialog) bool {
	return e.Type == d.Type && model.Cut(e.Message, MaxMessage) == d.Message && e.DefaultPrompt == d.DefaultPrompt
}

func (m *Dialogs) opening(ev *cdp.Event) {
	var p dialogEvent
	info, ok := m.Sessions[ev.SessionID]
	if !ok || m.State().Tabs[info.Tab] == nil || !core.Decode(ev, &p) {
		return
	}
	if d := m.State().NativeDialog(info.Tab); d != nil && d.Session == "" && p.describes(d) {
		return // the standby connection was faster, and can answer it as well
	}
	m.closeEnded(info.Tab)
	d := p.dialog(info.Tab)
	d.Session = m.State().Tabs[info.Tab].Session
	if m.bridge.CloseForNative(m.State().Tabs[info.Tab], p.Frame) {
		m.Add(d)
		m.answer(&Answer{Dialog: d.ID, By: model.ByRemote})
		return
	}
	if f := m.State().Tabs[info.Tab].MainFrame(); f != nil && f.PendingURL != "" {
		m.Add(d)
		m.check(d)
		return
	}
	m.Show(d)
}

// check determines whether a dialog of a page that is being left can still be answered. Until then it is not reported.
func (m *Dialogs) check(d *model.Dialog) {
	m.replace(d.ID, func(d *model.Dialog) { d.Answering, d.Checking = model.ByRemote, true })
	m.Send(d.Session, "Page.getNavigationHistory", nil, core.Tag{Kind: core.TagCheck, Dialog: d.ID})
}

// checked handles the reply: of a page that is being replaced, Chromium refuses to report the history.
func (m *Dialogs) checked(r *core.Reply) {
	d := m.open(r.Tag.Dialog)
	switch {
	case d == nil || !d.Checking:
	case beingReplaced(r.Err):
		m.replace(d.ID, func(d *model.Dialog) { d.Checking = false })
		m.dropWithPage(d, r.Session)
	default:
		m.checkFailed(d)
	}
}

// checkFailed treats a dialog that was judged, or cannot be any more, as any other.
func (m *Dialogs) checkFailed(d *model.Dialog) {
	m.replace(d.ID, func(d *model.Dialog) { d.Answering, d.Checking = "", false })
	m.ApplyPolicy(m.open(d.ID))
	m.CheckGuards(d.Tab)
}

// Add assigns an id to a dialog, and fills in what is known of its frame.
func (m *Dialogs) Add(d *model.Dialog) {
	m.count++
	t := m.State().Tabs[d.Tab]
	d.ID, d.Context, d.OpenedAt, d.Origin = fmt.Sprintf("d-%d", m.count), t.Context, m.Now(), model.Origin(d.URL)
	d.Message, d.Reach = model.Cut(d.Message, MaxMessage), m.Reach(d)
	if f := t.Frames[d.Frame]; f != nil {
		d.Origin = t.Origin(f)
	}
	s := m.Edit()
	s.Dialogs = append(s.Dialogs, d)
	m.NoteTab(t, model.Change{Kind: model.DialogOpened, Frame: d.Frame, ID: d.ID, Detail: d.Type, Text: d.Message, URL: d.URL})
}

// Show opens a dialog and applies its context's policy.
func (m *Dialogs) Show(d *model.Dialog) {
	m.Add(d)
	m.ApplyPolicy(d)
	m.CheckGuards(d.Tab)
}

// open finds an open dialog by its id.
func (m *Dialogs) open(id string) *model.Dialog {
	for _, d := range m.State().Dialogs {
		if d.ID == id {
			return d
		}
	}
	return nil
}

// replace changes an open dialog, which readers may hold, by replacing it with a copy.
func (m *Dialogs) replace(id string, change func(*model.Dialog)) {
	s := m.Edit()
	for i, d := range s.Dialogs {
		if d.ID == id {
			c := *d
			change(&c)
			s.Dialogs[i] = &c
			return
		}
	}
}
