package relay_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/cdp"
)

// must sends a command and returns its result.
func must(t *testing.T, s *cdp.Session, method string, params any) jsontext.Value {
	t.Helper()
	var got jsontext.Value
	if err := s.Call(deadline(t), method, params, &got); err != nil {
		t.Fatal(err)
	}
	return got
}

// member returns a member of an object, below others.
func member(t *testing.T, object jsontext.Value, path ...string) string {
	t.Helper()
	for _, name := range path {
		var all map[string]jsontext.Value
		if err := json.Unmarshal(object, &all); err != nil {
			t.Fatalf("%s: %v", object, err)
		}
		object = all[name]
	}
	return strings.Trim(string(object), `"`)
}

// keeper attaches a client to a page that enables what usher does, so that the tab is in use.
func (r *rig) keeper(t *testing.T, end string) (s *cdp.Session, seen *events, target string) {
	t.Helper()
	c, seen := r.client(t)
	target = pageAt(t, c, end)
	s = attachTo(t, c, target)
	for _, method := range []string{"Page.enable", "Runtime.enable", "Network.enable"} {
		must(t, s, method, nil)
	}
	must(t, s, "Page.setLifecycleEventsEnabled", map[string]bool{"enabled": true})
	mustBe(t, s, "1", "1") // attaches the debugger
	return s, seen, target
}

func world(frame, name string) map[string]any {
	return map[string]any{"frameId": frame, "worldName": name, "grantUniveralAccess": true}
}

// valueIn evaluates in a context.
func valueIn(t *testing.T, s *cdp.Session, context jsontext.Value, expression string) (string, error) {
	t.Helper()
	var got struct {
		Result struct {
			Value jsontext.Value `json:"value"`
		} `json:"result"`
	}
	err := s.Call(deadline(t), "Runtime.evaluate", map[string]any{"expression": expression, "contextId": context, "returnByValue": true}, &got)
	return string(got.Result.Value), err
}

// TestWorldAtOnce: an isolated world is answered for while the page is busy, and what is for it waits for the browser's.
func TestWorldAtOnce(t *testing.T) {
	r := newRig(t)
	first, _, form := r.keeper(t, "/form")
	two, seen := r.client(t)
	s := attachTo(t, two, form)
	must(t, s, "Runtime.enable", nil)
	first.Post("Runtime.evaluate", map[string]any{"expression": "document.title = 'busy'; const end = Date.now() + 700; while (Date.now() < end);"}, nil)
	began := time.Now()
	tree := must(t, s, "Page.getFrameTree", nil)
	if id := member(t, tree, "frameTree", "frame", "id"); id != form {
		t.Errorf("the main frame is %s, not %s", id, form)
	}
	made := must(t, s, "Page.createIsolatedWorld", world(form, "late"))
	if took := time.Since(began); took > 500*time.Millisecond {
		t.Errorf("the frames and a world took %v on a busy page", took)
	}
	id := jsontext.Value(member(t, made, "executionContextId"))
	if got, err := valueIn(t, s, id, "globalThis.own = document.title"); err != nil || got != `"busy"` {
		t.Errorf("in the world: %s, %v", got, err)
	}
	mustBe(t, s, "globalThis.own === undefined", "true")
	if got, err := valueIn(t, s, id, "own"); err != nil || got != `"busy"` {
		t.Errorf("in the world again: %s, %v", got, err)
	}
	told := slices.DeleteFunc(seen.list(), func(e string) bool {
		return !strings.HasPrefix(e, "Runtime.executionContextCreated") || !strings.Contains(e, `"late"`)
	})
	if len(told) != 1 || !strings.Contains(told[0], `"id":`+string(id)) {
		t.Errorf("the world was told of as %q", told)
	}
	again := must(t, s, "Page.createIsolatedWorld", world(form, "late"))
	if got, err := valueIn(t, s, jsontext.Value(member(t, again, "executionContextId")), "own"); err != nil || got != `"busy"` {
		t.Errorf("in the world that was there: %s, %v", got, err)
	}
	must(t, s, "Page.enable", nil)
	count := seen.count()
	must(t, s, "Page.reload", nil)
	seen.await(t, count, "Page.loadEventFired")
	if got, err := valueIn(t, s, id, "1"); err == nil {
		t.Errorf("after a reload the context gives %s", got)
	}
}

