package supervisor_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/cdproto/target"
	"github.com/google/go-cmp/cmp"

	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/cdptest"
	"github.com/usher-browser/usher/internal/supervisor"
	"github.com/usher-browser/usher/internal/supervisor/model"
	"github.com/usher-browser/usher/internal/wire"
)

// TestBridge runs the tests that can share one browser.
func TestBridge(t *testing.T) {
	b := secureWatch(t)
	site := cdptest.NewSite(t)
	for _, c := range []struct {
		name string
		test func(*testing.T, *supervisor.Browser, *cdptest.Site)
	}{
		{"disguise", bridgeDisguise}, {"conversion", bridgeConverts}, {"sandboxes", bridgeKeepsSandboxes},
		{"together", bridgedTogether}, {"pages that go", bridgedPageGoes}, {"coming and going", bridgeComesAndGoes},
		{"beside permissions", bridgeBesidePermissions},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.test(t, b, site)
			for id := range b.State().Tabs { // close the tabs, so that they do not slow the next test
				b.Session("").Post("Target.closeTarget", target.CloseTargetParams{TargetID: target.ID(id)}, nil)
			}
			wait(t, b, "the tabs are closed", func(s *model.State) bool { return len(s.Tabs) == 0 })
		})
	}
}

// both opens a page in a context without the bridge and in one with it.
func both(t *testing.T, b *supervisor.Browser, url string, frames int) (native, bridged *model.Tab) {
	t.Helper()
	native = openIn(t, b, newContext(t, b, model.BridgeOff), url, frames)
	return native, openIn(t, b, newContext(t, b, model.BridgeOn), url, frames)
}

func dialogOf(t *testing.T, b *supervisor.Browser, frame model.FrameID) *model.Dialog {
	t.Helper()
	var d *model.Dialog
	wait(t, b, "a dialog of frame "+string(frame)+" is open", func(s *model.State) bool {
		i := slices.IndexFunc(s.Dialogs, func(o *model.Dialog) bool { return o.Frame == frame })
		if i >= 0 {
			d = s.Dialogs[i]
		}
		return i >= 0
	})
	return d
}

// lookAtFunctions returns what a page can observe of its dialog functions without opening a dialog.
const lookAtFunctions = `(async () => {
	const out = {};
	const frame = document.body.appendChild(document.createElement("iframe"));
	const far = frame.contentWindow;
	const told = f => { try { return ["value", String(f())] } catch (e) {
		return [e.constructor === TypeError, e.name, e.message, e.stack.replace(/:\d+:\d+/g, ""), Reflect.ownKeys(e).map(String),
			Object.keys(Object.getOwnPropertyDescriptor(e, "stack"))] } };
	for (const [where, w] of [["page", window], ["new frame", far]]) for (const name of ["alert", "confirm", "prompt"]) {
		const f = w[name];
		out[where + " " + name] = {
			text: [String(f), f + "", Function.prototype.toString.call(f), far.Function.prototype.toString.call(f), f.toString === w.Function.prototype.toString],
			property: Object.entries(Object.getOwnPropertyDescriptor(w, name)).map(String),
			own: Reflect.ownKeys(f).map(String), descriptors: JSON.stringify(Object.getOwnPropertyDescriptors(f)),
			inherits: [Object.getPrototypeOf(f) === w.Function.prototype, f instanceof w.Function, "prototype" in f, Object.isExtensible(f), typeof f],
			call: told(() => f.call({})), number: told(() => f.call(1)), document: told(() => f.call(w.document)), far: told(() => Reflect.apply(f, Object.create(w), ["x"])),
			symbol: told(() => f(Symbol("s"))), bound: told(() => f.bind(null, Symbol("s"))()), applied: told(() => Reflect.apply(f, null, [Symbol("s")])),
			made: told(() => new f()), constructed: told(() => Reflect.construct(Object, [], f)), extended: told(() => { class X extends f {} }),
			caller: told(() => f.caller), args: told(() => f.arguments), clone: told(() => structuredClone(f)),
			set: (() => { const g = () => {}; w[name] = g; const is = w[name] === g; w[name] = f; return is })(),
		};
	}
	out.globals = Reflect.ownKeys(window).map(String);
	out.keys = Object.keys(window);
	out.frames = Reflect.ownKeys(far).map(String);
	out.toString = [String(Function.prototype.toString), Reflect.ownKeys(Function.prototype).map(String)];
	out.error = [Reflect.ownKeys(Error).map(String), Error.stackTraceLimit, typeof Error.prepareStackTrace];
	out.scripts = document.scripts.length;
	frame.remove();
	return JSON.stringify(out);
})()`

