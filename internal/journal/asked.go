package journal

import (
	"time"

	"github.com/usher-browser/usher/internal/supervisor/model"
)

// ScriptRequest is the last request of a tab's scripts that may change the page's content. The zero value is none.
type ScriptRequest struct {
	URL      string
	PostData string
	Frame    model.FrameID // empty for a worker
	Began    time.Time
	// Gap is the time from the end of the request before it, 0 if there was none or one was still in flight.
	Gap time.Duration
	// Ended is when the last of all these requests ended, before or after Began.
	Ended time.Time
}

// LastScriptRequest returns the last request of a tab's scripts. A page that loads part after part sends the next
// request when it has handled the last response, and between the two none is in flight.
func (j *Journal) LastScriptRequest(tab model.TargetID) ScriptRequest {
	j.mu.Lock()
	defer j.mu.Unlock()
	if b := j.records[tab]; b != nil {
		return b.network.scriptRequest
	}
	return ScriptRequest{}
}

// byScript reports whether a script made a request that may change the page.
func (r *record) byScript() bool {
	switch r.Type {
	case "XHR", "Fetch":
		return r.MIMEType != "text/event-stream"
	case "Script", "Stylesheet":
		return r.Initiator == "script"
	}
	return false
}

// noteScriptRequest is called before a request counts as under way.
func (n *network) noteScriptRequest(r *record) {
	if !r.byScript() {
		return
	}
	now := time.Now()
	a := ScriptRequest{URL: r.URL, PostData: r.PostData, Frame: r.Frame, Began: now, Ended: n.scriptRequest.Ended}
	busy := false
	for _, f := range n.inFlight {
		busy = busy || f.rec.byScript()
	}
	if !busy && !a.Ended.IsZero() {
		a.Gap = now.Sub(a.Ended)
	}
	n.scriptRequest = a
}
