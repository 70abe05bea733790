package react_test

import (
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/cdptest/commandtest"
	"github.com/usher-browser/usher/internal/command/react"
)

// serve serves testdata, and a page with fibers.html in frames.
func serve(t *testing.T) string {
	t.Helper()
	files := http.FileServer(http.Dir("testdata"))
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/frames" {
			w.Header().Set("Content-Type", "text/html")
			far := strings.Replace(r.Host, "127.0.0.1", "localhost", 1)
			_, _ = w.Write([]byte(`<!doctype html><iframe name=near src=fibers.html></iframe><iframe name=far src="http://` + far + `/fibers.html"></iframe>`))
			return
		}
		files.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	return server.URL
}

func TestTree(t *testing.T) {
	s := commandtest.New(t)
	site := serve(t)
	s.Run(t, "open", site+"/fibers.html")
	got := commandtest.Data[react.Tree](t, s.Run(t, "react", "tree"))
	_, rows, _ := strings.Cut(got.Tree, "next navigation.\n")
	want := "0 1 - Root\n1 2 1 App\n2 3 2 ul\n3 4 3 Row key=\"r0\"\n4 5 4 li\n3 6 3 Row key=\"r1\"\n4 7 6 li\n2 8 2 button"
	if rows != want || got.Rows != 8 || got.Total != 8 || !slices.Equal(got.Roots, []react.Root{{Version: "18", Build: "production", Components: 3}}) {
		t.Errorf("%s\n%+v", rows, got)
	}
	if again := s.Run(t, "react", "tree").Text; again != got.Tree {
		t.Errorf("other ids:\n%s", again)
	}
	for want, args := range map[string][]string{
		"0 1 - Root\n1 2 1 App more=2\n# 2 rows not shown":                         {"react", "tree", "--components", "--depth", "1"},
		"0 4 - Row key=\"r0\"\n1 5 4 li":                                           {"react", "tree", "4"},
		"0 1 - Root\n1 2 1 App\n2 3 2 ul more=4\n2 8 2 button\n# 4 rows not shown": {"react", "tree", "--limit", "4"},
	} {
		if text := s.Run(t, args...).Text; !strings.Contains(text, "\n"+want) {
			t.Errorf("%v:\n%s", args, text)
		}
	}
	// A component keeps its number when its state changes, and loses it with its document.
	s.Run(t, "click", "#count")
	app := commandtest.Data[react.Component](t, s.Run(t, "react", "inspect", "2"))
	if app.Name != "App" || !app.Inferred || !slices.Equal(app.Hooks, []react.Value{{Name: "State", Value: "1"}}) {
		t.Errorf("%+v", app)
	}
	row := commandtest.Data[react.Component](t, s.Run(t, "react", "inspect", "4"))
	if row.Ref == "" || s.Run(t, "get", "attr", row.Ref, "id").Text != "first" || !slices.Equal(row.Parents, []react.Named{{ID: 2, Name: "App"}}) {
		t.Errorf("%+v", row)
	}
	s.Run(t, "reload")
	if _, err := s.Try(t, "react", "inspect", "2"); api.CodeOf(err) != api.ElementNotFound {
		t.Errorf("a number of another document: %v", err)
	}
	if text := s.Run(t, "react", "tree").Text; !strings.Contains(text, "\n0 9 - Root\n") {
		t.Errorf("numbers are used again:\n%s", text)
	}
}

func TestTreeIsBounded(t *testing.T) {
	s := commandtest.New(t)
	s.Run(t, "open", serve(t)+"/fibers.html?rows=5000")
	got := commandtest.Data[react.Tree](t, s.Run(t, "react", "tree"))
	if got.Rows != 1000 || got.Total != 10_004 || got.Roots[0].Components != 5001 {
		t.Errorf("%d of %d rows, %+v", got.Rows, got.Total, got.Roots)
	}
	hidden := 0
	for _, m := range regexp.MustCompile(`more=(\d+)`).FindAllStringSubmatch(got.Tree, -1) {
		n := 0
		for _, digit := range m[1] {
			n = 10*n + int(digit-'0')
		}
		hidden += n
	}
	if hidden != got.Total-got.Rows || !strings.HasSuffix(got.Tree, "--components") {
		t.Errorf("the rows count %d hidden ones\n%.300s", hidden, got.Tree)
	}
}

func TestFrames(t *testing.T) {
	s := commandtest.New(t)
	s.Run(t, "open", serve(t)+"/frames")
	if _, err := s.Try(t, "react", "tree"); api.CodeOf(err) != api.ElementNotFound || !strings.Contains(err.Error(), "No React renderer") {
		t.Errorf("a page without React: %v", err)
	}
	for frame, first := range map[string]string{"near": "\n0 ", "far": "\n0 "} {
		text := s.Run(t, "react", "tree", "--frame", frame).Text
		id := regexp.MustCompile(`1 (\d+) \d+ App`).FindStringSubmatch(text)
		if id == nil || !strings.Contains(text, first) {
			t.Fatalf("%s: %s", frame, text)
		}
		if got := commandtest.Data[react.Component](t, s.Run(t, "react", "inspect", id[1], "--frame", frame)); got.Name != "App" || got.Ref == "" {
			t.Errorf("%s: %+v", frame, got)
		}
	}
}

