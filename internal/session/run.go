package session

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"time"

	"github.com/usher-browser/usher/internal/command"
	"github.com/usher-browser/usher/internal/command/network"
	"github.com/usher-browser/usher/internal/command/run"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/config"
	"github.com/usher-browser/usher/internal/fault"
	"github.com/usher-browser/usher/internal/policy"
	"github.com/usher-browser/usher/internal/supervisor"
	"github.com/usher-browser/usher/internal/supervisor/guard"
	"github.com/usher-browser/usher/internal/supervisor/model"
	"github.com/usher-browser/usher/internal/verb"
)

// Command is one parsed command and where it came from.
type Command struct {
	Call     *verb.Call
	Settings *config.Settings
	// Tab is the tab to work in: its id, label or target id; empty for the active one, which stays active.
	Tab string
	// Cwd is the caller's working directory.
	Cwd string
	// Env is the caller's environment.
	Env func(name string) (string, bool)
	// Stdin is the caller's standard input.
	Stdin io.Reader
	// Progress tells the caller what a long command is doing; nil for nobody.
	Progress func(string)
	// Emit prints a part of the result at once; nil where that cannot be.
	Emit func([]byte) error
	// Artifacts is where files go whose place nobody named.
	Artifacts string
	// Guard are the settings of the site guard, where they are not this command's: a row of a batch cannot loosen it.
	Guard *config.Settings
}

// Run carries out a command in the session its settings name.
func (r *Registry) Run(ctx context.Context, cmd Command) (run.Result, error) {
	o := sessionOptionsOf(cmd.Settings)
	s, err := r.enter(o.namespace, o.name)
	if err != nil {
		return run.Result{}, err
	}
	defer r.leave(s)
	began := time.Now()
	res, err := s.run(ctx, cmd)
	err = readable(err)
	level := slog.LevelDebug
	if cmd.Settings.Bool("debug") {
		level = slog.LevelInfo
	}
	r.opts.Log.LogAttrs(ctx, level, "command", slog.String("session", s.name),
		slog.String("verb", cmd.Call.Verb.Name), slog.Duration("took", time.Since(began)), slog.Any("error", err))
	return res, err
}

// readable takes secrets out of what an error says: it is printed, logged and kept.
// Its data and hint stay, for they are what to do next.
func readable(err error) error {
	if err == nil {
		return nil
	}
	e := api.AsError(err)
	text := policy.Text(e.Message)
	if text == e.Message {
		return err
	}
	clean := *e
	clean.Message = text
	return &clean
}

func (s *Session) run(ctx context.Context, cmd Command) (run.Result, error) {
	if !cmd.Call.Verb.Is(verb.Background) { // to look on is no use
		s.busy()
		defer s.rest(cmd.Settings)
	}
	return s.carryOut(ctx, cmd)
}

// whileOpen returns a context that ends with ctx, and when the session is closed.
func (s *Session) whileOpen(ctx context.Context) (context.Context, func()) {
	s.mu.Lock()
	over := s.over
	s.mu.Unlock()
	ctx, cancel := context.WithCancelCause(ctx)
	if over == nil { // closed meanwhile
		cancel(network.ErrSessionClosed)
		return ctx, func() {}
	}
	done := make(chan struct{})
	fault.Go(ctx, func() {
		defer close(done)
		select {
		case <-over:
			cancel(network.ErrSessionClosed)
		case <-ctx.Done():
		}
	})
	return ctx, func() { cancel(nil); <-done }
}

