package agenttool_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"go.uber.org/goleak"

	"github.com/usher-browser/usher/internal/cdptest"
	"github.com/usher-browser/usher/internal/command/run"
	"github.com/usher-browser/usher/internal/config"
	"github.com/usher-browser/usher/internal/program"
	"github.com/usher-browser/usher/internal/script"
	"github.com/usher-browser/usher/internal/session"
	"github.com/usher-browser/usher/internal/session/agenttool/result"
	"github.com/usher-browser/usher/internal/verb"
)

func TestMain(m *testing.M) {
	if script.Child() {
		return
	}
	goleak.VerifyTestMain(m)
}

// caller calls the tool as the daemon does, without a socket.
type caller struct {
	t        *testing.T
	registry *session.Registry
	env      map[string]string
	dir      string
	base     string // of the pages
	prompt   string
	client   string // "" for the command line
	removed  string // what a request of /remove removes
}

// pages are the pages of these tests.
var pages = map[string]string{
	"/rows": `<title>Rows</title><ul id=l><li>A <button onclick="gone('A',this)">Delete</button><li>B <button onclick="gone('B',this)">Delete</button></ul><p id=out></p>
<script>function gone(n,b){out.textContent+="deleted "+n;b.parentNode.remove()}
function prepend(){const li=document.createElement("li");li.innerHTML="NEW <button onclick=\"gone('NEW',this)\">Delete</button>";l.prepend(li)}</script>`,
	"/through": `<title>Through</title><button id=ghost style="pointer-events:none">Ghost</button>`,
	"/covered": `<title>Covered</title><button id=buy onclick="this.textContent='bought'">Buy</button>
<div id=cover style="position:fixed;inset:0;background:#0008"><div role=dialog aria-label=Cookies><button onclick="cover.remove()">No thanks</button></div></div>`,
	"/plain": `<title>Plain</title><button onclick="out.textContent='clicked'">Go</button><p id=out></p><a href=/next>Next</a><a href="#x">Jump</a>
<form onsubmit="return false"><label>Name <input id=name></label><input type=checkbox aria-label=News><select aria-label=Size><option>S<option>M</select>
<button>Place order</button></form>`,
	"/next":     `<title>Next</title><h1>Next page</h1><button>Back</button>`,
	"/icon":     `<title>Icon</title><button aria-label="Save changes" onclick="out.textContent='saved'"><svg width=20 height=20></svg></button><p id=out></p><input aria-label="Search docs">`,
	"/deaf":     `<title>Deaf</title><button>Go</button><script>for(const t of ["pointerdown","mousedown","pointerup","mouseup","click"])addEventListener(t,e=>e.stopImmediatePropagation(),true)</script>`,
	"/iconlink": `<title>Icon</title><a href=/next aria-label="Next page"><svg width=20 height=20></svg></a>`,
	"/upper":    `<title>Upper</title><label>Name <input id=name oninput="this.value=this.value.toUpperCase()"></label>`,
	"/final": `<title>Final</title><form onsubmit="o.textContent='ORDERED '+(++n);return false"><label>Name <input id=nm></label><button id=b>Place order</button><input id=s type=submit value="Buy now">` +
		`<button id=l aria-label="Submit payment"><svg width=9 height=9></svg></button></form><button id=other>Details</button><iframe name=inside srcdoc="<button id=inner>Look</button>"></iframe><p id=o></p><script>n=0</script>`,
	"/several": `<title>Several</title><button>Edit</button><button>Edit</button><button>Edit</button><iframe srcdoc="<button onclick='parent.o.textContent=String(7)+1'>Pay</button>"></iframe>` +
		`<iframe srcdoc="<button onclick='parent.o.textContent=String(7)+1'>Pay</button>"></iframe><p id=o></p>`,
	"/short": `<title>Short</title><p>nothing to scroll`,
	"/combo": `<title>Combo</title><input role=combobox aria-expanded=false aria-label=Country>`,
	"/tabs":  `<title>Tabs</title><div class=panel style="display:none">hidden text</div><div class=panel>visible text</div><p class=one>only</p>`,
	"/bad":   `<title>Bad</title><h1>Hello there</h1><script>console.error("broken");setTimeout(()=>{throw new Error("boom")});fetch("/missing.json")</script>`,
	"/good":  `<title>Good</title><h1>Hello  there</h1><input value="typed text"><p style="display:none">secret words</p>`,
	"/parts": `<title>Parts</title><section>Hello <b>Ada</b>!</section><pre>one <i>two</i></pre><figure><figcaption>a <em>caption</em></figcaption></figure>
<dialog open>any <b>news</b></dialog><div id=host></div><iframe srcdoc="<p>in a <b>frame</b></p>"></iframe><div><p>First</p><p>Second</p></div><input value="in a field"><p hidden>not shown
<script>host.attachShadow({mode:"open"}).innerHTML="<p>in a <b>shadow</b></p>"</script>`,
	"/badframe": `<title>Frame</title><h1>With a frame</h1><iframe src=/bad></iframe>`,
	"/alert":    `<title>Alert</title><p>Hi</p><script>setTimeout(()=>alert("stop"),20)</script>`,
	"/slow":     `<title>Slow</title><h1>Here</h1><img src=/hang>`,
	"/more":     `<title>More</title><h1>Here</h1><script>onload = async () => { for (let n = 0; n < 3; n++) await fetch("/next"); await fetch("/missing.json"); document.title = "All" }</script>`,
	"/modal":    `<title>Modal</title><div role=dialog aria-modal=true aria-label=Offer><button>Dismiss</button><button>Accept</button></div>` + big(),
	"/files":    `<title>Files</title><a id=shown href=/note.txt>Note</a> <a id=saved href=/note.txt download>Save</a> <a id=refused href=/none.txt download>None</a>`,
	"/login":    `<title>Inside</title><h1>Welcome</h1>`,
	"/shown":    `<title>Shown</title><button onclick="location='/note.txt'">Here</button><button onclick="window.open('/note.txt')">Beside</button>`,
	"/country": `<title>Country</title><label>Country <input id=c role=combobox aria-expanded=false></label><button id=b aria-haspopup=listbox aria-expanded=false>Size</button>
<button id=more aria-expanded=false>More</button><ul role=listbox><li role=option id=o onmousedown="event.preventDefault()" onclick="this.parentNode.hidden=true">Delft</ul>`,
	"/big": `<title>Big</title>` + big(),
}

