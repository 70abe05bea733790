package fetch

import (
	"strings"

	"github.com/usher-browser/usher/internal/supervisor/fold/core"
	"github.com/usher-browser/usher/internal/supervisor/model"
)

// Fulfill stands for the parameters of Fetch.fulfillRequest, which the Browser fills in.
type Fulfill struct {
	Request string
	Context model.ContextID
	Answer
}

// Resume ends the delay of a paused request.
type Resume struct{ Session, Request string }

// InputName returns the name in recordings.
func (*Resume) InputName() string { return "ResumeRequest" }

// answer answers or continues a paused request, after its delay.
func (m *Fetch) answer(session, id string, r *Request, changed bool) {
	next := core.Send{Session: session, Method: "Fetch.continueRequest"}
	switch a := r.Answer; {
	case a.Abort != "":
		next.Method, next.Params = "Fetch.failRequest", core.Params{"requestId": id, "errorReason": a.Abort}
	case a.Route != 0:
		next.Method, next.Params = "Fetch.fulfillRequest", Fulfill{Request: id, Context: r.Context, Answer: a}
		next.Tag = core.Tag{Kind: core.TagFulfill, Request: id}
	default:
		c := Continue{Request: id, Context: r.Context}
		if changed {
			c.Headers = r.Headers
		}
		next.Params = c
	}
	if r.Delay <= 0 {
		m.Do(core.Effect{Send: &next})
		return
	}
	if m.held[session] == nil {
		m.held[session] = map[string]core.Send{}
	}
	m.held[session][id] = next
	m.Do(core.Effect{Timer: &core.Timer{After: r.Delay, Session: session, Request: id}})
}

// resume continues a request whose delay is over.
func (m *Fetch) resume(c *Resume) {
	next, held := m.held[c.Session][c.Request]
	if !held {
		return
	}
	delete(m.held[c.Session], c.Request)
	m.Do(core.Effect{Send: &next})
}

// fulfilled fails a request whose response the browser refused, so that it does not wait for ever.
func (m *Fetch) fulfilled(r *core.Reply) {
	if r.Err == nil || strings.Contains(r.Err.Error(), "InterceptionId") { // the request itself has gone
		return
	}
	m.Send(r.Session, "Fetch.failRequest", core.Params{"requestId": r.Tag.Request, "errorReason": "Failed"}, core.Tag{})
}

// ForgetSession forgets the delayed requests of a CDP session that has ended.
func (m *Fetch) ForgetSession(session string) { delete(m.held, session) }
