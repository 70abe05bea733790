// Package codegen records what a person does in the tabs of a browser context, and writes it as commands of usher or as a
// script for Playwright.
//
// Each tab has a CDP session of its own ([supervisor.ClientSession]). It puts a script into an isolated world of every
// document, which reports through a binding that only that world has: a page can neither see the script nor forge a
// report. Only trusted events are reported, those of a person or of commands. The text of a field for passwords never
// leaves the page.
package codegen

import (
	"context"
	"crypto/rand"
	_ "embed"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/element/locate"
	"github.com/usher-browser/usher/internal/supervisor"
	"github.com/usher-browser/usher/internal/supervisor/model"
)

// The script is bundled from ui/page/src/record.ts by make generate.
//
//go:embed recorder.js
var script string

// binding is the function by which the script reports.
const binding = "usherRecord"

// mostActions is how many actions a recording has at most.
const mostActions = 10_000

// Recorder records. Its goroutine, which attaches to new tabs, ends with Stop.
type Recorder struct {
	// Target is the form of the text: usher or playwright.
	Target string
	// Path is the file for the text; empty for none.
	Path string
	// Spare is a file for the text if it cannot be written to Path.
	Spare string

	browser *supervisor.Browser
	context model.ContextID
	world   string // the name of the script's isolated worlds
	cancel  context.CancelFunc
	wg      sync.WaitGroup

	mu      sync.Mutex
	tabs    map[model.TargetID]*tab // guarded by mu
	last    int                     // guarded by mu: number of the newest tab
	actions []Action                // guarded by mu
	full    bool                    // guarded by mu: mostActions was reached
	moves   int                     // guarded by mu: number of the newest navigation
	changed chan struct{}           // guarded by mu: closed at the next change
	ended   bool                    // guarded by mu
}

// tab is a tab that is recorded.
type tab struct {
	number    int
	popup     bool // opened by a page
	acted     bool // there was an action in it
	closed    bool
	requested bool // the page has asked for the navigation that comes
	session   *supervisor.ClientSession
	frames    map[string]model.FrameID // of script contexts, by CDP session and context
	replayed  history
	steps     []step // whose place in the history is not known yet
}

// Start begins to record all tabs of a browser context. first is the tab to begin with.
func Start(ctx context.Context, b *supervisor.Browser, c model.ContextID, first model.TargetID) (*Recorder, error) {
	r := &Recorder{browser: b, context: c, world: "usher-codegen-" + rand.Text(), tabs: map[model.TargetID]*tab{}, changed: make(chan struct{})}
	if err := r.attach(ctx, first, false); err != nil {
		return nil, err
	}
	if t := b.State().Tabs[first]; t != nil && t.URL != "" && t.URL != "about:blank" {
		r.add(Action{Kind: "open", Tab: 1, URL: t.URL})
	}
	for _, t := range b.State().ContextTabs(c) { // those that are open already are no new tabs
		if t.ID != first {
			if err := r.attach(ctx, t.ID, true); err != nil {
				r.Stop()
				return nil, err
			}
		}
	}
	life, cancel := context.WithCancel(context.WithoutCancel(ctx))
	r.cancel = cancel
	r.wg.Go(func() { r.watch(life) })
	return r, nil
}

// watch attaches to the tabs that open, until ctx ends or the browser.
func (r *Recorder) watch(ctx context.Context) {
	for {
		s := r.browser.State()
		for _, t := range s.ContextTabs(r.context) {
			r.mu.Lock()
			known := r.tabs[t.ID] != nil
			r.mu.Unlock()
			if !known {
				_ = r.attach(ctx, t.ID, t.Opener != "") // it may have closed meanwhile
			}
		}
		select {
		case <-s.Changed():
		case <-r.browser.Done():
			return
		case <-ctx.Done():
			return
		}
	}
}

