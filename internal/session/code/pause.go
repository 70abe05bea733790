package code

import (
	"context"
	"encoding/base64"
	"mime"
	"net/http"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/command/run"
	"github.com/usher-browser/usher/internal/command/upload"
	"github.com/usher-browser/usher/internal/files"
	"github.com/usher-browser/usher/internal/policy"
	"github.com/usher-browser/usher/internal/session/code/known"
	"github.com/usher-browser/usher/internal/supervisor/model"
)

// pauseAll are the parameters of Fetch.enable: every request pauses, and the code says what becomes of it.
var pauseAll = map[string]any{"patterns": []map[string]any{{"urlPattern": "*"}}}

// paused is a request that waits for the code.
type paused struct {
	session *cdp.Session
	id      string // in its session
	network string
	frame   model.FrameID
	url     string
	headers map[string]string
	// response is set while it waits with the response of the server.
	response *fetchedResponse
}

type fetchedResponse struct {
	Status     int           `json:"status"`
	StatusText string        `json:"statusText"`
	Headers    []headerField `json:"headers"`
	Body       []byte        `json:"body"`
}

type headerField struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// pauseRequests begins or ends to pause the requests of the tab.
func (o operation) pauseRequests(ctx context.Context, params jsontext.Value) (any, error) {
	var p struct {
		On bool `json:"on"`
	}
	if err := json.Unmarshal(params, &p); err != nil {
		return nil, api.Errorf(api.InvalidArgument, "route: %w", err)
	}
	c, err := o.ofTab(ctx)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	c.pausing = p.On
	c.mu.Unlock()
	for i, s := range c.sessions() {
		method, params := "Fetch.disable", any(nil)
		if p.On {
			method, params = "Fetch.enable", pauseAll
		}
		if err := s.Call(ctx, method, params, nil); err != nil && i == 0 { // a frame may have gone
			return nil, api.Errorf(api.ProtocolError, "route: %w", err)
		}
	}
	return o.state(ctx, nil)
}

// requestPaused tells the code of a request that waits.
func (c *client) requestPaused(ev cdp.Event) {
	var p struct {
		ID       string        `json:"requestId"`
		Network  string        `json:"networkId"`
		Frame    model.FrameID `json:"frameId"`
		Type     string        `json:"resourceType"`
		Status   int           `json:"responseStatusCode"`
		Text     string        `json:"responseStatusText"`
		Failed   string        `json:"responseErrorReason"`
		Received []headerField `json:"responseHeaders"`
		Request  struct {
			URL         string            `json:"url"`
			Fragment    string            `json:"urlFragment"`
			Method      string            `json:"method"`
			Headers     map[string]string `json:"headers"`
			PostData    string            `json:"postData"`
			HasPostData bool              `json:"hasPostData"`
		} `json:"request"`
	}
	s := c.session.Session(ev.SessionID)
	if s == nil || json.Unmarshal(ev.Params, &p, jsontext.AllowInvalidUTF8(true)) != nil {
		return
	}
	held := &paused{session: s, id: p.ID, network: p.Network, frame: p.Frame, url: p.Request.URL, headers: p.Request.Headers}
	c.mu.Lock()
	waiting := c.fetched[p.ID]
	delete(c.fetched, p.ID)
	c.mu.Unlock()
	if waiting != nil && (p.Status != 0 || p.Failed != "") {
		held.response = &fetchedResponse{Status: p.Status, StatusText: p.Text, Headers: p.Received}
		waiting <- held
		return
	}
	if !c.mayAnswer(p.Frame, p.Request.URL) {
		s.Post("Fetch.continueRequest", map[string]any{"requestId": p.ID}, nil)
		return
	}
	c.mu.Lock()
	c.last++
	number := "r" + strconv.Itoa(c.last)
	c.paused[number] = held
	c.mu.Unlock()
	request := map[string]any{
		"requestId": p.Network, "url": p.Request.URL + p.Request.Fragment, "method": p.Request.Method, "resourceType": c.kindOf(p.Network, p.Type),
		"headers": c.shown(p.Request.Headers), "frameId": p.Frame,
	}
	if p.Request.HasPostData || p.Request.PostData != "" {
		request["hasPostData"], request["postData"] = true, p.Request.PostData
	}
	if p.Type == "Document" {
		request["loaderId"] = p.Network
	}
	c.tell("paused", map[string]any{"tab": c.tab, "id": number, "request": request})
}

// recordLimit is how long a request that was paused may take to be recorded.
const recordLimit = 250 * time.Millisecond

