// Package run is what the families of commands have in common: what one run of a command works with ([Env]), what a command is
// ([Family]), and what happens around every command: the frame it works in, the site guard, what became of the page, and what
// else the caller must learn of. It knows nothing of sockets, terminals or other sessions.
package run

import (
	"context"
	"errors"
	"io"
	"strings"
	"time"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/config/protect"
	"github.com/usher-browser/usher/internal/element"
	"github.com/usher-browser/usher/internal/policy"
	"github.com/usher-browser/usher/internal/supervisor/model"
	"github.com/usher-browser/usher/internal/verb"
	"github.com/usher-browser/usher/internal/world"
)

// Env is what one run of a verb works with.
type Env struct {
	*BrowserContext
	// Tab is the tab the verb acts on: the session's active one when it started.
	Tab model.TargetID
	// Limit is how long the verb may wait; ctx carries no deadline of its own.
	Limit time.Duration
	// Limited says that the caller chose Limit (--timeout) rather than the
	// default.
	Limited bool
	// Waited says that the verb was there before the browser, and that this has been told.
	Waited bool
	// Cwd is the caller's working directory, against which paths are resolved.
	Cwd string
	// Getenv looks a variable of the caller's environment up.
	Getenv func(name string) (string, bool)
	// Stdin is the caller's standard input.
	Stdin io.Reader
	// Progress tells the caller what a long verb is doing.
	Progress func(string)
	// Emit prints a part of the result at once, for verbs that go on for long; nil
	// where that cannot be. It waits while the caller does not read.
	Emit func([]byte) error
	// Sites is the site guard; nil while it is off.
	Sites *policy.Sites
	// Protected names files besides those of every user that no page is given, and that nothing is saved to under the site
	// guard.
	Protected protect.Extra
	// Settings are the options in force for this run.
	Settings Settings

	places *protect.Places // once they were looked at

	later    bool            // downloads are told with the changes of the page, when more is known of them
	reported map[string]bool // interruptions that the result tells of itself, by id
	Frame    model.FrameID   // what --frame named; empty for none
	acted    element.Element // what was acted on; zero for none
}

// Settings are the per-call and per-session options verbs look at.
type Settings struct {
	ScreenshotDir     string // where screenshots without a path go
	ScreenshotFormat  string // png, jpeg or webp; empty for png
	ScreenshotQuality int    // 1-100; 0 for the browser's default
	Annotate          bool
	// Artifacts is where files go whose place nobody named.
	Artifacts string
	// SearchProvider is the engine web search asks; empty for any that is set up.
	SearchProvider string
	// Proxy is the proxy for what is fetched without a browser, and Agent what servers are told of who asks.
	Proxy, Agent string
	// JSON says that the caller reads Data and not Text, and what Emit prints as JSON.
	JSON bool
	// RawCDP lifts the rules for calls by hand under the site guard.
	RawCDP bool
	// Compatible asks for agent-browser's habits where they differ from ours.
	Compatible bool
	// UploadRoots are the directories from which files may be given to pages; empty
	// for what a careful user expects, see mayUpload.
	UploadRoots []string
}

// Result is what a verb found or did.
type Result struct {
	// Data is the JSON object of the result.
	Data any
	// Text is the same for a person or a model, without a final line end.
	Text string
	// Warning is something the caller should know although the verb succeeded.
	Warning string
	// Streamed says that everything was printed by Emit already.
	Streamed bool
}

// Done is the text of a verb that did what it was asked and has nothing to add.
const Done = "✓ Done"

// Func is the behaviour of a verb.
type Func func(ctx context.Context, e *Env, c *verb.Call) (Result, error)

// Guard bounds a verb's calls to its tab by the limit and by whatever may block
// the tab.
func (e *Env) Guard(ctx context.Context) (context.Context, context.CancelFunc) {
	return e.guardFor(ctx, e.Limit)
}

// guardFor is guard with another limit.
func (e *Env) guardFor(ctx context.Context, limit time.Duration) (context.Context, context.CancelFunc) {
	ctx, stop := e.Browser.GuardFrame(ctx, e.Tab, e.Scope(e.Tab))
	ctx, cancel := context.WithTimeoutCause(ctx, limit, ErrLimit)
	return ctx, func() { cancel(); stop() }
}

// GuardNavigation is guard for a verb that leaves the page.
func (e *Env) GuardNavigation(ctx context.Context) (context.Context, context.CancelFunc) {
	return e.WithLimit(e.Browser.GuardNavigation(ctx, e.Tab))
}

func (e *Env) WithLimit(ctx context.Context, stop context.CancelFunc) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithTimeoutCause(ctx, e.Limit, ErrLimit)
	return ctx, func() { cancel(); stop() }
}

