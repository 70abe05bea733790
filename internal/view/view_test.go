package view_test

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/cdproto/target"
	"github.com/google/go-cmp/cmp"

	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/cdptest"
	"github.com/usher-browser/usher/internal/supervisor"
	"github.com/usher-browser/usher/internal/supervisor/model"
	"github.com/usher-browser/usher/internal/view"
	"github.com/usher-browser/usher/internal/world"
)

var update = flag.Bool("update", false, "write the golden files anew")

func TestMain(m *testing.M) {
	cdptest.Run(m, func() {
		cdptest.CloseShared()
		if shared.site != nil {
			shared.site.Close()
		}
	})
}

// bench is a viewer of one session with a browser.
type bench struct {
	*view.Viewer
	browser *supervisor.Browser
	worlds  *world.Worlds
	site    *cdptest.Site
}

// shared is the site of all tests, because closing one takes seconds.
var shared struct {
	once sync.Once
	site *cdptest.Site
	err  error
}

func start(t testing.TB) *bench {
	t.Helper()
	shared.once.Do(func() { shared.site, shared.err = cdptest.Open() })
	if shared.err != nil {
		t.Fatal(shared.err)
	}
	conn := cdptest.Shared(t).Dial(t)
	browser := supervisor.New(conn, supervisor.Options{})
	t.Cleanup(func() {
		if err := browser.Close(); err != nil {
			t.Error(err)
		}
	})
	worlds := world.New(browser)
	return &bench{view.New(worlds, view.NewRefs()), browser, worlds, shared.site}
}

// open opens a page in a tab that is closed when the test ends, and waits until all its frames have loaded.
func (b *bench) open(t testing.TB, url string) model.TargetID {
	t.Helper()
	made, err := cdp.Do(deadline(t), b.browser.Session(""), target.CreateTarget, target.CreateTargetParams{URL: url})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_, err := cdp.Do(context.WithoutCancel(t.Context()), b.browser.Session(""), target.CloseTarget, target.CloseTargetParams(made))
		if err != nil {
			t.Error(err)
		}
	})
	tab := model.TargetID(made.TargetID)
	b.awaitStable(t, tab)
	return tab
}

func (b *bench) awaitStable(t testing.TB, tab model.TargetID) {
	t.Helper()
	err := b.browser.Wait(deadline(t), func(s *model.State) (bool, error) {
		one := s.Tabs[tab]
		if one == nil || !one.Ready || !one.MainFrame().Loaded {
			return false, nil
		}
		for _, f := range one.Frames {
			if !f.Loaded || f.Session == "" {
				return false, nil
			}
		}
		return true, nil
	})
	if err != nil {
		var waits []string
		if one := b.browser.State().Tabs[tab]; one != nil {
			for _, f := range one.Frames {
				waits = append(waits, fmt.Sprintf("%s loaded=%v going=%q session=%q", f.URL, f.Loaded, f.PendingURL, f.Session))
			}
		}
		t.Fatalf("the page has not loaded: %v; its frames: %q", err, waits)
	}
}

func (b *bench) look(t testing.TB, tab model.TargetID, opt view.Options) *view.Snapshot {
	t.Helper()
	snap, err := b.Snapshot(deadline(t), tab, opt)
	if err != nil {
		t.Fatalf("look at the page: %v", err)
	}
	return snap
}

// script evaluates an expression in the page's main world.
func (b *bench) script(t testing.TB, tab model.TargetID, expression string) any {
	t.Helper()
	var answer struct {
		Result struct {
			Value any `json:"value"`
		} `json:"result"`
		ExceptionDetails any `json:"exceptionDetails"`
	}
	session := b.browser.Session(b.browser.State().Tabs[tab].Session)
	err := session.Call(deadline(t), "Runtime.evaluate", map[string]any{"expression": expression, "awaitPromise": true, "returnByValue": true}, &answer)
	if err != nil || answer.ExceptionDetails != nil {
		t.Fatalf("%s: %v %v", expression, err, answer.ExceptionDetails)
	}
	return answer.Result.Value
}

func deadline(t testing.TB) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), cdptest.Timeout)
	t.Cleanup(cancel)
	return ctx
}

func TestOutlines(t *testing.T) {
	b := start(t)
	for _, test := range []struct {
		name, page string
		opt        view.Options
	}{
		{"frames", "/frames", view.Options{}},
		{"frames interactive", "/frames", view.Options{Interactive: true}},
		{"shadow", "/shadow", view.Options{}},
		{"forms", "/forms", view.Options{}},
		{"forms interactive", "/forms", view.Options{Interactive: true}},
		{"roles", "/roles", view.Options{}},
		{"roles compact", "/roles", view.Options{Compact: true}},
		{"roles shallow", "/roles", view.Options{Depth: 1}},
		{"roles interactive shallow", "/roles", view.Options{Depth: 1, Interactive: true}},
		{"index urls", "/", view.Options{Interactive: true, URLs: true}},
		{"states", "/states", view.Options{Interactive: true}},
	} {
		t.Run(test.name, func(t *testing.T) {
			b := &bench{view.New(b.worlds, view.NewRefs()), b.browser, b.worlds, b.site}
			snap := b.look(t, b.open(t, b.site.URL(test.page)), test.opt)
			golden(t, strings.ReplaceAll(test.name, " ", "-"), b.portable(snap.Text))
		})
	}
}

// portable removes the site's port from URLs.
func (b *bench) portable(text string) string {
	text = strings.ReplaceAll(text, strings.TrimSuffix(b.site.URL("/"), "/"), "http://site")
	return strings.ReplaceAll(text, strings.TrimSuffix(b.site.Cross("/"), "/"), "http://other")
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name+".txt")
	if *update {
		if err := os.WriteFile(file, []byte(got+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("%v (go test -update writes it)", err)
	}
	if diff := cmp.Diff(string(want), got+"\n"); diff != "" {
		t.Errorf("the outline changed (-want +got); go test -update takes it over:\n%s", diff)
	}
}