// carryOut finds the place of a command, waits for its turn and runs it.
func (s *Session) carryOut(ctx context.Context, cmd Command) (run.Result, error) {
	sites := s.sites(ctx, cmd)
	if sites != nil {
		if err := run.OpenArgs(ctx, sites, cmd.Call); err != nil {
			return run.Clean(run.Result{}, err)
		}
	}
	if err := s.mayKeep(cmd, sites); err != nil {
		return run.Result{}, err
	}
	if f := s.own(cmd.Call.Verb.Name); f != nil {
		res, err := f(ctx, cmd)
		if _, rows := res.Data.(*BatchData); sites != nil && !rows { // each row was cleaned by itself
			return run.Clean(res, err)
		}
		return res, err
	}
	f := command.Find(cmd.Call.Verb.Name)
	if f == nil {
		return run.Result{}, api.Errorf(api.Internal, "%s has no behaviour", cmd.Call.Verb.Name)
	}
	if !cmd.Call.Verb.Is(verb.Starts) && !cmd.Call.Verb.Is(verb.NeedsBrowser) {
		return s.alone(ctx, cmd, f, sites)
	}
	limit, given := limitOf(cmd.Settings, cmd.Call.Verb)
	work, warning, waited, err := s.provide(ctx, cmd, limit)
	if err != nil {
		return run.Result{}, err
	}
	env := &run.Env{
		Waited:         waited,
		BrowserContext: work, Limit: limit, Limited: given, Cwd: cmd.Cwd, Getenv: cmd.Env, Stdin: cmd.Stdin, Progress: cmd.Progress, Emit: cmd.Emit,
		Settings: opsSettings(cmd), Sites: sites, Protected: s.protected(cmd),
	}
	if env.Progress == nil {
		env.Progress = func(string) {}
	}
	if cmd.Call.Verb.Is(verb.Background) {
		wctx, stop := s.whileOpen(ctx)
		defer stop()
		ctx = wctx
	}
	notice, err := s.reachable(ctx, env, cmd.Call.Verb)
	if err != nil {
		return run.Result{}, err
	}
	warning = api.JoinWarnings(warning, notice)
	if err := s.selectTab(ctx, env, cmd); err != nil {
		return run.Result{}, err
	}
	s.prepare(cmd)
	end, err := s.turn(ctx, env, cmd.Call.Verb)
	if err != nil {
		return run.Result{}, err
	}
	defer end()
	defer onDialog(cmd.Settings, env)()
	if !cmd.Call.Verb.Is(verb.Control) {
		defer env.LookForLogins(ctx)()
	}
	res, err := f(guard.WithUnresponsiveTimeout(ctx, unresponsiveTimeout(env, cmd.Call.Verb)), env, cmd.Call)
	s.saveLastURL(work)
	res.Warning = api.JoinWarnings(warning, res.Warning)
	if err == nil { // what comes with an error may be shown to nobody
		res.Warning = api.JoinWarnings(api.JoinWarnings(s.bridgeNotice(work), s.recordingNotice()), res.Warning)
	}
	if sites != nil { // a notice may quote a page
		res.Warning = policy.Text(res.Warning)
	}
	if err != nil && closed(work.Browser, err) {
		err = s.died()
	}
	return res, err
}

// provide gives a command the session's share of a browser. One that follows what happens waits for it.
func (s *Session) provide(ctx context.Context, cmd Command, limit time.Duration) (work *run.BrowserContext, warning string, waited bool, err error) {
	for {
		if !follows(cmd) || !cmd.Call.Bool("wait") || s.hasBrowser() {
			ectx, cancel := context.WithTimeoutCause(ctx, max(limit, DefaultLimit), errStart)
			work, warning, err = s.ensure(ectx, cmd)
			cancel()
			if !follows(cmd) || !hasNoBrowser(err) {
				return work, warning, waited, err
			}
		}
		if err := s.await(ctx, cmd); err != nil { // and then it may be gone again already
			return nil, "", true, err
		}
		waited = true
	}
}

