package journal

import (
	"cmp"
	"encoding/base64"
	"fmt"
	"maps"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/har"
	"github.com/usher-browser/usher/internal/supervisor/model"
)

// inOrder returns the requests that are not written, in the order in which they were sent.
func (r *recording) inOrder() []*record {
	return slices.SortedFunc(maps.Keys(r.pending), func(a, b *record) int { return cmp.Compare(a.seq, b.seq) })
}

// write writes the entry of a request. The caller holds mu.
func (j *Journal) write(r *record) {
	to := r.capture.to
	delete(to.pending, r)
	to.writer.Add(r.entry())
	r.capture = nil
	close(to.changed)
	to.changed = make(chan struct{})
}

// entry returns the entry of a request.
func (r *record) entry() har.Entry {
	c := r.capture
	e := har.Entry{
		Started: stamp(r.Timestamp), Request: r.harRequest(), Response: r.harResponse(), Type: strings.ToLower(r.Type),
		ServerIP: strings.Trim(r.RemoteIP, "[]"), FromWorker: r.FromWorker, Messages: c.messages,
		Page: "page_" + strconv.Itoa(c.page+1),
	}
	if c.connection > 0 {
		e.Connection = strconv.FormatInt(c.connection, 10)
	}
	if r.Initiator != "" {
		e.Initiator = &har.Named{Type: r.Initiator}
	}
	if r.FromCache {
		e.FromCache = "disk"
	}
	if c.ended == 0 {
		e.Comment = "the request had not ended"
	}
	if c.lost > 0 {
		e.Comment = fmt.Sprintf("%d messages are missing: all have more than %d bytes", c.lost, maxHARMessages)
	}
	e.Timings = r.timings()
	e.Time = math.Round(e.Timings.Total()*1000) / 1000
	return e
}

// timings computes the phases from Network.ResourceTiming, as Chrome's DevTools does. Without it, all of the time is
// waiting.
func (r *record) timings() har.Timings {
	out := har.Timings{Blocked: -1, DNS: -1, Connect: -1, SSL: -1, Wait: r.Duration}
	var t struct {
		RequestTime  float64 `json:"requestTime"` // monotonic seconds; the others are in milliseconds after it
		DNSStart     float64 `json:"dnsStart"`
		DNSEnd       float64 `json:"dnsEnd"`
		ConnectStart float64 `json:"connectStart"`
		ConnectEnd   float64 `json:"connectEnd"`
		SSLStart     float64 `json:"sslStart"`
		SSLEnd       float64 `json:"sslEnd"`
		SendStart    float64 `json:"sendStart"`
		SendEnd      float64 `json:"sendEnd"`
		HeadersEnd   float64 `json:"receiveHeadersEnd"`
	}
	if len(r.capture.timing) == 0 || jsonv2.Unmarshal(r.capture.timing, &t) != nil || t.RequestTime == 0 || t.HeadersEnd <= 0 {
		return out
	}
	begin := t.SendStart
	if t.ConnectStart >= 0 {
		begin = t.ConnectStart
		out.Connect = max(0, t.ConnectEnd-t.ConnectStart)
	}
	if t.DNSStart >= 0 {
		begin = t.DNSStart
		out.DNS = max(0, t.DNSEnd-t.DNSStart)
	}
	if t.SSLStart >= 0 {
		out.SSL = max(0, t.SSLEnd-t.SSLStart)
	}
	out.Blocked = max(0, milliseconds(t.RequestTime-r.started)+max(0, begin))
	out.Send = max(0, t.SendEnd-t.SendStart)
	out.Wait = max(0, t.HeadersEnd-t.SendEnd)
	if r.capture.ended > 0 {
		out.Receive = milliseconds(r.capture.ended - t.RequestTime - t.HeadersEnd/1000)
	}
	for _, phase := range []*float64{&out.Blocked, &out.DNS, &out.Connect, &out.SSL, &out.Send, &out.Wait} {
		*phase = math.Round(*phase*1000) / 1000
	}
	return out
}

func (r *record) harRequest() har.Request {
	address, _, _ := strings.Cut(r.URL, "#")
	fields := pairs(r.Headers)
	out := har.Request{
		Method: r.Method, URL: address, HTTPVersion: version(r.Protocol), Cookies: []har.Cookie{}, Headers: fields,
		Query: query(address), HeadersSize: -1, BodySize: int64(len(r.capture.post)),
	}
	for _, text := range values(fields, "Cookie") {
		cookies, err := http.ParseCookie(text)
		if err != nil {
			continue // the header itself is in the list
		}
		for _, c := range cookies {
			out.Cookies = append(out.Cookies, har.Cookie{Name: c.Name, Value: c.Value})
		}
	}
	if r.HasPostData || r.capture.post != "" {
		kind := strings.Join(values(fields, "Content-Type"), ", ")
		out.PostData = &har.PostData{MIMEType: kind, Text: r.capture.post, Comment: r.capture.postNote}
		if len(out.PostData.Text) > maxHARBody {
			out.PostData.Text = model.Cut(out.PostData.Text, maxHARBody)
			out.PostData.Comment = fmt.Sprintf("cut after %d bytes", maxHARBody)
		}
		if strings.HasPrefix(kind, "application/x-www-form-urlencoded") {
			out.PostData.Params = form(r.capture.post)
		}
	}
	return out
}

