package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/usher-browser/usher/internal/cdptest"
)

// holds fails unless the text of a member holds all the words.
func holds(t *testing.T, what string, result map[string]any, member string, words ...string) {
	t.Helper()
	text, _ := result[member].(string)
	for _, w := range words {
		if !strings.Contains(text, w) {
			t.Errorf("%s: %s has no %q:\n%v", what, member, w, result)
		}
	}
}

// TestActions: an agent does by tools of its own what a person does, and learns of each what it changed.
func TestActions(t *testing.T) {
	t.Parallel()
	site := cdptest.NewSite(t)
	a, _ := connectAgent(t, nil)
	page := a.must("browser_navigate", map[string]any{"url": site.URL("/settle")})
	holds(t, "clicked", a.must("browser_click", map[string]any{"ref": a.refOf(page["snapshot"], `button "Ask twice"`)}), "changes", "second")
	if res := a.must("browser_click", map[string]any{"ref": "#now", "changes": "none"}); res["changes"] != nil {
		t.Errorf("changes that nobody asked for: %v", res)
	}
	holds(t, "by its exact text", a.must("browser_click", map[string]any{"ref": `text="At once"`, "changes": "full"}), "changes", "heading")
	if res := a.call("browser_hover", map[string]any{"ref": `text="At onc"`}); res["code"] != "element_not_found" {
		t.Errorf("a part of a text was found by text in quotes: %v", res)
	}
	a.must("browser_wait", map[string]any{"text": `"At once"`, "gone": true})
	holds(t, "asked for all", a.must("browser_click", map[string]any{"ref": "text=At once", "changes": "full"}), "changes", "heading", "textbox")

	res := a.must("browser_click", map[string]any{"ref": "#send"})
	if invalid, _ := res["invalid"].([]any); len(invalid) != 1 || !strings.Contains(invalid[0].(map[string]any)["field"].(string), "Name") {
		t.Errorf("of the form's check is told %v", res)
	}
	holds(t, "filled", a.must("browser_fill_form", map[string]any{"submit": true, "fields": []any{
		map[string]any{"ref": "[name=name]", "value": "Ada"}, map[string]any{"ref": "[name=mail]", "value": "ada@example.com"}}}), "changes", "sent")

	res = a.must("browser_click", map[string]any{"ref": "#tab"})
	if res["newTab"] != true || res["tabId"] != "t2" {
		t.Errorf("of the new tab is told %v", res)
	}
	holds(t, "in the new tab", res, "changes", "Go on")
	if tabs, _ := a.must("browser_tabs", map[string]any{"action": "list"})["tabs"].([]any); len(tabs) != 2 {
		t.Errorf("the tabs are %v", tabs)
	}
	holds(t, "switched", a.must("browser_tabs", map[string]any{"action": "switch", "tab": "t1"}), "changes", "unchanged", "focused")
	a.must("browser_tabs", map[string]any{"action": "close", "tab": "t2"})
	holds(t, "new", a.must("browser_tabs", map[string]any{"action": "new", "url": site.URL("/forms")}), "title", "Forms")
}

// TestGuardOfChanges: the outcome of an action on a refused site is not in its changes, in this tab or another.
func TestGuardOfChanges(t *testing.T) {
	t.Parallel()
	site := cdptest.NewSite(t)
	a, _ := connectAgent(t, nil, "--blocked-sites", "localhost")
	refused := strings.Replace(site.URL("/settle-later"), "127.0.0.1", "localhost", 1)
	for _, how := range []string{"location.href = " + strconv.Quote(refused), "open(" + strconv.Quote(refused) + ")",
		"fetch('/delay?ms=200').then(() => location.href = " + strconv.Quote(refused) + ")"} {
		a.must("browser_navigate", map[string]any{"url": site.URL("/settle")})
		a.must("browser_console", map[string]any{"expression": "document.getElementById('now').onclick = () => { " + how + " }; 0"})
		res := a.call("browser_click", map[string]any{"ref": "#now"})
		if text := fmt.Sprint(res); strings.Contains(text, "Go on") || strings.Contains(text, "Here it is") || strings.Contains(text, "Later") {
			t.Errorf("%s: told of %v", how, res)
		}
	}
}

