package navigate_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/cdptest/commandtest"
	"github.com/usher-browser/usher/internal/command"
	"github.com/usher-browser/usher/internal/command/run"
	"github.com/usher-browser/usher/internal/verb"
)

// serve answers paths with documents. One that ends in <never> never ends, one that ends in <cut> is cut off; /hang is never answered.
func serve(t *testing.T, documents map[string]string) string {
	t.Helper()
	ended := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		wait := func() {
			select {
			case <-r.Context().Done():
			case <-ended:
			}
		}
		if r.URL.Path == "/hang" {
			wait()
			return
		}
		w.Header().Set("Content-Type", "text/html")
		text, cut := strings.CutSuffix(documents[r.URL.Path], "<cut>")
		if cut { // less than was announced
			w.Header().Set("Content-Length", "10000")
		}
		text, endless := strings.CutSuffix(text, "<never>")
		_, _ = fmt.Fprint(w, text)
		if endless {
			_ = http.NewResponseController(w).Flush()
			wait()
		}
	}))
	t.Cleanup(func() {
		close(ended)
		server.Close()
	})
	return server.URL
}

// TestOpenRedirectedByPage: a page that goes elsewhere before it has loaded is the page where it goes.
func TestOpenRedirectedByPage(t *testing.T) {
	at := serve(t, map[string]string{
		"/script":  `<title>script</title><script>location.href = "/end"</script>`,
		"/replace": `<title>replace</title><script>location.replace("/script")</script>`,
		"/refresh": `<title>refresh</title><meta http-equiv=refresh content="0;url=/end">`,
		"/image":   `<title>image</title><img src=/hang><script>setTimeout(() => location.href = "/end", 50)</script>`,
		"/asks":    `<title>asks</title><script>location.href = "/alert"</script>`,
		"/alert":   `<title>alert</title><script>alert("here")</script>`,
		"/end":     `<title>end</title><h1>End</h1>`,
	})
	s := commandtest.New(t)
	for _, path := range []string{"/script", "/replace", "/refresh", "/image"} {
		got := commandtest.Data[struct {
			URL string `json:"url"`
		}](t, s.Run(t, "open", at+path))
		if path == "/refresh" { // its load event comes first
			s.Run(t, "wait", "--url", "**/end")
		} else if got.URL != at+"/end" {
			t.Errorf("%s: %s", path, got.URL)
		}
	}
	asked := commandtest.Data[struct {
		Dialog struct {
			Message string `json:"message"`
		} `json:"dialog"`
	}](t, s.Run(t, "open", at+"/asks"))
	if asked.Dialog.Message != "here" {
		t.Errorf("a dialog of the page where it goes: %+v", asked)
	}
}

// TestOpenUsable: with a limit for what follows the document, a page that does not finish loading is reported as it is.
func TestOpenUsable(t *testing.T) {
	at := serve(t, map[string]string{
		"/image": `<title>image</title><h1>Image</h1><img src=/hang>`,
		"/half":  `<title>half</title><h1>Half</h1>` + strings.Repeat(" ", 4096) + "<never>",
	})
	s := commandtest.New(t)
	for path, title := range map[string]string{"/image": "image", "/half": "half"} {
		res := s.Run(t, "open", "-s", at+path, "--load-limit", "500ms")
		got := commandtest.Data[struct {
			Title    string `json:"title"`
			Snapshot struct {
				Text string `json:"snapshot"`
			} `json:"snapshot"`
		}](t, res)
		if got.Title != title || !strings.Contains(got.Snapshot.Text, "heading") || !strings.Contains(res.Warning, "not finished loading") {
			t.Errorf("%s: %+v, warning %q", path, got, res.Warning)
		}
	}
	if res := s.Run(t, "tab", "new", at+"/image", "--load-limit", "500ms"); !strings.Contains(res.Warning, "not finished loading") {
		t.Errorf("in a new tab: warning %q", res.Warning)
	}
}

