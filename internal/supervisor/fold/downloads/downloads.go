// Package downloads records the downloads of a browser.
package downloads

import (
	"slices"
	"time"

	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/supervisor/fold/core"
	"github.com/usher-browser/usher/internal/supervisor/fold/interrupts"
	"github.com/usher-browser/usher/internal/supervisor/model"
)

// Downloads records the downloads of a browser.
type Downloads struct {
	*core.Core
	interrupts *interrupts.Queue
	progress   map[string]time.Time // when the progress of a download was last reported, by GUID
}

// New returns a Downloads without downloads.
func New(c *core.Core, queue *interrupts.Queue) *Downloads {
	return &Downloads{Core: c, interrupts: queue, progress: map[string]time.Time{}}
}

// Handlers returns the handlers of download events.
func (m *Downloads) Handlers() core.Handlers {
	return core.Handlers{Events: map[string]func(*cdp.Event){
		"Browser.downloadWillBegin": m.begin,
		"Browser.downloadProgress":  m.progressed,
	}}
}

func (m *Downloads) begin(ev *cdp.Event) {
	var p struct {
		Frame model.FrameID `json:"frameId"`
		GUID  string        `json:"guid"`
		URL   string        `json:"url"`
		Name  string        `json:"suggestedFilename"`
	}
	if !core.Decode(ev, &p) || p.GUID == "" {
		return
	}
	d := &model.Download{
		GUID: p.GUID, Frame: p.Frame, URL: p.URL, SuggestedName: p.Name,
		State: model.DownloadInProgress, StartedAt: m.Now(),
	}
	if f := m.State().Frame(p.Frame); f != nil {
		d.Tab = m.askedBy(f.Tab)
	}
	s := m.Edit()
	s.Downloads = core.AppendBounded(s.Downloads, d, 100)
	m.note(d, model.DownloadStarted)
	m.interrupts.DownloadStarted(d)
}

// askedBy returns the tab of whose page a download is: that of the opener, if the tab was opened for nothing but the download. Chromium
// closes it at once.
func (m *Downloads) askedBy(id model.TargetID) model.TargetID {
	t := m.State().Tabs[id]
	if t == nil || t.Commits > 0 || m.State().Tabs[t.Opener] == nil {
		return id
	}
	return t.Opener
}

func (m *Downloads) progressed(ev *cdp.Event) {
	var p struct {
		GUID     string              `json:"guid"`
		Total    float64             `json:"totalBytes"`
		Received float64             `json:"receivedBytes"`
		State    model.DownloadState `json:"state"`
	}
	if !core.Decode(ev, &p) {
		return
	}
	s := m.Edit()
	i := slices.IndexFunc(s.Downloads, func(d *model.Download) bool { return d.GUID == p.GUID })
	if i < 0 {
		return
	}
	d := *s.Downloads[i]
	was := d.State
	d.State, d.Total, d.Received = p.State, int64(p.Total), int64(p.Received)
	s.Downloads[i] = &d
	switch {
	case d.State != model.DownloadInProgress && was == model.DownloadInProgress:
		m.note(&d, model.DownloadEnded)
	case d.State == model.DownloadInProgress && m.Now().Sub(m.progress[d.GUID]) >= progressEvery:
		m.note(&d, model.DownloadProgressed)
	}
}

// progressEvery is how often the progress of one download is reported.
const progressEvery = 500 * time.Millisecond

// note reports a download, unless its context is unknown.
func (m *Downloads) note(d *model.Download, kind model.ChangeKind) {
	if kind == model.DownloadEnded {
		delete(m.progress, d.GUID)
	} else {
		if len(m.progress) > 100 { // of downloads whose end was never reported
			clear(m.progress)
		}
		m.progress[d.GUID] = m.Now()
	}
	c := model.Change{Kind: kind, Frame: d.Frame, ID: d.GUID, URL: d.URL, Text: d.SuggestedName, Received: d.Received, Total: d.Total}
	if kind == model.DownloadEnded {
		c.Detail = string(d.State)
	}
	if t := m.State().Tabs[d.Tab]; t != nil {
		m.NoteTab(t, c)
	}
}
