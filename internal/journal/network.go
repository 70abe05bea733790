package journal

import (
	"bytes"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/supervisor/model"
)

// network is the part of tabRecords that is about requests.
type network struct {
	list ring[*record]
	// chains finds what an event is about. Request ids are unique in a browser, and
	// a navigation into another process continues under the same id on another CDP
	// session (measured on Chromium 156), so the session is no part of the key.
	chains map[string]*chain
	// orphans are the ids of chains without an announcing event, of which only extra info has arrived, oldest first.
	orphans  []string
	inFlight map[string]flight
	// quietSince is when the set of requests in flight last changed.
	quietSince    time.Time
	scriptRequest ScriptRequest
	changed       chan struct{} // closed at the next change; nil while there is no wait
	ended         bool          // the tab is gone
}

// record is a Request on its way to being complete.
type record struct {
	Request
	session  string  // the CDP session that has the body
	started  float64 // monotonic seconds
	listed   bool    // still in the ring
	hasSent  bool    // headers are those of the wire
	hasRecvd bool    // responseHeaders are those of the wire
	noExtra  bool    // the browser reported that none will come
	answered bool    // a response or redirect has arrived
	// provisional are the headers before those of the wire, until it is certain
	// that the latter are this hop's.
	provisional jsontext.Value
	capture     *capture // for a HAR; nil while none is recorded
}

// flight is a request in flight.
type flight struct {
	rec   *record
	since time.Time
}

// maxOrphans bounds the extra info that waits for its request.
const maxOrphans = 256

func (n *network) init() {
	n.chains, n.inFlight = map[string]*chain{}, map[string]flight{}
	n.quietSince = time.Now()
}

func (n *network) close() {
	n.ended = true
	n.wake()
}

func (n *network) wake() {
	if n.changed != nil {
		close(n.changed)
		n.changed = nil
	}
}

// dropOldest is that of the ring, with what points to the record.
func (n *network) dropOldest() int {
	if n.list.len() == 0 {
		return 0
	}
	r := n.list.oldest()
	r.listed = false
	freed := n.list.dropOldest()
	n.release(r.ID)
	return freed
}

// release forgets a chain that nothing needs any more.
func (n *network) release(id string) {
	c := n.chains[id]
	if c == nil {
		return
	}
	if _, busy := n.inFlight[id]; busy {
		return
	}
	if !slices.ContainsFunc(c.hops, func(r *record) bool { return r.listed }) {
		delete(n.chains, id)
	}
}

func (n *network) clear() (records, bytes int) {
	for _, r := range n.list.all() {
		r.listed = false
	}
	records, bytes = n.list.clear()
	for id := range n.chains {
		n.release(id)
	}
	n.orphans = nil
	return records, bytes
}

// begin and end count the requests in flight. Neither a WebSocket nor an event stream counts: they are meant to stay
// open.
func (n *network) begin(r *record) {
	if r.Type == "WebSocket" || r.Type == "EventSource" {
		return
	}
	n.quietSince = time.Now()
	n.noteScriptRequest(r)
	n.inFlight[r.ID] = flight{rec: r, since: n.quietSince}
	n.wake()
}

func (n *network) end(id string) {
	if f, ok := n.inFlight[id]; ok {
		delete(n.inFlight, id)
		n.quietSince = time.Now()
		if f.rec.byScript() {
			n.scriptRequest.Ended = n.quietSince
		}
		n.wake()
	}
	n.release(id)
}

// abandon ends requests whose document, worker or process is gone: Chromium sends no further events for them.
func (n *network) abandon(gone func(*record) bool) {
	for id, f := range n.inFlight {
		if gone(f.rec) {
			n.end(id)
		}
	}
}

type requestEvent struct {
	ID       string        `json:"requestId"`
	Loader   string        `json:"loaderId"`
	Frame    model.FrameID `json:"frameId"`
	Type     string        `json:"type"`
	Time     float64       `json:"timestamp"`
	WallTime float64       `json:"wallTime"`
	Request  struct {
		URL         string         `json:"url"`
		Fragment    string         `json:"urlFragment"`
		Method      string         `json:"method"`
		Headers     jsontext.Value `json:"headers"`
		PostData    string         `json:"postData"`
		HasPostData bool           `json:"hasPostData"`
	} `json:"request"`
	Initiator        initiator      `json:"initiator"`
	RedirectHasExtra bool           `json:"redirectHasExtraInfo"`
	Redirect         *responseParts `json:"redirectResponse"`
}

