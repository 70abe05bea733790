// Package host has the browsers of sessions: each is started or connected to with its supervisor, journal and recording,
// is shared by the sessions whose launch options are equal, and is closed after the last one.
package host

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/chromedp/cdproto/browser"
	protocol "github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/target"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/browserhost"
	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/device"
	"github.com/usher-browser/usher/internal/fault"
	"github.com/usher-browser/usher/internal/journal"
	"github.com/usher-browser/usher/internal/media"
	"github.com/usher-browser/usher/internal/media/video"
	"github.com/usher-browser/usher/internal/pagescript"
	"github.com/usher-browser/usher/internal/session/options"
	"github.com/usher-browser/usher/internal/supervisor"
	"github.com/usher-browser/usher/internal/supervisor/link"
	"github.com/usher-browser/usher/internal/supervisor/model"
	"github.com/usher-browser/usher/internal/wire"
	"github.com/usher-browser/usher/internal/world"
)

// Host is one browser and the sessions that share it. Its exported fields do not change.
type Host struct {
	Key        string // of the launch options; equal keys may share
	Browser    browserhost.Browser
	Supervisor *supervisor.Browser
	Worlds     *world.Worlds
	Camera     *media.Camera
	Video      *video.Recorder
	Journal    *journal.Journal
	Options    options.Launch
	Extensions []Extension // those that were loaded

	record *wire.Recorder // nil unless --record was given

	mu          sync.Mutex
	sessions    map[Session]struct{} // guarded by mu
	endReported bool                 // guarded by mu: the notice that the recording ended early was given
	engine      string               // guarded by mu: the browser's version for a User-Agent; empty until it was asked for
	own         *device.Chrome       // guarded by mu: what it says to be, if its client hints have to be set, too

	left map[model.ContextID]string // guarded by mu: the HARs that SavedHAR has saved
}

// Session is a session that shares a browser; two are the same if they are equal.
type Session interface{ Name() string }

// DefaultContext reports whether a session uses the browser's default context: with a profile, in an attached browser,
// where the user is logged in, or if the connection cannot create others. Otherwise it gets a new context. An attached browser may have all
// its pages in another context, which is used then.
func (h *Host) DefaultContext() bool {
	t := h.Options.Traits()
	return t.Attached || t.Profile || t.Rented || !h.Supervisor.Capabilities().Contexts
}

// Start launches or connects to the browser and starts its supervisor.
func Start(ctx context.Context, o options.Launch, key string, from browserhost.Connector) (*Host, error) {
	h := &Host{Key: key, Options: o, sessions: map[Session]struct{}{}, Camera: media.NewCamera(), Video: video.NewRecorder(), Journal: journal.New(journal.DefaultLimits)}
	var err error
	if !o.Attached() {
		if h.Extensions, err = readExtensions(ctx, o.Browser.Extensions); err != nil {
			return nil, err
		}
	}
	if err := h.startRecording(); err != nil {
		return nil, err
	}
	if h.Browser, err = from.Connect(ctx); err != nil {
		return nil, errors.Join(err, h.dropRecording())
	}
	conn := h.Browser.Conn()
	var again link.Reconnect
	if conn.Capabilities().BrowserOutlives {
		again.Dial, again.NoStandby = h.Browser.Redial, o.Traits().Rented // providers may end a session with its first connection
	}
	var reporter supervisor.Reporter
	if o.Stealth {
		reporter = h.Journal.Reporter()
	}
	h.Supervisor = supervisor.New(h.recorded(conn), supervisor.Options{
		Recorder: h.record, Reconnect: again, Stealth: o.Stealth, Reporter: reporter, Script: pagescript.Make(), Observers: []supervisor.Observer{h.Journal, h.Video},
	})
	h.Worlds = world.New(h.Supervisor)
	if err := h.loadExtensions(ctx); err != nil {
		cctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*CloseGrace)
		defer cancel()
		return nil, errors.Join(err, h.Close(cctx))
	}
	return h, nil
}

// BrowserContext returns the browser context for a new session. Errors: [api.ProviderFailed], [api.AttachFailed],
// [api.LaunchFailed].
func (h *Host) BrowserContext(ctx context.Context) (model.ContextID, error) {
	id, err := h.browserContext(ctx)
	if err == nil {
		return id, nil
	}
	if at := h.Browser.Rental(); at.Provider != "" {
		return "", api.Errorf(api.ProviderFailed, "session %s at %s started, but its browser does not answer: %w", at.ID, at.Provider, err).
			With("provider", at.Provider).With("remoteSession", at.ID).WithHint("The session was stopped. Repeat the command.")
	}
	if h.Options.Attached() {
		return "", api.Errorf(api.AttachFailed, "attach to a running browser: %s accepted the connection, but does not act as a browser: %w", wire.Shown(h.Browser.Address()), err).
			WithHint("Check the address: it has to be that of a Chromium or of a service for browsers, which may be busy or need --cdp-headers.")
	}
	return "", api.Errorf(api.LaunchFailed, "%w", err)
}