// TestDialogTools: the result of answering a dialog has what the page did next.
func TestDialogTools(t *testing.T) {
	t.Parallel()
	site := cdptest.NewSite(t)
	a, _ := connectAgent(t, nil)
	a.must("browser_navigate", map[string]any{"url": site.URL("/settle")})
	a.must("browser_console", map[string]any{"expression": "document.getElementById('now').onclick = () => say(confirm('Sure?') ? 'agreed' : 'refused'); 0"})
	if res := a.must("browser_click", map[string]any{"ref": "#now"}); res["dialogOpened"] != true || res["dialog"].(map[string]any)["message"] != "Sure?" {
		t.Errorf("of the dialog is told %v", res)
	}
	holds(t, "accepted", a.must("browser_dialog", map[string]any{"action": "accept"}), "changes", "agreed")
	a.must("browser_click", map[string]any{"ref": "#now"})
	id := a.must("browser_snapshot", nil)["pending_dialogs"].([]any)[0].(map[string]any)["id"]
	holds(t, "dismissed", a.must("browser_dialog", map[string]any{"action": "dismiss", "dialog_id": id}), "changes", "refused")

	late, _ := a.another()
	if seen := late.must("browser_snapshot", nil)["recent_dialogs"]; seen != nil {
		t.Errorf("an agent that comes later is told of %v", seen)
	}
	for i, want := range []int{1, 0} { // the first was reported above
		if seen, _ := a.must("browser_snapshot", nil)["recent_dialogs"].([]any); len(seen) != want {
			t.Errorf("look %d tells of %v", i, seen)
		}
	}
	if err := late.Close(); err != nil {
		t.Error(err)
	}
}

// TestDialogsWhileSettling: a dialog that opens during the wait after an action is in the action's result, and ends the
// wait.
func TestDialogsWhileSettling(t *testing.T) {
	t.Parallel()
	site := cdptest.NewSite(t)
	a, _ := connectAgent(t, nil)
	for _, c := range []struct{ name, script, kind, message string }{
		{"a confirm behind an answer", "fetch('/delay?ms=150').then(() => { confirm('Sure?'); fetch('/delay?ms=60000') })", "confirm", "Sure?"},
		{"an alert while it is busy", "busy.hidden = false; setTimeout(() => alert('Done'), 100)", "alert", "Done"},
		// The last, for it asks before every leaving.
		{
			"a question before leaving", "onbeforeunload = e => { e.preventDefault(); return 'x' }; fetch('/delay?ms=150').then(() => { location.href = '/small' })",
			"beforeunload", "",
		},
	} {
		a.must("browser_navigate", map[string]any{"url": site.URL("/settle")})
		a.must("browser_console", map[string]any{"expression": "document.getElementById('now').onclick = () => { " + c.script + " }; 0"})
		res := a.must("browser_click", map[string]any{"ref": "#now"})
		dialog, _ := res["dialog"].(map[string]any)
		if res["dialogOpened"] != true || dialog["type"] != c.kind || dialog["message"] != c.message || res["changes"] != nil || res["warning"] != nil || res["unsettled"] != nil {
			t.Errorf("%s: told of %v", c.name, res)
		}
		began := time.Now()
		a.must("browser_dialog", map[string]any{"action": "dismiss"})
		if took := time.Since(began); took > 3500*time.Millisecond {
			t.Errorf("%s: its answer took %s", c.name, took)
		}
	}
}

