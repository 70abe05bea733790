package network

import (
	"context"
	"encoding/base64"
	"fmt"
	"net/http"
	"strings"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/command/run"
	"github.com/usher-browser/usher/internal/command/upload"
	"github.com/usher-browser/usher/internal/har"
	"github.com/usher-browser/usher/internal/supervisor"
	"github.com/usher-browser/usher/internal/verb"
)

func replayHAR(ctx context.Context, e *run.Env, c *verb.Call) (run.Reply[*HAR], error) {
	paths, err := upload.Uploads(ctx, e, []string{c.Str("path")})
	if err != nil {
		return run.Reply[*HAR]{}, err
	}
	path := paths[0]
	log, err := har.Read(ctx, path)
	if err != nil {
		return run.Reply[*HAR]{}, api.Errorf(api.InvalidArgument, "replay %s: %w", path, err).With("path", path).
			WithHint("Give a HAR 1.2, such as one of `network har start` or of a browser's developer tools.")
	}
	r := supervisor.Route{Pattern: c.Str("url"), Source: path}
	if c.Str("not-found") == "abort" {
		r.Abort = "Failed"
	}
	var data supervisor.RouteData
	for i := range log.Entries {
		request, response, ok := recorded(&log.Entries[i])
		if ok {
			r.Recorded, data.Responses = append(r.Recorded, request), append(data.Responses, response)
		}
	}
	if len(r.Recorded) == 0 {
		return run.Reply[*HAR]{}, api.Errorf(api.InvalidArgument, "replay %s: none of its %d entries has a response that can be given", path, len(log.Entries)).
			With("path", path).WithHint("Record with `network har start --content all`.")
	}
	if _, err := e.Browser.AddRoute(ctx, e.Context, r, data); err != nil {
		return run.Reply[*HAR]{}, e.Explain(err, "replay "+path)
	}
	out := &HAR{Replaying: path, Responses: len(r.Recorded), Unusable: len(log.Entries) - len(r.Recorded)}
	text := fmt.Sprintf("✓ %d responses of %s are replayed", out.Responses, path)
	if out.Unusable > 0 {
		text += fmt.Sprintf("; %d entries have none that can be given", out.Unusable)
	}
	return run.Reply[*HAR]{Data: out, Text: text}, nil
}

// recorded returns the request and response of an entry. ok is false for what cannot be given to a page: WebSockets,
// informational responses, 304, and responses whose body was not recorded.
func recorded(e *har.Entry) (supervisor.RecordedRequest, supervisor.RouteResponse, bool) {
	address, _, _ := strings.Cut(e.Request.URL, "#")
	request := supervisor.RecordedRequest{Method: strings.ToUpper(e.Request.Method), URL: address}
	if e.Request.PostData != nil {
		request.Post = supervisor.PostKey(e.Request.PostData.Text)
	}
	content := &e.Response.Content
	if e.Type == "websocket" || !strings.HasPrefix(address, "http") {
		return request, supervisor.RouteResponse{}, false
	}
	if e.Response.Status == 0 {
		request.Abort = abortReason(e.Response.Error)
		return request, supervisor.RouteResponse{}, e.Response.Error != ""
	}
	out := supervisor.RouteResponse{Status: e.Response.Status, Phrase: e.Response.StatusText, Body: []byte(content.Text)}
	bodiless := out.Status == http.StatusNoContent || out.Status == http.StatusResetContent || out.Status >= 300 && out.Status < 400 ||
		request.Method == http.MethodHead || request.Method == http.MethodOptions
	if out.Status < 200 || out.Status > 599 || out.Status == http.StatusNotModified || len(content.Text) == 0 && content.Size > 0 && !bodiless {
		return request, out, false
	}
	if content.Encoding == "base64" {
		body, err := base64.StdEncoding.DecodeString(content.Text)
		if err != nil {
			return request, out, false
		}
		out.Body = body
	}
	if strings.ContainsAny(out.Phrase, "\r\n\x00") {
		out.Phrase = ""
	}
	for _, h := range e.Response.Headers {
		if !ofTransfer(h.Name) && validHeader(h.Name, h.Value) {
			out.Headers = append(out.Headers, supervisor.HeaderField{Name: h.Name, Value: h.Value})
		}
	}
	return request, out, true
}

// ofTransfer reports whether a header is about how the body was sent, which the recorded one is not.
func ofTransfer(name string) bool {
	switch strings.ToLower(name) {
	case "content-encoding", "content-length", "transfer-encoding", "connection", "keep-alive":
		return true
	}
	return false
}

// abortReason returns the reason of the protocol (Network.ErrorReason) for an error of the browser.
func abortReason(failed string) string {
	switch strings.TrimPrefix(failed, "net::ERR_") {
	case "ABORTED":
		return "Aborted"
	case "TIMED_OUT", "CONNECTION_TIMED_OUT":
		return "TimedOut"
	case "ACCESS_DENIED":
		return "AccessDenied"
	case "CONNECTION_CLOSED", "EMPTY_RESPONSE":
		return "ConnectionClosed"
	case "CONNECTION_RESET":
		return "ConnectionReset"
	case "CONNECTION_REFUSED":
		return "ConnectionRefused"
	case "CONNECTION_ABORTED":
		return "ConnectionAborted"
	case "CONNECTION_FAILED":
		return "ConnectionFailed"
	case "NAME_NOT_RESOLVED":
		return "NameNotResolved"
	case "INTERNET_DISCONNECTED":
		return "InternetDisconnected"
	case "ADDRESS_UNREACHABLE":
		return "AddressUnreachable"
	case "BLOCKED_BY_CLIENT":
		return "BlockedByClient"
	case "BLOCKED_BY_RESPONSE":
		return "BlockedByResponse"
	}
	return "Failed"
}