// ErrLimit is the cause of a context that ended because a verb's time was up.
var ErrLimit = errors.New("time is up")

// CurrentTab returns the verb's tab as it is now.
func (e *Env) CurrentTab() (*model.Tab, error) {
	t := e.Browser.State().Tabs[e.Tab]
	if t == nil {
		return nil, e.Explain(&model.BlockedError{Tab: e.Tab, Gone: true}, "")
	}
	return t, nil
}

// Explain turns the failure of a call to the verb's tab into an error for the
// caller: what blocks the tab, or what was being done when time ran out.
func (e *Env) Explain(err error, doing string) error {
	if err == nil {
		return nil
	}
	var known *api.Error
	if errors.As(err, &known) {
		return err
	}
	if b := e.Browser.Blocked(err, e.Tab); b != nil {
		return e.BlockedError(b, doing)
	}
	var coded api.Coded
	if errors.As(err, &coded) {
		return err
	}
	prefix := ""
	if doing != "" {
		prefix = doing + ": "
	}
	var script *world.ScriptError
	var refused *cdp.Error
	switch {
	case errors.Is(err, ErrLimit), errors.Is(err, context.DeadlineExceeded):
		if known := e.held(doing); known != nil {
			return known
		}
		return e.timeoutError(doing)
	case errors.Is(err, context.Canceled):
		return api.Errorf(api.Cancelled, "%scancelled", prefix)
	case world.DocumentGone(err) && e.Browser.State().Outage != nil: // no frame has a session now
		return lostError(e.Browser.State().Outage)
	case world.DocumentGone(err):
		return api.Errorf(api.FrameDetached, "%sthe page navigated away during the call: %w", prefix, err)
	case errors.As(err, &script):
		return api.Errorf(api.PageScriptFailed, "%s%w", prefix, err)
	case errors.As(err, &refused) && refused.Code == gaveUp && strings.HasPrefix(refused.Method, "Runtime."):
		return api.Errorf(api.FrameDetached, "%sthe page or its connection closed during the call, which may or may not have taken effect: %w", prefix, err)
	}
	return api.Errorf(api.ProtocolError, "%s%w", prefix, err)
}

// gaveUp is the code of Chromium's "Internal error", by which its domain Runtime answers a call whose context or session
// was gone when the script came back (V8's InjectedScript::Scope).
const gaveUp = -32603

func (e *Env) timeoutError(doing string) error {
	if doing == "" {
		doing = "the command"
	}
	return api.Errorf(api.Timeout, "%s: no answer within %s", doing, e.Limit)
}

func (e *Env) BlockedError(b *model.BlockedError, doing string) error {
	switch {
	case b.Dialog != nil:
		d := b.Dialog
		err := api.Errorf(api.DialogOpen, "a JavaScript %s dialog (%s) is open and blocks the page: %q", d.Type, d.ID, d.Message)
		return err.With("dialog", DialogData(d))
	case b.Crash != nil:
		url := ""
		if t := e.Browser.State().Tabs[b.Tab]; t != nil {
			url = t.URL
		}
		return api.Errorf(api.RendererCrashed, "the page's renderer crashed (%s)", b.Crash.Status).With("lastUrl", url)
	case b.Waits != nil:
		e.MarkReported(b.Waits)
		return api.Errorf(api.InterruptionOpen, "the page is blocked until %s is answered: %s", b.Waits.ID, b.Waits.Message).
			With("interruption", e.InterruptionData(b.Waits)).WithHint("Answer with `%s`.", strings.Join(Answers(b.Waits), "` or `"))
	case b.Unresponsive != nil:
		return element.Unresponsive(doing, b)
	case b.Gone:
		return e.goneError(b.Tab)
	}
	if b.Outage != nil {
		return lostError(b.Outage)
	}
	return api.Errorf(api.BrowserCrashed, "the browser is gone: %w", b.Closed)
}

// lostError tells that the connection broke under a command.
func lostError(o *model.Outage) error {
	return api.Errorf(api.ConnectionLost, "the connection to the browser broke during the command, which may or may not have taken effect: %w", o.Cause).
		WithHint("usher reconnects automatically. Look at the page (`get url`, `snapshot -i`), then repeat the command if it had no effect.")
}

// goneError tells of a tab that was closed.
func (e *Env) goneError(id model.TargetID) error {
	for _, g := range e.Browser.State().Gone {
		if g.ID == id {
			return api.Errorf(api.TabGone, "tab t%d is closed; it showed %s", g.Number, g.URL).
				With("targetId", string(id)).With("lastUrl", g.URL)
		}
	}
	return api.Errorf(api.TabGone, "the tab is closed").With("targetId", string(id))
}