func big() string {
	var b strings.Builder
	b.WriteString("<main><h1>Many</h1>")
	for i := range 200 {
		fmt.Fprintf(&b, "<p><button>Button %d</button> <a href=#%d>Link %d</a>", i, i, i)
	}
	return b.String() + "</main>"
}

func newCaller(t *testing.T) *caller {
	t.Helper()
	c := &caller{t: t, client: "test"}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/remove" {
			if err := os.RemoveAll(c.removed); err != nil {
				http.Error(w, err.Error(), http.StatusInternalServerError)
			}
			return
		}
		if r.URL.Path == "/hang" {
			<-r.Context().Done()
			return
		}
		if user, word, _ := r.BasicAuth(); r.URL.Path == "/login" && (user != "ada" || word != "open") {
			w.Header().Set("WWW-Authenticate", `Basic realm="Lab"`)
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		if r.URL.Path == "/note.txt" {
			w.Header().Set("Content-Type", "text/plain; charset=utf-8")
			_, _ = w.Write([]byte("a note"))
			return
		}
		page, ok := pages[r.URL.Path]
		if !ok {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write([]byte("<!doctype html><link rel=icon href=data:,>" + page))
	}))
	t.Cleanup(server.Close)
	c.dir, c.base, c.registry = t.TempDir(), server.URL, session.NewRegistry(session.Options{Table: program.Table(), StateDir: t.TempDir()})
	c.env = map[string]string{"HOME": t.TempDir(), "USHER_EXECUTABLE_PATH": cdptest.Chromium(t),
		"USHER_ARGS": "--disable-background-networking,--disable-component-update,--disable-sync,--disable-quic,--no-first-run"}
	if os.Geteuid() == 0 {
		c.env["USHER_ARGS"] += ",--no-sandbox"
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), cdptest.Timeout)
		defer cancel()
		if err := c.registry.Close(ctx); err != nil {
			t.Errorf("close every session: %v", err)
		}
	})
	return c
}