// TestDialogsClosedWhileSettling: so is a dialog that a rule closed meanwhile.
func TestDialogsClosedWhileSettling(t *testing.T) {
	t.Parallel()
	site := cdptest.NewSite(t)
	a, shell := connectAgent(t, nil)
	a.must("browser_navigate", map[string]any{"url": site.URL("/settle")})
	shell("--session", "shared", "dialog", "policy", "auto_accept")
	a.must("browser_console", map[string]any{"expression": "document.getElementById('now').onclick = () => { alert('one'); fetch('/delay?ms=150').then(() => { alert('two'); say('over') }) }; 0"})
	res := a.must("browser_click", map[string]any{"ref": "#now"})
	if closed, _ := res["dialogs"].([]any); len(closed) != 2 {
		t.Errorf("told of %v", res)
	}
	holds(t, "behind both", res, "changes", "over")
}

// TestChangesOmitNoise: changes that exceed the budget keep the fields to fill in. What was there before, and the
// focus on the clicked element, are omitted. The omitted rows can be requested as the note says.
func TestChangesOmitNoise(t *testing.T) {
	t.Parallel()
	site := cdptest.NewSite(t)
	a, _ := connectAgent(t, nil)
	a.must("browser_navigate", map[string]any{"url": site.URL("/settle")})
	a.must("browser_console", map[string]any{"expression": `hang.onclick = null; document.body.insertAdjacentHTML("beforeend", "<article>" +
		Array.from({length: 12}, (_, i) => "<h2>An old heading, the number " + i + "</h2><a href='#'>Permanent link " + i + "</a>").join("") + "</article>");
	now.onclick = () => {
		const main = document.createElement("main");
		main.innerHTML = "<section aria-label=Editor><input aria-label=Title>" + Array.from({length: 40}, (_, i) => "<button>Apply the formatting " + i + "</button>").join("") +
			"<textarea aria-label=Body></textarea><input aria-label=Kind><p role=status>Not saved yet</p></section>";
		main.append(document.querySelector("article"));
		document.body.append(main);
		main.querySelector("input").focus();
	}; 0`})
	a.must("browser_snapshot", nil)
	holds(t, "a click on nothing", a.must("browser_click", map[string]any{"ref": "#hang"}), "changes", "(nothing changed)")
	res := a.must("browser_click", map[string]any{"ref": "#now"})
	holds(t, "an editor", res, "changes", `textbox "Title" [focused`, `textbox "Body"`, `textbox "Kind"`, "Not saved yet")
	text := res["changes"].(string)
	if strings.Contains(text, "old heading") || strings.Contains(text, "<selector>") || res["truncated"] != true {
		t.Errorf("told of\n%s", text)
	}
	a.must("browser_press", map[string]any{"key": "Tab"}) // to a button
	if text := a.must("browser_press", map[string]any{"key": "Tab"})["changes"].(string); strings.Count(text, "focused") != 1 || !strings.Contains(text, "changed: button") {
		t.Errorf("the focus went on:\n%s", text)
	}
}

// TestInstructionsThatChange: of many changes, the new instruction is reported whole and before similar rows.
func TestInstructionsThatChange(t *testing.T) {
	t.Parallel()
	site := cdptest.NewSite(t)
	a, _ := connectAgent(t, nil)
	a.must("browser_navigate", map[string]any{"url": site.URL("/settle")})
	a.must("browser_console", map[string]any{"expression": `document.body.insertAdjacentHTML("beforeend", "<p id=task>Wait</p><div id=grid>" +
		Array.from({length: 60}, (_, i) => "<input type=checkbox aria-label='Cell " + i + "'>").join("") + "</div>" + "<p>What stays as it is, at some length.</p>".repeat(20));
	now.onclick = () => {
		task.textContent = "Draw the number 7 in the boxes, using the example on the right, and press Send when it is finished. " +
			"Leave out the boxes of the last column, which are for a later task, and those that are marked already.";
		[...grid.children].slice(0, 40).forEach(box => { box.checked = true });
	}; 0`})
	a.must("browser_snapshot", nil)
	res := a.must("browser_click", map[string]any{"ref": "#now"})
	holds(t, "a task", res, "changes", "Draw the number 7", "marked already.", `checkbox "Cell 0"`)
	if res["truncated"] != true {
		t.Errorf("all of it was told: %v", res)
	}
}

