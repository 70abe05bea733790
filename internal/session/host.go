package session

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/chromedp/cdproto/browser"
	protocol "github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/target"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/browserhost"
	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/fault"
	"github.com/usher-browser/usher/internal/journal"
	"github.com/usher-browser/usher/internal/media"
	"github.com/usher-browser/usher/internal/media/video"
	"github.com/usher-browser/usher/internal/session/options"
	"github.com/usher-browser/usher/internal/supervisor"
	"github.com/usher-browser/usher/internal/supervisor/link"
	"github.com/usher-browser/usher/internal/supervisor/model"
	"github.com/usher-browser/usher/internal/wire"
	"github.com/usher-browser/usher/internal/world"
)

// host is one browser and the sessions that share it.
type host struct {
	key     string // of the launch options; equal keys may share
	browser browserhost.Browser
	sup     *supervisor.Browser
	worlds  *world.Worlds
	camera  *media.Camera
	video   *video.Recorder
	journal *journal.Journal
	options options.Launch
	record  *wire.Recorder // nil unless --record was given

	extensions []Extension

	mu          sync.Mutex
	sessions    map[*Session]struct{} // guarded by mu
	endReported bool                  // guarded by mu: the notice that the recording ended early was given
	engine      string                // guarded by mu: the browser's version for a User-Agent; empty until it was asked for
}

// defaultContext reports whether a session uses the browser's default context: with a profile, in an attached browser,
// where the user is logged in, or if the connection cannot create others. Otherwise it gets a new context.
func (h *host) defaultContext() bool {
	t := h.options.Traits()
	return t.Attached || t.Profile || t.Rented || !h.sup.Capabilities().Contexts
}

// start launches or connects to the browser and starts its supervisor.
func start(ctx context.Context, o options.Launch, key string, from browserhost.Connector) (*host, error) {
	h := &host{key: key, options: o, sessions: map[*Session]struct{}{}, camera: media.NewCamera(), video: video.NewRecorder(), journal: journal.New(journal.DefaultLimits)}
	var err error
	if !o.Attached() {
		if h.extensions, err = readExtensions(ctx, o.Browser.Extensions); err != nil {
			return nil, err
		}
	}
	if err := h.startRecording(); err != nil {
		return nil, err
	}
	if h.browser, err = from.Connect(ctx); err != nil {
		return nil, errors.Join(err, h.dropRecording())
	}
	conn := h.browser.Conn()
	var again link.Reconnect
	if conn.Capabilities().BrowserOutlives {
		again.Dial, again.NoStandby = h.browser.Redial, o.Traits().Rented // providers may end a session with its first connection
	}
	var reporter supervisor.Reporter
	if o.Stealth {
		reporter = h.journal.Reporter()
	}
	h.sup = supervisor.New(h.recorded(conn), supervisor.Options{
		Recorder: h.record, Reconnect: again, Stealth: o.Stealth, Reporter: reporter, Script: world.Script(), Observers: []supervisor.Observer{h.journal, h.video},
	})
	h.worlds = world.New(h.sup)
	if err := h.loadExtensions(ctx); err != nil {
		cctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*closeGrace)
		defer cancel()
		return nil, errors.Join(err, h.close(cctx))
	}
	return h, nil
}

// context returns the browser context for a new session.
func (h *host) context(ctx context.Context) (model.ContextID, error) {
	root := h.sup.Session("")
	if h.defaultContext() {
		got, err := cdp.Do(ctx, root, target.GetBrowserContexts, protocol.Empty{})
		if err != nil {
			return "", fmt.Errorf("read the browser's profile: %w", err)
		}
		return model.ContextID(got.DefaultBrowserContextID), nil
	}
	made, err := cdp.Do(ctx, root, target.CreateBrowserContext, target.CreateBrowserContextParams{DisposeOnDetach: new(true)})
	if err != nil {
		return "", fmt.Errorf("make a browser context: %w", err)
	}
	return model.ContextID(made.BrowserContextID), nil
}