// answer is a result as a client reads it.
type answer struct {
	*result.Result
	t   *testing.T
	raw map[string]any // the details
}

// call calls the tool with JSON, in which BASE is the address of the pages.
func (c *caller) call(input string) answer { return c.with(nil, input) }

func (c *caller) with(values verb.Values, input string) answer {
	c.t.Helper()
	if values == nil {
		values = verb.Values{}
	}
	values.Set("input", strings.ReplaceAll(input, "BASE", c.base))
	if c.client != "" {
		values.Set("client", c.client)
	}
	if c.prompt != "" {
		values.Set("user-prompt", c.prompt)
	}
	call, err := program.Table().NewCall("agent-tool", values, verb.Usher)
	if err != nil {
		c.t.Fatal(err)
	}
	res, err := c.run(call)
	if err != nil {
		c.t.Fatalf("%.200s: %v", input, err)
	}
	out := answer{t: c.t}
	raw, err := json.Marshal(res.Data)
	if err == nil {
		out.Result = &result.Result{}
		err = json.Unmarshal(raw, out.Result)
	}
	if err == nil {
		raw, err = json.Marshal(out.Details)
	}
	if err == nil {
		err = json.Unmarshal(raw, &out.raw)
	}
	if err != nil {
		c.t.Fatal(err)
	}
	if out.IsError != (out.Details.ResultCategory == "failure") || out.IsError == out.Details.Success || out.IsError != (out.Details.FailureCategory != "") {
		c.t.Errorf("%s: isError %v, %s", input, out.IsError, raw)
	}
	return out
}

// run runs a command as the daemon does.
func (c *caller) run(call *verb.Call) (run.Result, error) {
	c.t.Helper()
	env := func(name string) (string, bool) { value, ok := c.env[name]; return value, ok }
	settings, err := config.Load(config.Source{Mode: verb.Usher, Env: env, Cwd: c.dir, Flags: call.Globals})
	if err != nil {
		c.t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(c.t.Context()), cdptest.Timeout) // also while the test is cleaned up
	defer cancel()
	return c.registry.Run(ctx, session.Command{Call: call, Settings: settings, Cwd: c.dir, Env: env, Stdin: strings.NewReader(""),
		Artifacts: filepath.Join(c.env["HOME"], "artifacts"), StateDir: filepath.Join(c.env["HOME"], "state")})
}

// shell runs a command line of a person's.
func (c *caller) shell(words ...string) run.Result {
	c.t.Helper()
	call, err := program.Table().Parse(words, verb.Usher)
	if err != nil {
		c.t.Fatal(err)
	}
	res, err := c.run(call)
	if err != nil {
		c.t.Fatalf("%q: %v", words, err)
	}
	return res
}

// readInto reads JSON.
func readInto(t *testing.T, raw []byte, into any) {
	t.Helper()
	if err := json.Unmarshal(raw, into); err != nil {
		t.Fatal(err)
	}
}

// args calls the tool with a command.
func (c *caller) args(words ...string) answer {
	c.t.Helper()
	raw, err := json.Marshal(map[string]any{"args": words})
	if err != nil {
		c.t.Fatal(err)
	}
	return c.call(string(raw))
}

