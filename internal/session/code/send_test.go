package code

import (
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/command/run"
	"github.com/usher-browser/usher/internal/reader"
)

type endless struct{}

func (endless) Read(p []byte) (int, error) { return len(p), nil }

// TestLargeAnswer: an answer is read up to a size.
func TestLargeAnswer(t *testing.T) {
	t.Parallel()
	for size, want := range map[int64]api.Code{reader.MaxSize: "", reader.MaxSize + 1: api.TooLarge} {
		s := &sender{env: &run.Env{}, name: "get"}
		err := s.read(&http.Response{Status: "200 OK", StatusCode: http.StatusOK, Body: io.NopCloser(io.LimitReader(endless{}, size))})
		if got := api.CodeOf(err); got != want && (err != nil || want != "") {
			t.Errorf("%d bytes: %v, want %q", size, err, want)
		}
	}
}

// TestTurn: what a redirect makes of a request.
func TestTurn(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		status                             int
		method, to, want, wantURL, headers string
	}{
		{301, "POST", "/b", "GET", "https://a.example/b", "Authorization"},
		{302, "PUT", "/b", "PUT", "https://a.example/b", "Authorization Content-Type"},
		{303, "PUT", "b", "GET", "https://a.example/x/b", "Authorization"},
		{303, "HEAD", "/b", "HEAD", "https://a.example/b", "Authorization Content-Type"},
		{307, "POST", "https://a.example/b", "POST", "https://a.example/b", "Authorization Content-Type"},
		{307, "POST", "https://b.example/", "POST", "https://b.example/", "Content-Type"},
		{308, "POST", "http://a.example/", "POST", "http://a.example/", "Content-Type"},
	} {
		from, err := url.Parse("https://a.example/x/y")
		if err != nil {
			t.Fatal(err)
		}
		s := &sender{name: "get", url: from, method: c.method, body: []byte("x"), header: http.Header{"Content-Type": {"text/plain"}, "Authorization": {"Basic x"}}}
		if err := s.turn(c.status, c.to); err != nil {
			t.Fatal(err)
		}
		var left []string
		for _, name := range []string{"Authorization", "Content-Type"} {
			if s.header.Get(name) != "" {
				left = append(left, name)
			}
		}
		if got := strings.Join(left, " "); s.method != c.want || s.url.String() != c.wantURL || got != c.headers || (len(s.body) > 0) != strings.Contains(got, "Content-Type") {
			t.Errorf("%d of %s to %s: %s %s with %q, want %s %s with %q", c.status, c.method, c.to, s.method, s.url, got, c.want, c.wantURL, c.headers)
		}
	}
}
