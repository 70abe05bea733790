package relay_test

import (
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// TestJoinBusyPage: a client that connects while a page of another client answers nothing gets its replies all the same, can close the page, and
// takes part in it once it answers.
func TestJoinBusyPage(t *testing.T) {
	r := newRig(t)
	first, _, frames := r.keeper(t, "/frames")
	must(t, first, "Target.setAutoAttach", map[string]any{"autoAttach": true, "waitForDebuggerOnStart": false, "flatten": true})
	mustBe(t, first, "document.title = 'busy'", `"busy"`)
	first.Post("Runtime.evaluate", map[string]any{"expression": "{ const end = Date.now() + 5000; while (Date.now() < end); document.title = 'ready'; console.log('over') }"}, nil)

	two, seen := r.client(t)
	s := attachTo(t, two, frames)
	began := time.Now()
	// What Playwright and Puppeteer send to every page.
	must(t, s, "Page.enable", nil)
	tree := must(t, s, "Page.getFrameTree", nil)
	if id := member(t, tree, "frameTree", "frame", "id"); id != frames {
		t.Errorf("the main frame is %s, not %s", id, frames)
	}
	for _, method := range []string{"Log.enable", "Runtime.enable", "Network.enable", "Performance.enable", "WebMCP.enable", "Runtime.runIfWaitingForDebugger"} {
		must(t, s, method, nil)
	}
	must(t, s, "Page.setLifecycleEventsEnabled", map[string]bool{"enabled": true})
	must(t, s, "Page.addScriptToEvaluateOnNewDocument", map[string]string{"source": "globalThis.added = (globalThis.added || 0) + 1"})
	must(t, s, "Target.setAutoAttach", map[string]any{"autoAttach": true, "waitForDebuggerOnStart": false, "flatten": true})
	made := must(t, s, "Page.createIsolatedWorld", world(frames, "late"))
	if took := time.Since(began); took > 4*time.Second {
		t.Errorf("the replies of a busy page took %v", took)
	}
	must(t, s, "Performance.getMetrics", nil) // interrupts the script
	if took := time.Since(began); took > 4*time.Second {
		t.Errorf("the metrics of a busy page took %v", took)
	}

	own := jsontext.Value(member(t, made, "executionContextId"))
	if got, err := valueIn(t, s, own, "globalThis.own = document.title"); err != nil || got != `"ready"` {
		t.Errorf("in the world: %s, %v", got, err)
	}
	mustBe(t, s, "globalThis.own === undefined", "true")
	seen.await(t, 0, "Page.frameAttached", frames)
	seen.await(t, 0, "Target.attachedToTarget", `"iframe"`)
	seen.await(t, 0, "Runtime.consoleAPICalled", "over")
	worlds, messages := 0, 0
	for _, e := range seen.list() {
		if strings.HasPrefix(e, "Runtime.executionContextCreated") && strings.Contains(e, `"frameId":"`+frames+`"`) && strings.Contains(e, `"late"`) {
			worlds++
		}
		if strings.HasPrefix(e, "Runtime.consoleAPICalled") {
			messages++
		}
	}
	if messages != 1 {
		t.Errorf("the message was told of %d times", messages)
	}
	if worlds != 1 {
		t.Errorf("the world was told of %d times", worlds)
	}
	count := seen.count()
	must(t, s, "Page.reload", nil)
	seen.await(t, count, "Page.loadEventFired")
	mustBe(t, s, "added", "1")
	mustBe(t, first, "document.title", `"frames"`)
}

// TestCloseBlockedPage: a page that answers no more can be closed, and another client takes its tab for one like any other.
func TestCloseBlockedPage(t *testing.T) {
	r := newRig(t)
	first, _, form := r.keeper(t, "/form")
	first.Post("Runtime.evaluate", map[string]any{"expression": "while (true) {}"}, nil)
	two, seen := r.client(t)
	s := attachTo(t, two, form)
	must(t, s, "Page.enable", nil)
	must(t, s, "Runtime.enable", nil)
	err := s.Call(deadline(t), "Runtime.terminateExecution", nil, nil)
	if err == nil || !strings.Contains(err.Error(), "not allowed for untrusted clients") {
		t.Errorf("Chrome ends scripts for an extension now: %v", err)
	}
	must(t, two.Browser(), "Target.closeTarget", map[string]string{"targetId": form})
	seen.await(t, 0, "Target.targetDestroyed", form)
}