func (r answer) ok() answer {
	r.t.Helper()
	if r.IsError {
		r.t.Fatalf("%s\n%s", r.Text(), dump(r.raw))
	}
	return r
}

// fails expects a failure of a category.
func (r answer) fails(category string) answer {
	r.t.Helper()
	if r.Details.FailureCategory != category {
		r.t.Errorf("the category is %q, want %q: %s", r.Details.FailureCategory, category, r.Text())
	}
	return r
}

func dump(v any) string {
	raw, _ := json.Marshal(v, json.Deterministic(true)) // it was read from JSON
	return string(raw)
}

// ref returns the ref of the nth element with a name in the last snapshot.
func (r answer) ref(name string, nth int) string {
	r.t.Helper()
	for line := range strings.Lines(r.Text()) {
		if _, after, ok := strings.Cut(line, "ref="); ok && strings.Contains(line, `"`+name+`"`) {
			if nth--; nth < 0 {
				return "@" + after[:strings.IndexAny(after, ",]")]
			}
		}
	}
	r.t.Fatalf("no %q in %s", name, r.Text())
	return ""
}

// action returns a next action, which must be there.
func (r answer) action(id string) result.NextAction {
	r.t.Helper()
	for _, n := range r.Details.NextActions {
		if n.ID == id {
			return n
		}
	}
	r.t.Fatalf("no action %s: %s", id, dump(r.raw["nextActions"]))
	return result.NextAction{}
}

func (r answer) has(id string) bool {
	for _, n := range r.Details.NextActions {
		if n.ID == id {
			return true
		}
	}
	return false
}

// follow makes the call of a next action, which must succeed.
func (c *caller) follow(r answer, id string) answer {
	c.t.Helper()
	n := r.action(id)
	if n.Params == nil {
		if _, err := os.Stat(n.ArtifactPath); err != nil {
			c.t.Errorf("%s: %v", id, err)
		}
		return r
	}
	raw, err := json.Marshal(n.Params)
	if err != nil {
		c.t.Fatal(err)
	}
	out := c.call(string(raw))
	if out.IsError {
		c.t.Errorf("%s %s: %s", id, raw, out.Text())
	}
	return out
}

// TestFirst: open, snapshot, click, with the parts of the result that every client needs.
func TestFirst(t *testing.T) {
	c := newCaller(t)
	open := c.args("open", c.base+"/plain").ok()
	if p := open.Details.PageChangeSummary; p == nil || p.ChangeType != "navigation" || p.Title != "Plain" {
		t.Errorf("open: %s", dump(open.raw))
	}
	if o := open.Details.ManagedSessionOutcome; o == nil || o.Status != "created" || !strings.HasPrefix(o.CurrentSessionName, "agent-") {
		t.Errorf("open: %s", dump(open.raw["managedSessionOutcome"]))
	}
	shot := c.follow(open, "inspect-opened-page").ok()
	if s := shot.Details.RefSnapshot; s == nil || len(s.RefIDs) == 0 || shot.Details.RefSnapshotRevision != 1 {
		t.Errorf("snapshot: %s", dump(shot.raw["refSnapshot"]))
	}
	click := c.args("click", shot.ref("Go", 0)).ok()
	if p := click.Details.PageChangeSummary; p == nil || p.ChangeType != "mutation" {
		t.Errorf("a click that changes the page only is %s", dump(click.raw["pageChangeSummary"]))
	}
	if click.Details.RefSnapshot != nil || click.Details.RefSnapshotRevision != 1 {
		t.Error("the refs are sent again although they have not changed")
	}
	c.follow(click, "inspect-after-mutation")
	if got := c.args("get", "text", "#out").ok(); !strings.Contains(got.Text(), "clicked") {
		t.Error(got.Text())
	}
	next := c.args("click", shot.ref("Next", 0)).ok()
	if p := next.Details.PageChangeSummary; p == nil || p.ChangeType != "navigation" || !strings.HasSuffix(p.URL, "/next") || next.Details.NavigationSummary == nil {
		t.Errorf("a link: %s", dump(next.raw["pageChangeSummary"]))
	}
	stale := c.args("click", shot.ref("Go", 0)).fails("stale-ref")
	if stale.Details.RefIDs == nil || len(stale.Details.NextActions) != 1 {
		t.Errorf("stale: %s", dump(stale.raw))
	}
	c.follow(stale, "refresh-interactive-refs")
	c.args("click", "@e999").fails("stale-ref")
	for _, to := range [][2]string{{"back", "/plain"}, {"forward", "/next"}, {"reload", "/next"}} {
		got := c.args(to[0]).ok()
		p, n := got.Details.PageChangeSummary, got.Details.NavigationSummary
		if p == nil || p.ChangeType != "navigation" || !strings.HasSuffix(p.URL, to[1]) || n == nil || n.Title != p.Title || p.Title == "" {
			t.Errorf("%s: %s", to[0], dump(got.raw))
		}
	}
	closed := c.args("close").ok()
	if o := closed.Details.ManagedSessionOutcome; o == nil || o.Status != "closed" || o.ActiveAfter || o.CurrentSessionName == o.PreviousSessionName {
		t.Errorf("close: %s", dump(closed.raw["managedSessionOutcome"]))
	}
}