// TestPartAroundWhatWasThere: texts that were on the page before are not reported in place of new controls.
func TestPartAroundWhatWasThere(t *testing.T) {
	t.Parallel()
	site := cdptest.NewSite(t)
	a, _ := connectAgent(t, nil)
	a.must("browser_navigate", map[string]any{"url": site.URL("/settle")})
	a.must("browser_console", map[string]any{"expression": `document.body.insertAdjacentHTML("beforeend", "<article id=had>" +
		Array.from({length: 7}, (_, i) => "<h2>Part " + i + "</h2><blockquote>" + Array.from({length: 5}, (_, j) =>
			"<p>Sentence " + j + " of part " + i + ", which a person reads before anything else</p>").join("") + "</blockquote>").join("") + "</article>");
	now.onclick = () => {
		const main = document.createElement("main"), part = document.createElement("article");
		part.innerHTML = "<h2>Ready to import</h2><p>These files were read:</p><ul>" + ["Soup", "Bread"].map(name => "<li>" + name +
			" <input type=checkbox checked aria-label='Select " + name + "'><button>Rename " + name + "</button></li>").join("") +
			"</ul><button>Cancel</button><button>Import</button>";
		main.append(part, had);
		document.body.append(main);
	}; 0`})
	a.must("browser_snapshot", nil)
	res := a.must("browser_click", map[string]any{"ref": "#now"})
	holds(t, "a new part", res, "changes", "These files were read:", `button "Cancel"`, `button "Import"`, `checkbox "Select Bread"`, `button "Rename Soup"`)
	if res["truncated"] != true {
		t.Errorf("all of it was reported: %v", res)
	}
}

// TestSlowlyStartingApplications: the answer to a navigation has the application, not the sign that it is being loaded;
// where that stays, it says so once.
func TestSlowlyStartingApplications(t *testing.T) {
	t.Parallel()
	site := cdptest.NewSite(t)
	a, _ := connectAgent(t, nil)
	for _, as := range []string{"parts", "parts&ms=25", "words", "spinner"} {
		page := a.must("browser_navigate", map[string]any{"url": site.URL("/settle-app?as=" + as)})
		if holds(t, as, page, "snapshot", "Deploy"); page["warning"] != nil {
			t.Errorf("%s: told of %v", as, page["warning"])
		}
	}
	holds(t, "for ever", a.must("browser_navigate", map[string]any{"url": site.URL("/settle-app?as=ever")}), "warning", "is still changing", "app-spinner")
	if page := a.must("browser_click", map[string]any{"ref": "#app"}); page["unsettled"] != nil {
		t.Errorf("a spinner that stays is told again: %v", page)
	}
}

// TestSettleInAllTrees: changes in shadow roots and in frames of the page's own site are waited for as those of the page.
func TestSettleInAllTrees(t *testing.T) {
	t.Parallel()
	site := cdptest.NewSite(t)
	a, _ := connectAgent(t, nil)
	a.must("browser_navigate", map[string]any{"url": site.URL("/settle-trees")})
	for _, id := range []string{"#open", "#closed", "#inside"} {
		holds(t, id, a.must("browser_click", map[string]any{"ref": id}), "changes", "all done")
	}
}

// TestSettleInOtherSites: the effects of an action in a cross-site frame are waited for as in the page, including a new
// document, and fields that failed validation are reported.
func TestSettleInOtherSites(t *testing.T) {
	t.Parallel()
	site := cdptest.NewSite(t)
	a, _ := connectAgent(t, nil)
	page := a.must("browser_navigate", map[string]any{"url": site.URL("/settle-cross")})
	click := func(button string) map[string]any {
		t.Helper()
		return a.must("browser_click", map[string]any{"ref": a.refOf(page["snapshot"], "button "+strconv.Quote(button))})
	}
	for _, button := range []string{"Open", "Inside"} {
		holds(t, button, click(button), "changes", "all done")
	}
	holds(t, "work", click("Work for a while"), "changes", "worked")
	if invalid, _ := click("Send")["invalid"].([]any); len(invalid) != 1 {
		t.Errorf("of the form's check is told %v", invalid)
	}
	holds(t, "another document", click("Ask, then leave"), "changes", "Go on")
}