// alone runs a verb that needs no browser.
func (s *Session) alone(ctx context.Context, cmd Command, f run.Func, sites *policy.Sites) (run.Result, error) {
	limit, given := limitOf(cmd.Settings, cmd.Call.Verb)
	env := &run.Env{Limit: limit, Limited: given, Cwd: cmd.Cwd, Getenv: cmd.Env, Stdin: cmd.Stdin, Progress: cmd.Progress, Settings: opsSettings(cmd), Sites: sites, Protected: s.protected(cmd)}
	env.Settings.Agent = "usher/" + s.reg.opts.Version
	if sites != nil { // where the session's browser runs is no matter: it is this machine that asks
		env.Sites.Private = guardSettings(cmd).Bool("allow-private-urls")
		env.Sites.Debugger = s.reg.debugger(true)
	}
	return f(ctx, env, cmd.Call)
}

// loadTimeout is how long verbs that wait for a page to load or change bear one
// that does not answer, when the caller gave no time: pages that load are busy.
const loadTimeout = 10 * time.Second

// unresponsiveTimeout is how a verb bears a renderer that does not answer. A time the caller
// gave is the caller's to spend; else the verb is told as soon as it is known.
func unresponsiveTimeout(env *run.Env, v *verb.Verb) guard.UnresponsiveTimeout {
	switch {
	case env.Limited:
		return guard.UnresponsiveTimeout{Until: time.Now().Add(env.Limit)}
	case v.Category == verb.CatNavigate, v.Category == verb.CatWait:
		return guard.UnresponsiveTimeout{Until: time.Now().Add(loadTimeout)}
	}
	return guard.UnresponsiveTimeout{}
}

// closed reports whether the browser is gone. A call may learn of it a moment
// before the supervisor does.
func closed(b *supervisor.Browser, err error) bool {
	if errors.Is(err, cdp.ErrClosed) {
		ctx, cancel := context.WithTimeout(context.Background(), closeGrace)
		defer cancel()
		// The State read below is the outcome.
		_ = b.Wait(ctx, func(s *model.State) (bool, error) { return s.Outage != nil, s.Closed })
	}
	return b.State().Closed != nil
}

// reachable waits, within the command's deadline, for a lost connection to come
// back. A verb that reads what is remembered is carried out all the same, with a
// notice.
func (s *Session) reachable(ctx context.Context, env *run.Env, v *verb.Verb) (notice string, err error) {
	b := env.Browser
	down := b.State().Outage
	if down == nil {
		return "", nil
	}
	if v.Is(verb.WorksOffline) && v.Is(verb.ChangesPage) {
		return "", nil // an answer to a dialog finds its own way
	}
	if v.Is(verb.WorksOffline) {
		return fmt.Sprintf("the connection to the browser is lost since %s; usher reconnects by itself; this is the last known state",
			down.Since.UTC().Format("15:04:05")), nil
	}
	began := time.Now()
	ctx, cancel := context.WithTimeoutCause(ctx, env.Limit, errOutage)
	defer cancel()
	err = b.Wait(ctx, func(st *model.State) (bool, error) { return st.Outage == nil, st.Closed })
	env.Limit = max(0, env.Limit-time.Since(began).Truncate(time.Millisecond))
	switch {
	case err == nil:
		return "", nil
	case b.State().Closed != nil:
		return "", s.died()
	case errors.Is(err, errOutage):
		return "", api.Errorf(api.ConnectionLost, "%s: the connection to the browser was not restored in time; nothing was done: %w", v.Name, down.Cause).
			WithHint("usher keeps reconnecting. Repeat the command, with a longer --timeout if needed; `session info` shows the state.")
	}
	return "", api.Errorf(api.Cancelled, "%s: cancelled while the connection to the browser is lost", v.Name)
}

// errOutage is the cause when the connection does not come back in time.
var errOutage = errors.New("the connection was not restored")