// bridgeDisguise compares what a page sees of its dialog functions with and
// without the bridge.
func bridgeDisguise(t *testing.T, b *supervisor.Browser, site *cdptest.Site) {
	native, bridged := both(t, b, site.Secure("/under"), 1)
	look := func(tab *model.Tab) (out map[string]any) {
		var text string
		if err := json.Unmarshal([]byte(evalIn(t, b, tab.ID, tab.Main, lookAtFunctions)), &text); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal([]byte(text), &out); err != nil {
			t.Fatal(err)
		}
		return out
	}
	want, got := look(native), look(bridged)
	if len(want) < 10 {
		t.Fatalf("only %d things were looked at", len(want))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("a page can tell (- native, + bridge):\n%s", diff)
	}
}

// bridgeConverts compares the texts of dialogs for all kinds of arguments, and how often and in what order they call the
// page's code.
func bridgeConverts(t *testing.T, b *supervisor.Browser, site *cdptest.Site) {
	native, bridged := both(t, b, site.Secure("/under"), 1)
	calls := []string{
		`alert()`, `alert(undefined)`, `alert(null)`, `alert(-0)`, `alert([1,[2,3]])`, `alert({})`, `alert(new Date(NaN))`, `alert("a\u0000b\n\ud800c")`, `alert(document.all)`,
		`alert("x".repeat(300000))`, `alert("\u{1f600}", "more")`, `alert(1n)`, `window.alert("on the window")`, `alert.call(null, "on nothing")`, `(0, self["alert"])("indirect")`,
		`confirm()`, `confirm(undefined)`, `confirm(null)`, `confirm({toString: () => seen("t", "text"), valueOf: () => seen("v", 1)})`,
		`prompt()`, `prompt(undefined, undefined)`, `prompt(null, null)`, `prompt("\u{1f600}m", "p\u{1f600}")`,
		`prompt({[Symbol.toPrimitive]: hint => seen(hint, "one")}, {toString: () => seen("second", "two")})`,
		`prompt({toString() { throw seen("thrown", new RangeError("mine")) }}, {toString: () => seen("never", "two")})`,
		`prompt("", {toString: () => seen("s", Symbol())})`, `prompt({toString: () => seen("o", {}), valueOf: () => seen("o", {})})`, `prompt("", Symbol())`,
	}
	run := func(tab *model.Tab) (out [][]string) {
		b.SetPolicy(tab.Context, model.Policy{Mode: model.AutoAccept})
		for _, call := range calls {
			last := lastDialog(b)
			got := evalIn(t, b, tab.ID, tab.Main, `(() => { const log = []; const seen = (what, v) => { log.push(what); return v };
				try { log.push(["value", `+call+`]) } catch (e) { log.push(["thrown", String(e)]) } return JSON.stringify(log) })()`)
			row := []string{call, got}
			if d := lastDialog(b); d != nil && (last == nil || d.ID != last.ID) {
				row = append(row, d.Type, d.Message, d.DefaultPrompt, d.Answer)
			}
			out = append(out, row)
		}
		return out
	}
	want, got := run(native), run(bridged)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("- native, + bridge:\n%s", diff)
	}
	if d := lastDialog(b); !d.Bridge {
		t.Errorf("the last dialog did not come by the bridge: %+v", d)
	}
}

