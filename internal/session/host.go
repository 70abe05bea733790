package session

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/chromedp/cdproto/browser"
	protocol "github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/target"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/chrome"
	"github.com/usher-browser/usher/internal/fault"
	"github.com/usher-browser/usher/internal/journal"
	"github.com/usher-browser/usher/internal/media"
	"github.com/usher-browser/usher/internal/supervisor"
	"github.com/usher-browser/usher/internal/supervisor/link"
	"github.com/usher-browser/usher/internal/supervisor/model"
	"github.com/usher-browser/usher/internal/wire"
	"github.com/usher-browser/usher/internal/world"
)

// host is one browser and the sessions that live in it.
type host struct {
	key     string          // of the launch options; equal keys may share
	process *chrome.Process // nil for an attached browser
	sup     *supervisor.Browser
	worlds  *world.Worlds
	camera  *media.Camera
	journal *journal.Journal
	options launchOptions
	socket  string // address of an attached browser's WebSocket
	headers extraHeaders
	record  *wire.Recorder // nil unless --record was given

	mu       sync.Mutex
	sessions map[*Session]struct{} // guarded by mu
	cut      bool                  // guarded by mu: it has been told that the recording ended early
}

// attached reports whether the browser is not ours to end.
func (o *launchOptions) attached() bool { return o.cdp != "" || o.autoConnect }

// shared reports whether the session lives in the browser's default context: a profile's, or an attached browser's.
// Otherwise it gets a context of its own.
func (o *launchOptions) defaultContext() bool { return o.attached() || o.chrome.ProfileDir != "" }

// start launches or finds the browser and begins to watch it.
func start(ctx context.Context, o launchOptions, key string) (*host, error) {
	h := &host{key: key, options: o, sessions: map[*Session]struct{}{}, camera: media.NewCamera(), journal: journal.New(journal.DefaultLimits)}
	if err := h.startRecording(); err != nil {
		return nil, err
	}
	conn, err := h.connect(ctx)
	if err != nil {
		return nil, errors.Join(err, h.dropRecording())
	}
	var sup atomic.Pointer[supervisor.Browser] // events come before New returns
	h.journal.Note = func(c model.Change) {
		if b := sup.Load(); b != nil {
			b.Note(c)
		}
	}
	var again link.Reconnect
	if o.attached() {
		again.Dial = h.redial
	}
	var reporter supervisor.Reporter
	if o.stealth {
		reporter = h.journal.Reporter()
	}
	h.sup = supervisor.New(conn, supervisor.Options{Recorder: h.record, Reconnect: again, Stealth: o.stealth, Reporter: reporter, Script: world.Script(), Tap: func(ev cdp.Event, tab model.TargetID) {
		h.journal.Tap(ev, tab)
		if b := sup.Load(); b != nil {
			h.headers.tap(b, ev, tab)
		}
	}})
	sup.Store(h.sup)
	h.worlds = world.New(h.sup)
	return h, nil
}

func (h *host) connect(ctx context.Context) (wire.Conn, error) {
	if !h.options.attached() {
		p, err := chrome.Launch(ctx, h.options.chrome)
		if err != nil {
			return nil, launchError(err)
		}
		h.process = p
		r, w := p.Conn()
		return h.recorded(wire.Pipe(r, w)), nil
	}
	url, err := h.endpoint(ctx)
	if err != nil {
		return nil, api.Errorf(api.AttachFailed, "%w", err)
	}
	conn, err := wire.Dial(ctx, url, nil)
	if err != nil {
		return nil, api.Errorf(api.AttachFailed, "%w", err)
	}
	h.socket = url
	return h.recorded(conn), nil
}

// redial connects to the same browser once more. Its WebSocket's address holds a number that another browser at the port
// does not know, and refuses.
func (h *host) redial(ctx context.Context) (wire.Conn, error) {
	conn, err := wire.Dial(ctx, h.socket, nil)
	var answered *wire.HandshakeError
	switch {
	case err == nil:
		return conn, nil
	case errors.As(err, &answered) && answered.Final():
		return nil, fmt.Errorf("%w: %w", model.ErrOtherBrowser, err)
	case chrome.Refused(err):
		return nil, fmt.Errorf("%w: %w", link.ErrNobody, err)
	}
	return nil, err
}

func (h *host) endpoint(ctx context.Context) (string, error) {
	if h.options.autoConnect && h.options.cdp == "" {
		return chrome.AutoConnect(ctx, nil)
	}
	return chrome.Resolve(ctx, h.options.cdp, nil)
}

// debugURL is the address at which other programs can reach the browser.
func (h *host) debugURL(ctx context.Context) (string, error) {
	if h.process == nil {
		return h.endpoint(ctx)
	}
	url, err := h.process.DebugURL()
	if errors.Is(err, chrome.ErrNoPort) {
		return "", api.Errorf(api.NoDebugPort, "this browser has no debugging port: usher drives it over a pipe, which no other program can reach")
	}
	return url, err
}

