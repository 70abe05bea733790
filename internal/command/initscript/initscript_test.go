package initscript_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/cdptest"
	"github.com/usher-browser/usher/internal/cdptest/commandtest"
	"github.com/usher-browser/usher/internal/command"
	"github.com/usher-browser/usher/internal/command/initscript"
	"github.com/usher-browser/usher/internal/verb"
)

func TestMain(m *testing.M) { cdptest.Run(m) }

// page has every kind of frame, and links that open tabs. The first script of each document says what was there before.
const page = `<!doctype html><title>%[1]s</title><script>window.before = window.runs ?? 0</script>
<iframe name=near src="/inner"></iframe><iframe name=text srcdoc="<script>window.before = window.runs ?? 0</script>"></iframe>
<iframe name=far src="%[2]s/inner"></iframe><iframe name=closed sandbox=allow-scripts src="/inner"></iframe><iframe name=blank></iframe>
<a id=pop href="/inner" target=_blank rel=opener>pop</a> <a id=farpop href="%[2]s/inner" target=_blank>far</a>
<button id=empty onclick="open('about:blank')">empty</button>`

func serve(t *testing.T) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		if r.URL.Path == "/inner" {
			fmt.Fprint(w, "<!doctype html><title>Inner</title><script>window.before = window.runs ?? 0</script>inner")
			return
		}
		fmt.Fprintf(w, page, "Page", "http://"+strings.Replace(r.Host, "127.0.0.1", "localhost", 1))
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// TestDocuments: a script runs once in every document, before the page's own.
func TestDocuments(t *testing.T) {
	s := commandtest.New(t)
	site := serve(t)
	id := commandtest.Data[initscript.Added](t, s.Run(t, "addinitscript", "window.runs = (window.runs ?? 0) + 1")).Identifier
	s.Run(t, "open", site)
	const seen = "[window.before ?? null, window.runs ?? null].join()"
	for frame, want := range map[string]string{"main": `"1,1"`, "near": `"1,1"`, "text": `"1,1"`, "far": `"1,1"`, "closed": `"1,1"`, "blank": `",1"`} {
		s.Run(t, "wait", "--fn", "window.runs", "--frame", frame, "--timeout", "5s")
		if got := s.Run(t, "eval", seen, "--frame", frame).Text; got != want {
			t.Errorf("%s: %s", frame, got)
		}
	}
	for _, link := range []string{"#pop", "#farpop"} {
		s.Run(t, "tab", "t1")
		s.Run(t, "click", link)
		s.Run(t, "wait", "--text", "inner")
		if got := s.Eval(t, seen); got != `"1,1"` {
			t.Errorf("%s: %s", link, got)
		}
	}
	s.Run(t, "tab", "t1")
	s.Run(t, "click", "#empty")
	if got := s.Eval(t, "window.runs"); got != "1" {
		t.Errorf("an empty window: %s", got)
	}
	s.Run(t, "tab", "t1")
	// In a tab that was there before, and in a new one, it ends with removeinitscript.
	removed := commandtest.Data[initscript.Removed](t, s.Run(t, "removeinitscript", id))
	if !removed.Removed || removed.Identifier != id {
		t.Errorf("%+v", removed)
	}
	s.Run(t, "reload")
	for range 2 {
		if got := s.Eval(t, seen); got != `"0,"` {
			t.Errorf("after removeinitscript: %s", got)
		}
		s.Run(t, "tab", "new", site)
	}
	if _, err := s.Try(t, "removeinitscript", id); api.CodeOf(err) != api.InvalidArgument {
		t.Errorf("removed twice: %v", err)
	}
}

func TestSources(t *testing.T) {
	s := commandtest.New(t)
	if err := os.WriteFile(filepath.Join(s.Dir, "own.js"), []byte("\ufeffwindow.order = [1]"), 0o600); err != nil {
		t.Fatal(err)
	}
	s.Run(t, "addinitscript", "--file", "own.js")
	s.Stdin = "order.push(2)\n"
	s.Run(t, "addinitscript", "--stdin")
	s.Run(t, "addinitscript", "--", "order.push(3)", "//", "words")
	got := commandtest.Data[initscript.List](t, s.Run(t, "initscripts")).Scripts
	if len(got) != 3 || got[0].From != filepath.Join(s.Dir, "own.js") || got[1] != (initscript.Entry{Identifier: "2", Size: 14, Start: "order.push(2)"}) || got[2].Start != "order.push(3) // words" {
		t.Errorf("%+v", got)
	}
	s.Run(t, "open", serve(t))
	if got := s.Eval(t, "order.join()"); got != `"1,2,3"` {
		t.Errorf("order: %s", got)
	}
	// A syntax error has its place, and nothing of the script runs.
	s.Stdin = "window.ran = 1;\nlet x = ;\n"
	_, err := s.Try(t, "addinitscript", "--stdin")
	if api.CodeOf(err) != api.InvalidArgument || !strings.Contains(err.Error(), "line 2, column 9: SyntaxError: Unexpected token ';'") {
		t.Errorf("a syntax error: %v", err)
	}
	for want, args := range map[api.Code][]string{
		api.FileNotFound: {"addinitscript", "--file", "none.js"}, api.InvalidArgument: {"addinitscript", "import x from 'y'"},
	} {
		if _, err := s.Try(t, args...); api.CodeOf(err) != want {
			t.Errorf("%v: %v", args, err)
		}
	}
	if list := commandtest.Data[initscript.List](t, s.Run(t, "initscripts")).Scripts; len(list) != 3 || s.Eval(t, "window.ran ?? null") != "null" {
		t.Errorf("after errors: %+v", list)
	}
	for _, words := range [][]string{{"addinitscript"}, {"addinitscript", " "}, {"addinitscript", "1", "--stdin"}, {"removeinitscript"}} {
		if _, err := verb.NewTable(command.Grammar()...).Parse(words, verb.Usher); err == nil {
			t.Errorf("%q is accepted", words)
		}
	}
}