func lastDialog(b *supervisor.Browser) *model.Dialog {
	recent := b.State().RecentDialogs
	if len(recent) == 0 {
		return nil
	}
	return recent[len(recent)-1]
}

// TestBridgeCannotBeForged: a page that knows the bridge, but not its nonce, can neither open nor answer bridged dialogs,
// and its own breakpoints do not pause it.
func TestBridgeCannotBeForged(t *testing.T) {
	chromium := cdptest.Launch(t)
	c := chromium.Dial(t)
	var pauses atomic.Int32
	b := supervisor.New(c, supervisor.Options{Observers: []supervisor.Observer{supervisor.Tap(func(ev cdp.Event, _ model.TargetID) {
		if ev.Method == "Debugger.paused" {
			pauses.Add(1)
		}
	})}})
	t.Cleanup(func() { b.Close() })
	site := cdptest.NewSite(t)
	tab := openIn(t, b, newContext(t, b, model.BridgeOn), site.URL("/small"), 1)
	evalIn(t, b, tab.ID, tab.Main, `for (let i = 0; i < 20; i++) debugger; Function("debugger")(); eval("debugger"); setTimeout("debugger");
		document.body.appendChild(document.createElement("script")).textContent = "debugger"; new Promise(done => setTimeout(done, 10))`)
	if n := pauses.Load(); n != 0 {
		t.Errorf("breakpoints of the page paused it %d times", n)
	}
	// A script that imitates our script's name is not excluded from debugging; its pauses are resumed at once.
	got := evalIn(t, b, tab.ID, tab.Main, `(function () { "use strict"; let reply = "none"; function ask() { debugger; return reply } return Reflect.apply(ask, "prompt\x006\x00forgedpreset", []) })()
		//# sourceURL=<anonymous>`)
	if got != `"none"` {
		t.Errorf("the forged question was answered with %s", got)
	}
	if len(b.State().Dialogs)+len(b.State().RecentDialogs) != 0 || pauses.Load() != 1 {
		t.Errorf("%d pauses, dialogs %+v", pauses.Load(), b.State().Dialogs)
	}
	// Built-ins that the page replaces afterwards do not affect our script.
	call := startIn(t, b, tab.Main, `(() => {
		let stolen = "";
		const trap = name => function () { stolen += " " + name; return "stolen" };
		window.reply = "stolen"; window.event = { type: "beforeunload" };
		Reflect.apply = trap("apply"); Function.prototype.call = trap("call"); Function.prototype.apply = trap("apply");
		Array.prototype[Symbol.iterator] = trap("iterator"); String.prototype.toJSON = trap("toJSON"); String.prototype.concat = trap("concat");
		["0", "1", "get", "reply"].forEach(k => [Object.prototype, Array.prototype].forEach(o => Object.defineProperty(o, k, { get: trap(k), set: trap(k), configurable: true })));
		const got = prompt("well?");
		return got + stolen;
	})()`)
	d := dialogOf(t, b, tab.Main)
	if !d.Bridge || d.Message != "well?" {
		t.Errorf("the dialog is %+v", d)
	}
	if _, err := b.Answer(deadline(t), d.ID, true, "mine"); err != nil {
		t.Fatal(err)
	}
	if got := value(t, call, "prompt"); got != `"mine"` {
		t.Errorf("the page got %s", got)
	}
}