// TestLifecycleRepeated: who enables lifecycle events is told of those that were, others are not told again, and nobody ends them for others.
func TestLifecycleRepeated(t *testing.T) {
	r := newRig(t)
	_, first, form := r.keeper(t, "/form")
	first.await(t, 0, "Page.lifecycleEvent", `"networkIdle"`)
	lifecycle := func(e string) bool { return !strings.HasPrefix(e, "Page.lifecycleEvent") }
	before := slices.DeleteFunc(first.list(), lifecycle)
	two, seen := r.client(t)
	s := attachTo(t, two, form)
	must(t, s, "Page.enable", nil)
	must(t, s, "Page.setLifecycleEventsEnabled", map[string]bool{"enabled": true})
	got := slices.DeleteFunc(seen.list(), lifecycle)
	for _, name := range []string{"commit", "DOMContentLoaded", "load", "networkAlmostIdle", "networkIdle"} {
		if !slices.ContainsFunc(got, func(e string) bool { return strings.Contains(e, `"name":"`+name+`"`) }) {
			t.Errorf("no event %s in %q", name, got)
		}
	}
	if after := slices.DeleteFunc(first.list(), lifecycle); len(after) != len(before) {
		t.Errorf("the first client got %q again", after[len(before):])
	}
	must(t, s, "Page.setLifecycleEventsEnabled", map[string]bool{"enabled": false})
	firstCount, count := first.count(), seen.count()
	must(t, s, "Page.reload", nil)
	first.await(t, firstCount, "Page.lifecycleEvent", `"networkIdle"`)
	if told := slices.DeleteFunc(seen.list()[count:], lifecycle); len(told) > 0 {
		t.Errorf("who does not want events got %q", told)
	}
	loader := member(t, must(t, s, "Page.getFrameTree", nil), "frameTree", "frame", "loaderId")
	count = seen.count()
	must(t, s, "Page.setLifecycleEventsEnabled", map[string]bool{"enabled": true})
	told := slices.DeleteFunc(seen.list()[count:], lifecycle)
	if len(told) != 5 || !strings.Contains(told[2], `"load"`) || !strings.Contains(told[2], loader) {
		t.Errorf("after a reload with the loader %s: %q", loader, told)
	}
}

// TestFramesAreThoseOfNow: what is known of the frames is not told any more when the page has changed them.
func TestFramesAreThoseOfNow(t *testing.T) {
	r := newRig(t)
	s, seen, form := r.keeper(t, "/form")
	frames := func(want ...string) {
		t.Helper()
		for range 2 { // the second is answered from what the first has told
			tree := string(must(t, s, "Page.getFrameTree", nil))
			var got []string
			for _, part := range strings.Split(tree, `"url":"`)[1:] {
				url, _, _ := strings.Cut(part, `"`)
				got = append(got, url[strings.LastIndexByte(url, '/'):])
			}
			if slices.Sort(got); !slices.Equal(got, want) {
				t.Errorf("the frames have %q, not %q", got, want)
			}
		}
	}
	frames("/form")
	mustBe(t, s, `new Promise(done => { const f = document.createElement('iframe'); f.src = '/inner?added'; f.onload = () => done(1); document.body.append(f) })`, "1")
	frames("/form", "/inner?added")
	mustBe(t, s, `history.pushState(1, '', '/pushed'), 1`, "1")
	frames("/inner?added", "/pushed")
	mustBe(t, s, `document.querySelector('iframe').remove(), 1`, "1")
	frames("/pushed")
	count := seen.count()
	origin, err := evaluate(t, s, "location.origin")
	if err != nil {
		t.Fatal(err)
	}
	must(t, s, "Page.navigate", map[string]string{"url": strings.Trim(origin, `"`) + "/inner?gone"})
	frames("/inner?gone")
	seen.await(t, count, "Page.loadEventFired")
	count = seen.count()
	mustBe(t, s, `setTimeout(() => location.href = '/popup'), 1`, "1")
	seen.await(t, count, "Page.frameNavigated", "/popup")
	frames("/popup")
	if member(t, must(t, s, "Page.getFrameTree", nil), "frameTree", "frame", "id") != form {
		t.Error("the main frame has another id")
	}
}

// TestScriptTakenAwayAtOnce: a script for new documents that is taken away before the browser has said its id does not run.
func TestScriptTakenAwayAtOnce(t *testing.T) {
	r := newRig(t)
	first, _, form := r.keeper(t, "/form")
	two, seen := r.client(t)
	s := attachTo(t, two, form)
	must(t, s, "Page.enable", nil)
	first.Post("Runtime.evaluate", map[string]any{"expression": "const end = Date.now() + 500; while (Date.now() < end);"}, nil)
	added := must(t, s, "Page.addScriptToEvaluateOnNewDocument", map[string]string{"source": "globalThis.taken = 1"})
	must(t, s, "Page.removeScriptToEvaluateOnNewDocument", map[string]string{"identifier": member(t, added, "identifier")})
	must(t, s, "Page.addScriptToEvaluateOnNewDocument", map[string]string{"source": "globalThis.kept = 1"})
	three, _ := r.client(t)
	must(t, attachTo(t, three, form), "Page.addScriptToEvaluateOnNewDocument", map[string]string{"source": "globalThis.left = 1"})
	if err := three.Close(); err != nil {
		t.Fatal(err)
	}
	mustBe(t, s, "1", "1")
	count := seen.count()
	must(t, s, "Page.reload", nil)
	seen.await(t, count, "Page.loadEventFired")
	mustBe(t, s, "[globalThis.taken, globalThis.kept, globalThis.left].join()", `",1,"`)
}

