package network_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/coder/websocket"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/cdptest"
	"github.com/usher-browser/usher/internal/cdptest/commandtest"
	"github.com/usher-browser/usher/internal/command/network"
	"github.com/usher-browser/usher/internal/har"
)

// stop ends a recording and returns the entries of its file.
func stop(t *testing.T, s *commandtest.Session, words ...string) []har.Entry {
	t.Helper()
	res := commandtest.Data[network.HAR](t, s.Run(t, append([]string{"network", "har", "stop"}, words...)...))
	if info, err := os.Stat(res.Path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%s: %v, %v", res.Path, info, err)
	}
	log, err := har.Read(t.Context(), res.Path)
	if err != nil {
		t.Fatal(err)
	}
	if res.Requests == nil || *res.Requests != len(log.Entries) {
		t.Errorf("the result is %+v, the file has %d entries", res, len(log.Entries))
	}
	return log.Entries
}

// entry returns the only entry whose URL ends so.
func entry(t *testing.T, entries []har.Entry, ending string) har.Entry {
	t.Helper()
	var found []har.Entry
	for _, e := range entries {
		if strings.HasSuffix(e.Request.URL, ending) {
			found = append(found, e)
		}
	}
	if len(found) != 1 {
		t.Fatalf("%d entries for %s", len(found), ending)
	}
	return found[0]
}

// TestHARHasAll records 3,000 requests and checks that all are in the file with their bodies and headers.
func TestHARHasAll(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.RawQuery == "" {
			w.Header().Set("Content-Type", "text/html")
			_, _ = w.Write([]byte("<!doctype html><link rel=icon href=data:,>")) // the browser requests no icon of its own accord
			return
		}
		_, _ = w.Write([]byte("answer " + r.URL.RawQuery))
	}))
	defer server.Close()
	s := commandtest.New(t)
	s.Run(t, "open", server.URL)
	s.Run(t, "network", "har", "start", "all.har")
	const n = 3000
	s.Run(t, "eval", "--timeout", "2m", fmt.Sprintf(`(async () => {
		for (let i = 0; i < %d; i += 100)
			await Promise.all(Array.from({length: 100}, (_, k) => fetch('/?' + (i + k)).then(r => r.text())))
	})()`, n))
	entries := stop(t, s)
	seen := map[string]bool{}
	for _, e := range entries {
		number := e.Request.URL[strings.Index(e.Request.URL, "?")+1:]
		if e.Response.Content.Text != "answer "+number || len(e.Response.Headers) == 0 || e.Comment != "" {
			t.Fatalf("%+v", e)
		}
		seen[number] = true
	}
	if len(seen) != n || len(entries) != n {
		t.Errorf("%d of %d requests in %d entries", len(seen), n, len(entries))
	}
}

// TestHAREntries checks what entries of different kinds have.
func TestHAREntries(t *testing.T) {
	mux := http.NewServeMux()
	mux.HandleFunc("/ws", func(w http.ResponseWriter, r *http.Request) {
		c, err := websocket.Accept(w, r, nil)
		if err != nil {
			return
		}
		_ = c.Write(r.Context(), websocket.MessageText, []byte("hello"))
		_, _, _ = c.Read(r.Context())
		_ = c.Close(websocket.StatusNormalClosure, "")
	})
	mux.HandleFunc("/image", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "image/png")
		_, _ = w.Write([]byte{1, 2, 3, 4})
	})
	mux.HandleFunc("/cached", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Cache-Control", "max-age=600")
		_, _ = w.Write([]byte("kept"))
	})
	mux.HandleFunc("/from", func(w http.ResponseWriter, r *http.Request) {
		http.SetCookie(w, &http.Cookie{Name: "one", Value: "1", HttpOnly: true, SameSite: http.SameSiteLaxMode})
		http.SetCookie(w, &http.Cookie{Name: "two", Value: "2"})
		http.Redirect(w, r, "/to", http.StatusFound)
	})
	mux.HandleFunc("/never", func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte("<!doctype html><title>here</title>"))
	})
	server := httptest.NewServer(mux)
	defer func() {
		server.CloseClientConnections() // /never is still answering
		server.Close()
	}()
	s := commandtest.New(t)
	s.Run(t, "open", server.URL)
	s.Run(t, "network", "har", "start", "--content", "all")
	s.Run(t, "open", server.URL+"/page")
	s.Run(t, "eval", `(async () => {
		await fetch('/from')
		await fetch('/form?q=a%20b', {method: 'POST', body: new URLSearchParams({x: '1', y: 'ä'})})
		await fetch('/large', {method: 'POST', body: 'x'.repeat(300000)})
		await fetch('/image').then(r => r.arrayBuffer())
		await fetch('http://127.0.0.1:9/').catch(() => 0)
		await fetch('/cached').then(r => r.text()); await fetch('/cached').then(r => r.text())
		await new Promise(r => { const w = new WebSocket(location.origin.replace('http', 'ws') + '/ws'); w.onmessage = () => w.send('bye'); w.onclose = r })
		fetch('/never')
	})()`)
	entries := stop(t, s, "kinds.har")
	s.Run(t, "open", "about:blank") // so that the server can end

	from, to := entry(t, entries, "/from"), entry(t, entries, "/to")
	if from.Response.Status != 302 || from.Response.RedirectURL != "/to" || len(from.Response.Cookies) != 2 || !from.Response.Cookies[0].HTTPOnly ||
		len(to.Request.Cookies) != 2 || to.Response.Status != 200 {
		t.Errorf("redirect: %+v\n%+v", from.Response, to.Request)
	}
	form := entry(t, entries, "/form?q=a%20b").Request
	if form.PostData == nil || form.PostData.Text != "x=1&y=%C3%A4" || !slices.Equal(form.PostData.Params, []har.Pair{{Name: "x", Value: "1"}, {Name: "y", Value: "ä"}}) ||
		!slices.Equal(form.Query, []har.Pair{{Name: "q", Value: "a b"}}) {
		t.Errorf("form: %+v", form)
	}
	if large := entry(t, entries, "/large").Request; large.PostData == nil || len(large.PostData.Text) != 300000 {
		t.Errorf("a large body: %d bytes", large.BodySize)
	}
	if image := entry(t, entries, "/image").Response.Content; image.Text != "AQIDBA==" || image.Encoding != "base64" || image.Size != 4 {
		t.Errorf("image: %+v", image)
	}
	if failed := entry(t, entries, ":9/").Response; failed.Status != 0 || !strings.HasPrefix(failed.Error, "net::ERR_") {
		t.Errorf("failed: %+v", failed)
	}
	if e := entry(t, entries, "/never"); e.Comment != "the request had not ended" {
		t.Errorf("unfinished: %+v", e)
	}
	cached := slices.DeleteFunc(slices.Clone(entries), func(e har.Entry) bool { return e.FromCache == "" || e.Response.Content.Text != "kept" })
	if len(cached) != 1 {
		t.Errorf("%d entries from the cache", len(cached))
	}
	socket := entry(t, entries, "/ws")
	if len(socket.Messages) < 2 || socket.Messages[0].Type != "receive" || socket.Messages[0].Data != "hello" || socket.Messages[1].Data != "bye" ||
		socket.Response.Status != 101 || socket.Messages[0].Time < 1e9 {
		t.Errorf("socket: %+v", socket)
	}
	if page := entry(t, entries, "/page"); page.Page == "" || page.Type != "document" || page.Time <= 0 || page.ServerIP != "127.0.0.1" {
		t.Errorf("page: %+v", page)
	}
}

