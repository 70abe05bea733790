// Package run is the common part of all commands: the environment of one run ([Env]), the definition of a command
// ([Family]), and what happens around every command: resolving the frame, the site guard, the changes of the page, and
// the notices. It does not depend on sockets, terminals or other sessions.
package run

import (
	"context"
	"errors"
	"io"
	"strings"
	"time"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/command/run/compatible"
	"github.com/usher-browser/usher/internal/config/protect"
	"github.com/usher-browser/usher/internal/element"
	"github.com/usher-browser/usher/internal/element/failure"
	"github.com/usher-browser/usher/internal/element/locate"
	"github.com/usher-browser/usher/internal/policy"
	"github.com/usher-browser/usher/internal/supervisor/model"
	"github.com/usher-browser/usher/internal/verb"
	"github.com/usher-browser/usher/internal/world"
)

// Env is the environment of one run of a verb.
type Env struct {
	*BrowserContext
	// Tab is the tab the verb acts on: the session's active one when it started.
	Tab model.TargetID
	// Limit is how long the verb may wait; ctx carries no deadline of its own.
	Limit time.Duration
	// Requested is Limit as it was before the command waited for its turn; 0 if it did not wait.
	Requested time.Duration
	// Limited reports whether the caller chose Limit (--timeout) rather than the default.
	Limited bool
	// Patient reports whether an action waits for its target as long as it may, even if nothing in the page changes any more.
	Patient bool
	// Turn is the command's turn at its tab if actions leave it while they wait for their targets; nil if they keep it.
	Turn element.Turn
	// Launch is how the command came by its browser.
	Launch Launch
	// Waited reports whether the verb began before the browser was there, and this has been reported.
	Waited bool
	// Cwd is the caller's working directory, against which paths are resolved.
	Cwd string
	// Getenv returns a variable of the caller's environment.
	Getenv func(name string) (string, bool)
	// Stdin is the caller's standard input.
	Stdin io.Reader
	// Progress sends the caller a line of progress of a long verb.
	Progress func(string)
	// Emit prints a part of the result at once, for verbs that run long; nil where that is not possible. It blocks
	// while the caller does not read.
	Emit func([]byte) error
	// Sites is the site guard; nil while it is off.
	Sites *policy.Sites
	// Domains is the list of hosts that the session may reach; nil for all.
	Domains *policy.Domains
	// Gated reports whether an action policy or confirmations are in force.
	Gated bool
	// NoOutline is why the action policy gives out no outline of a page with other commands than snapshot; empty if it does.
	NoOutline string
	// Protected are paths, besides those of every user, of files that no page is given, and that nothing is saved to
	// under the site guard.
	Protected protect.Extra
	// Option returns the value that a live option has in the session, of a list the values with commas between; empty for
	// none. It is nil without a session.
	Option func(name string) string
	// Settings are the effective options of this run.
	Settings Settings

	protected *protect.Paths // once they were looked at

	downloadsLater bool            // downloads are reported with the changes of the page, when more of them is known
	reported       map[string]bool // interruptions that the result itself reports, by id
	Frame          model.FrameID   // the value of --frame; empty for none
	acted          locate.Element  // what was acted on; zero for none
}