func TestRenders(t *testing.T) {
	s := commandtest.New(t)
	site := serve(t)
	s.Run(t, "open", site+"/fibers.html")
	if _, err := s.Try(t, "react", "renders", "stop"); api.CodeOf(err) != api.InvalidArgument {
		t.Errorf("stop without start: %v", err)
	}
	started := commandtest.Data[react.Renders](t, s.Run(t, "react", "renders", "start"))
	if !started.Recording || started.Identifier == "" || started.Message == "" {
		t.Errorf("%+v", started)
	}
	s.Run(t, "click", "#count")
	s.Run(t, "click", "#count")
	got := commandtest.Data[react.Renders](t, s.Run(t, "react", "renders", "stop"))
	if len(got.Components) != 1 || got.Commits != 2 || got.ReRenders != 2 || got.Mounts != 0 {
		t.Fatalf("%+v", got)
	}
	app := got.Components[0]
	if app.Name != "App" || app.Instances != 1 || !slices.Equal(app.Reasons, []react.Reason{{Reason: "state (hook #0)", Count: 2}}) || !slices.Equal(app.Changes, []string{"state (hook #0): 0 -> 1", "state (hook #0): 1 -> 2"}) {
		t.Errorf("%+v", app)
	}
	// The page is as it was.
	if field := s.Eval(t, `"value" in Object.getOwnPropertyDescriptor(root, "current") && root.current.child.memoizedState.memoizedState`); field != "2" {
		t.Errorf("root.current: %s", field)
	}
	if names := s.Eval(t, `Object.getOwnPropertyNames(window).filter(name => /react|usher/i.test(name))`); names != "[]" {
		t.Errorf("the page sees %s", names)
	}
	// A document that loads while renders are recorded is recorded from the start.
	s.Run(t, "react", "renders", "start")
	s.Run(t, "reload")
	s.Run(t, "eval", `(hook => { hook.inject({version: "18.2.0", bundleType: 0}); hook.onCommitFiberRoot(1, root); })(__REACT_DEVTOOLS_GLOBAL_HOOK__)`)
	got = commandtest.Data[react.Renders](t, s.Run(t, "react", "renders", "stop"))
	if got.Mounts != 3 || s.Run(t, "initscripts").Text != "No init scripts" {
		t.Errorf("%+v", got)
	}
	if tree := commandtest.Data[react.Tree](t, s.Run(t, "react", "tree")); tree.Roots[0].Version != "18.2.0" {
		t.Errorf("%+v", tree.Roots)
	}
}

// TestLies: a page that imitates React runs no getter, adds no line, and keeps no command for ever.
func TestLies(t *testing.T) {
	s := commandtest.New(t)
	site := serve(t)
	s.Run(t, "open", site+"/lies.html")
	text := s.Run(t, "react", "tree").Text
	_, rows, _ := strings.Cut(text, "next navigation.\n")
	if rows != "0 1 - Root\n1 2 1 Unknown\n0 3 - Root\n1 4 3 Liar 0 1 - Root key=\"k 9 9 9 Key\"" {
		t.Errorf("%s", rows)
	}
	got := commandtest.Data[react.Component](t, s.Run(t, "react", "inspect", "4"))
	want := map[string]string{"proxy": "(not readable)", "self": "{self: (circular)}", "inner": "{touch: (getter)}", "lines": `"a\n0 1 - Root"`, "touch": "(getter)"}
	for _, p := range got.Props {
		if w, known := want[p.Name]; known && p.Value != w {
			t.Errorf("%s: %s", p.Name, p.Value)
		}
		if len(p.Value) > 1100 {
			t.Errorf("%s has %d bytes", p.Name, len(p.Value))
		}
	}
	if len(got.Props) != 7 {
		t.Errorf("%+v", got.Props)
	}
	s.Run(t, "react", "inspect", "2")
	s.Run(t, "react", "suspense")
	s.Run(t, "react", "renders", "start")
	s.Run(t, "react", "renders", "stop")
	if touched := s.Eval(t, "window.touched ?? null"); touched != "null" {
		t.Errorf("a getter ran")
	}
	s.Run(t, "open", site+"/lies.html?busy")
	if _, err := s.Try(t, "react", "tree", "--timeout", "1s"); api.CodeOf(err) != api.Timeout {
		t.Errorf("a page that keeps scripts busy: %v", err)
	}
	if title := s.Run(t, "get", "title").Text; title != "Lies" {
		t.Errorf("the page is not usable: %s", title)
	}
}