type responseEvent struct {
	ID       string        `json:"requestId"`
	Loader   string        `json:"loaderId"`
	Frame    model.FrameID `json:"frameId"`
	Type     string        `json:"type"`
	Time     float64       `json:"timestamp"`
	HasExtra bool          `json:"hasExtraInfo"`
	Response responseParts `json:"response"`
}

type responseParts struct {
	URL        string         `json:"url"`
	Status     int            `json:"status"`
	StatusText string         `json:"statusText"`
	Headers    jsontext.Value `json:"headers"`
	MIMEType   string         `json:"mimeType"`
	Protocol   string         `json:"protocol"`
	IP         string         `json:"remoteIPAddress"`
	Port       int            `json:"remotePort"`
	DiskCache  bool           `json:"fromDiskCache"`
	Prefetch   bool           `json:"fromPrefetchCache"`
	Worker     bool           `json:"fromServiceWorker"`
	Encoded    float64        `json:"encodedDataLength"`
	Connection int64          `json:"connectionId"`
	Timing     jsontext.Value `json:"timing"`
}

// tapNetwork routes the events about requests.
func (j *Journal) tapNetwork(ev *cdp.Event, tab model.TargetID) {
	if !strings.HasPrefix(ev.Method, "Network.") {
		return
	}
	switch ev.Method[len("Network."):] {
	case "requestWillBeSent":
		j.requestWillBeSent(ev, tab)
	case "requestWillBeSentExtraInfo":
		j.extraInfo(ev, tab, true)
	case "responseReceived":
		j.responseReceived(ev, tab)
	case "responseReceivedExtraInfo":
		j.extraInfo(ev, tab, false)
	case "requestServedFromCache":
		j.servedFromCache(ev, tab)
	case "dataReceived":
		j.dataReceived(ev, tab)
	case "loadingFinished":
		j.loadingFinished(ev, tab)
	case "loadingFailed":
		j.loadingFailed(ev, tab)
	case "webSocketCreated":
		j.socketCreated(ev, tab)
	case "webSocketWillSendHandshakeRequest":
		j.socketHandshake(ev, tab)
	case "webSocketHandshakeResponseReceived":
		j.socketAnswered(ev, tab)
	case "webSocketFrameSent":
		j.socketMessage(ev, tab, "send")
	case "webSocketFrameReceived":
		j.socketMessage(ev, tab, "receive")
	case "webSocketFrameError":
		j.socketFailed(ev, tab)
	case "webSocketClosed":
		j.socketClosed(ev, tab)
	}
}