// Settings are the per-call and per-session options that verbs use.
type Settings struct {
	ScreenshotDir     string // where screenshots without a path go
	ScreenshotFormat  string // png, jpeg or webp; empty for png
	ScreenshotQuality int    // 1-100; 0 for the browser's default
	Annotate          bool
	// Artifacts is the directory of files without a path.
	Artifacts string
	// SearchProvider is the engine of web search; empty for any that is configured.
	SearchProvider string
	// CDPClients is --cdp-clients: a mode of [endpoint.Options], or empty to keep the one that is set.
	CDPClients string
	// Proxy is the proxy for requests without a browser, and Agent their User-Agent: the program and its version.
	Proxy, Agent string
	// Authorities is the file of --ca-cert, for the same requests; empty for none.
	Authorities string
	// JSON reports whether the caller reads Data and not Text; Emit then prints JSON.
	JSON bool
	// Files reports whether file: addresses may be opened although the domains are restricted.
	Files bool
	// RawCDP lifts the rules for raw CDP calls under the site guard.
	RawCDP bool
	// Strict refuses selectors that match several elements.
	Strict bool
	// Aim is how actions with the mouse take their targets.
	Aim locate.Aim
	// Compatible selects agent-browser's behaviour where it differs from ours.
	Compatible bool
	// StateDir is the directory of saved states.
	StateDir string
	// StateEncryption is --state-encryption: auto, keyring or off; empty for auto.
	StateEncryption string
	// UploadRoots are the directories from which files may be given to pages; empty for the default, see mayUpload.
	UploadRoots []string
	// Plugins are those of the configuration with capabilities.
	Plugins []verb.PluginDef
}

// Launch is how a command came by its browser.
type Launch struct {
	Running    bool // the session has a browser after the command
	Launched   bool // the command launched it, or attached to it
	Relaunched bool // it replaces one that had ended
}

// Result is the result of a verb.
type Result struct {
	Launch Launch
	// Data is the JSON object of the result.
	Data any
	// Text is the same for a person or a model, without a final line end.
	Text string
	// Warning is a problem that did not make the verb fail.
	Warning string
	// Streamed reports whether Emit has printed everything already.
	Streamed bool
	// Origin is the address of the page in the tab; empty if the command has none.
	Origin string
	// Bare reports whether agent-browser prints Data without an envelope round it.
	Bare bool
	// Own reports whether usher itself wrote all of the result, because the command did not run.
	Own bool
}

// Done is the text of a verb that succeeded and has nothing to add.
const Done = "✓ Done"

// Func is the implementation of a verb.
type Func func(ctx context.Context, e *Env, c *verb.Call) (Result, error)

// Guard bounds a verb's calls to its tab by the limit and by whatever may block the tab.
func (e *Env) Guard(ctx context.Context) (context.Context, context.CancelFunc) {
	return e.guardFor(ctx, e.Limit)
}

// guardFor is guard with another limit.
func (e *Env) guardFor(ctx context.Context, limit time.Duration) (context.Context, context.CancelFunc) {
	ctx, stop := e.Browser.GuardFrame(ctx, e.Tab, e.Scope(e.Tab))
	ctx, cancel := context.WithTimeoutCause(ctx, limit, ErrLimit)
	return ctx, func() { cancel(); stop() }
}

// GuardNavigation is [Env.Guard] for a verb that leaves the page.
func (e *Env) GuardNavigation(ctx context.Context) (context.Context, context.CancelFunc) {
	return e.WithLimit(e.Browser.GuardNavigation(ctx, e.Tab))
}

func (e *Env) WithLimit(ctx context.Context, stop context.CancelFunc) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithTimeoutCause(ctx, e.Limit, ErrLimit)
	return ctx, func() { cancel(); stop() }
}

// Waits returns how long the verb may wait altogether, in milliseconds, for messages.
func (e *Env) Waits() int64 { return max(e.Limit, e.Requested).Milliseconds() }

// ErrLimit is the cause of a context that ended because a verb's time was up.
var ErrLimit = errors.New("time is up")

// CurrentTab returns the present state of the verb's tab.
func (e *Env) CurrentTab() (*model.Tab, error) {
	t := e.Browser.State().Tabs[e.Tab]
	if t == nil {
		return nil, e.Explain(&model.BlockedError{Tab: e.Tab, Gone: true}, "")
	}
	return t, nil
}

