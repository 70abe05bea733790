package run

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/usher-browser/usher/internal/browserhost"
	"github.com/usher-browser/usher/internal/command/run/background"
	"github.com/usher-browser/usher/internal/command/run/downloads"
	"github.com/usher-browser/usher/internal/command/run/invocations"
	"github.com/usher-browser/usher/internal/command/run/labels"
	"github.com/usher-browser/usher/internal/command/run/logins"
	"github.com/usher-browser/usher/internal/command/run/objects"
	"github.com/usher-browser/usher/internal/command/run/origins"
	"github.com/usher-browser/usher/internal/command/run/revisions"
	"github.com/usher-browser/usher/internal/command/run/traces"
	"github.com/usher-browser/usher/internal/element"
	"github.com/usher-browser/usher/internal/journal"
	"github.com/usher-browser/usher/internal/media"
	"github.com/usher-browser/usher/internal/media/video"
	"github.com/usher-browser/usher/internal/supervisor"
	"github.com/usher-browser/usher/internal/supervisor/model"
	"github.com/usher-browser/usher/internal/view"
	"github.com/usher-browser/usher/internal/world"
)

// BrowserContext is a session's share of a browser: a browser context with its tabs, and the state that commands keep
// from one to the next. It lives as long as the browser.
type BrowserContext struct {
	Browser *supervisor.Browser
	Worlds  *world.Worlds
	Camera  *media.Camera
	Journal *journal.Journal
	Video   *video.Recorder
	Viewer  *view.Viewer
	Refs    *view.Refs
	// Labels are the labels of its tabs.
	Labels *labels.Labels
	// Context is the CDP id of the browser context.
	Context model.ContextID
	// DebugURL is the address of the debugging port of a browser that usher started; empty if it has none.
	DebugURL string
	// Files translates paths between this machine and the browser's.
	Files browserhost.Files
	// Logins reports whether usher has to detect HTTP logins: there is no window for them that a person sees.
	Logins bool
	// Headed reports whether usher launched the browser with windows that a person can see.
	Headed    bool
	Downloads *downloads.Session
	Origins   *origins.Session
	Traces    traces.Session
	Baselines media.Baselines // of `screenshot --if-changed`
	// Highlights are the marks of `highlight`.
	Highlights Highlights
	React      objects.Session // the inspectors of `react` in documents
	// Invocations are the calls of tools that pages offer.
	Invocations invocations.Session
	// Background is what runs beside the commands.
	Background *background.Session
	Revisions  revisions.Log // of `snapshot --delta` under the program name agent-browser

	prober *logins.Prober

	mu     sync.Mutex
	shown  model.TargetID                    // guarded by mu: last brought to the front of its window
	active model.TargetID                    // guarded by mu
	opener model.TargetID                    // guarded by mu: of the active tab
	pinned bool                              // guarded by mu: no other tab becomes active by itself
	scope  model.FrameID                     // guarded by mu: what `frame` chose; empty for the whole page
	page   string                            // guarded by mu: loader of the page in which scope was chosen
	actors map[model.TargetID]*element.Actor // guarded by mu
	// pointer is how the mouse moves; empty for at once.
	pointer element.Pointer // guarded by mu
	// lastReported is the number of the last interruption that a result reported.
	lastReported int // guarded by mu
	// acted is the start of the last command that may have changed a page, if the page has not been read since.
	acted time.Time // guarded by mu
	// spare is the tab that OpenBehind has kept; nil if there is none.
	spare *spare // guarded by mu
}

// NewBrowserContext returns a session's share of a browser; call Start before use.
func NewBrowserContext(b *supervisor.Browser, w *world.Worlds, camera *media.Camera, v *video.Recorder, j *journal.Journal, c model.ContextID, downloadDir string) *BrowserContext {
	refs := view.NewRefs()
	return &BrowserContext{
		Browser: b, Worlds: w, Camera: camera, Video: v, Journal: j, Context: c, Refs: refs, Viewer: view.New(w, refs),
		Downloads: downloads.New(b, c, downloadDir), Origins: origins.New(b, c), Background: background.New(b, c, v), prober: logins.New(b, w, j),
		Labels: labels.New(b), actors: map[model.TargetID]*element.Actor{},
	}
}

// Tabs lists the session's tabs in order of appearance.
func (w *BrowserContext) Tabs() []*model.Tab { return w.Browser.State().ContextTabs(w.Context) }