// leave removes a session from the browser. Its context and tabs are closed if usher created the context.
func (h *host) leave(ctx context.Context, s *Session, own model.ContextID) (err error) {
	h.mu.Lock()
	delete(h.sessions, s)
	h.mu.Unlock()
	if own != "" {
		defer func() { err = errors.Join(err, h.saveHARs(own)) }()
	}
	if h.defaultContext() || own == "" || h.dead() {
		return nil
	}
	h.sup.EndStream(own, "the session was closed")
	_, err = cdp.Do(ctx, h.sup.Session(""), target.DisposeBrowserContext,
		target.DisposeBrowserContextParams{BrowserContextID: protocol.BrowserContextID(own)})
	if err != nil && !errors.Is(err, cdp.ErrClosed) { // a browser that ended has no contexts
		return err
	}
	h.sup.Forget(own)
	return nil
}

// closeGrace is how long a browser may take to end on request before its
// processes are ended.
const closeGrace = 3 * time.Second

// close ends a launched browser, has a provider end a rented one, and closes only the connection of an attached one.
func (h *host) close(ctx context.Context) error {
	defer h.closeCallers()
	if t := h.options.Traits(); !t.Attached && !t.Rented && h.sup.State().Closed == nil {
		ctx, cancel := context.WithTimeout(ctx, closeGrace)
		_, err := cdp.Do(ctx, h.sup.Session(""), browser.Close, protocol.Empty{})
		cancel()
		if err == nil {
			h.browser.Exit(closeGrace)
		}
	}
	return errors.Join(h.sup.Close(), h.browser.Close(ctx), h.endRecording(), h.saveHARs(), h.options.CloseFilter())
}

// saveHARs ends the HARs that are being recorded, those of one context or all, and gives the files their names.
func (h *host) saveHARs(contexts ...model.ContextID) error {
	ended, err := h.journal.EndHARs(contexts...)
	for _, f := range ended {
		err = errors.Join(err, media.MoveOwn(f.File, f.Path))
	}
	return err
}

// closeCallers waits for background work until the connection has ended.
func (h *host) closeCallers() {
	h.worlds.Close()
	h.camera.Close()
}

// exitGrace is how long a browser whose connection has ended may take to exit, so that its exit status can be reported.
const exitGrace = time.Second

// exitReason describes how the browser ended, for an error message.
func (h *host) exitReason() string {
	var broken *fault.Error
	if errors.As(h.sup.State().Closed, &broken) {
		return broken.Error()
	}
	if exit, ended := h.browser.Exit(exitGrace); ended {
		return exit.How
	}
	if err := h.sup.State().Closed; err != nil {
		return err.Error()
	}
	return "it closed its connection"
}

// exitAttrs describes the exit for the log, with the browser's standard error if it did not exit normally.
func (h *host) exitAttrs() []any {
	words := []any{"how", h.exitReason()}
	if exit, ended := h.browser.Exit(0); ended && exit.Stderr != "" {
		words = append(words, "stderr", exit.Stderr)
	}
	return words
}

// dead reports whether the browser is gone.
func (h *host) dead() bool { return h.sup.State().Closed != nil }

// wait returns when the browser has ended.
func (h *host) wait() { <-h.sup.Done() }

// maxSessions returns how many sessions the browser may have: a default context has one cookie jar and so serves one
// session; the limit of an attached browser is the user's choice.
func (h *host) maxSessions(share int) int {
	switch {
	case h.options.Attached():
		return 1 << 30
	case h.defaultContext():
		return 1
	}
	return share
}

// ofPage adds to options what the commands for a page need of the browser.
func (h *host) ofPage(o options.Live) options.Pages {
	h.mu.Lock()
	defer h.mu.Unlock()
	return options.Pages{Live: o, Engine: h.engine, Scripts: h.options.Mutated.Scripts}
}

// askVersion asks the browser for its version once.
func (h *host) askVersion(ctx context.Context) error {
	h.mu.Lock()
	known := h.engine != ""
	h.mu.Unlock()
	if known {
		return nil
	}
	got, err := cdp.Do(ctx, h.sup.Session(""), browser.GetVersion, protocol.Empty{})
	if err != nil {
		return api.Errorf(api.LaunchFailed, "ask the browser for its version: %w", err)
	}
	_, version, _ := strings.Cut(got.Product, "/")
	major, _, _ := strings.Cut(version, ".")
	h.mu.Lock()
	defer h.mu.Unlock()
	h.engine = major + ".0.0.0" // User-Agent reduction: https://www.chromium.org/updates/ua-reduction
	return nil
}