// TestInterruptTool: the error of a tab whose script hangs names the call that ends it.
func TestInterruptTool(t *testing.T) {
	t.Parallel()
	site := cdptest.NewSite(t)
	a, _ := connectAgent(t, nil)
	a.must("browser_navigate", map[string]any{"url": site.URL("/loop")})
	a.call("browser_click", map[string]any{"ref": "#start"})
	holds(t, "hung", a.call("browser_snapshot", nil), "error", "browser_tabs with action interrupt")
	if ended, _ := a.must("browser_tabs", map[string]any{"action": "interrupt"})["stopped"].([]any); len(ended) != 1 {
		t.Errorf("stopped %v", ended)
	}
	holds(t, "behind it", a.must("browser_snapshot", nil), "snapshot", "Loop for ever")
}

// TestDragTool: what is dragged goes to another element, or to a point.
func TestDragTool(t *testing.T) {
	t.Parallel()
	site := cdptest.NewSite(t)
	a, _ := connectAgent(t, nil)
	a.must("browser_navigate", map[string]any{"url": site.URL("/drag")})
	holds(t, "onto an element", a.must("browser_drag", map[string]any{"source": "#card", "target": "#bin"}), "changes", "Holds card")
	box := a.must("browser_console", map[string]any{"expression": "(b => [b.x + 20, b.y + 20])(shelf.getBoundingClientRect())"})["result"].([]any)
	holds(t, "to a point", a.must("browser_drag", map[string]any{"source": "#knob", "x": box[0], "y": box[1]}), "changes", "Holds knob")
	for _, bad := range []map[string]any{{"source": "#knob"}, {"source": "#knob", "x": 5}} {
		if res := a.call("browser_drag", bad); res["success"] != false {
			t.Errorf("%v: %v", bad, res)
		}
	}
}

// TestDownloadTools: the result of a click that starts a download has the path of the file.
func TestDownloadTools(t *testing.T) {
	t.Parallel()
	site := cdptest.NewSite(t)
	a, _ := connectAgent(t, nil)
	if list := a.call("browser_downloads", nil)["downloads"]; list != nil {
		t.Errorf("before there is a browser the downloads are %v", list)
	}
	a.must("browser_navigate", map[string]any{"url": site.URL("/download")})
	clicked := a.must("browser_click", map[string]any{"ref": "#attachment"})
	for name, res := range map[string]map[string]any{"the click": clicked, "the list": a.must("browser_downloads", nil)} {
		list, _ := res["downloads"].([]any)
		if len(list) != 1 {
			t.Fatalf("%s tells of %v", name, res)
		}
		one := list[0].(map[string]any)
		path, _ := one["path"].(string)
		content, err := os.ReadFile(path)
		if one["state"] != "completed" || filepath.Base(path) != "report.csv" || err != nil || len(content) == 0 {
			t.Errorf("%s tells of %v: %v, %d bytes", name, one, err, len(content))
		}
	}
}

// TestSnapshotsSayWhereTheyAre: a snapshot has the page's address and title, and its frame tree once.
func TestSnapshotsSayWhereTheyAre(t *testing.T) {
	t.Parallel()
	site := cdptest.NewSite(t)
	a, _ := connectAgent(t, nil)
	a.must("browser_navigate", map[string]any{"url": site.URL("/frames")})
	first, second := a.must("browser_snapshot", nil), a.must("browser_snapshot", nil)
	for _, page := range []map[string]any{first, second} {
		if page["url"] != site.URL("/frames") || page["title"] != "Frames" {
			t.Errorf("the snapshot is of %v at %v", page["title"], page["url"])
		}
	}
	if first["frame_tree"] == nil || second["frame_tree"] != nil {
		t.Errorf("the frame tree is told first %v, then %v", first["frame_tree"], second["frame_tree"])
	}
	a.must("browser_navigate", map[string]any{"url": site.URL("/forms")})
	a.must("browser_snapshot", nil)
	a.must("browser_navigate", map[string]any{"url": site.URL("/frames")})
	if again := a.must("browser_snapshot", nil); again["frame_tree"] == nil {
		t.Error("of another page's frames nothing is told")
	}
}