func (r *record) harResponse() har.Response {
	fields := pairs(r.ResponseHeaders)
	content := r.capture.content
	content.Size, content.MIMEType = max(r.Received, textSize(&content)), cmp.Or(r.MIMEType, "x-unknown")
	out := har.Response{
		Status: r.Status, StatusText: cmp.Or(r.StatusText, http.StatusText(r.Status)), HTTPVersion: version(r.Protocol), Cookies: []har.Cookie{}, Headers: fields,
		Content: content, HeadersSize: -1, BodySize: -1, TransferSize: r.Size, Error: r.Failed,
	}
	if r.RedirectedTo != "" {
		out.RedirectURL = cmp.Or(strings.Join(values(fields, "Location"), ""), r.RedirectedTo)
	}
	if r.FromCache {
		out.BodySize = 0
	}
	for _, text := range values(fields, "Set-Cookie") {
		if c, err := http.ParseSetCookie(text); err == nil {
			out.Cookies = append(out.Cookies, cookie(c))
		}
	}
	return out
}

func textSize(c *har.Content) int64 {
	if c.Encoding == "base64" {
		return int64(base64.StdEncoding.DecodedLen(len(c.Text))) - int64(strings.Count(c.Text[max(0, len(c.Text)-2):], "="))
	}
	return int64(len(c.Text))
}

func cookie(c *http.Cookie) har.Cookie {
	out := har.Cookie{Name: c.Name, Value: c.Value, Path: c.Path, Domain: c.Domain, HTTPOnly: c.HttpOnly, Secure: c.Secure}
	switch {
	case c.MaxAge > 0:
		out.Expires = stamp(time.Now().Add(time.Duration(c.MaxAge) * time.Second).UnixMilli())
	case !c.Expires.IsZero():
		out.Expires = stamp(c.Expires.UnixMilli())
	}
	switch c.SameSite {
	case http.SameSiteLaxMode:
		out.SameSite = "Lax"
	case http.SameSiteStrictMode:
		out.SameSite = "Strict"
	case http.SameSiteNoneMode:
		out.SameSite = "None"
	}
	return out
}

// version returns a protocol of CDP in the words of HTTP.
func version(protocol string) string {
	switch strings.ToLower(protocol) {
	case "":
		return "unknown"
	case "h2":
		return "HTTP/2.0"
	case "h3":
		return "HTTP/3.0"
	}
	return strings.ToUpper(protocol)
}

// pairs returns the headers of a JSON object in its order. Values of a repeated header, which CDP joins by line breaks,
// are separate.
func pairs(headers jsontext.Value) []har.Pair {
	out := []har.Pair{}
	d := jsontext.NewDecoder(strings.NewReader(string(headers)), jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true))
	if t, err := d.ReadToken(); err != nil || t.Kind() != '{' {
		return out
	}
	for d.PeekKind() == '"' {
		name, err := d.ReadToken()
		if err != nil {
			return out
		}
		key := name.String()
		value, err := d.ReadToken()
		if err != nil {
			return out
		}
		for one := range strings.SplitSeq(value.String(), "\n") {
			out = append(out, har.Pair{Name: key, Value: one})
		}
	}
	return out
}

func values(fields []har.Pair, name string) []string {
	var out []string
	for _, f := range fields {
		if strings.EqualFold(f.Name, name) {
			out = append(out, f.Value)
		}
	}
	return out
}

func query(address string) []har.Pair {
	u, err := url.Parse(address)
	if err != nil {
		return []har.Pair{}
	}
	return form(u.RawQuery)
}

// form returns the parameters of a query or form in their order. What cannot be decoded stays encoded.
func form(text string) []har.Pair {
	out := []har.Pair{}
	for part := range strings.SplitSeq(text, "&") {
		if part == "" {
			continue
		}
		name, value, _ := strings.Cut(part, "=")
		out = append(out, har.Pair{Name: unescaped(name), Value: unescaped(value)})
	}
	return out
}

func unescaped(s string) string {
	if plain, err := url.QueryUnescape(s); err == nil {
		return plain
	}
	return s
}

// socketMessage captures a message of a WebSocket.
func (j *Journal) socketMessage(ev *cdp.Event, tab model.TargetID, direction string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if len(j.recordings) == 0 {
		return
	}
	var p struct {
		ID       string  `json:"requestId"`
		Time     float64 `json:"timestamp"`
		Response struct {
			Opcode float64 `json:"opcode"`
			Data   string  `json:"payloadData"`
		} `json:"response"`
	}
	b := j.recordsOf(ev.SessionID, tab)
	if b == nil || j.recordings[b.context] == nil || !decode(ev, &p) {
		return
	}
	r := b.network.last(p.ID)
	if r == nil || r.capture == nil {
		return
	}
	if r.capture.size += len(p.Response.Data) + 64; r.capture.size > maxHARMessages {
		r.capture.lost++
		return
	}
	r.capture.messages = append(r.capture.messages, har.Message{
		Type: direction, Time: float64(r.Timestamp)/1000 + p.Time - r.started, Opcode: int(p.Response.Opcode), Data: p.Response.Data,
	})
}
