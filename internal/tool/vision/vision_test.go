package vision

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/config"
	"github.com/usher-browser/usher/internal/tool"
)

const apiKey = "the-key-itself"

// serve answers every question with the given status and body.
func serve(t *testing.T, status int, body string) *Model {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/v1/chat/completions" || r.Method != http.MethodPost {
			http.NotFound(w, r)
			return
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}))
	t.Cleanup(server.Close)
	return New(&config.VisionModel{URL: server.URL + "/v1", Model: "100%", Key: apiKey, Timeout: time.Minute})
}

func TestAnswers(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		status     int
		body, want string // of the answer, or of the error
		code       api.Code
	}{
		"text":       {200, `{"choices":[{"message":{"content":"a cat"}}]}`, "a cat", ""},
		"parts":      {200, `{"choices":[{"message":{"content":[{"type":"text","text":"a "},{"type":"text","text":"cat"}]}}]}`, "a cat", ""},
		"refusal":    {200, `{"choices":[{"message":{"content":null,"refusal":"not that"}}]}`, `it refused: "not that"`, api.ToolFailed},
		"nothing":    {200, `{"choices":[{"message":{"content":""}}]}`, "its answer is empty", api.ToolFailed},
		"no choice":  {200, `{"choices":[]}`, "is not a chat completion", api.ToolFailed},
		"no JSON":    {200, "<html>\n<h1>hello</h1>", `is not a chat completion: "<html> <h1>hello</h1>"`, api.ToolFailed},
		"wrong type": {200, `{"choices":[{"message":{"content":5}}]}`, "its answer is empty", api.ToolFailed},
		"no key":     {401, `{"error":{"message":"who is ` + apiKey + `?"}}`, "401 Unauthorized", api.ToolFailed},
		"long":       {500, strings.Repeat("é", 5000), "500 Internal Server Error", api.ToolFailed},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := serve(t, c.status, c.body).Ask(t.Context(), "?", &tool.Image{MIMEType: "image/png", Bytes: []byte{1, 2}})
			if err != nil {
				got = err.Error()
			}
			if api.CodeOf(err) != c.code && err != nil || (err == nil) != (c.code == "") || !strings.Contains(got, c.want) {
				t.Errorf("%q, %v; want %q, %s", got, err, c.want, c.code)
			}
			if strings.Contains(got, apiKey) || len(got) > 1500 {
				t.Errorf("%d bytes: %s", len(got), got)
			}
		})
	}
}

func TestNoAnswer(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // otherwise the disconnected client is not noticed
		<-r.Context().Done()
	}))
	t.Cleanup(server.Close)
	slow := New(&config.VisionModel{URL: server.URL, Model: "m", Timeout: 50 * time.Millisecond})
	if _, err := slow.Ask(t.Context(), "?", nil); api.CodeOf(err) != api.ToolFailed || !strings.Contains(err.Error(), "within 50ms") {
		t.Errorf("slow: %v", err)
	}
	patient := New(&config.VisionModel{URL: server.URL, Model: "m", Timeout: time.Minute})
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(20*time.Millisecond, cancel)
	if _, err := patient.Ask(ctx, "?", nil); err == nil || strings.Contains(err.Error(), "within") {
		t.Errorf("cancelled: %v", err)
	}
	gone := New(&config.VisionModel{URL: "http://127.0.0.1:1", Model: "m", Timeout: time.Minute})
	if _, err := gone.Ask(t.Context(), "?", nil); err == nil || !strings.Contains(api.AsError(err).Hint, "vision_model.url") {
		t.Errorf("gone: %v", err)
	}
}