// TestFormTools: every kind of field by a tool, and what cannot be is refused without harm.
func TestFormTools(t *testing.T) {
	t.Parallel()
	site := cdptest.NewSite(t)
	a, _ := connectAgent(t, nil)
	a.must("browser_navigate", map[string]any{"url": site.URL("/forms")})
	a.must("browser_select", map[string]any{"ref": "#one", "values": []string{"g"}})
	a.must("browser_check", map[string]any{"ref": "#check"})
	a.must("browser_type", map[string]any{"ref": "#text", "text": "one"})
	a.must("browser_type", map[string]any{"ref": "#text", "text": " two", "append": true})
	a.must("browser_type", map[string]any{"text": "!"}) // where the focus is
	value := func(expression string) any {
		t.Helper()
		return a.must("browser_console", map[string]any{"expression": expression})["result"]
	}
	if got := value(`text.value + "/" + one.value + "/" + check.checked`); got != "one two!/g/true" {
		t.Errorf("the form holds %v", got)
	}
	a.must("browser_fill_form", map[string]any{"fields": []any{
		map[string]any{"ref": "#text", "value": "three"}, map[string]any{"ref": "#check", "value": false},
		map[string]any{"ref": "#one", "value": "Red"}, map[string]any{"ref": "#many", "value": []string{"a", "c"}}}})
	if got := value(`text.value + "/" + one.value + "/" + check.checked + "/" + [...many.selectedOptions].map(o => o.value)`); got != "three/r/false/a,c" {
		t.Errorf("the form holds %v", got)
	}
	res := a.call("browser_fill_form", map[string]any{"fields": []any{
		map[string]any{"ref": "#text", "value": "four"}, map[string]any{"ref": "#one", "value": []string{"no such"}}, map[string]any{"ref": "#check", "value": true}}})
	holds(t, "partly", res, "error", "field 2 of 3", "filled before it: #text")
	for _, bad := range []map[string]any{
		{"fields": []any{}}, {"fields": []any{map[string]any{"ref": "#text"}}}, {"fields": []any{map[string]any{"value": "x"}}},
		{"fields": []any{map[string]any{"ref": "#text", "value": map[string]any{}}}}, {"fields": "x"}, {"fields": []any{map[string]any{"ref": "#text", "value": []any{}}}},
	} {
		if res := a.call("browser_fill_form", bad); res["code"] != "invalid_argument" {
			t.Errorf("%v: %v", bad, res)
		}
	}
	if got := value(`text.value`); got != "four" {
		t.Errorf("after what was refused the field holds %v", got)
	}

	found := a.must("browser_find", map[string]any{"text": "textbox"})
	if found["matches"].(float64) < 3 {
		t.Errorf("found %v", found)
	}
	for _, bad := range []map[string]any{{}, {"text": "a", "url": "b"}, {"gone": true}} {
		if res := a.call("browser_wait", bad); res["code"] != "invalid_argument" {
			t.Errorf("wait %v: %v", bad, res)
		}
	}
	a.must("browser_wait", map[string]any{"ref": "#nothing-like-it", "gone": true})
	a.must("browser_wait", map[string]any{"seconds": 0.05})
	holds(t, "waited in vain", a.call("browser_wait", map[string]any{"text": "not there", "timeout": 0.2}), "error", "not there")
	for _, bad := range []map[string]any{{"x": 1}, {}, {"ref": "#text", "count": 9}, {"ref": "#text", "modifiers": []string{"Enter"}}} {
		if res := a.call("browser_click", bad); res["success"] != false {
			t.Errorf("click %v: %v", bad, res)
		}
	}
}