func (h *Host) browserContext(ctx context.Context) (model.ContextID, error) {
	root := h.Supervisor.Session("")
	if h.DefaultContext() {
		got, err := cdp.Do(ctx, root, target.GetBrowserContexts, protocol.Empty{})
		if err != nil {
			return "", fmt.Errorf("read the browser's profile: %w", err)
		}
		id := got.DefaultBrowserContextID
		if h.Options.Attached() && len(got.BrowserContextIDs) > 0 {
			if id, err = inUse(ctx, root, id); err != nil {
				return "", err
			}
		}
		return model.ContextID(id), nil
	}
	made, err := cdp.Do(ctx, root, target.CreateBrowserContext, target.CreateBrowserContextParams{DisposeOnDetach: new(true)})
	if err != nil {
		return "", fmt.Errorf("make a browser context: %w", err)
	}
	return model.ContextID(made.BrowserContextID), nil
}

// inUse returns the browser context that has the pages of a browser which another program started: the default one, or, if no page is
// there, that of all pages, such as the one that a test of Playwright has made.
func inUse(ctx context.Context, root *cdp.Session, id protocol.BrowserContextID) (protocol.BrowserContextID, error) {
	got, err := cdp.Do(ctx, root, target.GetTargets, target.GetTargetsParams{})
	if err != nil {
		return "", fmt.Errorf("list the browser's pages: %w", err)
	}
	found := map[protocol.BrowserContextID]bool{}
	for _, info := range got.TargetInfos {
		if info.Type == "page" {
			found[info.BrowserContextID] = true
		}
	}
	if len(found) == 1 {
		for other := range found {
			return other, nil
		}
	}
	return id, nil
}

// leaveLimit is how long a browser may take to close a session's tabs.
const leaveLimit = 5 * time.Second

// errLeft ends the wait for a browser that does not close a session's tabs.
var errLeft = errors.New("the browser does not answer")

// Leave removes a session from the browser. Its context and tabs are closed if usher created the context; a browser that has no other
// session is ended by the caller, whether it has closed them or not.
func (h *Host) Leave(ctx context.Context, s Session, own model.ContextID) (err error) {
	h.mu.Lock()
	delete(h.sessions, s)
	last := len(h.sessions) == 0
	h.mu.Unlock()
	if own != "" {
		defer func() { err = errors.Join(err, h.saveHARs(own)) }()
	}
	if h.DefaultContext() || own == "" || h.Dead() {
		return nil
	}
	h.Supervisor.EndStream(own, "the session was closed")
	ctx, cancel := context.WithTimeoutCause(ctx, leaveLimit, errLeft)
	defer cancel()
	_, err = cdp.Do(ctx, h.Supervisor.Session(""), target.DisposeBrowserContext,
		target.DisposeBrowserContextParams{BrowserContextID: protocol.BrowserContextID(own)})
	switch late := err != nil && errors.Is(context.Cause(ctx), errLeft); {
	case late && last:
		return nil
	case late:
		return api.Errorf(api.BrowserUnresponsive, "the browser has not closed the session's tabs within %s; it does when it answers again", leaveLimit).
			WithHint("If it does not, `close --all` ends it, with the other sessions in it.")
	case err != nil && !errors.Is(err, cdp.ErrClosed): // a browser that ended has no contexts
		return err
	}
	h.Supervisor.Forget(own)
	return nil
}

// CloseGrace is how long a browser may take to end on request before its processes are ended.
const CloseGrace = 3 * time.Second

// Close ends a launched browser, has a provider end a rented one, and closes only the connection of an attached one.
func (h *Host) Close(ctx context.Context) error {
	defer h.closeCallers()
	if t := h.Options.Traits(); !t.Attached && !t.Rented && h.Supervisor.State().Closed == nil {
		ctx, cancel := context.WithTimeout(ctx, CloseGrace)
		_, err := cdp.Do(ctx, h.Supervisor.Session(""), browser.Close, protocol.Empty{})
		cancel()
		if err == nil {
			h.Browser.Exit(CloseGrace)
		}
	}
	return errors.Join(h.Supervisor.Close(), h.Browser.Close(ctx), h.endRecording(), h.saveHARs(), h.Options.CloseFilter())
}

