package journal

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/supervisor/model"
)

// Request is one request with its result. Each redirect is a Request of its own; all of one chain share their ID, as in
// the protocol. A document that a tab received completely before it was watched, as when another program opened the tab
// with its address, has none.
type Request struct {
	ID     string `json:"requestId"`
	Method string `json:"method"` // empty if it was sent before the connection started
	URL    string `json:"url"`
	// Type is the protocol's resource type: Document, Stylesheet, Image, Media,
	// Font, Script, TextTrack, XHR, Fetch, Prefetch, EventSource, WebSocket,
	// Manifest, SignedExchange, Ping, CSPViolationReport, Preflight, FedCM, Other.
	Type string `json:"resourceType"`
	// Status is the HTTP status, 0 until there is a response.
	Status   int    `json:"status,omitzero"`
	MIMEType string `json:"mimeType"`
	// Headers and ResponseHeaders are JSON objects of name and value, as sent over the network if the browser reports
	// that. Values of a repeated header are joined by a line break.
	Headers         jsontext.Value `json:"headers"`
	ResponseHeaders jsontext.Value `json:"responseHeaders"`
	// Timestamp is when it was sent, in milliseconds since 1970.
	Timestamp int64 `json:"timestamp"`

	StatusText string `json:"statusText,omitzero"`
	// Done reports whether no more events will come.
	Done bool `json:"done"`
	// Duration is the time from start to end in milliseconds.
	Duration float64 `json:"duration,omitzero"`
	// Failed is the browser's error, such as net::ERR_CONNECTION_REFUSED; Blocked the reason why it was not sent;
	// Canceled reports whether the page cancelled it.
	Failed   string `json:"failed,omitzero"`
	Blocked  string `json:"blockedReason,omitzero"`
	Canceled bool   `json:"canceled,omitzero"`
	// RedirectedTo and RedirectedFrom link the steps of a redirect by their URLs.
	RedirectedTo   string `json:"redirectedTo,omitzero"`
	RedirectedFrom string `json:"redirectedFrom,omitzero"`
	FromCache      bool   `json:"fromCache,omitzero"`
	FromWorker     bool   `json:"fromServiceWorker,omitzero"`
	// Size is the number of bytes received over the network, Received that of the decompressed body.
	Size     int64 `json:"size,omitzero"`
	Received int64 `json:"received,omitzero"`
	// PostData is the body sent, if the browser reported it; HasPostData reports whether there was one.
	PostData    string        `json:"postData,omitzero"`
	HasPostData bool          `json:"hasPostData,omitzero"`
	Protocol    string        `json:"protocol,omitzero"` // h2, http/1.1, …
	RemoteIP    string        `json:"remoteIPAddress,omitzero"`
	RemotePort  int           `json:"remotePort,omitzero"`
	Initiator   string        `json:"initiator,omitzero"` // parser, script, preload, other, …
	Frame       model.FrameID `json:"frameId,omitzero"`   // empty for a worker
	Loader      string        `json:"loaderId,omitzero"`  // of the document that sent it

	// Seen is the response as the page got it, where that is another: one from the cache, which the server confirmed (304). Else it is nil.
	Seen *Seen `json:"-"`
	// Stack is the code that made the request, innermost first, at most 10 frames; for one of the HTML parser the place in the document.
	Stack []Frame `json:"-"`

	Tab           model.TargetID `json:"-"`
	seq           uint64
	sharesHeaders bool // with the record before
}

// Seen is a response as the page got it.
type Seen struct {
	Status     int            `json:"status"`
	StatusText string         `json:"statusText"`
	Headers    jsontext.Value `json:"headers"`
}

func (r *Request) weight() int {
	n := len(r.URL) + len(r.ResponseHeaders) + len(r.PostData) + len(r.Failed) + len(r.StatusText) +
		len(r.RedirectedTo) + len(r.RedirectedFrom)
	if !r.sharesHeaders {
		n += len(r.Headers)
	}
	if r.Seen != nil {
		n += len(r.Seen.StatusText) + len(r.Seen.Headers)
	}
	for i := range r.Stack { // the addresses are shared
		n += frameWeight + len(r.Stack[i].Function)
	}
	return n
}

