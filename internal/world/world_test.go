package world_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/cdproto/target"

	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/cdptest"
	"github.com/usher-browser/usher/internal/pagescript"
	"github.com/usher-browser/usher/internal/supervisor"
	"github.com/usher-browser/usher/internal/supervisor/model"
	"github.com/usher-browser/usher/internal/wire"
	"github.com/usher-browser/usher/internal/world"
)

func TestMain(m *testing.M) { cdptest.Run(m) }

type testPage struct {
	*world.Worlds
	t   *testing.T
	tab model.TargetID
}

// visit opens a page in the shared browser and waits until all its frames have loaded.
func visit(t *testing.T, url string) *testPage {
	t.Helper()
	return visitOver(t, url, cdptest.Shared(t).Dial(t), supervisor.Options{})
}

func visitOver(t *testing.T, url string, c wire.Conn, opts supervisor.Options) *testPage {
	t.Helper()
	b := supervisor.New(c, opts)
	t.Cleanup(func() { b.Close() })
	p := &testPage{Worlds: world.New(b), t: t}
	made, err := cdp.Do(p.deadline(), b.Session(""), target.CreateTarget, target.CreateTargetParams{URL: "about:blank"})
	if err != nil {
		t.Fatal(err)
	}
	p.tab = model.TargetID(made.TargetID)
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), cdptest.Timeout)
		defer cancel()
		if _, err := cdp.Do(ctx, b.Session(""), target.CloseTarget, target.CloseTargetParams{TargetID: made.TargetID}); err != nil {
			t.Error(err)
		}
	})
	p.until("the tab is ready", func(tab *model.Tab) bool { return tab.Ready })
	p.navigate(url)
	return p
}

func (p *testPage) deadline() context.Context {
	ctx, cancel := context.WithTimeout(p.t.Context(), cdptest.Timeout)
	p.t.Cleanup(cancel)
	return ctx
}

func (p *testPage) until(what string, cond func(*model.Tab) bool) {
	p.t.Helper()
	if err := p.Browser().Wait(p.deadline(), func(s *model.State) (bool, error) {
		return s.Tabs[p.tab] != nil && cond(s.Tabs[p.tab]), nil
	}); err != nil {
		p.t.Fatalf("%s: %v", what, err)
	}
}

func (p *testPage) session() *cdp.Session {
	return p.Browser().Session(p.Browser().State().Tabs[p.tab].Session)
}

func (p *testPage) navigate(url string) {
	p.t.Helper()
	before := p.Browser().State().Tabs[p.tab].MainFrame().Loader
	if _, err := cdp.Do(p.deadline(), p.session(), page.Navigate, page.NavigateParams{URL: url}); err != nil {
		p.t.Fatal(err)
	}
	p.loadedAfter(before)
}

func (p *testPage) loadedAfter(loader string) {
	p.t.Helper()
	p.until("a new page has loaded", func(tab *model.Tab) bool {
		for _, f := range tab.Frames {
			if !f.Loaded {
				return false
			}
		}
		return tab.MainFrame().Loader != loader
	})
}

// inPage evaluates in the page's own world.
func (p *testPage) inPage(expression string) string {
	p.t.Helper()
	res, err := cdp.Do(p.deadline(), p.session(), runtime.Evaluate, runtime.EvaluateParams{Expression: expression, ReturnByValue: new(true), AwaitPromise: new(true)})
	if err != nil || res.ExceptionDetails != nil {
		p.t.Fatalf("%s: %v %+v", expression, err, res.ExceptionDetails)
	}
	return string(res.Result.Value)
}

// probe calls what every object has, so that the test needs no function of the
// script itself.
func (p *testPage) probe(frame model.FrameID) (world.Document, error) {
	var has bool
	doc, err := p.CallIn(p.deadline(), frame, "hasOwnProperty", "no such function", &has)
	if err == nil && has {
		err = errors.New("the script says it has what it cannot have")
	}
	return doc, err
}

