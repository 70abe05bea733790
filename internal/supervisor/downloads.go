package supervisor

import (
	"slices"
	"time"

	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/supervisor/model"
)

func (m *Model) downloadBegin(ev *cdp.Event) {
	var p struct {
		Frame model.FrameID `json:"frameId"`
		GUID  string        `json:"guid"`
		URL   string        `json:"url"`
		Name  string        `json:"suggestedFilename"`
	}
	if !decodeEvent(ev, &p) || p.GUID == "" {
		return
	}
	d := &model.Download{
		GUID: p.GUID, Frame: p.Frame, URL: p.URL, SuggestedName: p.Name,
		State: model.DownloadInProgress, StartedAt: m.now,
	}
	if f := m.cur.Frame(p.Frame); f != nil {
		d.Tab = f.Tab
	}
	s := m.mutable()
	s.Downloads = appendBounded(s.Downloads, d, 100)
	m.noteDownload(d, model.DownloadStarted)
	m.downloading(d)
}

func (m *Model) downloadProgress(ev *cdp.Event) {
	var p struct {
		GUID     string              `json:"guid"`
		Total    float64             `json:"totalBytes"`
		Received float64             `json:"receivedBytes"`
		State    model.DownloadState `json:"state"`
	}
	if !decodeEvent(ev, &p) {
		return
	}
	s := m.mutable()
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
		m.noteDownload(&d, model.DownloadEnded)
	case d.State == model.DownloadInProgress && m.now.Sub(m.progress[d.GUID]) >= progressEvery:
		m.noteDownload(&d, model.DownloadProgressed)
	}
}

// progressEvery is how often the progress of one download is told.
const progressEvery = 500 * time.Millisecond

// noteDownload tells of a download, unless nobody knows whose it is.
func (m *Model) noteDownload(d *model.Download, kind model.ChangeKind) {
	if kind == model.DownloadEnded {
		delete(m.progress, d.GUID)
	} else {
		if len(m.progress) > 100 { // of downloads whose end was never told
			clear(m.progress)
		}
		m.progress[d.GUID] = m.now
	}
	c := model.Change{Kind: kind, Frame: d.Frame, ID: d.GUID, URL: d.URL, Text: d.SuggestedName, Received: d.Received, Total: d.Total}
	if kind == model.DownloadEnded {
		c.Detail = string(d.State)
	}
	if t := m.cur.Tabs[d.Tab]; t != nil {
		m.note(t, c)
	}
}