// turn waits for a command's turn at its tab. A deadline that the caller gave
// covers the wait, too; who gave none may wait as long as a page may take to load,
// before the verb's own time begins.
func (s *Session) turn(ctx context.Context, env *run.Env, v *verb.Verb) (end func(), err error) {
	timeout := DefaultLimit
	if env.Limited {
		timeout = env.Limit
	}
	began := time.Now()
	wctx, cancel := context.WithTimeoutCause(ctx, timeout, errTurn)
	defer cancel()
	end, err = s.pass(wctx, env.Tab, v)
	switch {
	case errors.Is(err, errTurn):
		return nil, api.Errorf(api.Timeout, "%s: another command has been using the tab for %s", v.Name, timeout).
			WithHint("Wait for that command or interrupt it; or give this one a longer --timeout.")
	case err != nil:
		return nil, api.Errorf(api.Cancelled, "cancelled while waiting for its turn: %w", err)
	}
	if env.Limited {
		// Whole milliseconds: who did not wait keeps the limit as given, which errors repeat.
		env.Limit = max(0, env.Limit-time.Since(began).Truncate(time.Millisecond))
	}
	return end, nil
}

// errTurn is the cause when a command's turn does not come in time.
var errTurn = errors.New("the wait for its turn timed out")

// errStart is the cause when a browser does not start in time.
var errStart = api.Errorf(api.Timeout, "the browser did not start in time")

// selectTab finds the tab a verb acts on.
func (s *Session) selectTab(ctx context.Context, env *run.Env, cmd Command) error {
	v := cmd.Call.Verb
	id, ok := env.Active()
	if cmd.Tab != "" {
		t, err := env.FindTab(cmd.Tab)
		if err != nil {
			return err
		}
		id, ok = t.ID, true
	}
	if ok {
		env.Tab = id
		if v.Is(verb.Control) {
			return nil
		}
		env.Show(id)
		return s.ready(ctx, env)
	}
	if !v.Is(verb.NeedsTab) && !v.Is(verb.Starts) {
		return nil
	}
	// The person, or a page, closed the last tab of an attached or headed browser.
	if v.Is(verb.Starts) {
		ctx, cancel := context.WithTimeout(ctx, DefaultLimit)
		defer cancel()
		t, err := env.NewTab(ctx, false)
		if err != nil {
			return api.Errorf(api.LaunchFailed, "%w", err)
		}
		env.Tab = t.ID
		return nil
	}
	return api.Errorf(api.TabGone, "session %s has no open tab", s.name).WithHint("Open one with `open <url>` or `tab new`.")
}

// ready waits until the tab can be driven: one that a page has just opened is
// there before it answers.
func (s *Session) ready(ctx context.Context, env *run.Env) error {
	if t := env.Browser.State().Tabs[env.Tab]; t == nil || t.Ready {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, env.Limit)
	defer cancel()
	err := env.Browser.Wait(ctx, func(st *model.State) (bool, error) {
		t := st.Tabs[env.Tab]
		return t == nil || t.Ready || t.Crash != nil || st.Dialog(env.Tab) != nil, st.Down()
	})
	if blocked := env.Browser.Blocked(err, env.Tab); blocked != nil && blocked.Outage != nil {
		return api.Errorf(api.ConnectionLost, "the connection to the browser broke before the command began: %w", blocked.Outage.Cause).
			WithHint("usher reconnects by itself: repeat the command.")
	}
	if err != nil {
		unanswered := api.Errorf(api.RendererUnresponsive, "the tab is unresponsive: %w", err)
		if h, _ := s.browserContext(); h != nil && h.options.attached() {
			unanswered.WithHint("A script keeps it busy, or a dialog that opened while there was no connection blocks it: `dialog dismiss` closes that and keeps the page.")
		}
		return unanswered
	}
	return nil
}

func opsSettings(cmd Command) run.Settings {
	set := cmd.Settings
	return run.Settings{
		ScreenshotDir: set.Str("screenshot-dir"), ScreenshotFormat: set.Str("screenshot-format"),
		ScreenshotQuality: set.Int("screenshot-quality"), Annotate: set.Bool("annotate"),
		SearchProvider: set.Str("search-provider"), Proxy: set.Str("proxy"),
		UploadRoots: set.List("upload-root"), Artifacts: cmd.Artifacts, JSON: set.Bool("json"), Compatible: set.Mode == verb.AgentBrowser,
		RawCDP: guardSettings(cmd).Str("raw-cdp") == "unrestricted",
	}
}

