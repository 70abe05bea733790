package supervisor_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/usher-browser/usher/internal/cdptest"
	"github.com/usher-browser/usher/internal/supervisor"
	"github.com/usher-browser/usher/internal/supervisor/model"
)

// TestFrameKeepsTheContextOfItsEmptyWindow: a frame that had no page yet when its tab was attached. Its first page, from the same origin,
// gets the window and the context of the empty one, and Chromium sends no event about that.
func TestFrameKeepsTheContextOfItsEmptyWindow(t *testing.T) {
	asked, release := make(chan struct{}, 1), make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		if r.URL.Path == "/inner" {
			asked <- struct{}{}
			<-release
			_, _ = w.Write([]byte("<title>inner</title>"))
			return
		}
		_, _ = w.Write([]byte("<title>outer</title><iframe src=/inner></iframe>"))
	}))
	t.Cleanup(server.Close)
	chromium := cdptest.Launch(t)
	open, err := http.NewRequestWithContext(t.Context(), http.MethodPut, fmt.Sprintf("http://127.0.0.1:%d/json/new?%s", chromium.Port, server.URL), http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := http.DefaultClient.Do(open)
	if err != nil {
		t.Fatal(err)
	}
	_ = answer.Body.Close()
	<-asked
	rec := record(t)
	b := supervisor.New(rec.Wrap(chromium.Dial(t)), supervisor.Options{Recorder: rec.Recorder})
	t.Cleanup(func() {
		b.Close()
		rec.check(t, b)
	})
	var inner *model.Frame
	frame := func(s *model.State, is func(f *model.Frame) bool) bool {
		for _, tab := range s.Tabs {
			for id, f := range tab.Frames {
				if id != tab.Main && is(f) {
					inner = f
					return true
				}
			}
		}
		return false
	}
	wait(t, b, "the empty window of the frame is there", func(s *model.State) bool {
		return frame(s, func(f *model.Frame) bool { return f.MainContext != "" })
	})
	close(release)
	wait(t, b, "the page of the frame has loaded, and has a context", func(s *model.State) bool {
		return frame(s, func(f *model.Frame) bool {
			return strings.HasSuffix(f.URL, "/inner") && f.Loaded && f.MainContext != ""
		})
	})
	call(t, b, inner, "if (document.title !== 'inner') throw document.title")
}
