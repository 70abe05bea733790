package element_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/cdproto/target"
	jsonv2 "github.com/go-json-experiment/json"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/cdptest"
	"github.com/usher-browser/usher/internal/element"
	"github.com/usher-browser/usher/internal/element/locate"
	"github.com/usher-browser/usher/internal/supervisor"
	"github.com/usher-browser/usher/internal/supervisor/model"
	"github.com/usher-browser/usher/internal/wire"
	"github.com/usher-browser/usher/internal/world"
)

// What the tests of this binary share: a browser with a supervisor on it, and
// the site of fixtures.
var (
	watched  *supervisor.Browser
	fixtures *cdptest.Site
)

func TestMain(m *testing.M) {
	cdptest.Run(m, func() {
		if watched != nil {
			watched.Close()
		}
		cdptest.CloseShared()
		if fixtures != nil {
			fixtures.Close()
		}
	})
}

// site returns the site of fixtures.
func site(t *testing.T) *cdptest.Site {
	t.Helper()
	if fixtures == nil {
		opened, err := cdptest.Open()
		if err != nil {
			t.Fatal(err)
		}
		fixtures = opened
	}
	return fixtures
}

// tab is a page under test.
type tab struct {
	*element.Actor
	t       *testing.T
	browser *supervisor.Browser
	worlds  *world.Worlds
	id      model.TargetID
}

// open opens a page and waits until it has loaded.
func open(t *testing.T, url string) *tab {
	t.Helper()
	if watched == nil {
		c, err := wire.Dial(context.Background(), cdptest.Shared(t).WebSocketURL, nil)
		if err != nil {
			t.Fatal(err)
		}
		watched = supervisor.New(c, supervisor.Options{})
	}
	b := watched
	ctx := within(t, 15*time.Second)
	made, err := cdp.Do(ctx, b.Session(""), target.CreateTarget, target.CreateTargetParams{URL: url})
	if err != nil {
		t.Fatal(err)
	}
	id := model.TargetID(made.TargetID)
	t.Cleanup(func() {
		s := b.State()
		for _, other := range s.Order { // popups too
			if other == id || s.Tabs[other].Opener == id {
				_, _ = cdp.Do(context.Background(), b.Session(""), target.CloseTarget, target.CloseTargetParams{TargetID: target.ID(other)})
			}
		}
	})
	err = b.Wait(ctx, func(s *model.State) (bool, error) {
		tab := s.Tabs[id]
		return tab != nil && tab.Ready && tab.MainFrame().Loaded && tab.URL == url, nil
	})
	if err != nil {
		t.Fatalf("open %s: %v", url, err)
	}
	w := world.New(b)
	return &tab{Actor: element.New(w, id), t: t, browser: b, worlds: w, id: id}
}

// page opens markup of its own.
func page(t *testing.T, markup string) *tab {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/none":
			w.WriteHeader(http.StatusNoContent)
			return
		case "/hang":
			<-r.Context().Done()
			return
		case "/file":
			w.Header().Set("Content-Disposition", "attachment; filename=f.txt")
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write([]byte("<!doctype html><meta charset=utf-8><title>t</title>" + markup))
	}))
	t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
	})
	return open(t, server.URL+"/")
}

func within(t *testing.T, d time.Duration) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), d)
	t.Cleanup(cancel)
	return ctx
}

func (p *tab) ctx() context.Context { return within(p.t, 20*time.Second) }

// frame returns the frame below the main one whose URL ends so.
func (p *tab) frame(part string) model.FrameID {
	p.t.Helper()
	var found model.FrameID
	err := p.browser.Wait(p.ctx(), func(s *model.State) (bool, error) {
		for id, f := range s.Tabs[p.id].Frames {
			if id != s.Tabs[p.id].Main && strings.HasSuffix(f.URL, part) && !strings.Contains(f.URL, "?") && f.Loaded && f.MainContext != "" {
				found = id
			}
		}
		return found != "", nil
	})
	if err != nil {
		for id, f := range p.browser.State().Tabs[p.id].Frames {
			p.t.Logf("frame %s: %q, loaded %v, context %q", id, f.URL, f.Loaded, f.MainContext)
		}
		p.t.Fatalf("no frame with %q in its URL: %v", part, err)
	}
	return found
}

// eval runs an expression in the page's own world and decodes its value.
func (p *tab) eval(expression string, result any) {
	p.t.Helper()
	p.evalIn(model.FrameID(p.id), expression, result)
}

func (p *tab) evalIn(frame model.FrameID, expression string, result any) {
	p.t.Helper()
	f := p.browser.State().Frame(frame)
	if f == nil {
		p.t.Fatalf("eval %s: frame %s is gone", expression, frame)
	}
	params := runtime.EvaluateParams{Expression: expression, ReturnByValue: new(true), AwaitPromise: new(true)}
	if f.Parent != "" {
		params.UniqueContextID = f.MainContext
	}
	res, err := cdp.Do(p.ctx(), p.browser.Session(f.Session), runtime.Evaluate, params)
	if err != nil {
		p.t.Fatalf("eval %s: %v", expression, err)
	}
	if res.ExceptionDetails != nil {
		p.t.Fatalf("eval %s: %s %s", expression, res.ExceptionDetails.Text, res.ExceptionDetails.Exception.Description)
	}
	if result != nil {
		if err := jsonv2.Unmarshal([]byte(res.Result.Value), result); err != nil {
			p.t.Fatalf("eval %s: %v in %s", expression, err, res.Result.Value)
		}
	}
}

func (p *tab) text(expression string) string {
	p.t.Helper()
	var s string
	p.eval("String("+expression+")", &s)
	return s
}

// sel returns a target, waited for briefly: role=button[name=Save], label=City, //a, or CSS. Quotes ask for an exact match.
func sel(t *testing.T, s string) locate.Target {
	t.Helper()
	target := locate.Target{By: locate.ByCSS, Value: s, Timeout: 3 * time.Second}
	kind, value, _ := strings.Cut(s, "=")
	switch {
	case strings.HasPrefix(s, "@e"):
		target.By = locate.ByRef
	case strings.HasPrefix(s, "//"), strings.HasPrefix(s, "(//"):
		target.By = locate.ByXPath
	case kind == "css", kind == "xpath":
		target.By, target.Value = locate.By(kind), value
	case kind == "role":
		role, name, _ := strings.Cut(strings.TrimSuffix(value, "]"), "[name=")
		target.By, target.Value = locate.ByRole, role
		target.Name, target.Exact = locate.Unquote(name)
	case slices.Contains([]string{"text", "label", "placeholder", "alt", "title", "testid"}, kind):
		target.By = locate.By(kind)
		target.Value, target.Exact = locate.Unquote(value)
	}
	return target
}

// briefly gives up at once: for refusals.
func briefly(target locate.Target) locate.Target {
	target.Timeout = 200 * time.Millisecond
	return target
}

func ok(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// refused checks the code of an error and that its message has all parts.
func refused(t *testing.T, err error, code api.Code, parts ...string) {
	t.Helper()
	if err == nil {
		t.Fatalf("no error, want %s", code)
	}
	if got := api.CodeOf(err); got != code {
		t.Fatalf("error %s: %v; want code %s", got, err, code)
	}
	for _, part := range parts {
		if !strings.Contains(err.Error(), part) {
			t.Fatalf("error %q does not have %q", err, part)
		}
	}
}

func equal[T comparable](t *testing.T, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Fatalf("%s: got %v, want %v", what, got, want)
	}
}