// saveHARs ends the HARs that are being recorded, those of one context or all, and gives the files their names.
func (h *Host) saveHARs(contexts ...model.ContextID) error {
	ended, err := h.Journal.EndHARs(contexts...)
	for _, f := range ended {
		err = errors.Join(err, media.MoveOwn(f.File, f.Path))
	}
	return err
}

// SavedHAR saves the HAR of a context whose browser has ended, and returns its file; empty if none was being recorded.
// Later calls return the same.
func (h *Host) SavedHAR(c model.ContextID) (path string, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if path := h.left[c]; path != "" {
		return path, nil
	}
	path = h.Journal.HARPath(c)
	if path == "" {
		return "", nil
	}
	if err := h.saveHARs(c); err != nil {
		return "", err
	}
	if h.left == nil {
		h.left = map[model.ContextID]string{}
	}
	h.left[c] = path
	return path, nil
}

// closeCallers waits for background work until the connection has ended.
func (h *Host) closeCallers() {
	h.Worlds.Close()
	h.Camera.Close()
}

// exitGrace is how long a browser whose connection has ended may take to exit, so that its exit status can be reported.
const exitGrace = time.Second

// ExitReason describes how the browser ended, for an error message.
func (h *Host) ExitReason() string {
	var broken *fault.Error
	if errors.As(h.Supervisor.State().Closed, &broken) {
		return broken.Error()
	}
	if exit, ended := h.Browser.Exit(exitGrace); ended {
		return exit.How
	}
	if err := h.Supervisor.State().Closed; err != nil {
		return err.Error()
	}
	return "it closed its connection"
}

// ExitAttrs describes the exit for the log, with the browser's standard error if it did not exit normally.
func (h *Host) ExitAttrs() []any {
	words := []any{"how", h.ExitReason()}
	if exit, ended := h.Browser.Exit(0); ended && exit.Stderr != "" {
		words = append(words, "stderr", exit.Stderr)
	}
	return words
}

// Dead reports whether the browser is gone.
func (h *Host) Dead() bool { return h.Supervisor.State().Closed != nil }

// Wait returns when the browser has ended.
func (h *Host) Wait() { <-h.Supervisor.Done() }

// Join adds a session.
func (h *Host) Join(s Session) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.sessions[s] = struct{}{}
}

// TryJoin adds a session if there is room for it: share is how many may share a browser that usher launched. It reports
// whether it did.
func (h *Host) TryJoin(s Session, share int) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.sessions) >= h.maxSessions(share) {
		return false
	}
	h.sessions[s] = struct{}{}
	return true
}

// Sessions returns how many sessions share the browser.
func (h *Host) Sessions() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.sessions)
}

// maxSessions returns how many sessions the browser may have: a default context has one cookie jar and so serves one
// session. In an attached browser each session has a connection of its own, so that what it changed ends with it.
func (h *Host) maxSessions(share int) int {
	if h.DefaultContext() {
		return 1
	}
	return share
}

// Pages adds to options what the commands for a page need of the browser.
func (h *Host) Pages(o options.Live) options.Pages {
	h.mu.Lock()
	defer h.mu.Unlock()
	return options.Pages{Live: o, Engine: h.engine, Own: h.own}
}

// AskVersion asks the browser for its version once.
func (h *Host) AskVersion(ctx context.Context) error {
	h.mu.Lock()
	known := h.engine != ""
	h.mu.Unlock()
	if known {
		return nil
	}
	got, err := cdp.Do(ctx, h.Supervisor.Session(""), browser.GetVersion, protocol.Empty{})
	if err != nil {
		return api.Errorf(api.LaunchFailed, "ask the browser for its version: %w", err)
	}
	_, version, _ := strings.Cut(got.Product, "/")
	major, _, _ := strings.Cut(version, ".")
	h.mu.Lock()
	defer h.mu.Unlock()
	h.engine = major + ".0.0.0" // User-Agent reduction: https://www.chromium.org/updates/ua-reduction
	if o := h.Options; o.Stealth && o.Launches() && !o.Browser.Headed && runtime.GOOS == "linux" {
		h.own = device.LaunchedChrome(got.UserAgent, version)
	}
	return nil
}

// PortNotice returns the warning about what a debugging port exposes.
func (h *Host) PortNotice() string {
	at := h.Browser.Address()
	if at == "" || h.Options.Attached() {
		return ""
	}
	return "this browser listens at " + at + ": every user and every program of this machine can read all its cookies and pages through it, and files of yours; `close` ends that"
}