// TestUploadTool: files are given to a page from the agent's roots alone.
func TestUploadTool(t *testing.T) {
	t.Parallel()
	site := cdptest.NewSite(t)
	a, _ := connectAgent(t, nil)
	inside := filepath.Join(a.dir, "notes.txt")
	if err := os.WriteFile(inside, []byte("notes"), 0o600); err != nil {
		t.Fatal(err)
	}
	client := newClient(t, "test", nil)
	//nolint:staticcheck // clients still tell their roots
	client.AddRoots(&mcp.Root{URI: "file://" + a.dir})
	a = agent{ClientSession: connectTo(t, client, a), t: t, dir: a.dir}
	a.must("browser_navigate", map[string]any{"url": site.URL("/upload")})
	for _, field := range []string{"input[type=file]", "#hiddenFile", "#choose"} {
		res := a.must("browser_upload", map[string]any{"ref": field, "paths": []string{inside}})
		if got := fmt.Sprint(res["files"]); got != "[notes.txt]" {
			t.Errorf("%s: of the files is told %v", field, res)
		}
	}
	if got := a.must("browser_console", map[string]any{"expression": `document.querySelector("input[type=file]").files[0].name`})["result"]; got != "notes.txt" {
		t.Errorf("the field holds %v", got)
	}
	if res := a.call("browser_upload", map[string]any{"ref": "input[type=file]", "paths": []string{"/etc/passwd"}}); res["success"] != false {
		t.Errorf("a file from elsewhere: %v", res)
	}
	a.must("browser_console", map[string]any{"expression": "setTimeout(() => alert('first this')); 0"})
	for _, path := range []string{inside, "/nowhere"} {
		res := a.call("browser_upload", map[string]any{"ref": "input[type=file]", "paths": []string{path}})
		if holds(t, "while a dialog is open", res, "error", "first this", "browser_dialog"); res["code"] != "dialog_open" {
			t.Errorf("while a dialog is open: %v", res)
		}
	}
}

// TestDialogAfterDialog: the answer to a dialog reports what the page did then, such as to open the next one or to navigate.
func TestDialogAfterDialog(t *testing.T) {
	t.Parallel()
	site := cdptest.NewSite(t)
	a, _ := connectAgent(t, nil)
	a.must("browser_navigate", map[string]any{"url": site.URL("/small")})
	a.must("browser_console", map[string]any{"expression": `document.body.innerHTML = '<button id=two>Two</button><a href="/rows" onclick="return confirm(1)">Go</a>'; ` +
		`document.querySelector("#two").onclick = () => { confirm("first"); confirm("second") }`})
	a.must("browser_click", map[string]any{"ref": "#two"})
	res := a.must("browser_dialog", map[string]any{"action": "accept"})
	if next, _ := res["next_dialog"].(map[string]any); next["message"] != "second" {
		t.Errorf("of the next dialog is told %v", res)
	}
	if answered, _ := res["dialog"].(map[string]any); answered["message"] != "first" {
		t.Errorf("answered: %v", res)
	}
	a.must("browser_dialog", map[string]any{"action": "dismiss"})
	a.must("browser_click", map[string]any{"ref": "text=Go"})
	res = a.must("browser_dialog", map[string]any{"action": "accept"})
	if to, _ := res["navigation"].(map[string]any); !strings.HasSuffix(fmt.Sprint(to["url"]), "/rows") {
		t.Errorf("of the navigation is told %v", res)
	}
}

// TestNavigateElsewhere: a page that goes elsewhere before it has loaded, and one that never finishes loading, are opened.
func TestNavigateElsewhere(t *testing.T) {
	t.Parallel()
	site := cdptest.NewSite(t)
	a, _ := connectAgent(t, nil)
	began := time.Now()
	res := a.must("browser_navigate", map[string]any{"url": site.URL("/slow")})
	if holds(t, "a page with an image that never comes", res, "warning", "not finished loading", "browser_wait"); time.Since(began) > 25*time.Second {
		t.Errorf("took %s", time.Since(began))
	}
}