// kindOf returns the kind of a request: where requests are paused, one of fetch has that of XMLHttpRequest, and where they are
// recorded, which is in another CDP session and may be a moment later, its own.
func (c *client) kindOf(request, kind string) string {
	work := c.driver.session.Work()
	if kind != "XHR" || work == nil {
		return kind
	}
	ctx, cancel := context.WithTimeout(c.running, recordLimit)
	defer cancel()
	if found, err := work.Journal.AwaitRequest(ctx, request, c.tab); err == nil && found.Type != "" {
		return found.Type
	}
	return kind
}

// mayAnswer reports whether the code may see and answer a request: not that of a frame, or to an address, that the site guard
// refuses.
func (c *client) mayAnswer(frame model.FrameID, url string) bool {
	if !c.driver.session.Redacts() {
		return true
	}
	err := operation{driver: c.driver, tab: c.tab}.inTab(c.running, func(ctx context.Context, e *run.Env) error {
		if e.Sites == nil {
			return nil
		}
		if refused := e.Sites.Open(ctx, url); refused != nil {
			return run.RefusedSite("the request is to "+refused.URL+", which is", refused)
		}
		if e.Browser.State().Frame(frame) == nil {
			return nil // of a document that is not there yet
		}
		return e.MayEnter(ctx, frame)
	})
	return err == nil
}

// shown are the headers as the code sees them.
func (c *client) shown(headers map[string]string) map[string]string {
	if !c.driver.session.Redacts() {
		return headers
	}
	out := map[string]string{}
	for name, value := range headers {
		out[name] = policy.Text(value)
	}
	return out
}

// answerParams are the parameters of page.answerRequest: one of the three.
type answerParams struct {
	ID    string `json:"id"`
	Abort string `json:"abort"` // a Network.ErrorReason
	// Continue sends the request, changed.
	Continue *struct {
		URL     string         `json:"url"`
		Method  string         `json:"method"`
		Headers *[]headerField `json:"headers"`
		Body    *string        `json:"body"` // in base64
	} `json:"continue"`
	// Fulfill answers it.
	Fulfill *struct {
		Status  int           `json:"status"`
		Headers []headerField `json:"headers"`
		Body    string        `json:"body"` // in base64
		Path    string        `json:"path"` // of a file with the body
	} `json:"fulfill"`
}

