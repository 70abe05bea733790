package session

import (
	"context"
	"io"
	"log/slog"
	"strings"
	"time"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/command"
	"github.com/usher-browser/usher/internal/command/run"
	"github.com/usher-browser/usher/internal/command/run/compatible"
	"github.com/usher-browser/usher/internal/config"
	"github.com/usher-browser/usher/internal/policy"
	"github.com/usher-browser/usher/internal/session/code"
	"github.com/usher-browser/usher/internal/session/options"
	"github.com/usher-browser/usher/internal/session/results"
	"github.com/usher-browser/usher/internal/supervisor/guard"
	"github.com/usher-browser/usher/internal/verb"
)

// Command is one parsed command with its caller's environment.
type Command struct {
	Call *verb.Call
	// Preset are the global flags of Call that its server's command line gives to all commands: the person's, not the caller's.
	Preset   []string
	Settings *config.Settings
	// Tab is the tab to work in: its id, label or target id; empty for the active one, which stays active.
	Tab string
	// Cwd is the caller's working directory.
	Cwd string
	// Env is the caller's environment.
	Env func(name string) (string, bool)
	// Stdin is the caller's standard input.
	Stdin io.Reader
	// Progress sends the caller a line of progress of a long command; it may be nil.
	Progress func(string)
	// Emit prints a part of the result at once; nil where that is not possible.
	Emit func([]byte) error
	// Artifacts is the directory of files without a path.
	Artifacts string
	// StateDir is the directory of saved states.
	StateDir string
	// Guard are the settings of the site guard, if they are not this command's: a row of a batch cannot loosen it.
	Guard *config.Settings

	// Ask asks the person at the caller's terminal and returns the line that they type; nil without a terminal.
	Ask func(question string) (string, error)

	domains   *policy.Domains // the allowed domains; nil for all
	confirmed bool            // a person has confirmed exactly this command

	unordered bool          // it does not wait for its turn
	asked     *code.Command // what code that runs the command asked for; nil without
}

// Run runs a command in the session of its settings.
func (r *Registry) Run(ctx context.Context, cmd Command) (run.Result, error) {
	o := options.SessionOf(cmd.Settings)
	s, err := r.enter(o.Namespace, o.Name)
	if err != nil {
		return run.Result{}, err
	}
	defer r.leave(s)
	began := time.Now()
	res, err := s.run(ctx, cmd)
	res.Launch.Running = s.hasBrowser()
	err = readable(err)
	level := slog.LevelDebug
	if cmd.Settings.Bool("debug") {
		level = slog.LevelInfo
	}
	r.opts.Log.LogAttrs(ctx, level, "command", slog.String("session", s.name),
		slog.String("verb", cmd.Call.Verb.Name), slog.Duration("took", time.Since(began)), slog.Any("error", err))
	return res, err
}

// readable redacts secrets in an error's message, because it is printed, logged and stored. Data and hint are kept: they
// contain the next step.
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
	if !cmd.Call.Verb.Is(verb.Background) { // following events does not keep a session from being idle
		s.commandStarted()
		defer s.commandEnded(cmd.Settings)
	}
	return s.dispatch(ctx, cmd)
}

// dispatch runs a command, in the session's browser if it needs one.
func (s *Session) dispatch(ctx context.Context, cmd Command) (run.Result, error) {
	domains, warning, err := s.restrict(ctx, cmd)
	var res run.Result
	if err == nil {
		cmd.domains = domains
		var done bool
		if res, done, err = s.gated(cmd); !done && err == nil {
			res, err = s.permitted(ctx, cmd)
		}
	}
	res.Warning = api.JoinWarnings(warning, res.Warning)
	if err != nil && cmd.Settings.Mode == verb.AgentBrowser {
		err = compatible.Failure(cmd.Call, err)
	}
	return res, err
}

