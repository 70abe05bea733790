package supervisor

import (
	"slices"

	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/supervisor/model"
)

// chooserOpened notes that a page wants files. A page that asks with the file
// system API has no input to give them to; Chromium has told it already that the
// person chose none (measured on Chromium 156).
func (m *Model) chooserOpened(ev *cdp.Event) {
	var p struct {
		Frame model.FrameID `json:"frameId"`
		Mode  string        `json:"mode"`
		Node  int64         `json:"backendNodeId"`
	}
	info, ok := m.sessions[ev.SessionID]
	if !ok || m.cur.Tabs[info.tab] == nil || !decodeEvent(ev, &p) {
		return
	}
	if m.cancelling[ev.SessionID] {
		return // we opened this one ourselves, to have it cancelled
	}
	for _, i := range slices.Clone(m.cur.Interrupts) {
		if i.Chooser != nil && i.Session == ev.SessionID && i.Chooser.Node == p.Node {
			m.closeInterruption(i, model.ByRemote, "the page opened another file chooser")
		}
	}
	c := &model.Chooser{Node: p.Node, Multiple: p.Mode == "selectMultiple"}
	i := &model.Interruption{Kind: model.KindFileChooser, Tab: info.tab, Frame: p.Frame, Session: ev.SessionID, Chooser: c}
	switch {
	case p.Node == 0:
		i.Message, i.Notice = "the page called the File System Access API, which CDP cannot answer; it was told that no file was chosen", true
	case c.Multiple:
		i.Message = "the page opened a file chooser (several files)"
	default:
		i.Message = "the page opened a file chooser"
	}
	m.interrupt(i)
}

// opened tells of a tab that a page opened. Tabs that were there before the watch
// began are no news: their openers are not ready yet.
func (m *Model) opened(t *model.Tab) {
	opener := m.cur.Tabs[t.Opener]
	if opener == nil || !opener.Ready {
		return
	}
	i := m.interrupt(&model.Interruption{Kind: model.KindNewTab, Tab: t.ID, NewTab: t.ID, Notice: true, Message: "the page opened a tab"})
	i.Origin = model.Origin(opener.URL)
}

func (m *Model) crashed(t *model.Tab, frame model.FrameID, c *model.Crash) {
	m.interrupt(&model.Interruption{Kind: model.KindCrash, Tab: t.ID, Frame: frame, Blocks: frame == t.Main, Notice: true,
		Message: "the renderer crashed (" + c.Status + ")"})
}

func (m *Model) downloading(d *model.Download) {
	i := m.interrupt(&model.Interruption{Kind: model.KindDownload, Tab: d.Tab, Download: d.GUID, Notice: true,
		Origin: model.Origin(d.URL), Message: d.SuggestedName})
	for _, g := range m.cur.Gone {
		if g.ID == d.Tab || g.ID == model.TargetID(d.Frame) {
			i.Context = g.Context
		}
	}
}

// downloadOutcome is how a download ended, "" while it goes on.
func (m *Model) downloadOutcome(guid string) string {
	for _, d := range m.cur.Downloads {
		if d.GUID == guid {
			if d.State == model.DownloadInProgress {
				return ""
			}
			return string(d.State)
		}
	}
	return "forgotten"
}