// TestHARReplay replays a recording without the server: documents, redirects, bodies by their requests' bodies, responses
// in their order, failures; and the other requests, which are left alone or fail.
func TestHARReplay(t *testing.T) {
	count := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body := make([]byte, 10)
		n, _ := r.Body.Read(body)
		switch r.URL.Path {
		case "/next":
			count++
			fmt.Fprint(w, count)
		case "/from":
			http.Redirect(w, r, "/to", http.StatusFound)
		default:
			fmt.Fprintf(w, "<!doctype html><title>%s</title>%s", r.URL.Path, body[:n])
		}
	}))
	s := commandtest.New(t)
	requests := `(async () => {
		const get = (u, o) => fetch(u, o).then(r => r.text(), () => 'failed')
		return [await get('/next'), await get('/next'), await get('/post', {method: 'POST', body: 'A'}), await get('/post', {method: 'POST', body: 'B'}),
			await get('/from'), await get('http://127.0.0.1:9/')].join()
	})()`
	s.Run(t, "open", server.URL+"/start")
	s.Run(t, "network", "har", "start", "run.har")
	s.Run(t, "open", server.URL+"/page")
	want := s.Eval(t, requests)
	stop(t, s)
	server.Close()

	s.Run(t, "network", "har", "replay", "run.har", "--not-found", "abort")
	s.Run(t, "open", server.URL+"/page")
	if got := s.Eval(t, requests); got != want || !strings.Contains(got, "1,2,") {
		t.Errorf("got %s, want %s", got, want)
	}
	if got := s.Eval(t, "fetch('/next').then(r => r.text())"); got != `"2"` {
		t.Errorf("once more: %s", got)
	}
	if got := s.Eval(t, "fetch('/unknown').catch(() => 'failed')"); got != `"failed"` {
		t.Errorf("an unknown request: %s", got)
	}
	if list := commandtest.Data[network.Route](t, s.Run(t, "network", "route", "list")); len(list.Routes) != 1 || list.Routes[0].Action != "replay" {
		t.Errorf("got %+v", list)
	}
	if got := commandtest.Data[network.Unroute](t, s.Run(t, "network", "unroute", "run.har")); got.Removed != 1 {
		t.Errorf("got %+v", got)
	}
}

// TestHARBadInput checks the errors of mistakes, none of which loses a recording.
func TestHARBadInput(t *testing.T) {
	site := cdptest.NewSite(t)
	s := commandtest.New(t)
	for name, content := range map[string]string{"cut.har": `{"log":{"entries":[{`, "other.json": `{"a":1}`, "empty.har": `{"log":{"entries":[]}}`} {
		if err := os.WriteFile(filepath.Join(s.Dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		words, want string
		code        api.Code
	}{
		{"stop", "no HAR is being recorded", api.InvalidArgument},
		{"start missing/x.har", "missing does not exist", api.FileWriteFailed},
		{"start .", "is a directory", api.FileWriteFailed},
		{"start good.har", "", ""},
		{"start again.har", "a HAR is being recorded", api.InvalidArgument},
		{"stop missing/x.har", "missing does not exist", api.FileWriteFailed},
		{"replay nothing.har", "nothing.har", api.FileNotFound},
		{"replay cut.har", "no JSON from byte", api.InvalidArgument},
		{"replay other.json", "no list of entries", api.InvalidArgument},
		{"replay empty.har", "none of its 0 entries", api.InvalidArgument},
	} {
		_, err := s.Try(t, append([]string{"network", "har"}, strings.Fields(c.words)...)...)
		if c.want == "" && err != nil || c.want != "" && (api.CodeOf(err) != c.code || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("network har %s: %v", c.words, err)
		}
	}
	s.Run(t, "open", site.URL("/small"))
	entry(t, stop(t, s), "/small")
	if got := s.Names(t); got != "cut.har empty.har good.har other.json" {
		t.Errorf("the files are %s", got)
	}
}
