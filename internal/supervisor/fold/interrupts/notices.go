package interrupts

import (
	"github.com/usher-browser/usher/internal/supervisor/model"
)

// ForgetTab drops the data of a tab that was closed.
func (m *Queue) ForgetTab(tab model.TargetID) { delete(m.printing, tab) }

// TabOpened reports a tab that a page opened. Tabs from before the connection are not reported: their openers are not
// ready yet.
func (m *Queue) TabOpened(t *model.Tab) {
	opener := m.State().Tabs[t.Opener]
	if opener == nil || !opener.Ready {
		return
	}
	i := m.Open(&model.Interruption{Kind: model.KindNewTab, Tab: t.ID, NewTab: t.ID, Notice: true, Message: "the page opened a tab"})
	i.Origin = model.Origin(opener.URL)
}

// RendererCrashed reports the crash of the renderer of a frame.
func (m *Queue) RendererCrashed(t *model.Tab, frame model.FrameID, c *model.Crash) {
	m.Open(&model.Interruption{Kind: model.KindCrash, Tab: t.ID, Frame: frame, Blocks: frame == t.Main, Notice: true,
		Message: "the renderer crashed (" + c.Status + ")"})
}

// DownloadStarted reports a download.
func (m *Queue) DownloadStarted(d *model.Download) {
	i := m.Open(&model.Interruption{Kind: model.KindDownload, Tab: d.Tab, Download: d.GUID, Notice: true,
		Origin: model.Origin(d.URL), Message: d.SuggestedName})
	for _, g := range m.State().Gone {
		if g.ID == d.Tab || g.ID == model.TargetID(d.Frame) {
			i.Context = g.Context
		}
	}
}

// Printing sets whether usher itself is printing a tab.
type Printing struct {
	Tab model.TargetID
	On  bool
}

// InputName returns the name in recordings.
func (*Printing) InputName() string { return "Printing" }

func (m *Queue) setPrinting(p *Printing) {
	if p.On {
		m.printing[p.Tab]++
		return
	}
	if m.printing[p.Tab]--; m.printing[p.Tab] <= 0 {
		delete(m.printing, p.Tab)
	}
}

// Printed reports a page that called print.
func (m *Queue) Printed(t *model.Tab, session string) {
	if m.printing[t.ID] > 0 {
		return
	}
	for _, i := range m.State().Interrupts {
		if i.Kind == model.KindPrint && i.Tab == t.ID {
			return // a page that calls print repeatedly is reported once
		}
	}
	m.Open(&model.Interruption{Kind: model.KindPrint, Tab: t.ID, Frame: t.Main, Session: session, Notice: true,
		Message: "the page called print(); `pdf` saves it as a file"})
}