func (j *Journal) requestWillBeSent(ev *cdp.Event, tab model.TargetID) {
	var p requestEvent
	// A data: URL is no traffic, and it may be megabytes long.
	if bytes.Contains(ev.Params, []byte(`"url":"data:`)) {
		var url struct {
			Request struct {
				URL string `json:"url"`
			} `json:"request"`
		}
		if !decode(ev, &url) || strings.HasPrefix(url.Request.URL, "data:") {
			return
		}
	}
	if !decode(ev, &p) || p.ID == "" {
		return
	}
	r := &record{session: ev.SessionID, started: p.Time}
	r.Request = Request{
		ID: p.ID, Method: p.Request.Method, URL: cut(p.Request.URL + p.Request.Fragment), Type: cmpOr(p.Type, "Other"),
		Headers: headers(p.Request.Headers), PostData: cut(p.Request.PostData), HasPostData: p.Request.HasPostData,
		Timestamp: int64(p.WallTime * 1000), Frame: p.Frame, Loader: p.Loader, Initiator: p.Initiator.Type, Stack: p.Initiator.frames(),
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	b := j.recordsOf(ev.SessionID, tab)
	if b == nil {
		return
	}
	n := &b.network
	c := n.chain(p.ID)
	if len(c.hops) == 0 && p.Redirect != nil {
		// The first step was on its way before the watch began.
		first := &record{session: ev.SessionID, started: p.Time}
		first.Request = Request{
			ID: p.ID, URL: cut(p.Redirect.URL), Type: r.Type, Headers: headers(nil), Timestamp: r.Timestamp,
			Frame: p.Frame, Loader: p.Loader, Initiator: r.Initiator,
		}
		j.add(b, c, first)
	}
	if len(c.hops) > 0 {
		last := c.hops[len(c.hops)-1]
		if p.Redirect == nil {
			// The same request reported by two CDP sessions, as the script of a worker is by its page and by itself.
			if last.URL == r.URL && last.Method == r.Method {
				return
			}
		} else {
			j.change(b, last, func() {
				c.answer(last, p.Redirect, p.RedirectHasExtra)
				last.RedirectedTo, last.Done, last.Duration = r.URL, true, milliseconds(p.Time-last.started)
			})
			j.captured(last, p.Time)
			j.noteRequest(b, last, model.RequestDone)
			r.RedirectedFrom = last.URL
		}
	}
	j.capturePost(b, r, p.Request.PostData)
	j.add(b, c, r)
}

// add files a new record. The caller holds mu.
func (j *Journal) add(b *tabRecords, c *chain, r *record) {
	n := &b.network
	r.Tab, r.seq, r.listed = b.id, j.next(), true
	c.hops = append(c.hops, r)
	j.beginCapture(b, r)
	c.apply()
	if last := n.list.len() - 1; last >= 0 {
		// Most requests of one page have the same headers: store them once.
		if prev := n.list.all()[last]; bytes.Equal(prev.Headers, r.Headers) {
			r.Headers, r.sharesHeaders = prev.Headers, true
		}
	}
	n.begin(r)
	j.noteRequest(b, r, model.RequestSent)
	j.bytes += n.list.push(r)
	for n.list.len() > j.limits.Requests {
		j.bytes -= n.dropOldest()
	}
	j.trim()
}

// noteRequest queues a note of a request. The caller holds mu.
func (j *Journal) noteRequest(b *tabRecords, r *record, kind model.ChangeKind) {
	c := model.Change{Kind: kind, Record: r.seq, Frame: r.Frame, ID: r.ID, Detail: r.Method, URL: r.URL, Status: r.Status}
	if kind == model.RequestFailed {
		c.Text = r.Failed
	}
	j.note(b, c)
}

// change edits a record and updates the sum of sizes. The caller holds mu.
func (j *Journal) change(b *tabRecords, r *record, edit func()) {
	before := r.weight()
	edit()
	if grown := r.weight() - before; r.listed && grown != 0 {
		b.network.list.bytes += grown
		j.bytes += grown
		j.trim()
	}
}

// chain finds a chain or starts one.
func (n *network) chain(id string) *chain {
	c := n.chains[id]
	if c == nil {
		c = &chain{}
		n.chains[id] = c
	}
	return c
}

// last returns the newest record of a request, or nil.
func (n *network) last(id string) *record {
	c := n.chains[id]
	if c == nil || len(c.hops) == 0 {
		return nil
	}
	return c.hops[len(c.hops)-1]
}

func (j *Journal) responseReceived(ev *cdp.Event, tab model.TargetID) {
	var p responseEvent
	if bytes.Contains(ev.Params, []byte(`"url":"data:`)) || !decode(ev, &p) || p.ID == "" {
		return
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	b := j.recordsOf(ev.SessionID, tab)
	if b == nil {
		return
	}
	r := b.network.last(p.ID)
	if r == nil {
		// Sent before the connection started: the response is all the data there is.
		r = &record{session: ev.SessionID, started: p.Time}
		r.Request = Request{
			ID: p.ID, URL: cut(p.Response.URL), Type: cmpOr(p.Type, "Other"), Headers: headers(nil),
			Timestamp: time.Now().UnixMilli(), Frame: p.Frame, Loader: p.Loader,
		}
		j.add(b, b.network.chain(p.ID), r)
	}
	j.change(b, r, func() {
		r.session, r.Type = ev.SessionID, cmpOr(p.Type, r.Type)
		b.network.chain(p.ID).answer(r, &p.Response, p.HasExtra)
	})
	j.noteRequest(b, r, model.RequestDone)
	if r.Type == "EventSource" {
		b.network.end(p.ID)
	}
}

func (j *Journal) servedFromCache(ev *cdp.Event, tab model.TargetID) {
	j.edit(ev, tab, func(_ *tabRecords, r *record, _ *endEvent) { r.FromCache = true })
}

func (j *Journal) dataReceived(ev *cdp.Event, tab model.TargetID) {
	j.edit(ev, tab, func(_ *tabRecords, r *record, p *endEvent) { r.Received += p.Length })
}

func (j *Journal) loadingFinished(ev *cdp.Event, tab model.TargetID) {
	j.edit(ev, tab, func(b *tabRecords, r *record, p *endEvent) {
		r.session, r.Done, r.Size = ev.SessionID, true, int64(p.Encoded)
		r.Duration = milliseconds(p.Time - r.started)
		b.network.end(p.ID)
		j.captureBody(r, p.Time)
	})
}

func (j *Journal) loadingFailed(ev *cdp.Event, tab model.TargetID) {
	j.edit(ev, tab, func(b *tabRecords, r *record, p *endEvent) {
		r.Done, r.Failed, r.Canceled, r.Blocked = true, model.Cut(p.Error, 1<<10), p.Canceled, p.Blocked
		j.noteRequest(b, r, model.RequestFailed)
		r.Duration = milliseconds(p.Time - r.started)
		b.network.end(p.ID)
		j.captured(r, p.Time)
	})
}

// endEvent has the fields of the short events.
type endEvent struct {
	ID       string  `json:"requestId"`
	Time     float64 `json:"timestamp"`
	Length   int64   `json:"dataLength"`
	Encoded  float64 `json:"encodedDataLength"`
	Error    string  `json:"errorText"`
	Canceled bool    `json:"canceled"`
	Blocked  string  `json:"blockedReason"`
}

// edit changes the newest record of the request a short event is about.
func (j *Journal) edit(ev *cdp.Event, tab model.TargetID, with func(*tabRecords, *record, *endEvent)) {
	var p endEvent
	if !decode(ev, &p) {
		return
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	b := j.recordsOf(ev.SessionID, tab)
	if b == nil {
		return
	}
	if r := b.network.last(p.ID); r != nil {
		j.change(b, r, func() { with(b, r, &p) })
	}
}

func (j *Journal) frameNavigated(ev *cdp.Event, tab model.TargetID) {
	var p struct {
		Frame struct {
			ID     model.FrameID `json:"id"`
			Loader string        `json:"loaderId"`
		} `json:"frame"`
	}
	if !decode(ev, &p) || p.Frame.ID == "" {
		return
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	b := j.recordsOf(ev.SessionID, tab)
	if b == nil {
		return
	}
	top := model.TargetID(p.Frame.ID) == b.id
	if top {
		b.since = j.seq
	}
	b.network.abandon(func(r *record) bool {
		// A new top document ends the frames and workers of the old one as well.
		return r.Loader != p.Frame.Loader && (top || r.Frame == p.Frame.ID)
	})
}

func (j *Journal) frameDetached(ev *cdp.Event, tab model.TargetID) {
	var p struct {
		ID     model.FrameID `json:"frameId"`
		Reason string        `json:"reason"`
	}
	if !decode(ev, &p) || p.Reason == "swap" {
		return
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if b := j.recordsOf(ev.SessionID, tab); b != nil {
		b.network.abandon(func(r *record) bool { return r.Frame == p.ID })
	}
}

// headers returns a headers object, an empty one if there is none.
func headers(raw jsontext.Value) jsontext.Value {
	if len(raw) == 0 || raw[0] != '{' {
		return jsontext.Value("{}")
	}
	return raw
}

func milliseconds(seconds float64) float64 { return max(0, float64(int64(seconds*1e5))/100) }

func cmpOr(s, otherwise string) string {
	if s == "" {
		return otherwise
	}
	return s
}
