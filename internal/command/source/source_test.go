package source_test

import (
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/cdptest/commandtest"
	"github.com/usher-browser/usher/internal/command/source"
)

const secret = "s3cr3t-value"

// page bundles a page from sources in the session's workspace, with source maps, and serves it.
func page(t *testing.T, s *commandtest.Session) (site string) {
	t.Helper()
	served := t.TempDir()
	for name, text := range map[string]string{
		"src/main.js": "import { loadOrders } from './orders.js';\nimport './app.css';\n\ndocument.getElementById('load').onclick = () => loadOrders(7);\n",
		"src/orders.js": "export async function loadOrders(user) {\n  document.title = 'loading';\n  const answer = await fetch('/api/orders/' + user + '?token=" + secret + "');\n" +
			"  document.title = 'status ' + answer.status;\n}\n",
		"src/app.css":     ".plain { color: red }\n\n.fancy {\n  font-weight: bold;\n}\n",
		"src/Button.vue":  "<template/>",
		"src/dup/a/it.js": "", "src/dup/b/it.js": "",
	} {
		path := filepath.Join(s.Dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	build := exec.CommandContext(t.Context(), "go", "tool", "-modfile=tools/go.mod", "esbuild", filepath.Join(s.Dir, "src/main.js"), "--bundle", "--minify", "--sourcemap", "--log-level=warning", "--outfile="+filepath.Join(served, "app.js"))
	build.Dir = "../../.."
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("bundle: %v: %s", err, out)
	}
	files := http.FileServer(http.Dir(served))
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		switch r.URL.Path {
		case "/":
			_, _ = w.Write([]byte(`<!doctype html><link rel=stylesheet href=app.css><div data-v-inspector="src/Button.vue:1:2"><button id=load class=fancy>Load</button></div>` +
				`<p id=text data-source-file=src/orders.js data-source-line=3>see src/main.js:4:2 and //x.test/y.js</p><script src=app.js></script>`))
		case "/maps":
			_, _ = w.Write([]byte(`<!doctype html><button id=far>x</button><script src=far.js></script><script src=large.js></script><script src=bad.js></script>`))
		case "/far.js", "/large.js", "/bad.js":
			to := map[string]string{"/far.js": "http://localhost:1/far.js.map?key=" + secret, "/large.js": "large.map", "/bad.js": "bad.map"}[r.URL.Path]
			w.Header().Set("Content-Type", "text/javascript")
			_, _ = w.Write([]byte("fetch('/api/gone" + r.URL.Path + "?token=" + secret + "')\n//# sourceMappingURL=" + to))
		case "/large.map":
			_, _ = w.Write([]byte(`{"version":3,"sources":["a"],"mappings":"AAAA"}` + strings.Repeat(" ", 33<<20)))
		case "/bad.map":
			_, _ = w.Write([]byte(`{"version":3,"sections":[{"url":"bad.map","offset":{"line":0,"column":0}}]}`))
		default:
			w.Header().Del("Content-Type")
			files.ServeHTTP(w, r)
		}
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// find returns the candidate of a source at a place of the workspace.
func find(t *testing.T, list []source.Candidate, from, file string, line int) source.Candidate {
	t.Helper()
	at := slices.IndexFunc(list, func(c source.Candidate) bool {
		return c.Source == from && c.File == file && c.Line == line && c.InWorkspace
	})
	if at < 0 {
		t.Errorf("no %s at %s:%d in %+v", from, file, line, list)
		return source.Candidate{}
	}
	return list[at]
}

func TestLookup(t *testing.T) {
	s := commandtest.New(t)
	s.Run(t, "open", page(t, s))
	got := commandtest.Data[source.Lookup](t, s.Run(t, "source", "lookup", "--selector", "#load"))
	if got.Status != "candidates-found" || got.WorkspaceRoot != s.Dir {
		t.Errorf("%+v", got)
	}
	if c := find(t, got.Candidates, "css-rule", "src/app.css", 3); c.Confidence != "medium" {
		t.Errorf("%+v", c)
	}
	if c := find(t, got.Candidates, "dom-attribute", "src/Button.vue", 1); c.Confidence != "medium" || c.Column != 2 {
		t.Errorf("%+v", c)
	}
	got = commandtest.Data[source.Lookup](t, s.Run(t, "source", "lookup", "--selector", "#text", "--component", "Nothing"))
	if c := find(t, got.Candidates, "dom-attribute", "src/orders.js", 3); c.Confidence != "high" {
		t.Errorf("%+v", c)
	}
	if c := find(t, got.Candidates, "dom-attribute", "src/main.js", 4); c.Confidence != "low" {
		t.Errorf("%+v", c)
	}
	if !strings.Contains(strings.Join(got.Limitations, "\n"), "React") {
		t.Errorf("%v", got.Limitations)
	}
	got = commandtest.Data[source.Lookup](t, s.Run(t, "source", "lookup", "--selector", "#text", "--no-dom-hints"))
	if got.Status == "candidates-found" {
		t.Errorf("without hints: %+v", got)
	}
	if _, err := s.Try(t, "source", "lookup", "--selector", "#missing", "--timeout", "2s"); api.CodeOf(err) != api.ElementNotFound {
		t.Errorf("no element: %v", err)
	}
	if got := s.Eval(t, "1+1"); got != "2" { // the page goes on, and nothing stopped it
		t.Error(got)
	}
}

func TestNetworkSource(t *testing.T) {
	s := commandtest.New(t)
	site := page(t, s)
	s.Run(t, "open", site)
	s.Run(t, "click", "#load")
	s.Run(t, "wait", "--fn", "document.title === 'status 404'")
	res := s.Run(t, "network", "source", "--url", site+"/api/orders/7?token="+secret)
	got := commandtest.Data[source.NetworkSource](t, res)
	if got.Status != "failed-requests-found" || len(got.FailedRequests) != 1 || got.FailedRequests[0].Status != 404 {
		t.Fatalf("%+v", got)
	}
	if c := find(t, got.Candidates, "initiator", "src/orders.js", 3); c.Confidence != "high" {
		t.Errorf("%+v", c)
	}
	find(t, got.Candidates, "initiator", "src/main.js", 4)
	if c := find(t, got.Candidates, "workspace-search", "src/orders.js", 3); c.Confidence != "low" {
		t.Errorf("%+v", c)
	}
	hidden(t, res.Text, got)
	if by := commandtest.Data[source.NetworkSource](t, s.Run(t, "network", "source", got.FailedRequests[0].RequestID)); len(by.Candidates) != len(got.Candidates) {
		t.Errorf("by its id: %+v", by)
	}
	for args, want := range map[string]string{"app.js": "no-failed-requests", "nothing-like-this": "no-candidates"} {
		if got := commandtest.Data[source.NetworkSource](t, s.Run(t, "network", "source", "--filter", args)); got.Status != want {
			t.Errorf("%s: %+v", args, got)
		}
	}
}

// hidden fails the test if a value of a query is anywhere in a result.
func hidden(t *testing.T, text string, data source.NetworkSource) {
	t.Helper()
	all := []string{text, data.Summary}
	all = append(all, data.Limitations...)
	for _, f := range data.FailedRequests {
		all = append(all, f.URL, f.Error)
	}
	for _, c := range data.Candidates {
		all = append(all, append(c.Evidence, c.File, c.RequestURL)...)
	}
	if joined := strings.Join(all, "\n"); strings.Contains(joined, secret) || !strings.Contains(joined, "token=[REDACTED]") {
		t.Errorf("a value of a query:\n%s", joined)
	}
}

// TestBadMaps: maps elsewhere, too large and damaged ones are limitations; the place in the script is still told.
func TestBadMaps(t *testing.T) {
	s := commandtest.New(t)
	s.Run(t, "open", page(t, s)+"/maps")
	s.Run(t, "wait", "--load", "networkidle")
	res := s.Run(t, "network", "source", "--filter", "/api/gone/")
	got := commandtest.Data[source.NetworkSource](t, res)
	limits := strings.Join(got.Limitations, "\n")
	for _, want := range []string{"another origin", "more than 32 MB", "damaged"} {
		if !strings.Contains(limits, want) {
			t.Errorf("no %q in\n%s", want, limits)
		}
	}
	if len(got.FailedRequests) != 3 || len(got.Candidates) < 3 || !strings.HasSuffix(got.Candidates[0].File, ".js") || got.Candidates[0].Line != 1 {
		t.Errorf("%+v", got)
	}
	hidden(t, res.Text, got)
}