// Requests returns the requests of some tabs that match the filter, in the order they were sent, and how many older
// ones, matching or not, were dropped for the limits.
func (j *Journal) Requests(f Filter, tabs ...model.TargetID) (requests []Request, dropped int) {
	all := make([]Request, 0, 64)
	j.mu.Lock()
	for _, id := range tabs {
		if b := j.records[id]; b != nil {
			all = slices.Grow(all, b.network.list.len())
			for _, r := range b.network.list.all() {
				all = append(all, r.Request)
			}
			dropped += b.network.list.dropped
		}
	}
	j.mu.Unlock()
	requests = slices.DeleteFunc(all, func(r Request) bool { return !f.Match(&r) })
	for i := range requests {
		requests[i].ResponseHeaders = headers(requests[i].ResponseHeaders)
	}
	if len(tabs) > 1 {
		slices.SortFunc(requests, func(a, b Request) int { return cmp.Compare(a.seq, b.seq) })
	}
	return requests, dropped
}

// ClearRequests drops the requests of some tabs and returns how many there were. Those in flight still count for
// WaitIdle.
func (j *Journal) ClearRequests(tabs ...model.TargetID) int {
	return j.clear(tabs, func(b *tabRecords) (int, int) { return b.network.clear() })
}

// Filter selects requests. Empty fields match everything.
type Filter struct {
	// URL is a substring of the address; with a * it is a pattern of the whole address, in which * stands for any text.
	URL string
	// Types are resource types, in any case.
	Types []string
	// Method is an HTTP method, in any case.
	Method string
	// StatusFrom and StatusTo bound the status, both inclusive. 0 and 0: any, also none yet.
	StatusFrom, StatusTo int
}

// FilterError is the error for a part of a filter that cannot be parsed.
type FilterError struct{ Field, Value, Want string }

func (e *FilterError) Error() string {
	return fmt.Sprintf("filter requests by %s %q: want %s", e.Field, e.Value, e.Want)
}

// ResourceTypes lists the resource types of the protocol.
func ResourceTypes() []string {
	return []string{
		"Document", "Stylesheet", "Image", "Media", "Font", "Script", "TextTrack", "XHR", "Fetch", "Prefetch", "EventSource",
		"WebSocket", "Manifest", "SignedExchange", "Ping", "CSPViolationReport", "Preflight", "FedCM", "Other",
	}
}

// ParseFilter parses a filter as a command line gives it: types separated by commas, a status such as 200, 2xx or
// 400-499. The error is *FilterError.
func ParseFilter(url, typeList, method, status string) (Filter, error) {
	f := Filter{URL: url, Method: strings.TrimSpace(method)}
	for word := range strings.SplitSeq(typeList, ",") {
		word = strings.TrimSpace(word)
		if word == "" {
			continue
		}
		if !slices.ContainsFunc(ResourceTypes(), func(t string) bool { return strings.EqualFold(t, word) }) {
			return Filter{}, &FilterError{"type", word, "one of " + strings.ToLower(strings.Join(ResourceTypes(), ", "))}
		}
		f.Types = append(f.Types, word)
	}
	var ok bool
	if f.StatusFrom, f.StatusTo, ok = parseStatus(strings.TrimSpace(status)); !ok {
		return Filter{}, &FilterError{"status", status, "a number (200), a class (2xx) or a range (400-499)"}
	}
	return f, nil
}

func parseStatus(s string) (from, to int, ok bool) {
	if s == "" {
		return 0, 0, true
	}
	if len(s) == 3 && strings.EqualFold(s[1:], "xx") && s[0] >= '1' && s[0] <= '5' {
		from = int(s[0]-'0') * 100
		return from, from + 99, true
	}
	low, high, ranged := strings.Cut(s, "-")
	if !ranged {
		high = low
	}
	from, err1 := strconv.Atoi(strings.TrimSpace(low))
	to, err2 := strconv.Atoi(strings.TrimSpace(high))
	return from, to, err1 == nil && err2 == nil && from >= 100 && to <= 599 && from <= to
}

// Match reports whether a request matches.
func (f *Filter) Match(r *Request) bool {
	switch {
	case f.Method != "" && !strings.EqualFold(f.Method, r.Method),
		len(f.Types) > 0 && !slices.ContainsFunc(f.Types, func(t string) bool { return strings.EqualFold(t, r.Type) }),
		f.StatusTo != 0 && (r.Status < f.StatusFrom || r.Status > f.StatusTo):
		return false
	}
	return f.URL == "" || matchURL(f.URL, r.URL)
}

func matchURL(pattern, url string) bool {
	if !strings.Contains(pattern, "*") {
		return strings.Contains(url, pattern)
	}
	first, rest, _ := strings.Cut(pattern, "*")
	if !strings.HasPrefix(url, first) {
		return false
	}
	url = url[len(first):]
	for {
		part, after, more := strings.Cut(rest, "*")
		if !more {
			return strings.HasSuffix(url, part)
		}
		i := strings.Index(url, part)
		if i < 0 {
			return false
		}
		url, rest = url[i+len(part):], after
	}
}
