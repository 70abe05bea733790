package journal

import (
	"net/http"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/supervisor/model"
)

// chain is one request of the page with all its redirects: Chromium gives all of
// them one id.
type chain struct {
	hops []*record
	// Extra info (what really went over the wire) comes in the order of the hops
	// but may precede the event that announces its hop.
	sent, received []extra
}

type extra struct {
	headers jsontext.Value
	status  int
}

// answer notes a response or redirect.
func (c *chain) answer(r *record, p *responseParts, hasExtra bool) {
	if r.noExtra = !hasExtra; r.noExtra {
		c.detachExtra(r)
	}
	r.provisional, r.answered = nil, true
	if !r.hasRecvd {
		r.Status, r.ResponseHeaders = p.Status, headers(p.Headers)
	}
	r.StatusText, r.MIMEType, r.Protocol = model.Cut(p.StatusText, 1<<10), model.Cut(p.MIMEType, 1<<10), model.Cut(p.Protocol, 1<<10)
	if r.hasRecvd && r.Status != p.Status {
		r.seenAs(p.Status, r.StatusText, headers(p.Headers))
	}
	r.RemoteIP, r.RemotePort = p.IP, p.Port
	if r.capture != nil {
		r.capture.connection, r.capture.timing = p.Connection, p.Timing
	}
	r.FromCache = r.FromCache || p.DiskCache || p.Prefetch
	r.FromWorker = p.Worker
	r.Size = max(r.Size, int64(p.Encoded))
}

// seenAs notes a response that the page got in place of the one that the server sent.
func (r *record) seenAs(status int, text string, headers jsontext.Value) {
	r.Seen = &Seen{status, text, headers}
	r.StatusText = http.StatusText(r.Status)
}

// detachExtra removes extra info from a hop that turned out to have none: it was the
// next hop's.
func (c *chain) detachExtra(r *record) {
	if r.hasSent {
		c.sent = slices.Insert(c.sent, 0, extra{headers: r.Headers})
		r.Headers, r.hasSent = headers(r.provisional), false
	}
	if r.hasRecvd {
		c.received = slices.Insert(c.received, 0, extra{headers: r.ResponseHeaders, status: r.Status})
		r.hasRecvd = false
	}
}

// apply hands waiting extra info to the hops that lack it, in order.
func (c *chain) apply() {
	for _, r := range c.hops {
		if r.noExtra {
			continue
		}
		if !r.hasSent && len(c.sent) > 0 {
			if !r.answered {
				r.provisional = r.Headers
			}
			r.Headers, r.hasSent, r.sharesHeaders = c.sent[0].headers, true, false
			c.sent = c.sent[1:]
		}
		if !r.hasRecvd && len(c.received) > 0 {
			seen, seenHeaders := r.Status, r.ResponseHeaders
			r.ResponseHeaders, r.hasRecvd = c.received[0].headers, true
			if s := c.received[0].status; s != 0 {
				r.Status = s
			}
			if r.answered && r.Status != seen {
				r.seenAs(seen, r.StatusText, seenHeaders)
			}
			c.received = c.received[1:]
		}
	}
}

func (j *Journal) extraInfo(ev *cdp.Event, tab model.TargetID, sent bool) {
	var p struct {
		ID      string         `json:"requestId"`
		Headers jsontext.Value `json:"headers"`
		Status  int            `json:"statusCode"`
	}
	if !decode(ev, &p) || p.ID == "" {
		return
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	b := j.recordsOf(ev.SessionID, tab)
	if b == nil {
		return
	}
	n := &b.network
	c := n.chain(p.ID)
	e := extra{headers: headers(p.Headers), status: p.Status}
	before := c.weight()
	if sent {
		c.sent = append(c.sent, e)
	} else {
		c.received = append(c.received, e)
	}
	if len(c.hops) == 0 {
		n.orphans = append(n.orphans, p.ID)
		for len(n.orphans) > maxOrphans {
			if o := n.chains[n.orphans[0]]; o != nil && len(o.hops) == 0 {
				delete(n.chains, n.orphans[0])
			}
			n.orphans = n.orphans[1:]
		}
		return
	}
	c.apply()
	j.completeLagging(c)
	if grown := c.weight() - before; grown != 0 {
		n.list.bytes += grown
		j.bytes += grown
		j.trim()
	}
}

// weight is that of the listed hops.
func (c *chain) weight() int {
	total := 0
	for _, r := range c.hops {
		if r.listed {
			total += r.weight()
		}
	}
	return total
}