// Explain turns the failure of a call to the verb's tab into an error for the caller: what blocks the tab, or the
// operation that timed out.
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
		if known := e.noReplyError(doing); known != nil {
			return known
		}
		return e.timeoutError(doing)
	case errors.Is(err, context.Canceled):
		return api.Errorf(api.Cancelled, "%scancelled", prefix)
	case world.DocumentGone(err) && e.Browser.State().Outage != nil: // no frame has a session now
		return lostError(e.Browser.State().Outage)
	case world.DocumentGone(err):
		return api.Errorf(api.FrameDetached, "%sthe page navigated away during the call: %w", prefix, err)
	case errors.As(err, &refused) && refused.Code == cdp.CodeUserRefused:
		return api.Errorf(api.UserRefused, "%s%s", prefix, refused.Message)
	case errors.As(err, &script):
		return api.Errorf(api.PageScriptFailed, "%s%w", prefix, err)
	case InternalError(err):
		return api.Errorf(api.FrameDetached, "%sthe page or its connection closed during the call, which may or may not have taken effect: %w", prefix, err)
	}
	return api.Errorf(api.ProtocolError, "%s%w", prefix, err)
}

// codeInternalError is the code of Chromium's "Internal error".
const codeInternalError = -32603

// InternalError reports whether a call of the domain Runtime ended with Chromium's "Internal error": its context or session was gone when
// the script returned (V8's InjectedScript::Scope), or a getter threw while the result was made.
func InternalError(err error) bool {
	var refused *cdp.Error
	return errors.As(err, &refused) && refused.Code == codeInternalError && strings.HasPrefix(refused.Method, "Runtime.")
}

// timeoutError returns the error for a call that took too long though nothing that is known blocks the tab.
func (e *Env) timeoutError(doing string) error {
	if doing == "" {
		doing = "the command"
	}
	return api.Errorf(api.Timeout, "%s: no answer within %s", doing, e.Limit).
		WithHint("The page was busy, or the work is large. Give it more time with --timeout; `reload` starts the page again.")
}

func (e *Env) BlockedError(b *model.BlockedError, doing string) error {
	switch {
	case b.Dialog != nil:
		d := b.Dialog
		err := api.Errorf(api.DialogOpen, "a JavaScript %s dialog (%s) is open and blocks the page: %q", d.Type, d.ID, d.Message)
		if e.Settings.Compatible {
			err.Message = compatible.Dialog(d) + ". " + err.Message
		}
		return err.With("dialog", DialogData(d))
	case b.Crash != nil:
		url := ""
		if t := e.Browser.State().Tabs[b.Tab]; t != nil {
			url = t.URL
		}
		return api.Errorf(api.RendererCrashed, "the page's renderer crashed (%s)", b.Crash.Status).With("lastUrl", url)
	case b.Interruption != nil:
		e.MarkReported(b.Interruption)
		return api.Errorf(api.InterruptionOpen, "the page is blocked until %s is answered: %s", b.Interruption.ID, b.Interruption.Message).
			With("interruption", e.InterruptionData(b.Interruption)).WithHint("Answer with `%s`.", strings.Join(e.Answers(b.Interruption), "` or `"))
	case b.Unresponsive != nil:
		return failure.Unresponsive(e.Browser, doing, b)
	case b.Gone:
		return e.goneError(b.Tab)
	}
	if b.Outage != nil {
		return lostError(b.Outage)
	}
	return api.Errorf(api.BrowserCrashed, "the browser is gone: %w", b.Closed)
}

// lostError returns the error of a command whose connection broke.
func lostError(o *model.Outage) error {
	return api.Errorf(api.ConnectionLost, "the connection to the browser broke during the command, which may or may not have taken effect: %w", o.Cause).
		WithHint("usher reconnects automatically. Look at the page (`get url`, `snapshot -i`), then repeat the command if it had no effect.")
}

// goneError returns the error for a tab that was closed.
func (e *Env) goneError(id model.TargetID) error {
	for _, g := range e.Browser.State().Gone {
		if g.ID == id {
			return api.Errorf(api.TabGone, "tab t%d is closed; it showed %s", g.Number, g.URL).
				With("targetId", string(id)).With("lastUrl", g.URL)
		}
	}
	return api.Errorf(api.TabGone, "the tab is closed").With("targetId", string(id))
}
