package journal

import (
	"time"

	"github.com/usher-browser/usher/internal/supervisor/model"
)

// Asked is the last that scripts of a tab asked of servers, of what may make the page another one. The zero value is nothing
// yet.
type ScriptRequest struct {
	URL      string
	PostData string
	Frame    model.FrameID // empty for a worker
	Began    time.Time
	// Gap is the time from the end of the request before it, 0 if there was none or one was still under way.
	Gap time.Duration
	// Ended is when the last of all these requests ended, before or after Began.
	Ended time.Time
}

// LastScriptRequest is what scripts of a tab asked last. A page that loads part after part asks for the next one when it has worked
// on the last, and between the two nothing is under way.
func (j *Journal) LastScriptRequest(tab model.TargetID) ScriptRequest {
	j.mu.Lock()
	defer j.mu.Unlock()
	if b := j.books[tab]; b != nil {
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
