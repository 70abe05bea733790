package journal

import (
	"context"
	"errors"
	"fmt"
	"mime"
	"strconv"
	"strings"
	"time"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/har"
	"github.com/usher-browser/usher/internal/supervisor"
	"github.com/usher-browser/usher/internal/supervisor/model"
)

// A HAR is recorded from the records of the journal: what the journal knows of a request, and a capture with what only
// the HAR needs. An entry is written as soon as nothing more is expected of its request:
//
//	requestWillBeSent -> capture -> response, extra info -> end -> body read from the browser -> entry -> har.Writer
//
// The limits of the journal do not apply to captures.

// HARContent selects the responses whose bodies a HAR has.
type HARContent string

// The values of HARContent.
const (
	HARText HARContent = "text" // texts: HTML, scripts, style sheets, JSON, XML, SVG
	HARAll  HARContent = "all"
	HARNone HARContent = "none"
)

// HAROptions of a recording.
type HAROptions struct {
	// Path is where the file is expected in the end; it is written in the same directory.
	Path    string
	Content HARContent
	Creator har.Tool
	Browser har.Tool
}

// Limits of a HAR, in bytes.
const (
	maxHARBody     = 16 << 20 // of one request or response; the rest is cut off, with a comment
	maxHARMessages = 64 << 20 // of all messages of one WebSocket
)

// recording is a HAR being recorded.
type recording struct {
	HAROptions
	browser *supervisor.Browser
	writer  *har.Writer
	pending map[*record]bool // begun, not written
	lagging []*record        // ended, but extra info may still come
	pages   []har.Page
	started []float64 // of pages, in monotonic seconds
	current map[model.TargetID]int
	changed chan struct{} // closed at the next entry
}

// capture is what a HAR needs of a request besides the record.
type capture struct {
	to         *recording
	page       int // index of pages
	post       string
	postNote   string
	content    har.Content
	timing     jsontext.Value
	connection int64
	ended      float64 // monotonic seconds; 0 while it has not
	reading    int     // bodies that are being read
	messages   []har.Message
	size       int // of messages
	lost       int // messages beyond the limit
}

// ErrRecording is in the chain of the error of StartHAR for a context whose requests are being recorded, and ErrNoRecording
// in that of StopHAR for another.
var (
	ErrRecording   = errors.New("a HAR is being recorded")
	ErrNoRecording = errors.New("no HAR is being recorded")
)

// StartHAR begins to record the requests of a context. It returns an error if the file cannot be created, or
// [ErrRecording].
func (j *Journal) StartHAR(b *supervisor.Browser, c model.ContextID, o HAROptions) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if old := j.recordings[c]; old != nil {
		return fmt.Errorf("%w: %s", ErrRecording, old.Path)
	}
	w, err := har.Create(o.Path, o.Creator, o.Browser)
	if err != nil {
		return err
	}
	j.recordings[c] = &recording{
		HAROptions: o, browser: b, writer: w, pending: map[*record]bool{}, current: map[model.TargetID]int{}, changed: make(chan struct{}),
	}
	return nil
}

// HARPath returns the path that was given to StartHAR; empty if no HAR is being recorded.
func (j *Journal) HARPath(c model.ContextID) string {
	j.mu.Lock()
	defer j.mu.Unlock()
	if r := j.recordings[c]; r != nil {
		return r.Path
	}
	return ""
}

// HAR is a recording that was stopped.
type HAR struct {
	// File is where the file is now, Path where it should be.
	File, Path string
	Entries    int
	// Unfinished is the number of entries whose request had not ended.
	Unfinished int
}

// StopHAR ends the recording of a context, and writes the requests that have not ended as they are. Until ctx ends it
// waits for those that are about to end, except WebSockets. Errors: [ErrNoRecording]; those of writing, in which case
// the file has the entries that could be written.
func (j *Journal) StopHAR(ctx context.Context, c model.ContextID) (HAR, error) {
	j.mu.Lock()
	r := j.recordings[c]
	j.mu.Unlock()
	if r == nil {
		return HAR{}, ErrNoRecording
	}
	for {
		j.mu.Lock()
		changed, busy := r.changed, r.busy()
		j.mu.Unlock()
		if !busy {
			break
		}
		select {
		case <-changed:
			continue
		case <-ctx.Done():
		}
		break
	}
	return j.endHAR(c, r)
}

// busy reports whether requests are about to end. The caller holds the journal's mu.
func (r *recording) busy() bool {
	for rec := range r.pending {
		if rec.Type != "WebSocket" && rec.Type != "EventSource" && rec.capture.expected() {
			return true
		}
	}
	return false
}

// expected reports whether the end of a capture is near: it has ended, and only bodies are missing, or it has a response.
func (c *capture) expected() bool { return c.reading > 0 || c.ended == 0 }