// bridgeKeepsSandboxes: a sandboxed document without allow-modals opens no dialogs.
func bridgeKeepsSandboxes(t *testing.T, b *supervisor.Browser, site *cdptest.Site) {
	check := func(tab *model.Tab, frame model.FrameID, name string, may bool) {
		t.Helper()
		call := startIn(t, b, frame, `confirm("`+name+`")`)
		if may {
			d := dialogOf(t, b, frame)
			if _, err := b.Answer(deadline(t), d.ID, true, ""); err != nil || !d.Bridge {
				t.Errorf("%s: %+v, %v", name, d, err)
			}
		}
		if got := value(t, call, name); got != fmt.Sprint(may) {
			t.Errorf("%s: the page got %s", name, got)
		}
		if d := lastDialog(b); (d != nil && d.Message == name) != may {
			t.Errorf("%s: the last dialog is %+v", name, d)
		}
	}
	c := newContext(t, b, model.BridgeOn)
	tab := openIn(t, b, c, site.URL("/sandboxes"), 6)
	for part, may := range map[string]bool{"?mute-cross": false, "?mute-same": false, "/small?mute-inside": false, "?may": true} {
		for _, f := range tab.Frames {
			if strings.HasSuffix(f.URL, part) && !strings.Contains(f.URL, "/nest") {
				check(tab, f.ID, part, may)
			}
		}
	}
	for policy, may := range map[string]bool{
		"default-src 'self'; sandbox allow-scripts": false, "sandbox": false, "sandbox allow-scripts allow-modals; default-src 'none'": true, "script-src 'none'": true,
	} {
		top := openIn(t, b, c, site.Secure("/under?csp="+url.QueryEscape(policy)), 1)
		if policy == "sandbox" { // no script runs in it
			continue
		}
		check(top, top.Main, policy, may)
	}
}

// bridgedTogether: two processes of a page have a dialog each, and another page has one. Each answer reaches its dialog.
func bridgedTogether(t *testing.T, b *supervisor.Browser, site *cdptest.Site) {
	c := newContext(t, b, model.BridgeOn)
	all := testFrames(t, b, site, c)
	all = slices.DeleteFunc(all, func(s testFrame) bool {
		return s.name != "http" && s.name != "cross-site frame" && s.name != "nested cross-site" && s.name != "data:"
	})
	if len(all) != 4 {
		t.Fatalf("places are %v", all)
	}
	calls := map[string]*cdp.Pending[runtime.EvaluateResult]{}
	var open []*model.Dialog
	for _, s := range slices.Backward(all) {
		calls[s.name] = startIn(t, b, s.frame, fmt.Sprintf("prompt(%q)", s.name))
		open = append(open, dialogOf(t, b, s.frame))
		// A guarded call ends at once and names a dialog of its tab.
		ctx, stop := b.Guard(deadline(t), s.tab)
		var blocked *model.BlockedError
		if !errors.As(context.Cause(ctx), &blocked) || blocked.Dialog == nil || blocked.Dialog.Tab != s.tab {
			t.Errorf("%s: the guard's cause is %v", s.name, context.Cause(ctx))
		}
		stop()
	}
	if n := len(b.State().Dialogs); n != len(all) {
		t.Fatalf("%d dialogs are open", n)
	}
	for _, d := range slices.Backward(open) {
		if _, err := b.Answer(deadline(t), d.ID, true, "for "+d.Message); err != nil {
			t.Fatal(err)
		}
		if got := value(t, calls[d.Message], d.Message); got != fmt.Sprintf("%q", "for "+d.Message) {
			t.Errorf("%s got %s", d.Message, got)
		}
	}
}