// take returns a request that waits, which then no longer does.
func (o operation) take(id string, keep bool) (*client, *paused, error) {
	o.clients.mu.Lock()
	c := o.clients.tabs[o.tab]
	o.clients.mu.Unlock()
	if c == nil {
		return nil, nil, api.Errorf(api.StaleRef, "the request does not wait any more")
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	held := c.paused[id]
	if held == nil {
		return nil, nil, api.Errorf(api.StaleRef, "the request does not wait any more")
	}
	if !keep {
		delete(c.paused, id)
	}
	return c, held, nil
}

// answerRequest says what becomes of a request. A request that has gone with its page needs no answer.
func (o operation) answerRequest(ctx context.Context, params jsontext.Value) (any, error) {
	var p answerParams
	if err := json.Unmarshal(params, &p); err != nil {
		return nil, api.Errorf(api.InvalidArgument, "answer the request: %w", err)
	}
	c, held, err := o.take(p.ID, false)
	if err != nil {
		return nil, err
	}
	method, answer, err := o.answer(ctx, c, held, p)
	if err != nil {
		held.session.Post("Fetch.failRequest", map[string]any{"requestId": held.id, "errorReason": "Failed"}, nil)
		return nil, err
	}
	answer["requestId"] = held.id
	err = held.session.Call(ctx, method, answer, nil)
	if err != nil && strings.Contains(err.Error(), "Invalid parameters") || err != nil && strings.Contains(err.Error(), "Invalid header") {
		held.session.Post("Fetch.failRequest", map[string]any{"requestId": held.id, "errorReason": "Failed"}, nil)
		return nil, api.Errorf(api.InvalidArgument, "answer the request to %s: %w", held.url, err)
	}
	return o.state(ctx, nil)
}

func (o operation) answer(ctx context.Context, c *client, held *paused, p answerParams) (method string, answer map[string]any, err error) {
	switch {
	case p.Abort != "":
		return "Fetch.failRequest", map[string]any{"errorReason": p.Abort}, nil
	case p.Fulfill != nil:
		body := p.Fulfill.Body
		if p.Fulfill.Path != "" {
			if body, err = o.fileBody(ctx, p.Fulfill.Path); err != nil {
				return "", nil, err
			}
			p.Fulfill.Headers = typed(p.Fulfill.Headers, p.Fulfill.Path)
		}
		answer = map[string]any{"responseCode": p.Fulfill.Status, "responseHeaders": p.Fulfill.Headers, "body": body}
		if http.StatusText(p.Fulfill.Status) == "" {
			answer["responsePhrase"] = "Unknown"
		}
		return "Fetch.fulfillRequest", answer, nil
	case p.Continue == nil || held.response != nil:
		return "Fetch.continueRequest", map[string]any{}, nil
	}
	answer = map[string]any{}
	if to := p.Continue.URL; to != "" && to != held.url {
		if !c.mayAnswer("", to) {
			return "", nil, api.Errorf(api.URLBlocked, "continue: the site guard refuses %s", to)
		}
		answer["url"] = to
	}
	if p.Continue.Method != "" {
		answer["method"] = p.Continue.Method
	}
	if p.Continue.Headers != nil {
		answer["headers"] = original(*p.Continue.Headers, held.headers)
	}
	if p.Continue.Body != nil {
		answer["postData"] = *p.Continue.Body
	}
	return "Fetch.continueRequest", answer, nil
}

// typed adds the type of a file, by the end of its name, to headers that have none.
func typed(headers []headerField, path string) []headerField {
	if slices.ContainsFunc(headers, func(h headerField) bool { return strings.EqualFold(h.Name, "Content-Type") }) {
		return headers
	}
	kind := mime.TypeByExtension(filepath.Ext(path))
	if kind == "" {
		kind = "application/octet-stream"
	}
	return append(headers, headerField{Name: "Content-Type", Value: kind})
}

// original gives headers that the code passes on as it saw them the values that were hidden from it.
func original(list []headerField, headers map[string]string) []headerField {
	byName := map[string]string{}
	for name, value := range headers {
		byName[strings.ToLower(name)] = value
	}
	out := []headerField{}
	for _, h := range list {
		if value, had := byName[strings.ToLower(h.Name)]; had && policy.Text(value) == h.Value {
			h.Value = value
		}
		out = append(out, h)
	}
	return out
}

// mostFile is the size of the largest file that a response can have as its body.
const mostFile = 64 << 20

// fileBody returns the content of a file that pages may be given, in base64.
func (o operation) fileBody(ctx context.Context, path string) (string, error) {
	if o.session.Redacts() {
		return "", api.Errorf(api.Unsupported, "fulfill: under the site guard a response has no file of this machine for its body").WithHint("Give the body as text: fulfill({body}).")
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(o.order.Cwd, path)
	}
	err := o.inTab(ctx, func(_ context.Context, e *run.Env) error { return upload.Allowed(e, path) })
	if err != nil {
		return "", err
	}
	data, err := files.Read(ctx, path, mostFile)
	if err != nil {
		return "", api.Errorf(api.FileNotFound, "fulfill: %w", err).With("path", path)
	}
	return base64.StdEncoding.EncodeToString(data), nil
}

// fetchRequest sends a request that waits, and returns the response, which waits for the code in place of it.
func (o operation) fetchRequest(ctx context.Context, params jsontext.Value) (any, error) {
	var p struct {
		ID string `json:"id"`
	}
	if err := json.Unmarshal(params, &p); err != nil {
		return nil, api.Errorf(api.InvalidArgument, "fetch: %w", err)
	}
	c, held, err := o.take(p.ID, true)
	if err != nil {
		return nil, err
	}
	answered := make(chan *paused, 1)
	c.mu.Lock()
	c.fetched[held.id] = answered
	c.mu.Unlock()
	if err := held.session.Call(ctx, "Fetch.continueRequest", map[string]any{"requestId": held.id, "interceptResponse": true}, nil); err != nil {
		return nil, api.Errorf(api.ProtocolError, "fetch %s: %w", held.url, err)
	}
	var got *paused
	select {
	case got = <-answered:
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	c.mu.Lock()
	c.paused[p.ID] = got
	c.mu.Unlock()
	if got.response.Status == 0 {
		return nil, api.Errorf(api.NavigationFailed, "fetch %s: the request failed", held.url)
	}
	var body struct {
		Body   string `json:"body"`
		Base64 bool   `json:"base64Encoded"`
	}
	if err := got.session.Call(ctx, "Fetch.getResponseBody", map[string]any{"requestId": got.id}, &body); err == nil {
		got.response.Body = []byte(body.Body)
		if body.Base64 {
			got.response.Body, _ = base64.StdEncoding.DecodeString(body.Body) //nolint:errcheck // Chromium encoded it
		}
	}
	return struct {
		*fetchedResponse
		Page known.Page `json:"page"`
	}{got.response, o.page()}, nil
}
