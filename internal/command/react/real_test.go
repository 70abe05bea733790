package react_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/usher-browser/usher/internal/cdptest/commandtest"
	"github.com/usher-browser/usher/internal/command/react"
)

// TestReact reads pages made with React from npm, in each version and build. It needs npm, so it runs only with make
// react-test.
func TestReact(t *testing.T) {
	dir := os.Getenv("USHER_REACT")
	if dir == "" {
		t.Skip("make react-test runs it")
	}
	bundles, err := filepath.Glob(filepath.Join(dir, "*.js"))
	if err != nil || len(bundles) < 10 {
		t.Fatalf("bundles: %v, %v", bundles, err)
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, ".js") {
			http.ServeFile(w, r, filepath.Join(dir, filepath.Base(r.URL.Path)))
			return
		}
		fmt.Fprintf(w, "<!doctype html><div id=root></div><div id=second></div><div id=portal></div><script src=%s.js></script>", r.URL.Path)
	}))
	defer server.Close()
	s := commandtest.New(t)
	for _, path := range bundles {
		name := strings.TrimSuffix(filepath.Base(path), ".js")
		t.Run(name, func(t *testing.T) {
			version, build, _ := strings.Cut(name, "-")
			major, _ := strconv.Atoi(version)
			s.Run(t, "open", server.URL+"/"+name)
			s.Run(t, "wait", "#counter-b")
			s.Run(t, "wait", "--text", "waiting")
			readTree(t, s, version, build)
			readComponents(t, s, major, build)
			readRenders(t, s, major)
			readSuspense(t, s)
		})
	}
}

func readTree(t *testing.T, s *commandtest.Session, version, build string) {
	t.Helper()
	got := commandtest.Data[react.Tree](t, s.Run(t, "react", "tree", "--components"))
	if len(got.Roots) != 2 || got.Roots[0].Version != version || got.Roots[0].Build != build || got.Roots[0].Components < 9 || got.Roots[1].Components != 1 {
		t.Errorf("roots: %+v", got.Roots)
	}
	if build == "development" {
		for _, name := range []string{"App", "Counter", "Clock", "List", "Memo(Row", "ForwardRef(Field", "Modal", "Other"} {
			if !strings.Contains(got.Tree, " "+name) {
				t.Errorf("no %s in\n%s", name, got.Tree)
			}
		}
	}
	if !strings.Contains(got.Tree, `key="two"`) {
		t.Errorf("no keys in\n%s", got.Tree)
	}
}

// inspectAt inspects the component around an element of the page, which has a row of its own.
func inspectAt(t *testing.T, s *commandtest.Session, row string) react.Component {
	t.Helper()
	tree := commandtest.Data[react.Tree](t, s.Run(t, "react", "tree")).Tree
	m := regexp.MustCompile(`(?m)^\d+ (\d+) (\d+) ` + row + `$`).FindStringSubmatch(tree)
	if m == nil {
		t.Fatalf("no row %s in\n%s", row, tree)
	}
	return commandtest.Data[react.Component](t, s.Run(t, "react", "inspect", m[2]))
}

func readComponents(t *testing.T, s *commandtest.Session, major int, build string) {
	t.Helper()
	counter := inspectAt(t, s, "button")
	hooks := []react.Value{{Name: "State", Value: "1"}, {Name: "Ref", Value: "<button#counter-a>"}, {Name: "Memo", Value: "2"}, {Name: "Effect", Value: "when [1] changes"}}
	if !slices.Equal(counter.Hooks, hooks) || counter.Inferred == (build == "development") || !slices.Contains(counter.Props, react.Value{Name: "label", Value: `"a"`}) {
		t.Errorf("a function: %+v", counter)
	}
	if s.Run(t, "get", "attr", counter.Ref, "id").Text != "counter-a" {
		t.Errorf("%s is another element", counter.Ref)
	}
	if owned := len(counter.Owners) > 0 && counter.Owners[0].Name == "App"; owned != (build == "development") {
		t.Errorf("rendered by %+v", counter.Owners)
	}
	if made := counter.Source != nil && strings.HasSuffix(counter.Source.URL, "development.js"); made != (build == "development" && major >= 19) {
		t.Errorf("source: %+v", counter.Source)
	}
	list := inspectAt(t, s, "ul")
	if len(list.Hooks) != 1 || list.Hooks[0].Name != "Reducer" || !slices.Equal(list.Context, []react.Value{{Name: "Theme", Value: `"light"`}}) {
		t.Errorf("context: %+v", list)
	}
	s.Run(t, "click", "#clock")
	clock := inspectAt(t, s, "div")
	if clock.Kind != "class" || !slices.Equal(clock.State, []react.Value{{Name: "ticks", Value: "1"}}) || !slices.Equal(clock.Context, list.Context) {
		t.Errorf("a class: %+v", clock)
	}
}

func readRenders(t *testing.T, s *commandtest.Session, major int) {
	t.Helper()
	s.Run(t, "react", "renders", "start")
	s.Run(t, "click", "#counter-a")
	s.Run(t, "click", "#theme")
	got := commandtest.Data[react.Renders](t, s.Run(t, "react", "renders", "stop"))
	reasons := map[string]int{}
	for _, c := range got.Components {
		for _, r := range c.Reasons {
			reasons[r.Reason] += r.Count
		}
	}
	if reasons["state (hook #0)"] != 2 || major >= 18 && reasons["context (Theme)"] != 2 || got.Mounts > 1 { // the counter and the app; the clock and the list
		t.Errorf("reasons %v, %d mounts\n%s", reasons, got.Mounts, got.Report)
	}
	if !strings.Contains(got.Report, "state (hook #0): 1 -> 2") || s.Run(t, "get", "text", "#counter-a").Text != "2 4" {
		t.Errorf("%s", got.Report)
	}
	if text := s.Run(t, "initscripts").Text; text != "No init scripts" {
		t.Errorf("%s", text)
	}
}

func readSuspense(t *testing.T, s *commandtest.Session) {
	t.Helper()
	got := commandtest.Data[react.Suspense](t, s.Run(t, "react", "suspense"))
	var states []string
	for _, b := range got.Boundaries {
		states = append(states, b.State)
	}
	if !slices.Equal(states, []string{"suspended", "suspended", "shown"}) {
		t.Fatalf("%s", got.Report)
	}
	if !slices.Contains(got.Boundaries[0].Waits, "promise orders (pending)") || !slices.Contains(got.Boundaries[1].Waits, "lazy component: its code is loading") {
		t.Errorf("%s", got.Report)
	}
	s.Run(t, "eval", "release()")
	s.Run(t, "wait", "#slow")
	got = commandtest.Data[react.Suspense](t, s.Run(t, "react", "suspense", "--only-dynamic"))
	if len(got.Boundaries) != 2 || got.Boundaries[0].State != "shown" || !got.Boundaries[0].EverSuspended {
		t.Errorf("%s", got.Report)
	}
}