// bridgedPageGoes: whatever ends a paused page closes its dialog.
func bridgedPageGoes(t *testing.T, b *supervisor.Browser, site *cdptest.Site) {
	for _, step := range []struct {
		name  string
		inner bool // the dialog is in the cross-site frame
		do    func(tab *model.Tab, session string)
	}{
		{"navigation within the site", false, func(_ *model.Tab, s string) {
			b.Session(s).Post("Page.navigate", page.NavigateParams{URL: site.URL("/small?next")}, nil)
		}},
		{"navigation to another site", false, func(_ *model.Tab, s string) {
			b.Session(s).Post("Page.navigate", page.NavigateParams{URL: site.Cross("/small?next")}, nil)
		}},
		{"reload", false, func(_ *model.Tab, s string) { b.Session(s).Post("Page.reload", nil, nil) }},
		{"crash", false, func(_ *model.Tab, s string) { b.Session(s).Post("Page.crash", nil, nil) }},
		{"closing", false, func(tab *model.Tab, _ string) {
			b.Session("").Post("Target.closeTarget", target.CloseTargetParams{TargetID: target.ID(tab.ID)}, nil)
		}},
		{"removal of the frame", true, func(tab *model.Tab, _ string) {
			b.Session(tab.Session).Post("Runtime.evaluate", runtime.EvaluateParams{Expression: "document.getElementById('cross').remove()"}, nil)
		}},
		{"navigation of the page above", true, func(tab *model.Tab, _ string) {
			b.Session(tab.Session).Post("Page.navigate", page.NavigateParams{URL: site.URL("/small?next")}, nil)
		}},
		{"crash of the frame", true, func(_ *model.Tab, s string) { b.Session(s).Post("Page.crash", nil, nil) }},
	} {
		// Each context has its own renderers. Chromium reuses them for frames of later tabs, and one whose paused frame
		// was removed sometimes crashes (twice in some forty runs on Chromium 156): the next page would then never load
		// that frame.
		c := newContext(t, b, model.BridgeOn)
		tab := openIn(t, b, c, site.URL("/dialogs"), 6)
		frame := tab.MainFrame()
		if step.inner {
			frame = frameWith(t, b, tab.ID, "place=cross")
		}
		startIn(t, b, frame.ID, "confirm('held')")
		d := dialogOf(t, b, frame.ID)
		step.do(tab, frame.Session)
		wait(t, b, step.name+": the dialog is closed", func(s *model.State) bool { return len(s.Dialogs) == 0 })
		recent := b.State().RecentDialogs
		i := slices.IndexFunc(recent, func(o *model.Dialog) bool { return o.ID == d.ID })
		if i < 0 || recent[i].ClosedBy != model.ByRemote || !recent[i].Bridge || lastDialog(b).ClosedBy != model.ByRemote {
			t.Errorf("%s: closed as %+v", step.name, recent[max(i, 0)])
		}
	}
}

// bridgeComesAndGoes: the bridge is installed before a popup's first script, and in pages that are open already. When it
// is switched off, native dialogs take over, even from one that is open.
func bridgeComesAndGoes(t *testing.T, b *supervisor.Browser, site *cdptest.Site) {
	c := newContext(t, b, model.BridgeOn)
	tab := openIn(t, b, c, site.URL("/small"), 1)
	for i, from := range []string{`open("/dialog-on-load?kind=alert")`, `open("about:blank").alert("on load")`} {
		call := startIn(t, b, tab.Main, "void "+from)
		var d *model.Dialog
		wait(t, b, "the popup's dialog is open", func(s *model.State) bool {
			for _, o := range s.Dialogs {
				d = o
			}
			return d != nil
		})
		if !d.Bridge || d.Tab == tab.ID || d.Message != "on load" {
			t.Errorf("popup %d: %+v", i, d)
		}
		if _, err := b.Answer(deadline(t), d.ID, true, ""); err != nil {
			t.Fatal(err)
		}
		value(t, call, from)
	}
	ask := func(bridge bool) (*model.Dialog, *cdp.Pending[runtime.EvaluateResult]) {
		t.Helper()
		call := startIn(t, b, tab.Main, `confirm("which?")`)
		d := dialogOf(t, b, tab.Main)
		if d.Bridge != bridge {
			t.Errorf("bridge %v, want %v", d.Bridge, bridge)
		}
		return d, call
	}
	answer := func(d *model.Dialog, call *cdp.Pending[runtime.EvaluateResult]) {
		t.Helper()
		if _, err := b.Answer(deadline(t), d.ID, true, ""); err != nil {
			t.Fatal(err)
		}
		if got := value(t, call, "confirm"); got != "true" {
			t.Errorf("the page got %s", got)
		}
	}
	first, call := ask(true)
	b.SetBridge(c, model.BridgeOff) // while it is open
	wait(t, b, "the native dialog takes over", func(s *model.State) bool {
		d := s.Dialog(tab.ID)
		return d != nil && d.ID != first.ID && !d.Bridge
	})
	answer(b.State().Dialog(tab.ID), call)
	answer(ask(false))
	b.SetBridge(c, model.BridgeOn)
	answer(ask(true)) // in the document that had it already
	evalIn(t, b, tab.ID, tab.Main, `void document.body.appendChild(document.createElement("iframe"))`)
	call = startIn(t, b, tab.Main, `frames[0].prompt("from an empty frame")`)
	wait(t, b, "the frame's dialog is open", func(s *model.State) bool { return s.Dialog(tab.ID) != nil })
	d := b.State().Dialog(tab.ID)
	if !d.Bridge || d.Frame == tab.Main {
		t.Errorf("the dialog is %+v", d)
	}
	if _, err := b.Answer(deadline(t), d.ID, true, "yes"); err != nil {
		t.Fatal(err)
	}
	if got := value(t, call, "prompt"); got != `"yes"` {
		t.Errorf("the page got %s", got)
	}
}

