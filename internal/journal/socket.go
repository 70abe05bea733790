package journal

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/supervisor/model"
)

// A WebSocket is listed as one request of the type WebSocket: its handshake. Chromium reports it by events of its own.

func (j *Journal) socketCreated(ev *cdp.Event, tab model.TargetID) {
	var p struct {
		ID        string `json:"requestId"`
		URL       string `json:"url"`
		Initiator struct {
			Type string `json:"type"`
		} `json:"initiator"`
	}
	if !decode(ev, &p) || p.ID == "" {
		return
	}
	r := &record{session: ev.SessionID}
	r.Request = Request{
		ID: p.ID, Method: "GET", URL: cut(p.URL), Type: "WebSocket", Headers: headers(nil), Initiator: p.Initiator.Type,
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if b := j.recordsOf(ev.SessionID, tab); b != nil {
		j.add(b, b.network.chain(p.ID), r)
	}
}

func (j *Journal) socketHandshake(ev *cdp.Event, tab model.TargetID) {
	var p struct {
		ID       string  `json:"requestId"`
		Time     float64 `json:"timestamp"`
		WallTime float64 `json:"wallTime"`
		Request  struct {
			Headers jsontext.Value `json:"headers"`
		} `json:"request"`
	}
	if !decode(ev, &p) {
		return
	}
	j.editSocket(ev, tab, p.ID, "", func(r *record) {
		r.Headers, r.sharesHeaders = headers(p.Request.Headers), false
		r.Timestamp, r.started = int64(p.WallTime*1000), p.Time
	})
}

func (j *Journal) socketAnswered(ev *cdp.Event, tab model.TargetID) {
	var p struct {
		ID       string `json:"requestId"`
		Response struct {
			Status     int            `json:"status"`
			StatusText string         `json:"statusText"`
			Headers    jsontext.Value `json:"headers"`
		} `json:"response"`
	}
	if !decode(ev, &p) {
		return
	}
	j.editSocket(ev, tab, p.ID, model.RequestDone, func(r *record) {
		r.Status, r.StatusText = p.Response.Status, model.Cut(p.Response.StatusText, 1<<10)
		r.ResponseHeaders = headers(p.Response.Headers)
	})
}

func (j *Journal) socketFailed(ev *cdp.Event, tab model.TargetID) {
	var p struct {
		ID    string `json:"requestId"`
		Error string `json:"errorMessage"`
	}
	if !decode(ev, &p) {
		return
	}
	j.editSocket(ev, tab, p.ID, model.RequestFailed, func(r *record) { r.Failed = model.Cut(p.Error, 1<<10) })
}

func (j *Journal) socketClosed(ev *cdp.Event, tab model.TargetID) {
	var p endEvent
	if !decode(ev, &p) {
		return
	}
	j.editSocket(ev, tab, p.ID, "", func(r *record) {
		r.Done = true
		if r.started > 0 {
			r.Duration = milliseconds(p.Time - r.started)
		}
	})
}

// editSocket changes the record of a socket; kind, if not empty, is the kind of change for the note.
func (j *Journal) editSocket(ev *cdp.Event, tab model.TargetID, id string, kind model.ChangeKind, with func(*record)) {
	j.mu.Lock()
	defer j.mu.Unlock()
	b := j.recordsOf(ev.SessionID, tab)
	if b == nil {
		return
	}
	if r := b.network.last(id); r != nil {
		j.change(b, r, func() { with(r) })
		if kind != "" {
			j.noteRequest(b, r, kind)
		}
	}
}