// TestOpenUntil: --wait-until ends the wait before the load event, or after the requests that follow it.
func TestOpenUntil(t *testing.T) {
	at := serve(t, map[string]string{
		"/image": `<title>image</title><h1>Image</h1><img src=/hang>`,
		"/more":  `<title>more</title><script>onload = async () => { for (let n = 0; n < 3; n++) await fetch("/end"); document.title = "all" }</script>`,
		"/asks":  `<title>asks</title><script>onload = () => setTimeout(() => alert("here"), 50)</script>`,
		"/end":   `<title>end</title>`,
	})
	s := commandtest.New(t)
	for _, flags := range [][]string{nil, {"-s"}} {
		res := s.Run(t, append([]string{"open", at + "/image", "--wait-until", "domcontentloaded"}, flags...)...)
		if res.Warning != "" || !strings.HasPrefix(res.Text, "✓ image") {
			t.Errorf("%s, warning %q", res.Text, res.Warning)
		}
	}
	if res := s.Run(t, "open", at+"/more", "--wait-until", "networkidle"); !strings.HasPrefix(res.Text, "✓ all") {
		t.Errorf("%s", res.Text)
	}
	s.Run(t, "open", at+"/asks", "--wait-until", "networkidle")
}

// TestOpenStopped: a document that stops loading before its load event is not waited for: there will be none.
func TestOpenStopped(t *testing.T) {
	at := serve(t, map[string]string{
		"/cut":   `<title>cut</title><h1>Cut</h1><cut>`,
		"/stops": `<title>stops</title><h1>Stops</h1><script>setTimeout(() => window.stop(), 50)</script><never>`,
		"/image": `<title>image</title><img src=/hang><script>setTimeout(() => window.stop(), 50)</script>`,
		"/leaps": `<title>leaps</title><script>window.stop(); location.href = "/end"</script><never>`,
		"/end":   `<title>end</title><h1>End</h1>`,
	})
	s := commandtest.New(t)
	s.Run(t, "open", at+"/end")
	began := time.Now()
	for _, line := range [][]string{{"open", at + "/cut"}, {"reload"}, {"wait", "--load", "load"}, {"tab", "new", at + "/cut"}} {
		if _, err := s.Try(t, line...); api.CodeOf(err) != api.NavigationFailed || !strings.Contains(err.Error(), "in the middle of the document: net::ERR_") {
			t.Errorf("%q: %v", line, err)
		}
	}
	for _, path := range []string{"/cut", "/stops", "/image"} {
		if res := s.Run(t, "open", at+path, "--load-limit", "20s"); res.Warning == "" || s.Eval(t, "document.title") != `"`+path[1:]+`"` {
			t.Errorf("%s: warning %q", path, res.Warning)
		}
	}
	for _, line := range [][]string{{"reload"}, {"wait", "--load", "load"}, {"wait", "--load", "networkidle"}} {
		if res := s.Run(t, line...); !strings.Contains(res.Warning, "stopped loading") {
			t.Errorf("%q: warning %q", line, res.Warning)
		}
	}
	if res := s.Run(t, "open", at+"/leaps"); s.Eval(t, "document.title") != `"end"` || res.Warning != "" {
		t.Errorf("a page that stops and goes elsewhere: warning %q", res.Warning)
	}
	if d := time.Since(began); d > 20*time.Second {
		t.Errorf("took %s", d)
	}
}

// TestOpenAbandoned: a caller that stops waiting for the server leaves a page that answers.
func TestOpenAbandoned(t *testing.T) {
	at := serve(t, map[string]string{"/end": `<title>end</title><h1>End</h1>`})
	s := commandtest.New(t)
	s.Run(t, "open", at+"/end")
	c, err := verb.NewTable(command.Grammar()...).Parse([]string{"open", at + "/hang"}, verb.Usher)
	if err != nil {
		t.Fatal(err)
	}
	tab, _ := s.Context.Active()
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	time.AfterFunc(300*time.Millisecond, func() { cancel(api.Errorf(api.Cancelled, "the command was cancelled")) }) // as the daemon does
	e := &run.Env{BrowserContext: s.Context, Tab: tab, Limit: 20 * time.Second, Cwd: s.Dir, Settings: s.Settings, Progress: func(string) {}}
	if _, err := command.Find("open")(ctx, e, c); err == nil {
		t.Fatal("opened")
	}
	began := time.Now()
	if got := s.Eval(t, "document.title"); got != `"end"` || time.Since(began) > 5*time.Second {
		t.Errorf("the page has the title %s after %s", got, time.Since(began))
	}
}