// dismisser is another CDP client that dismisses every dialog of a tab.
type dismisser struct{ conn *cdp.Conn }

func (h *dismisser) Event(ev cdp.Event) {
	if ev.Method == "Page.javascriptDialogOpening" {
		h.conn.Session(ev.SessionID).Post("Page.handleJavaScriptDialog", page.HandleJavaScriptDialogParams{Accept: false}, nil)
	}
}
func (h *dismisser) Flush()          {}
func (h *dismisser) Overflow(string) {}
func (h *dismisser) Closed(error)    {}

// TestBridgeAgainstADismissingClient: the other client closes the first dialog, the bridge is switched on, and the next
// dialogs reach the agent.
func TestBridgeAgainstADismissingClient(t *testing.T) {
	chromium := cdptest.Launch(t)
	dial := func() wire.Conn {
		c := chromium.Dial(t)
		return c
	}
	b := supervisor.New(dial(), supervisor.Options{})
	t.Cleanup(func() { b.Close() })
	site := cdptest.NewSite(t)
	c := newContext(t, b, model.BridgeAuto)
	tab := openIn(t, b, c, site.URL("/dialogs"), 6)
	h := &dismisser{}
	h.conn = cdp.New(dial(), h)
	t.Cleanup(func() { h.conn.Close() })
	attached, err := cdp.Do(deadline(t), h.conn.Browser(), target.AttachToTarget, target.AttachToTargetParams{TargetID: target.ID(tab.ID), Flatten: new(true)})
	if err != nil {
		t.Fatal(err)
	}
	if err := h.conn.Session(string(attached.SessionID)).Call(deadline(t), "Page.enable", nil, nil); err != nil {
		t.Fatal(err)
	}
	// On a loaded machine an answer can take as long as a person's, which says nothing of a client.
	on := func(s *model.State) bool { _, on := s.Bridges[c]; return on }
	for range 20 {
		if got := evalIn(t, b, tab.ID, tab.Main, `confirm("first")`); got != "false" {
			t.Fatalf("the page got %s", got)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
		err := b.Wait(ctx, func(s *model.State) (bool, error) { return on(s), nil })
		if cancel(); err == nil {
			break
		}
	}
	wait(t, b, "the bridge is on", on)
	if s := b.State().Bridges[c].AnsweredElsewhere; s == nil || s.Message != "first" {
		t.Errorf("stolen was %+v", s)
	}
	far := frameWith(t, b, tab.ID, "place=nested")
	for _, frame := range []model.FrameID{tab.Main, far.ID} {
		call := startIn(t, b, frame, `prompt("second")`)
		d := dialogOf(t, b, frame)
		if _, err := b.Answer(deadline(t), d.ID, true, "the agent's"); err != nil || !d.Bridge {
			t.Errorf("%+v, %v", d, err)
		}
		if got := value(t, call, "prompt"); got != `"the agent's"` {
			t.Errorf("the page got %s", got)
		}
	}
}