// endHAR writes what remains and closes the file.
func (j *Journal) endHAR(c model.ContextID, r *recording) (HAR, error) {
	j.mu.Lock()
	if j.recordings[c] != r {
		j.mu.Unlock()
		return HAR{}, ErrNoRecording // another caller has ended it
	}
	out := HAR{File: r.writer.Path(), Path: r.Path}
	for _, rec := range r.inOrder() {
		if rec.capture.ended == 0 {
			out.Unfinished++
		}
		j.write(rec)
	}
	delete(j.recordings, c)
	j.mu.Unlock()
	err := r.writer.Close()
	out.Entries, _ = r.writer.Status()
	return out, err
}

// EndHARs ends all recordings of a browser that has ended, or those of one context, and returns their files.
func (j *Journal) EndHARs(contexts ...model.ContextID) ([]HAR, error) {
	j.mu.Lock()
	all := map[model.ContextID]*recording{}
	for c, r := range j.recordings {
		if len(contexts) == 0 || contexts[0] == c {
			all[c] = r
		}
	}
	j.mu.Unlock()
	var out []HAR
	var errs []error
	for c, r := range all {
		h, err := j.endHAR(c, r)
		errs = append(errs, err)
		if h.File != "" {
			out = append(out, h)
		}
	}
	return out, errors.Join(errs...)
}

// makeCalls makes the calls that were waiting for mu.
func (j *Journal) makeCalls() {
	j.mu.Lock()
	calls := j.later
	j.later = nil
	j.mu.Unlock()
	for _, call := range calls {
		call()
	}
}

// beginCapture captures a new record if its context is being recorded. The caller holds mu.
func (j *Journal) beginCapture(b *tabRecords, r *record) {
	to := j.recordings[b.context]
	if to == nil {
		return
	}
	post := r.capture // of capturePost
	r.capture = &capture{to: to}
	if post != nil {
		r.capture.post = post.post
	}
	to.pending[r] = true
	page, known := to.current[b.id]
	if top := r.Type == "Document" && r.RedirectedFrom == "" && model.TargetID(r.Frame) == b.id; top || !known {
		title := r.URL
		if t := to.browser.State().Tabs[b.id]; t != nil && !top {
			title = t.URL
		}
		page = len(to.pages)
		to.pages = append(to.pages, har.Page{
			Started: stamp(r.Timestamp), ID: "page_" + strconv.Itoa(page+1), Title: title, Timings: har.PageTimings{ContentLoad: -1, Load: -1},
		})
		to.started = append(to.started, r.started)
		to.current[b.id] = page
		to.setPages()
	}
	r.capture.page = page
	if r.HasPostData && r.capture.post == "" {
		r.capture.reading++
		c := r.capture
		j.later = append(j.later, func() { j.readPost(r, c) })
	}
}

func (r *recording) setPages() { r.writer.SetPages(append([]har.Page(nil), r.pages...)) }

// capturePost keeps the whole body of a request for beginCapture. The caller holds mu.
func (j *Journal) capturePost(b *tabRecords, r *record, post string) {
	if post != "" && j.recordings[b.context] != nil {
		r.capture = &capture{post: post}
	}
}

// readPost reads the body of a request that its event did not have.
func (j *Journal) readPost(r *record, c *capture) {
	c.to.browser.Session(r.session).Post("Network.getRequestPostData", map[string]any{"requestId": r.ID}, func(raw jsontext.Value, err error) {
		var p struct {
			PostData string `json:"postData"`
		}
		if err == nil {
			err = jsonv2.Unmarshal(raw, &p, jsontext.AllowInvalidUTF8(true))
		}
		j.mu.Lock()
		defer j.mu.Unlock()
		if c.post = p.PostData; err != nil {
			c.postNote = "not recorded: " + err.Error()
		}
		j.bodyRead(r, c)
	})
}

// bodyRead notes that a body was read. The caller holds mu.
func (j *Journal) bodyRead(r *record, c *capture) {
	if c.reading--; r.capture == c { // else it was written without
		j.tryComplete(r)
	}
}

// captureBody notes the end of a request, and reads the body of its response. The caller holds mu.
func (j *Journal) captureBody(r *record, at float64) {
	c := r.capture
	if c == nil {
		return
	}
	switch {
	case c.to.Content == HARNone:
		c.content.Comment = "not recorded: --content none"
	case c.to.Content == HARText && !isText(r):
		c.content.Comment = "not recorded: --content all records it"
	case r.Received > 2*maxHARBody:
		c.content.Comment = fmt.Sprintf("not recorded: larger than %d bytes", 2*maxHARBody)
	default:
		c.reading++
		j.later = append(j.later, func() { j.readBody(r, c) })
	}
	j.captured(r, at)
}

// isText reports whether a response is a text, by its type.
func isText(r *record) bool {
	kind, _, err := mime.ParseMediaType(r.MIMEType)
	if err != nil {
		kind = strings.ToLower(r.MIMEType)
	}
	switch {
	case kind == "", strings.HasPrefix(kind, "text/"), strings.HasSuffix(kind, "json"), strings.HasSuffix(kind, "xml"), strings.HasSuffix(kind, "javascript"),
		strings.HasSuffix(kind, "ecmascript"), kind == "application/x-www-form-urlencoded", kind == "application/x-ndjson", kind == "application/graphql":
		return true
	}
	return false
}