// TestFaultsOfTheReference: the faults that were reproduced with pi-agent-browser-native 0.5.0, against this tool.
func TestFaultsOfTheReference(t *testing.T) {
	c := newCaller(t)
	t.Run("the row that is meant is deleted", func(t *testing.T) { // 1 and 2
		c := *c
		c.t = t
		c.args("open", c.base+"/rows").ok()
		first := c.args("snapshot", "-i").ok().ref("Delete", 0)
		c.args("eval", "prepend()").ok()
		click := c.args("click", first).ok()
		if click.Details.ClickDispatch != nil {
			t.Errorf("a click that arrived: %s", dump(click.raw["clickDispatch"]))
		}
		if got := c.args("get", "text", "#out").Text(); got != "deleted A" {
			t.Errorf("%q", got)
		}
	})
	t.Run("a covered element names its cover and a way out", func(t *testing.T) { // 3
		c := *c
		c.t = t
		c.args("open", c.base+"/covered").ok()
		covered := c.call(`{"args":["click","#buy"]}`).fails("upstream-error")
		o := covered.Details.OverlayBlockers
		if o == nil || !strings.Contains(o.CoveredBy, "cover") || len(o.Candidates) != 1 || o.Candidates[0].Name != "No thanks" {
			t.Fatalf("%s", dump(covered.raw["overlayBlockers"]))
		}
		c.follow(covered, "inspect-overlay-state")
		c.follow(covered, "try-overlay-blocker-candidate-1")
		c.args("click", "#buy").ok()
		if got := c.args("get", "text", "#buy").Text(); got != "bought" {
			t.Errorf("%q", got)
		}
	})
	t.Run("what lets the pointer through has no cover", func(t *testing.T) {
		c := *c
		c.t = t
		c.args("open", c.base+"/through").ok()
		ghost := c.call(`{"args":["click","#ghost"]}`).fails("upstream-error")
		if text := ghost.Text(); !strings.Contains(text, "takes no clicks") || strings.Contains(text, "cover") || ghost.Details.OverlayBlockers != nil {
			t.Errorf("%s", text)
		}
		for _, next := range ghost.Details.NextActions {
			if strings.Contains(next.ID, "overlay") {
				t.Errorf("next action %s", next.ID)
			}
		}
	})
	t.Run("a timeout says what ran", func(t *testing.T) { // 4
		c := *c
		c.t = t
		res := c.call(`{"args":["batch"],"timeoutMs":3000,"stdin":"[[\"open\",\"BASE/plain\"],[\"click\",\"button\"],[\"wait\",\"9000\"],[\"click\",\"#name\"]]"}`).fails("timeout")
		p := res.Details.TimeoutPartialProgress
		if p == nil || len(p.Steps) != 4 || p.RetryStep == nil || p.RetryStep.Index != 3 {
			t.Fatalf("%s", dump(res.raw["timeoutPartialProgress"]))
		}
		for i, want := range []string{"completed", "completed", "running", "pending"} {
			if p.Steps[i].Status != want {
				t.Errorf("step %d is %s, want %s", i+1, p.Steps[i].Status, want)
			}
		}
		if p.CurrentPage == nil || p.CurrentPage.Title != "Plain" || len(res.Details.BatchSteps) != 3 {
			t.Errorf("%d rows; %s", len(res.Details.BatchSteps), dump(res.raw["timeoutPartialProgress"]))
		}
	})
	t.Run("navigation only after a navigation", func(t *testing.T) { // 5
		c := *c
		c.t = t
		c.args("open", c.base+"/plain").ok()
		if got := c.args("eval", "1+1").ok(); got.Details.PageChangeSummary != nil {
			t.Errorf("eval: %s", dump(got.raw["pageChangeSummary"]))
		}
		if got := c.args("click", "text=Go").ok(); got.Details.PageChangeSummary.ChangeType != "mutation" || got.Details.NavigationSummary != nil {
			t.Errorf("click: %s", dump(got.raw["pageChangeSummary"]))
		}
	})
	t.Run("state is sent once", func(t *testing.T) { // 6
		c := *c
		c.t = t
		c.args("open", c.base+"/big").ok()
		shot := c.args("snapshot", "-i").ok()
		text := c.args("get", "text", "h1").ok()
		if shot.Details.RefSnapshot == nil || text.Details.RefSnapshot != nil || text.Details.ArtifactManifest != nil || len(dump(text.raw)) > 3000 {
			t.Errorf("%d bytes: %s", len(dump(text.raw)), dump(text.raw))
		}
	})
	t.Run("a shortened snapshot shows the open dialog", func(t *testing.T) { // 7
		c := *c
		c.t = t
		c.args("open", c.base+"/modal").ok()
		shot := c.args("snapshot", "-i").ok()
		if !strings.Contains(shot.Text(), `"Dismiss"`) || !strings.Contains(shot.Text(), `"Accept"`) || shot.Details.FullOutputPath == "" {
			t.Errorf("%s", shot.Text())
		}
		if shot.Details.OverlayBlockers == nil || !strings.Contains(dump(shot.raw["data"]), `"compacted":true`) {
			t.Errorf("%s", dump(shot.raw["data"]))
		}
		full, err := os.ReadFile(shot.Details.FullOutputPath)
		if err != nil || !strings.Contains(string(full), "Button 199") {
			t.Errorf("%v: %.100s", err, full)
		}
	})
}

