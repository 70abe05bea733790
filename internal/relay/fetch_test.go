package relay_test

import (
	"encoding/base64"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

// TestResponseIntercepted: a client that continues a request with interceptResponse gets its response, and may answer it with another.
func TestResponseIntercepted(t *testing.T) {
	r := newRig(t)
	c, seen := r.client(t)
	s := attachTo(t, c, pageAt(t, c, "/form"))
	must(t, s, "Fetch.enable", map[string]any{"patterns": []map[string]string{{"urlPattern": "*/inner*"}}})
	got := make(chan string, 1)
	s.Post("Runtime.evaluate", map[string]any{"expression": "fetch('/inner').then(r => r.text())", "awaitPromise": true, "returnByValue": true}, func(result jsontext.Value, err error) {
		got <- string(result)
	})
	seen.await(t, 0, "Fetch.requestPaused", "/inner")
	paused := func(skip int) (id string) {
		for _, e := range seen.list()[skip:] {
			if text, ok := strings.CutPrefix(e, "Fetch.requestPaused "); ok {
				id = member(t, jsontext.Value(text), "requestId")
			}
		}
		return id
	}
	count := seen.count()
	must(t, s, "Fetch.continueRequest", map[string]any{"requestId": paused(0), "interceptResponse": true})
	seen.await(t, count, "Fetch.requestPaused", `"responseStatusCode":200`)
	id := paused(count)
	if body := must(t, s, "Fetch.getResponseBody", map[string]string{"requestId": id}); !strings.Contains(string(body), "body") {
		t.Errorf("the body is %s", body)
	}
	must(t, s, "Fetch.fulfillRequest", map[string]any{"requestId": id, "responseCode": 200, "body": base64.StdEncoding.EncodeToString([]byte("another text"))})
	select {
	case text := <-got:
		if !strings.Contains(text, "another text") {
			t.Errorf("the page got %s", text)
		}
	case <-deadline(t).Done():
		t.Fatal("the page got nothing")
	}

	// The next request has nothing of it.
	count = seen.count()
	s.Post("Runtime.evaluate", map[string]any{"expression": "fetch('/inner').then(r => r.text())", "awaitPromise": true, "returnByValue": true}, func(result jsontext.Value, err error) {
		got <- string(result)
	})
	seen.await(t, count, "Fetch.requestPaused", "/inner")
	must(t, s, "Fetch.continueRequest", map[string]any{"requestId": paused(count)})
	select {
	case text := <-got:
		if !strings.Contains(text, "inner") {
			t.Errorf("the page got %s", text)
		}
	case <-deadline(t).Done():
		t.Fatal("the page got nothing")
	}
}
