package main

import (
	"maps"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/go-json-experiment/json"
)

// pages are what a worker opens by chance: plain ones, and ones that make trouble.
var pages = []string{
	"/", "/forms?stay", "/forms", "/frames", "/dialogs", "/dialogs", "/popup", "/history", "/fetches?n=200&auto", "/buttons?n=300",
	"/churn", "/vanishing", "/keys", "/shadow", "/roles", "/small", "/tall", "/download", "/waits", "/console?auto", "/delay?ms=700",
	"/status/404", "/status/204", "/redirect", "/redirect-loop", "/cut", "/endless", "/nest", "/frame-swap", "/late", "/moving",
	"/covered", "/blocked", "/restless?ms=300", "/slow", "/mutations", "/states", "/offscreen", "/drag", "/upload", "/divs?n=200",
	"/dialog-on-load", "/dialog-in-row", "/hang", "/loop", "/csp", "/text?n=500", "/links?n=400",
}

// step is one thing that a worker does: one command, or a few that belong together.
func (w *worker) step() {
	if w.held > 3 {
		w.answerDialogs()
		return
	}
	if w.broken != "" || w.page == "" {
		w.reopen()
		return
	}
	for at, m := w.rand.IntN(total), 0; ; m++ {
		if at -= moves[m].weight; at < 0 {
			moves[m].do(w)
			return
		}
	}
}

// answerDialogs lets go of whatever holds the session's tabs.
func (w *worker) answerDialogs() {
	w.held = 0
	for range 5 {
		if !w.do("dialog", one(w.rand, "accept", "dismiss")).ok() {
			return
		}
	}
}

// reopen gets a page again after a fault. Where the browser lives that must work, if not at the first try: a fault may
// come in between.
func (w *worker) reopen() {
	if w.tries++; w.tries > 6 {
		w.complain("%s: it was told to open a page %d times, and none came", w.broken, w.tries-1)
		w.tries = 0
	}
	if w.held > 0 {
		w.answerDialogs()
	}
	if w.broken == "renderer_crashed" && w.rand.IntN(2) == 0 {
		if began := time.Now(); w.do("reload").ok() {
			w.forgive(began)
		}
		return
	}
	w.open("/small")
}

func (w *worker) open(path string) {
	w.refs = nil
	if w.do("open", w.s.site.URL(path)).ok() {
		w.page = path
	}
}

// move is one kind of step.
type move struct {
	weight int
	do     func(*worker)
}

var moves = []move{
	{14, func(w *worker) { w.open(one(w.rand, pages...)) }},
	{14, (*worker).look},
	{30, (*worker).act},
	{14, (*worker).ledger},
	{8, (*worker).read},
	{5, (*worker).history},
	{5, (*worker).tabs},
	{6, (*worker).dialogs},
	{4, (*worker).frames},
	{6, (*worker).wait},
	{6, (*worker).evaluate},
	{4, (*worker).logs},
	{3, (*worker).pictures},
	{2, (*worker).download},
	{3, (*worker).batch},
	{3, (*worker).find},
	{3, (*worker).cutOff},
	{2, (*worker).together},
	{1, (*worker).crash},
	{1, (*worker).closeSession},
	{1, (*worker).race},
}

var total = func() (sum int) {
	for _, m := range moves {
		sum += m.weight
	}
	return sum
}()

func (w *worker) look() {
	args := one(w.rand, []string{"snapshot", "-i"}, []string{"snapshot", "-i"}, []string{"snapshot"}, []string{"snapshot", "-c"}, []string{"snapshot", "-d", "3"})
	if a := w.do(args...); a.ok() {
		w.refs = w.shown(a)
	}
}

// shown are the refs of a snapshot, in order of their numbers.
func (w *worker) shown(a answer) []ref {
	var data struct {
		Refs map[string]struct {
			Name string `json:"name"`
			Role string `json:"role"`
		} `json:"refs"`
	}
	if err := a.into(&data); err != nil {
		w.complain("%v", err)
		return nil
	}
	var refs []ref
	for _, id := range slices.Sorted(maps.Keys(data.Refs)) {
		refs = append(refs, ref{id, data.Refs[id].Role, data.Refs[id].Name})
	}
	return refs
}

// act does to an element of the last snapshot what its role invites to, or anything.
func (w *worker) act() {
	if len(w.refs) == 0 {
		w.look()
		return
	}
	r := one(w.rand, w.refs...)
	at := "@" + r.id
	kind := r.role
	if w.rand.IntN(8) == 0 {
		kind = one(w.rand, "button", "textbox", "checkbox", "combobox", "other")
	}
	words := one(w.rand, "Ada", "42", "2026-11-21", "a b  c", "ñ漢字🙂", "x@y.example", strings.Repeat("long ", 60))
	switch kind {
	case "textbox", "searchbox", "spinbutton":
		w.do(one(w.rand, []string{"fill", at, words}, []string{"type", at, words}, []string{"click", at}, []string{"get", "value", at}, []string{"focus", at})...)
		if w.rand.IntN(3) == 0 {
			w.do("press", one(w.rand, "Enter", "Tab", "Escape", "Control+a", "Backspace", "x"))
		}
	case "checkbox", "switch", "radio":
		w.do(one(w.rand, "check", "uncheck", "click"), at)
	case "combobox", "listbox":
		w.do(one(w.rand, []string{"select", at, one(w.rand, "Red", "r", "Yellow", "nothing")}, []string{"click", at})...)
	default:
		w.do(one(w.rand, "click", "click", "click", "dblclick", "hover", "focus", "scrollintoview"), at)
	}
}