// TestModes: each mode on a real page.
func TestModes(t *testing.T) {
	c := newCaller(t)
	job := c.call(`{"job":{"steps":[{"action":"open","url":"BASE/plain"},{"action":"fill","locator":"label","value":"Name","text":"Ada"},{"action":"click","locator":"role","value":"button","name":"Go"},` +
		`{"action":"assertText","text":"clicked"},{"action":"screenshot","path":"a.png"},{"action":"snapshot"}]}}`).ok()
	if len(job.Details.BatchSteps) != 6 || job.Details.SuccessCategory != "artifact-saved" || job.Details.ArtifactVerification == nil || !job.Details.ArtifactVerification.Verified {
		t.Errorf("%s", dump(job.raw))
	}
	c.follow(job, "use-saved-artifact")
	if job.Details.ImagePath != filepath.Join(c.dir, "a.png") || len(job.Content) < 2 || job.Content[1].Type != "image" || job.Details.ArtifactManifest == nil {
		t.Errorf("%s", dump(job.raw["artifacts"]))
	}
	sem := c.call(`{"semanticAction":{"action":"select","locator":"role","role":"combobox","name":"size","value":"M"}}`).ok()
	if !strings.HasPrefix(strings.Join(sem.Details.EffectiveArgs, " "), "select @e") || sem.Details.CompiledSemanticAction == nil {
		t.Errorf("%s", dump(sem.raw))
	}
	c.call(`{"semanticAction":{"action":"check","locator":"role","role":"checkbox","name":"News"}}`).ok()
	c.call(`{"semanticAction":{"action":"uncheck","locator":"role","role":"checkbox","name":"News"}}`).ok()
	if got := c.args("is", "checked", "input[type=checkbox]").Text(); !strings.Contains(got, "false") {
		t.Error(got)
	}
	failed := c.call(`{"job":{"steps":[{"action":"click","selector":"#nothing"},{"action":"snapshot"}]}}`).fails("selector-not-found")
	if b := failed.Details.BatchFailure; b == nil || b.FailedStep.Index != 1 || b.Succeeded != 0 || b.Total != 2 || len(failed.Details.BatchSteps) != 1 {
		t.Errorf("%s", dump(failed.raw))
	}
	fail := c.call(`{"qa":{"url":"BASE/bad","expectedText":["Hello there","Goodbye"]}}`).fails("qa-failure")
	for _, want := range []string{`expected text not found: "Goodbye"`} {
		if v := fail.Details.QAPreset; v == nil || v.Passed || !strings.Contains(strings.Join(v.FailedChecks, "\n"), want) {
			t.Errorf("%s", dump(fail.raw["qaPreset"]))
		}
	}
	fail = c.call(`{"qa":{"url":"BASE/bad"}}`).fails("qa-failure")
	for _, want := range []string{"1 page error", "console error message", "1 actionable failed network request"} {
		if v := fail.Details.QAPreset; !strings.Contains(strings.Join(v.FailedChecks, "\n"), want) {
			t.Errorf("no %s: %s", want, dump(fail.raw["qaPreset"]))
		}
	}
	pass := c.call(`{"qa":{"url":"BASE/good","expectedText":["Hello there","typed text"],"expectedSelector":"h1","screenshotPath":"qa.png"}}`).ok()
	if v := pass.Details.QAPreset; v == nil || !v.Passed || !strings.HasPrefix(pass.Text(), "QA PASS") {
		t.Errorf("%s", dump(pass.raw["qaPreset"]))
	}
	c.call(`{"qa":{"attached":true,"expectedText":"secret words"}}`).fails("qa-failure")
	if got := c.call(`{"qa":{"attached":true,"expectedText":"Hello"}}`).ok(); got.Details.QAAttachedTarget == nil {
		t.Errorf("%s", dump(got.raw))
	}
	script := c.call(`{"script":"const r = await browser({args:['open','BASE/next']}); emit(r.ok); const t = await browser({args:['get','title']}); return t.data.title"}`).ok()
	if d := script.Details; string(d.Data) != `"Next"` || d.ScriptRun.CallCount != 2 || d.ScriptRun.EmitCount != 1 || len(d.ScriptSteps) != 2 || d.ScriptSession.Cleanup != "closed" {
		t.Errorf("%s", dump(script.raw))
	}
	if got := c.call(`{"script":"emit(1); throw new Error('mine')"}`).fails("script-error").Text(); !strings.HasPrefix(got, "1\nerror: Error: mine (line 1") {
		t.Errorf("the text does not say why it failed: %s", got)
	}
	if got := c.call(`{"script":"await browser({args:['close']})"}`).fails("validation-error"); got.Details.ScriptRun.PreDispatchRejectedCallCount != 1 {
		t.Errorf("%s", dump(got.raw))
	}
	c.call(`{"script":"for(;;){}","timeoutMs":300}`).fails("timeout")
	if got := c.args("get", "title").Text(); got != "Good" {
		t.Errorf("the script changed the session: %s", got)
	}
}