// attach begins to record a tab.
func (r *Recorder) attach(ctx context.Context, id model.TargetID, popup bool) error {
	r.mu.Lock()
	r.last++
	t := &tab{number: r.last, popup: popup, frames: map[string]model.FrameID{}}
	r.tabs[id] = t
	if r.last > 1 {
		r.opened(t)
	}
	r.mu.Unlock()
	session, err := r.browser.ClientSession(ctx, id, func(ev cdp.Event) { r.event(t, ev) })
	if err != nil {
		return fmt.Errorf("record tab: %w", err)
	}
	r.mu.Lock()
	t.session = session
	ended := r.ended
	r.mu.Unlock()
	if ended {
		session.Detach()
		return nil
	}
	own := session.Session("")
	for _, c := range r.setUp() {
		if err := own.Call(ctx, c.method, c.params, nil); err != nil {
			return fmt.Errorf("record tab: %w", err)
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.askHistory(t, 0)
	return nil
}

// opened notes a new tab: as an effect of the last action, or as a person's doing. The caller holds mu.
func (r *Recorder) opened(t *tab) {
	n := len(r.actions)
	if t.popup && n > 0 && time.Since(r.actions[n-1].at) < causeLimit && r.actions[n-1].Popup == 0 {
		r.actions[n-1].Popup = t.number
		r.note()
	} else if !t.popup {
		r.append(Action{Kind: "tab new", Tab: t.number})
	}
}

// causeLimit is how long after an action a tab that opens or closes is taken for its effect.
const causeLimit = 2 * time.Second

type command struct {
	method string
	params any
}

// setUp returns the commands for the CDP session of a tab, or of a frame in a process of its own.
func (r *Recorder) setUp() []command {
	return []command{
		{"Page.enable", nil},
		{"Runtime.enable", nil},
		{"Runtime.addBinding", map[string]any{"name": binding, "executionContextName": r.world}},
		{"Page.addScriptToEvaluateOnNewDocument", map[string]any{"source": script, "worldName": r.world, "runImmediately": true}},
		{"Target.setAutoAttach", map[string]any{"autoAttach": true, "waitForDebuggerOnStart": false, "flatten": true}},
	}
}

// event takes an event of a tab.
func (r *Recorder) event(t *tab, ev cdp.Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.ended || t.closed {
		return
	}
	var p struct {
		SessionID  string `json:"sessionId"`
		TargetInfo struct {
			Type string `json:"type"`
		} `json:"targetInfo"`
		FrameID string `json:"frameId"`
		URL     string `json:"url"`
		Frame   struct {
			URL      string `json:"url"`
			ParentID string `json:"parentId"`
		} `json:"frame"`
		Context struct {
			ID   int64  `json:"id"`
			Name string `json:"name"`
			Aux  struct {
				FrameID model.FrameID `json:"frameId"`
			} `json:"auxData"`
		} `json:"context"`
		Name      string `json:"name"`
		Payload   string `json:"payload"`
		ContextID int64  `json:"executionContextId"`
		Type      string `json:"type"`
		Result    bool   `json:"result"`
		UserInput string `json:"userInput"`
	}
	if ev.Params != nil && !wanted(ev.Method) || ev.Params != nil && json.Unmarshal(ev.Params, &p, jsontext.AllowInvalidUTF8(true)) != nil {
		return
	}
	main := ev.SessionID == ""
	switch ev.Method {
	case "Target.attachedToTarget":
		if child := t.session.Session(p.SessionID); child != nil && p.TargetInfo.Type == "iframe" {
			for _, c := range r.setUp() {
				child.Post(c.method, c.params, nil)
			}
		}
	case "Target.detachedFromTarget":
		if ev.Params == nil {
			r.closed(t)
		}
	case "Runtime.executionContextCreated":
		if p.Context.Name == r.world {
			t.frames[contextKey(ev.SessionID, p.Context.ID)] = p.Context.Aux.FrameID
		}
	case "Runtime.executionContextDestroyed":
		delete(t.frames, contextKey(ev.SessionID, p.ContextID))
	case "Runtime.bindingCalled":
		if frame := t.frames[contextKey(ev.SessionID, p.ContextID)]; p.Name == binding && frame != "" {
			r.reported(t, frame, p.Payload)
		}
	case "Page.frameRequestedNavigation":
		t.requested = t.requested || main
	case "Page.frameNavigated":
		if main && p.Frame.ParentID == "" {
			caused := r.caused(t)
			r.went(t, step{r.navigated(t, p.Frame.URL), p.Frame.URL, caused})
		}
	case "Page.navigatedWithinDocument":
		if frame := r.browser.State().Frame(model.FrameID(p.FrameID)); main && frame != nil && frame.Parent == "" {
			r.went(t, step{0, p.URL, r.caused(t)})
		}
	case "Page.javascriptDialogClosed":
		if n := len(r.actions); n > 0 {
			r.actions[n-1].Dialogs = append(r.actions[n-1].Dialogs, Dialog{p.Result, p.UserInput})
			r.note()
		}
	}
}

// wanted reports whether an event is used; the others are not parsed.
func wanted(method string) bool {
	switch method {
	case "Target.attachedToTarget", "Target.detachedFromTarget", "Runtime.executionContextCreated", "Runtime.executionContextDestroyed",
		"Runtime.bindingCalled", "Page.frameRequestedNavigation", "Page.frameNavigated", "Page.navigatedWithinDocument", "Page.javascriptDialogClosed":
		return true
	}
	return false
}

func contextKey(session string, id int64) string { return fmt.Sprint(session, "/", id) }

// closed notes that a tab has closed: by a person, or as the effect of an action in it. The caller holds mu.
func (r *Recorder) closed(t *tab) {
	t.closed = true
	for i := len(r.actions) - 1; i >= 0 && time.Since(r.actions[i].at) < causeLimit; i-- {
		if r.actions[i].Tab == t.number {
			return
		}
	}
	r.append(Action{Kind: "tab close", Tab: t.number})
}

// navigated notes a navigation that the page has not asked for: a person has, with the address bar, the buttons beside it,
// or a command. It returns the number of the navigation if it added an action for it, else 0. The caller holds mu.
func (r *Recorder) navigated(t *tab, url string) int {
	asked := t.requested
	t.requested = false
	n := len(r.actions)
	switch {
	case asked, t.popup && !t.acted, url == "" || url == "about:blank":
	case n > 0 && r.actions[n-1].Kind == "tab new" && r.actions[n-1].Tab == t.number && r.actions[n-1].URL == "":
		r.actions[n-1].URL = url
		r.note()
	default:
		r.moves++
		r.append(Action{Kind: "open", Tab: t.number, URL: url, navigation: r.moves})
		return r.moves
	}
	return 0
}

// reported takes a report of the script. The caller holds mu.
func (r *Recorder) reported(t *tab, frame model.FrameID, payload string) {
	var p struct {
		Kind      string         `json:"kind"`
		Locator   locate.Locator `json:"locator"`
		CSS       string         `json:"css"`
		Value     string         `json:"value"`
		Values    []string       `json:"values"`
		Secret    bool           `json:"secret"`
		Button    string         `json:"button"`
		Modifiers []string       `json:"modifiers"`
	}
	if json.Unmarshal([]byte(payload), &p, jsontext.AllowInvalidUTF8(true)) != nil {
		return
	}
	a := Action{Kind: p.Kind, Tab: t.number, Locator: p.Locator, CSS: p.CSS, Value: p.Value, Values: p.Values, Secret: p.Secret, Button: p.Button, Modifiers: p.Modifiers}
	if f := r.browser.State().Frame(frame); f != nil && f.Parent != "" {
		a.Frame, a.InFrame = f.Name, PlaywrightFrame(r.browser.State().Tabs[f.Tab], frame)
		if a.Frame == "" {
			a.Frame = f.URL
		}
	}
	t.acted = true
	r.append(a)
}

// add is append for callers without mu.
func (r *Recorder) add(a Action) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.append(a)
}

// append adds an action, or joins it with the last ones. The caller holds mu.
func (r *Recorder) append(a Action) {
	if len(r.actions) >= mostActions {
		r.full = true
		return
	}
	a.at = time.Now()
	r.actions = join(r.actions, a)
	r.note()
}

// note wakes those that wait for a change. The caller holds mu.
func (r *Recorder) note() {
	close(r.changed)
	r.changed = make(chan struct{})
}

// Full reports whether the recording has as many actions as it may have.
func (r *Recorder) Full() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.full
}