func (w *worker) read() {
	at := "body"
	if len(w.refs) > 0 {
		at = "@" + one(w.rand, w.refs...).id
	}
	w.do(one(w.rand,
		[]string{"get", "text", at}, []string{"get", "html", at}, []string{"get", "attr", at, "id"}, []string{"get", "box", at}, []string{"get", "styles", at},
		[]string{"get", "title"}, []string{"get", "url"}, []string{"get", "count", "button"}, []string{"is", "visible", at}, []string{"is", "enabled", at},
		[]string{"scroll", "down", "200"}, []string{"scroll", "up"}, []string{"mouse", "move", "60", "60"}, []string{"session", "info"},
	)...)
}

func (w *worker) history() { w.do(one(w.rand, "back", "back", "forward", "reload")) }

func (w *worker) tabs() {
	switch w.rand.IntN(5) {
	case 0:
		w.do("tab", "new", w.s.site.URL(one(w.rand, "/small", "/forms", "/frames")))
	case 1:
		w.do("tab", "close")
	case 2:
		w.do("window", "new")
	default:
		var list struct {
			Tabs []struct {
				ID string `json:"tabId"`
			} `json:"tabs"`
		}
		a := w.do("tab", "list")
		if !a.ok() {
			return
		}
		if err := a.into(&list); err != nil {
			w.complain("%v", err)
			return
		}
		if len(list.Tabs) > 5 { // popups come without end on some pages
			for _, t := range list.Tabs[2:] {
				w.do("tab", "close", t.ID)
			}
		}
		if len(list.Tabs) > 0 {
			w.do("tab", one(w.rand, list.Tabs...).ID)
		}
	}
	w.refs = nil
}

// dialogs opens one, and answers it, or leaves it open for whatever comes next.
func (w *worker) dialogs() {
	if w.rand.IntN(2) == 0 {
		w.open("/dialogs")
		w.do("click", one(w.rand, "#alert", "#confirm", "#prompt", "#later"))
	}
	if w.rand.IntN(3) > 0 {
		w.do("dialog", one(w.rand, "accept", "dismiss", "status"))
	}
}

func (w *worker) frames() {
	switch w.rand.IntN(3) {
	case 0:
		w.do("frame", "main")
	case 1:
		w.open("/frames")
		if w.do("frame", one(w.rand, "#same", "#cross", "#named", "#blank", "#hidden")).ok() {
			w.do("click", "#b")
			w.do("eval", "location.href")
			w.do("frame", "main")
		}
	default:
		w.open("/forest?grow=3")
		for range w.rand.IntN(6) {
			w.do("click", one(w.rand, "#same", "#cross", "#swap", "#drop"))
		}
		w.look()
	}
}

func (w *worker) wait() {
	w.do(one(w.rand,
		[]string{"wait", "200"}, []string{"wait", "--load", "load"}, []string{"wait", "--load", "networkidle"}, []string{"wait", "#b"},
		[]string{"wait", "--text", "Row"}, []string{"wait", "--fn", "document.readyState === 'complete'"}, []string{"wait", "--url", "*waits*"},
		[]string{"wait", "h1", "--state", "hidden"},
	)...)
}

func (w *worker) evaluate() {
	w.do("eval", one(w.rand, "1 + 1", "document.title", "[...document.querySelectorAll('*')].length", "no.such.thing",
		"new Promise(r => setTimeout(r, 100, 'late'))", "location.reload()", "document.body.remove()", "window.open('/small')",
		"({a: [1, 2, {b: document.location.href}]})", "'x'.repeat(300000)", "for (let i = 0; i < 500; i++) console.log('line', i, {i})",
		"new Promise(() => {})", "setTimeout(() => alert('unasked'), 150)", "location = '/small?by-script'"))
}

func (w *worker) logs() {
	w.do(one(w.rand, []string{"network", "requests"}, []string{"network", "requests", "--clear"}, []string{"console"}, []string{"console", "--clear"}, []string{"errors"})...)
}

func (w *worker) pictures() {
	file := filepath.Join(w.s.program.Home, w.name)
	w.do(one(w.rand, []string{"screenshot", file + ".png"}, []string{"screenshot", "--full", file + ".png"}, []string{"screenshot", "--annotate", file + ".png"}, []string{"pdf", file + ".pdf"})...)
}

func (w *worker) download() {
	w.open("/download")
	w.do("download", one(w.rand, "#attachment", "#slow", "#failing", "#blob", "#cross", "#none"), filepath.Join(w.s.program.Home, w.name+".file"))
}

