package supervisor

import (
	"slices"

	"github.com/usher-browser/usher/internal/cdp"
)

func (m *Model) downloadBegin(ev *cdp.Event) {
	var p struct {
		Frame FrameID `json:"frameId"`
		GUID  string  `json:"guid"`
		URL   string  `json:"url"`
		Name  string  `json:"suggestedFilename"`
	}
	if !decodeEvent(ev, &p) || p.GUID == "" {
		return
	}
	d := &Download{
		GUID: p.GUID, Frame: p.Frame, URL: p.URL, SuggestedName: p.Name,
		State: DownloadInProgress, StartedAt: m.now,
	}
	if f := m.cur.Frame(p.Frame); f != nil {
		d.Tab = f.Tab
	}
	s := m.mutable()
	s.Downloads = appendBounded(s.Downloads, d, 100)
}

func (m *Model) downloadProgress(ev *cdp.Event) {
	var p struct {
		GUID     string        `json:"guid"`
		Total    float64       `json:"totalBytes"`
		Received float64       `json:"receivedBytes"`
		State    DownloadState `json:"state"`
	}
	if !decodeEvent(ev, &p) {
		return
	}
	s := m.mutable()
	i := slices.IndexFunc(s.Downloads, func(d *Download) bool { return d.GUID == p.GUID })
	if i < 0 {
		return
	}
	d := *s.Downloads[i]
	d.State, d.Total, d.Received = p.State, int64(p.Total), int64(p.Received)
	s.Downloads[i] = &d
}