func TestCallsOutliveDocuments(t *testing.T) {
	site := cdptest.NewSite(t)
	p := visit(t, site.URL("/small"))
	main := model.FrameID(p.tab)
	seen := map[string]bool{}
	for i, move := range []func(){
		func() {},
		func() { p.navigate(site.URL("/small?again")) },
		func() { p.navigate(site.Cross("/small?elsewhere")) },
		func() {
			before := p.Browser().State().Tabs[p.tab].MainFrame().Loader
			if _, err := cdp.Do(p.deadline(), p.session(), page.Reload, page.ReloadParams{}); err != nil {
				t.Fatal(err)
			}
			p.loadedAfter(before)
		},
	} {
		move()
		doc, err := p.probe(main)
		if err != nil {
			t.Fatalf("step %d: %v", i, err)
		}
		if seen[doc.Loader] || doc.Loader != p.Browser().State().Tabs[p.tab].MainFrame().Loader || doc.Frame != main {
			t.Errorf("step %d: the document is %+v", i, doc)
		}
		seen[doc.Loader] = true
		again, err := p.probe(main)
		if err != nil || again != doc {
			t.Errorf("step %d: the same document is %+v, %v", i, again, err)
		}
	}
}

// TestCallsWhileThePageReloads calls functions in a page that reloads itself continuously: each call gets a reply from
// one document, or the error that the document is gone.
func TestCallsWhileThePageReloads(t *testing.T) {
	site := cdptest.NewSite(t)
	// The script stands ready, as in a session. A slow machine may need longer for a call than the page stays, all the
	// same.
	p := visitOver(t, site.URL("/restless?ms=50"), cdptest.Shared(t).Dial(t), supervisor.Options{Script: pagescript.Make()})
	answered := 0
	for end, calls := time.Now().Add(cdptest.Timeout), 0; calls < 200 || answered == 0 && time.Now().Before(end); calls++ {
		switch _, err := p.probe(model.FrameID(p.tab)); {
		case err == nil:
			answered++
		case !world.DocumentGone(err):
			t.Fatalf("a call failed: %v", err)
		}
	}
	if answered == 0 {
		t.Error("no call was answered")
	}
}

func TestFramesAtTheSameTime(t *testing.T) {
	site := cdptest.NewSite(t)
	p := visit(t, site.URL("/frames"))
	p.until("all frames are there", func(tab *model.Tab) bool {
		for _, f := range tab.Frames {
			if !f.Loaded {
				return false
			}
		}
		return len(tab.Frames) == 10
	})
	var wg sync.WaitGroup
	for id, f := range p.Browser().State().Tabs[p.tab].Frames {
		for range 5 { // the first calls of a frame race for its world
			wg.Go(func() {
				if doc, err := p.probe(id); err != nil || doc.Frame != id || doc.Loader != f.Loader {
					t.Errorf("frame %s: %+v, %v", f.URL, doc, err)
				}
			})
		}
	}
	wg.Wait()
	if _, err := p.probe("nowhere"); !errors.Is(err, world.ErrNoFrame) || !world.DocumentGone(err) {
		t.Errorf("a frame that does not exist: %v", err)
	}
}

func TestExceptionsAreReturned(t *testing.T) {
	site := cdptest.NewSite(t)
	p := visit(t, site.URL("/small"))
	err := p.Call(p.deadline(), model.FrameID(p.tab), "no_such_function", 1, nil)
	var thrown *world.ScriptError
	if !errors.As(err, &thrown) || thrown.Func != "no_such_function" || !strings.Contains(thrown.Message, "TypeError") || world.DocumentGone(err) {
		t.Errorf("a function that is not there: %v", err)
	}
	if err := p.Call(p.deadline(), model.FrameID(p.tab), "valueOf", func() {}, nil); err == nil || errors.As(err, &thrown) {
		t.Errorf("an argument that cannot be encoded: %v", err)
	}
}