// Pin sets whether the session is pinned to its active tab: then no other becomes active by itself, neither a tab that
// the page opens nor, when the active one is closed, one that is left.
func (w *BrowserContext) Pin(on bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.pinned = on
}

// Pinned returns whether the session is pinned, and to which tab, which may be closed.
func (w *BrowserContext) Pinned() (id model.TargetID, pinned bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.active, w.pinned
}

// Active returns the active tab; ok is false if the session has none. If the active tab was closed, its opener or else
// the newest tab becomes active, unless the session is pinned.
func (w *BrowserContext) Active() (id model.TargetID, ok bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	s := w.Browser.State()
	if s.Tabs[w.active] != nil {
		return w.active, true
	}
	if w.pinned && w.active != "" {
		return "", false
	}
	tabs := s.ContextTabs(w.Context)
	if w.spare != nil {
		tabs = slices.DeleteFunc(tabs, func(t *model.Tab) bool { return t.ID == w.spare.tab })
	}
	if len(tabs) == 0 {
		return "", false
	}
	next := tabs[len(tabs)-1]
	if t := s.Tabs[w.opener]; t != nil && t.Context == w.Context {
		next = t
	}
	w.active, w.opener, w.scope = next.ID, next.Opener, ""
	return w.active, true
}

// SetActive makes a tab the active one.
func (w *BrowserContext) SetActive(id model.TargetID) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.active != id {
		w.active, w.opener, w.scope = id, "", ""
		if t := w.Browser.State().Tabs[id]; t != nil {
			w.opener = t.Opener
		}
	}
}

// Show brings a tab to the front of its window unless it was the last one brought there. A tab behind another gets no
// frames from the browser: screenshots of it and scripts that wait for a frame hang (measured on Chromium 156).
func (w *BrowserContext) Show(id model.TargetID) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.shown == id {
		return
	}
	w.shown = id
	w.Browser.Session("").Post("Target.activateTarget", map[string]any{"targetId": string(id)}, nil)
}

// Scope returns the frame that selectors refer to: the one chosen with `frame`, if it is still there, or the tab's main
// frame.
func (w *BrowserContext) Scope(tab model.TargetID) model.FrameID {
	w.mu.Lock()
	defer w.mu.Unlock()
	t := w.Browser.State().Tabs[tab]
	if t == nil {
		return ""
	}
	if w.scope != "" && t.Frames[w.scope] != nil {
		return w.scope
	}
	return t.Main
}

// SetScope sets the frame that selectors refer to; empty is the main frame.
func (w *BrowserContext) SetScope(f model.FrameID) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.scope, w.page = f, ""
	if t := w.Browser.State().Tabs[w.active]; t != nil {
		w.page = t.MainFrame().Loader
	}
}

// chosenFrame returns the frame that `frame` chose, while the page it was chosen
// in is there: another page has other frames, and is meant as a whole.
func (w *BrowserContext) chosenFrame(tab model.TargetID) (id model.FrameID, page string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if t := w.Browser.State().Tabs[tab]; t == nil || tab != w.active || t.MainFrame().Loader != w.page {
		return "", ""
	}
	return w.scope, w.page
}

// Start sends the download directory to the browser.
func (w *BrowserContext) Start(ctx context.Context) error { return w.Downloads.Start(ctx, w.Files) }

// SetDownloadDir changes the directory for downloads that begin from now on. Earlier ones stay where they are.
func (w *BrowserContext) SetDownloadDir(ctx context.Context, path string) error {
	return w.Downloads.SetDir(ctx, w.Files, path)
}

// NoteAction is called when a verb that may change the page begins, and before each page that it opens and reads.
func (w *BrowserContext) NoteAction() {
	w.Downloads.ForgetEnded(w.Browser.State())
	w.mu.Lock()
	defer w.mu.Unlock()
	w.acted = time.Now()
}

// TakeAction returns the start of the last command that may have changed a page, and clears it; it is the zero time
// after that.
func (w *BrowserContext) TakeAction() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	since := w.acted
	w.acted = time.Time{}
	return since
}

// LookForLogins probes requests that hang in a login that the browser does not report, during a long command. The returned
// function ends it.
func (e *Env) LookForLogins(ctx context.Context) (stop func()) {
	if !e.Logins || e.Tab == "" || e.Browser.Stealth() { // a page can see that something is fetched
		return func() {}
	}
	return e.prober.Watch(ctx, e.Sites, e.Active)
}