// launchError gives a failed start its code.
func launchError(err error) error {
	var missing *chrome.NotFoundError
	var used *chrome.ProfileInUseError
	switch {
	case errors.As(err, &missing):
		return api.Errorf(api.BrowserNotFound, "%w", err)
	case errors.As(err, &used):
		return api.Errorf(api.LaunchConflict, "%w", err)
	case errors.Is(err, context.DeadlineExceeded):
		return api.Errorf(api.Timeout, "start the browser: %w", err)
	}
	return api.Errorf(api.LaunchFailed, "%w", err)
}

// context returns the browser context for a new session.
func (h *host) context(ctx context.Context) (model.ContextID, error) {
	root := h.sup.Session("")
	if h.options.defaultContext() {
		got, err := cdp.Do(ctx, root, target.GetBrowserContexts, protocol.Empty{})
		if err != nil {
			return "", fmt.Errorf("ask for the browser's profile: %w", err)
		}
		return model.ContextID(got.DefaultBrowserContextID), nil
	}
	made, err := cdp.Do(ctx, root, target.CreateBrowserContext, target.CreateBrowserContextParams{DisposeOnDetach: new(true)})
	if err != nil {
		return "", fmt.Errorf("make a browser context: %w", err)
	}
	return model.ContextID(made.BrowserContextID), nil
}

// leave takes a session out of the browser: its context and tabs are closed if
// they are its own.
func (h *host) leave(ctx context.Context, s *Session, own model.ContextID) error {
	h.mu.Lock()
	delete(h.sessions, s)
	h.mu.Unlock()
	if h.options.defaultContext() || own == "" || h.dead() {
		return nil
	}
	h.sup.EndStream(own, "the session was closed")
	_, err := cdp.Do(ctx, h.sup.Session(""), target.DisposeBrowserContext,
		target.DisposeBrowserContextParams{BrowserContextID: protocol.BrowserContextID(own)})
	if err != nil && !errors.Is(err, cdp.ErrClosed) { // a browser that ended took the context with it
		return err
	}
	h.sup.Forget(own)
	h.headers.forget(own)
	return nil
}

// closeGrace is how long a browser may take to end on request before its
// processes are ended.
const closeGrace = 3 * time.Second

// close ends the browser if it is ours, else only the connection.
func (h *host) close(ctx context.Context) error {
	defer h.closeCallers()
	if h.process == nil {
		return errors.Join(h.sup.Close(), h.endRecording())
	}
	if h.sup.State().Closed == nil {
		ctx, cancel := context.WithTimeout(ctx, closeGrace)
		_, err := cdp.Do(ctx, h.sup.Session(""), browser.Close, protocol.Empty{})
		cancel()
		if err == nil {
			select {
			case <-h.process.Done():
			case <-time.After(closeGrace):
			}
		}
	}
	return errors.Join(h.sup.Close(), h.process.Close(ctx), h.endRecording())
}

// settled waits for what goes on by itself until the connection has ended.
func (h *host) closeCallers() {
	h.worlds.Close()
	h.camera.Close()
}

// exitGrace is how long a browser whose connection has ended may take to exit, so
// that its exit status can be told.
const exitGrace = time.Second

// death says how the browser ended, for an error message.
func (h *host) death() string {
	var broken *fault.Error
	if errors.As(h.sup.State().Closed, &broken) {
		return broken.Error()
	}
	if h.process != nil {
		select {
		case <-h.process.Done():
		case <-time.After(exitGrace):
		}
		if exit, ended := h.process.Exit(); ended {
			return exit.String()
		}
	}
	if err := h.sup.State().Closed; err != nil {
		return err.Error()
	}
	return "it closed its connection"
}

// report is death for the log: with what the browser said when it did not end well.
func (h *host) report() []any {
	words := []any{"how", h.death()}
	if h.process == nil {
		return words
	}
	if exit, ended := h.process.Exit(); ended && exit.Code != 0 && exit.Stderr != "" {
		words = append(words, "stderr", exit.Stderr)
	}
	return words
}

// dead reports whether the browser is gone.
func (h *host) dead() bool { return h.sup.State().Closed != nil }

// wait returns when the browser is gone.
func (h *host) wait() { <-h.sup.Done() }

// joinKey makes one string of the options that decide which sessions may share a
// browser.
func joinKey(parts ...string) string { return strings.Join(parts, "\x00") }

// splitKey is the reverse of joinKey; none for an empty key.
func splitKey(key string) []string {
	if key == "" {
		return nil
	}
	return strings.Split(key, "\x00")
}

// room is how many sessions the browser may have: a profile has one cookie jar
// and so serves one session; an attached browser is the user's to divide.
func (h *host) maxSessions(share int) int {
	switch {
	case h.options.attached():
		return 1 << 30
	case h.options.chrome.ProfileDir != "":
		return 1
	}
	return share
}