// TestLeavingClientIsNotInTheWay: what a client asked for and did not wait for says nothing of the state that the next one finds.
func TestLeavingClientIsNotInTheWay(t *testing.T) {
	r := newRig(t)
	c, _ := r.client(t)
	form := pageAt(t, c, "/form")
	keeper := attachTo(t, c, form)
	mustBe(t, keeper, "1", "1")
	for range 5 {
		hasty, _ := r.client(t)
		a := attachTo(t, hasty, form)
		keeper.Post("Runtime.evaluate", map[string]any{"expression": "const end = Date.now() + 50; while (Date.now() < end);"}, nil)
		a.Post("Runtime.enable", map[string]any{}, nil)
		a.Post("Emulation.setEmulatedMedia", colors("dark"), nil)
		a.Post("Page.setLifecycleEventsEnabled", map[string]bool{"enabled": true}, nil)
		a.Post("Page.addScriptToEvaluateOnNewDocument", map[string]any{"source": "globalThis.left = 1", "runImmediately": true}, nil)
		if err := hasty.Close(); err != nil {
			t.Fatal(err)
		}
		next, seen := r.client(t)
		b := attachTo(t, next, form)
		must(t, b, "Page.enable", nil)
		must(t, b, "Runtime.enable", nil)
		seen.await(t, 0, "Runtime.executionContextCreated", form)
		must(t, b, "Page.setLifecycleEventsEnabled", map[string]bool{"enabled": true})
		seen.await(t, 0, "Page.lifecycleEvent", `"load"`)
		set(t, b, "dark")
		mustBe(t, b, isDark, "true")
		count := seen.count()
		must(t, b, "Page.reload", nil)
		seen.await(t, count, "Page.loadEventFired")
		mustBe(t, b, "globalThis.left === undefined", "true")
		if err := next.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestStayingClientKeepsItsSetting: where a client that leaves had set another value, that of the one that stays is set again.
func TestStayingClientKeepsItsSetting(t *testing.T) {
	r := newRig(t)
	one, _ := r.client(t)
	form := pageAt(t, one, "/form")
	a := attachTo(t, one, form)
	set(t, a, "light")
	two, _ := r.client(t)
	b := attachTo(t, two, form)
	set(t, b, "dark")
	mustBe(t, a, isDark, "true")
	if err := two.Close(); err != nil {
		t.Fatal(err)
	}
	becomes(t, a, isDark, "false")
}

// TestRepliesKeepTheirOrder: contexts come behind the frames, although a command that the browser answers comes between them while the page is busy.
func TestRepliesKeepTheirOrder(t *testing.T) {
	r := newRig(t)
	first, _, form := r.keeper(t, "/form")
	two, seen := r.client(t)
	s := attachTo(t, two, form)
	must(t, s, "Page.enable", nil)
	mustBe(t, first, "document.body.append(document.createElement('iframe')), 1", "1") // so that the frames are asked for
	first.Post("Runtime.evaluate", map[string]any{"expression": "const end = Date.now() + 400; while (Date.now() < end);"}, nil)
	tree := make(chan int, 1)
	contexts := func() int { return strings.Count(strings.Join(seen.list(), "\n"), "executionContextCreated") }
	s.Post("Page.getFrameTree", nil, func(jsontext.Value, error) { tree <- contexts() })
	s.Post("Target.setAutoAttach", map[string]any{"autoAttach": true, "waitForDebuggerOnStart": true, "flatten": true}, nil)
	must(t, s, "Runtime.enable", nil)
	if n := <-tree; n != 0 {
		t.Errorf("%d contexts came before the frames", n)
	}
	if contexts() == 0 {
		t.Error("no contexts came")
	}
}

// TestNewTabLoads: who opens tabs is told that each has loaded, although what the browser tells of a new tab comes in several ways at once.
func TestNewTabLoads(t *testing.T) {
	r := newRig(t)
	c, seen := r.client(t)
	for range 12 {
		var made struct {
			ID string `json:"targetId"`
		}
		if err := c.Browser().Call(deadline(t), "Target.createTarget", map[string]string{"url": "about:blank"}, &made); err != nil {
			t.Fatal(err)
		}
		s := attachTo(t, c, made.ID)
		must(t, s, "Page.enable", nil)
		must(t, s, "Page.setLifecycleEventsEnabled", map[string]bool{"enabled": true})
		seen.await(t, 0, "Page.lifecycleEvent", made.ID, `"load"`)
	}
}