// TestIsolatedFromThePage spoils everything a script in the page's world would use.
func TestIsolatedFromThePage(t *testing.T) {
	site := cdptest.NewSite(t)
	p := visit(t, site.URL("/small"))
	p.inPage(`
		for (const name of ['map', 'push', 'filter', 'join']) Array.prototype[name] = () => { throw new Error('spoilt') };
		Object.prototype.hasOwnProperty = () => true;
		Object.prototype.toJSON = () => 'spoilt';
		JSON.parse = JSON.stringify = () => { throw new Error('spoilt') };
		globalThis.WeakMap = globalThis.Map = globalThis.WeakRef = globalThis.Promise = undefined;
		Object.defineProperty(globalThis, 'usher', { get() { throw new Error('spoilt') }, set() { throw new Error('spoilt') } });
		1`)
	if _, err := p.probe(model.FrameID(p.tab)); err != nil {
		t.Errorf("in a spoilt page: %v", err)
	}
}

func TestStrictPolicy(t *testing.T) {
	site := cdptest.NewSite(t)
	p := visit(t, site.URL("/csp"))
	if _, err := p.probe(model.FrameID(p.tab)); err != nil {
		t.Errorf("under a strict policy: %v", err)
	}
	if got := p.inPage("document.getElementById('where').textContent"); got != `"Strict policy"` {
		t.Errorf("the page says %s", got)
	}
}

// TestNothingIsLeftInThePage asks a page that watches everything it can.
func TestNothingIsLeftInThePage(t *testing.T) {
	site := cdptest.NewSite(t)
	p := visit(t, site.URL("/mutations"))
	p.inPage("touched.length = 0, 1")
	for id := range p.Browser().State().Tabs[p.tab].Frames {
		if _, err := p.probe(id); err != nil {
			t.Fatal(err)
		}
		h, err := p.Handle(p.deadline(), id, "valueOf", nil)
		if err != nil {
			t.Fatal(err)
		}
		if h.Object.ObjectID == "" {
			t.Error("a handle holds nothing")
		}
		h.Release()
		s, ec, err := p.Context(p.deadline(), id)
		if err != nil || s == nil || ec == 0 {
			t.Errorf("context %d: %v", ec, err)
		}
	}
	if got := p.inPage("new Promise(done => setTimeout(() => done(JSON.stringify([touched, newNames(), typeof usher, document.documentElement.outerHTML.includes('usher')]))))"); got != `"[[],[],\"undefined\",false]"` {
		t.Errorf("the page noticed %s", got)
	}
}

// measured knows the longest message that was written.
type measured struct {
	wire.Conn
	longest atomic.Int64
}

func (m *measured) Write(msg []byte) error {
	for n := int64(len(msg)); n > m.longest.Load(); {
		m.longest.Store(n)
	}
	return m.Conn.Write(msg)
}

// TestScriptIsReady has the script stand ready in the documents of a tab, as sessions do: it is not sent again, and pages do not see it.
// The main frame's first document alone has to ask for it: it would have to wait for the renderer to read it.
func TestScriptIsReady(t *testing.T) {
	const short = 1000 // bytes: of a message without the script
	for name, ready := range map[string]bool{"ready": true, "sent": false} {
		t.Run(name, func(t *testing.T) {
			var opts supervisor.Options
			if ready {
				opts.Script = pagescript.Make()
			}
			site := cdptest.NewSite(t)
			c := &measured{Conn: cdptest.Shared(t).Dial(t)}
			p := visitOver(t, site.URL("/small"), c, opts)
			call := func() int64 {
				t.Helper()
				c.longest.Store(0)
				if err := p.Call(p.deadline(), p.Browser().State().Tabs[p.tab].Main, "viewport", nil, nil); err != nil {
					t.Fatal(err)
				}
				return c.longest.Load()
			}
			if n := call(); n < short {
				t.Errorf("the longest message of the first call in the first document has %d bytes", n)
			}
			p.navigate(site.URL("/frames"))
			if n := call(); ready == (n > short) {
				t.Errorf("the longest message of the first call in the second document has %d bytes", n)
			}
			if got := p.inPage("typeof usher + typeof usherMake"); got != `"undefinedundefined"` {
				t.Errorf("the page sees %s", got)
			}
		})
	}
}