// Ended reports whether Stop was called.
func (r *Recorder) Ended() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.ended
}

// Actions returns what was recorded so far, and a channel that is closed when that changes.
func (r *Recorder) Actions() ([]Action, <-chan struct{}) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]Action(nil), r.actions...), r.changed
}

// Settled returns the actions that nothing can be joined with any more: those before the last seconds, and before a text
// that may still be typed.
func (r *Recorder) Settled() ([]Action, <-chan struct{}) {
	actions, changed := r.Actions()
	if r.Ended() {
		return actions, changed
	}
	n := len(actions)
	for n > 0 && time.Since(actions[n-1].at) < causeLimit {
		n--
	}
	if n > 0 && n == len(actions) && (actions[n-1].Kind == "fill" || actions[n-1].Kind == "select") {
		n--
	}
	return actions[:n], changed
}

// Text returns the recording in the form of Target.
func (r *Recorder) Text() string {
	actions, _ := r.Actions()
	if r.Target == "playwright" {
		return Playwright(actions)
	}
	return strings.Join(Usher(actions), "\n") + "\n"
}

// Stop ends the recording and waits for its goroutine.
func (r *Recorder) Stop() {
	r.mu.Lock()
	if r.ended {
		r.mu.Unlock()
		return
	}
	r.ended = true
	r.note()
	var open []*supervisor.ClientSession
	for _, t := range r.tabs {
		if t.session != nil {
			open = append(open, t.session)
		}
	}
	r.mu.Unlock()
	if r.cancel != nil {
		r.cancel()
		r.wg.Wait()
	}
	for _, s := range open {
		s.Detach()
	}
}