// permitted runs a command that the action policy allows.
func (s *Session) permitted(ctx context.Context, cmd Command) (run.Result, error) {
	if err := run.JudgeArgs(cmd.domains, cmd.Settings.Bool("allow-file-access"), cmd.Call); err != nil {
		return run.Result{}, err
	}
	sites := s.sites(ctx, cmd)
	if sites != nil {
		if err := run.OpenArgs(ctx, sites, cmd.Call); err != nil {
			return run.Redact(run.Result{}, err)
		}
	}
	if err := s.mayKeep(cmd, sites); err != nil {
		return run.Result{}, err
	}
	if f := s.sessionVerb(cmd.Call.Verb.Name); f != nil {
		res, err := f(ctx, cmd)
		if _, rows := res.Data.(*results.Batch); sites != nil && !rows { // the rows of a batch are redacted individually
			return run.Redact(res, err)
		}
		return res, err
	}
	f := command.Find(cmd.Call.Verb.Name)
	if f == nil {
		return run.Result{}, api.Errorf(api.Internal, "%s is not implemented", cmd.Call.Verb.Name)
	}
	if !cmd.Call.Verb.Is(verb.Starts) && !cmd.Call.Verb.Is(verb.NeedsBrowser) {
		return s.runWithoutBrowser(ctx, cmd, f, sites)
	}
	return s.runInBrowser(ctx, cmd, f, sites)
}