func (j *Journal) readBody(r *record, c *capture) {
	c.to.browser.Session(r.session).Post("Network.getResponseBody", map[string]any{"requestId": r.ID}, func(raw jsontext.Value, err error) {
		content := har.Content{}
		if err == nil {
			content, err = contentOf(raw)
		}
		if err != nil {
			content.Comment = "not recorded: " + err.Error()
		}
		j.mu.Lock()
		defer j.mu.Unlock()
		if content.Text == "" && r.Received > 0 && content.Comment == "" {
			content.Comment = "not recorded: the browser returned no body"
		}
		c.content = content
		j.bodyRead(r, c)
	})
}

// contentOf returns the content of a reply of Network.getResponseBody.
func contentOf(raw jsontext.Value) (har.Content, error) {
	var p struct {
		Body   string `json:"body"`
		Base64 bool   `json:"base64Encoded"`
	}
	if err := jsonv2.Unmarshal(raw, &p, jsontext.AllowInvalidUTF8(true)); err != nil {
		return har.Content{}, err
	}
	out := har.Content{Text: p.Body}
	most := maxHARBody
	if p.Base64 {
		out.Encoding = "base64"
		most = maxHARBody / 3 * 4 // whole groups
	}
	if len(p.Body) > most {
		out.Text = strings.ToValidUTF8(p.Body[:most], "")
		out.Comment = fmt.Sprintf("cut after %d bytes", maxHARBody)
	}
	return out, nil
}

// captured notes the end of a request. The caller holds mu.
func (j *Journal) captured(r *record, at float64) {
	if r.capture == nil || r.capture.ended != 0 {
		return
	}
	r.capture.ended = max(at, 1e-9)
	j.tryComplete(r)
}

// maxLagging bounds the ended requests that wait for extra info.
const maxLagging = 256

// tryComplete writes a request of which nothing more is expected. The caller holds mu.
func (j *Journal) tryComplete(r *record) {
	c := r.capture
	if c.ended == 0 || c.reading > 0 || !c.to.pending[r] {
		return
	}
	if r.lacksExtra() {
		c.to.lagging = append(c.to.lagging, r)
		if len(c.to.lagging) <= maxLagging {
			return
		}
		r = c.to.lagging[0]
		c.to.lagging = c.to.lagging[1:]
	}
	j.write(r)
}

// lacksExtra reports whether extra info was announced and has not come.
func (r *record) lacksExtra() bool {
	return r.answered && !r.noExtra && (!r.hasSent || !r.hasRecvd) && !r.FromCache && !r.FromWorker && r.Type != "WebSocket"
}

// completeLagging writes the ended requests of a chain whose extra info has come. The caller holds mu.
func (j *Journal) completeLagging(c *chain) {
	for _, r := range c.hops {
		if r.capture == nil || len(r.capture.to.lagging) == 0 || r.lacksExtra() {
			continue
		}
		to := r.capture.to
		for i, waiting := range to.lagging {
			if waiting == r {
				to.lagging = append(to.lagging[:i:i], to.lagging[i+1:]...)
				j.write(r)
				break
			}
		}
	}
}

// abandonCaptures writes the requests of which nothing more will come. The caller holds mu.
func (j *Journal) abandonCaptures(gone func(*record) bool) {
	for _, to := range j.recordings {
		for _, r := range to.inOrder() {
			if gone(r) && r.capture.reading == 0 {
				j.write(r)
			}
		}
	}
}

// lifecycle notes the times of a page.
func (j *Journal) lifecycle(ev *cdp.Event, tab model.TargetID) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if len(j.recordings) == 0 {
		return
	}
	var p struct {
		Frame model.FrameID `json:"frameId"`
		Name  string        `json:"name"`
		Time  float64       `json:"timestamp"`
	}
	if !decode(ev, &p) || p.Name != "DOMContentLoaded" && p.Name != "load" {
		return
	}
	b := j.recordsOf(ev.SessionID, tab)
	if b == nil || model.TargetID(p.Frame) != b.id || j.recordings[b.context] == nil {
		return
	}
	to := j.recordings[b.context]
	page, known := to.current[b.id]
	if !known || to.started[page] == 0 || p.Time < to.started[page] {
		return
	}
	if at := milliseconds(p.Time - to.started[page]); p.Name == "load" {
		to.pages[page].Timings.Load = at
	} else {
		to.pages[page].Timings.ContentLoad = at
	}
	to.setPages()
}

// stamp returns a time in milliseconds since 1970 as HAR has it.
func stamp(ms int64) string { return time.UnixMilli(ms).UTC().Format("2006-01-02T15:04:05.000Z") }