func (w *worker) batch() {
	rows := []string{"batch"}
	for range 2 + w.rand.IntN(5) {
		rows = append(rows, one(w.rand, "get title", "get url", "snapshot -i", "eval 1+1", "get count button", "click button", "back", "press Tab"))
	}
	a := w.do(rows...)
	var got []struct {
		Success bool   `json:"success"`
		Code    string `json:"code"`
		Error   string `json:"error"`
	}
	if !a.ok() {
		return
	}
	if err := json.Unmarshal(a.data, &got); err != nil || len(got) != len(rows)-1 {
		w.complain("the batch has %d rows of %d (%v): %.300s", len(got), len(rows)-1, err, a.data)
		return
	}
	for i, row := range got {
		if !row.Success {
			w.judge(answer{args: []string{"batch: " + rows[i+1]}, code: row.Code, words: row.Error, exit: 1})
		}
	}
}

func (w *worker) find() {
	w.do(one(w.rand,
		[]string{"find", "role", "button", "click"}, []string{"find", "text", "Home", "click"}, []string{"find", "label", "Text", "fill", "found"},
		[]string{"find", "first", "button", "click"}, []string{"find", "nth", "2", "button", "hover"}, []string{"find", "placeholder", "Words", "fill", "x"},
	)...)
}

// cutOff interrupts the client in the middle of a command, or kills it.
func (w *worker) cutOff() {
	after := time.Duration(w.rand.IntN(400)) * time.Millisecond
	command := one(w.rand,
		[]string{"open", w.s.site.URL("/delay?ms=900")}, []string{"wait", "3000"}, []string{"wait", "#never"}, []string{"snapshot"},
		[]string{"eval", "new Promise(() => {})"}, []string{"click", "#never"}, []string{"screenshot", "--full"}, []string{"network", "requests"})
	a := w.run(one(w.rand, syscall.SIGINT, syscall.SIGKILL), after, command...)
	if a.cut {
		w.s.report.fault("client interrupted")
	}
}

// race closes the session and starts it anew while other commands ask for it. Once all have been answered the session is
// there, and its page.
func (w *worker) race() {
	w.closeSession()
	w.suffer("used its session while it was started", closed...)
	w.atOnce([]string{"session", "info"}, []string{"get", "url"}, []string{"open", w.s.site.URL("/small")}, []string{"network", "requests"}, []string{"get", "title"}, []string{"dialog", "status"})
	if a := w.do("get", "title"); w.broken == "" && !a.ok() {
		w.complain("the session was opened and has no title")
	}
}

// together gives several commands at once.
func (w *worker) together() {
	commands := [][]string{{"get", "title"}, {"snapshot", "-i"}, {"session", "info"}, {"eval", "1"}, {"click", "button"}, {"get", "url"}}
	rand.New(w.rand).Shuffle(len(commands), func(i, j int) { commands[i], commands[j] = commands[j], commands[i] })
	w.atOnce(commands[:2+w.rand.IntN(3)]...)
}

// atOnce runs commands side by side. One that opens a page makes up for the faults before it.
func (w *worker) atOnce(commands ...[]string) {
	began := time.Now()
	limit := time.Duration(len(commands))*w.s.timeout + w.s.slack // those behind another command of the tab may wait for it, too
	w.s.joins.RLock()
	defer w.s.joins.RUnlock()
	answers := make(chan answer)
	for i, c := range commands {
		starts := c[0] == "open"
		if starts {
			limit += startLimit
		}
		go func() {
			time.Sleep(time.Duration(i) * 10 * time.Millisecond)
			a, err := w.s.execute(nil, 0, 0, append(w.globals(starts), c...)...)
			if err != nil {
				a.code, a.words = "UNREADABLE", err.Error()
			}
			a.args = c
			answers <- a
		}()
	}
	opened := false
	for range commands {
		a := <-answers
		w.note(a)
		if a.code == "UNREADABLE" {
			w.complain("%s", a.words)
		}
		if a.wall > limit {
			w.complain("it took %.1f s beside %d others; its deadline is %v", a.wall.Seconds(), len(commands)-1, w.s.timeout)
		}
		w.judge(a)
		opened = opened || a.args[0] == "open" && a.ok()
	}
	if opened {
		w.forgive(began.Add(time.Millisecond))
	}
}

// crash ends the renderer of the worker's page.
func (w *worker) crash() {
	w.suffer("opened chrome://crash", deadRenderer...)
	a := w.do("open", "chrome://crash")
	if a.code == "dialog_open" {
		return
	}
	w.s.report.fault("renderer crashed by its page")
	if a.ok() {
		w.complain("chrome://crash was opened as if it were a page")
	}
	w.broken = "renderer_crashed"
}

func (w *worker) closeSession() {
	w.suffer("closed its session", closed...)
	if w.do("close").ok() {
		w.s.report.fault("session closed by its user")
	}
	if a := w.do("get", "title"); a.ok() {
		w.complain("the session was closed and its page still has a title: %s", a.data)
	}
	w.broken = "browser_not_running"
}