// runInBrowser runs a verb in the session's browser, in the order of the commands of its tab.
func (s *Session) runInBrowser(ctx context.Context, cmd Command, f run.Func, sites *policy.Sites) (run.Result, error) {
	got, err := s.browserContextFor(ctx, cmd)
	if err != nil {
		return run.Result{}, err
	}
	work, warning := got.work, got.warning
	env := s.env(cmd, sites)
	env.BrowserContext, env.Waited, env.Launch = work, got.waited, got.launch
	if env.Gated || env.Domains != nil { // a client that joined before would be bound by neither
		work.Background.StopEndpoint()
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
	options.ApplyToCommand(work, cmd.Call, cmd.Settings)
	if err := s.selectTab(ctx, env, cmd); err != nil {
		return run.Result{}, err
	}
	if !cmd.unordered {
		turn, err := s.turns.Wait(ctx, env, cmd.Call.Verb)
		if err != nil {
			return run.Result{}, err
		}
		defer turn.Leave()
		if cmd.asked != nil { // another operation of the code may bring about what this one waits for
			env.Turn = turn
		}
	}
	defer onDialog(cmd.Settings, env)()
	if !cmd.Call.Verb.Is(verb.Control) {
		defer env.LookForLogins(ctx)()
	}
	if goes(env) {
		env.Limit = options.LimitWhileGoing(env, cmd.Call.Verb)
	}
	res, err := f(guard.WithUnresponsiveTimeout(ctx, options.UnresponsiveTimeout(env, cmd.Call.Verb)), env, cmd.Call)
	res.Launch = got.launch
	s.saveLastURL(work)
	if err == nil {
		res.Warning = api.JoinWarnings(s.checkRestored(ctx, env, cmd.Call.Verb), res.Warning)
	}
	res.Warning = api.JoinWarnings(warning, res.Warning)
	if err == nil { // these notices are given once, and the warning of a failed command may not be shown
		if h, _ := s.browserContext(); h != nil {
			res.Warning = api.JoinWarnings(h.RecordingNotice(), res.Warning)
		}
		res.Warning = api.JoinWarnings(s.bridgeNotice(work), res.Warning)
	}
	if sites != nil { // a notice may quote a page
		res.Warning = policy.Text(res.Warning)
	}
	if err != nil && closed(work.Browser, err) {
		err = s.browserEnded()
	}
	return res, err
}

// startLimit returns how long a command waits for the session's browser, and the cause when that time is over. Starting a
// browser takes longer than most commands, so that a shorter time that the caller gave counts only for one that runs.
func (s *Session) startLimit(cmd Command) (limit time.Duration, late error) {
	limit, given := options.LimitOf(cmd.Settings, cmd.Call.Verb)
	if given && !s.hasBrowser() && attaches(s.connection(cmd.Settings)) {
		return limit, errAnswer
	}
	return max(limit, options.DefaultLimit), errStart
}

// browserContextFor returns the session's browser context for a command. A command that follows events waits for one.
func (s *Session) browserContextFor(ctx context.Context, cmd Command) (got provided, err error) {
	limit, late := s.startLimit(cmd)
	for waited := false; ; waited = true {
		if !follows(cmd) || !cmd.Call.Bool("wait") || s.hasBrowser() {
			ectx, cancel := context.WithTimeoutCause(ctx, limit, late)
			got, err = s.ensure(ectx, cmd)
			cancel()
			if !follows(cmd) || !hasNoBrowser(err) {
				got.waited = waited
				return got, err
			}
		}
		if err := s.awaitBrowser(ctx, cmd); err != nil { // it may have ended again meanwhile
			return provided{waited: true}, err
		}
	}
}

// env returns the environment of a command, without a browser context.
func (s *Session) env(cmd Command, sites *policy.Sites) *run.Env {
	env := &run.Env{
		Cwd: cmd.Cwd, Getenv: cmd.Env, Stdin: cmd.Stdin, Progress: cmd.Progress, Emit: cmd.Emit,
		Settings: runSettings(cmd), Sites: sites, Protected: s.protected(cmd), Domains: cmd.domains, Gated: s.gate.InForce(), Option: s.option,
	}
	env.Settings.Agent = "usher/" + s.reg.opts.Version
	if env.Gated {
		env.NoOutline = s.noOutline()
	}
	env.Limit, env.Limited = options.LimitOf(cmd.Settings, cmd.Call.Verb)
	if cmd.asked != nil {
		env.Limit, env.Limited, env.Patient = cmd.asked.Limit, cmd.asked.Limited, true
	}
	if env.Progress == nil {
		env.Progress = func(string) {}
	}
	return env
}

// goes reports whether the command's tab is on its way to a page whose server has not answered yet.
func goes(env *run.Env) bool {
	f := env.Browser.State().MainFrame(env.Tab)
	return f != nil && f.PendingURL != ""
}

// option returns the value that a live option has now, of a list the values with commas between.
func (s *Session) option(name string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return strings.Join(s.applied.List(name), ",")
}

// runWithoutBrowser runs a verb that needs no browser.
func (s *Session) runWithoutBrowser(ctx context.Context, cmd Command, f run.Func, sites *policy.Sites) (run.Result, error) {
	env := s.env(cmd, sites)
	if sites != nil { // it does not matter where the session's browser runs: this machine sends the request
		env.Sites.Private = guardSettings(cmd).Bool("allow-private-urls")
		env.Sites.Debugger = s.reg.debugger(true)
	}
	return f(ctx, env, cmd.Call)
}

// errStart is the cause when a browser does not start in time.
var errStart = api.Errorf(api.Timeout, "the browser did not start in time")

// errAnswer is the cause when a running browser does not answer in time.
var errAnswer = api.Errorf(api.Timeout, "it did not answer in time")

func runSettings(cmd Command) run.Settings {
	set := cmd.Settings
	out := run.Settings{
		ScreenshotDir: set.Str("screenshot-dir"), ScreenshotFormat: set.Str("screenshot-format"),
		ScreenshotQuality: set.Int("screenshot-quality"), Annotate: set.Bool("annotate"),
		SearchProvider: set.Str("search-provider"), CDPClients: set.Str("cdp-clients"), Proxy: set.Str("proxy"), Authorities: set.Str("ca-cert"),
		UploadRoots: set.List("upload-root"), Artifacts: cmd.Artifacts, StateDir: cmd.StateDir, StateEncryption: set.Str("state-encryption"), JSON: set.Bool("json"), Compatible: set.Mode == verb.AgentBrowser,
		Plugins: set.Plugins(), Files: set.Bool("allow-file-access"), Strict: set.Bool("strict"), RawCDP: cmd.domains == nil && guardSettings(cmd).Str("raw-cdp") == "unrestricted",
	}
	if cmd.asked != nil {
		out.Strict, out.Aim = out.Strict || cmd.asked.Strict, cmd.asked.Aim
	}
	return out
}