// remember keeps what is needed to go on after a crash.
func (s *Session) saveLastURL(work *run.BrowserContext) {
	id, ok := work.Active()
	if !ok {
		return
	}
	if t := work.Browser.State().Tabs[id]; t != nil && t.URL != "about:blank" {
		s.mu.Lock()
		s.lastURL = t.URL
		s.mu.Unlock()
	}
}

// died explains a command that failed because the browser went away under it.
func (s *Session) died() error {
	h, _ := s.browserContext()
	if h == nil {
		return api.Errorf(api.SessionClosed, "session %s was closed while the command ran", s.name)
	}
	s.mu.Lock()
	last := s.lastURL
	s.mu.Unlock()
	var broken *fault.Error
	if errors.As(h.sup.State().Closed, &broken) {
		return api.Errorf(api.Internal, "the browser of session %s was closed after an internal error: %w", s.name, broken).With("lastUrl", last).
			WithHint("Other sessions are not affected. Start again with `open %s`.", cmp.Or(last, "<url>"))
	}
	out := api.Errorf(api.BrowserCrashed, "the browser of session %s ended during the command: %s", s.name, h.exitReason()).With("lastUrl", last)
	if last != "" {
		out.WithHint("Reopen where you were with `open %s`.", last)
	}
	return out
}

// busy notes that a command begins.
func (s *Session) busy() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.running++
	s.stopIdle()
}

// rest notes that a command has ended and starts the idle clock.
func (s *Session) rest(set *config.Settings) {
	o := sessionOptionsOf(set)
	after := o.idleTimeout
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case o.idleTimeoutGiven:
		s.idleFor = &after
	case s.idleFor != nil:
		after = *s.idleFor
	}
	s.running--
	if s.running > 0 || s.host == nil || after <= 0 || s.host.options.mayBeWatched() {
		return
	}
	s.reg.wg.Add(1)
	s.idleRound++
	round := s.idleRound
	s.idle = time.AfterFunc(after, func() {
		defer s.reg.wg.Done()
		defer fault.Recover(s.reg.panicked)
		s.expire(round)
	})
}

// expire closes a session nobody used for long. A command that came meanwhile
// has ended the round, and keeps its page.
func (s *Session) expire(round uint64) {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	if err := s.closeIf(ctx, func() bool { return s.idle != nil && s.idleRound == round && s.running == 0 }); err != nil {
		s.reg.opts.Log.Warn("close an idle session", "session", s.name, "error", err)
	}
}

// info is what `session info` tells of the session's browser.
func (s *Session) info() *Info {
	h, work := s.browserContext()
	out := &Info{Session: s.name, Active: h != nil}
	if h == nil {
		return out
	}
	s.mu.Lock()
	began, last := s.began, s.lastURL
	s.mu.Unlock()
	if down := h.sup.State().Outage; down != nil {
		out.Connection = &Connection{State: "reconnecting", Since: down.Since.UTC().Format(time.RFC3339), Cause: down.Cause.Error()}
	} else if h.options.attached() && !h.dead() {
		out.Connection = &Connection{State: "connected"}
	}
	b := &Browser{Attached: h.options.attached(), Headed: h.options.traits().Headed, Crashed: h.dead()}
	p := h.browser.Process()
	b.PID, b.Product, b.Executable = p.PID, p.Product, p.Executable
	out.Recording = h.recording()
	h.mu.Lock()
	b.Sessions = len(h.sessions)
	h.mu.Unlock()
	out.Browser, out.StartedAt, out.LastURL, out.Tabs = b, began.UTC().Format(time.RFC3339), &last, new(len(work.Tabs()))
	if d := work.Dialogs(); len(d) > 0 {
		out.Dialog = run.DialogData(d[0])
	}
	if id, ok := work.Active(); ok {
		if t := work.Browser.State().Tabs[id]; t != nil {
			out.URL = t.URL
		}
	}
	return out
}
