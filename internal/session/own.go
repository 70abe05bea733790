package session

import (
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/command/run"
	"github.com/usher-browser/usher/internal/command/run/compatible"
	"github.com/usher-browser/usher/internal/config"
	"github.com/usher-browser/usher/internal/policy"
	"github.com/usher-browser/usher/internal/session/batch"
	"github.com/usher-browser/usher/internal/session/host"
	"github.com/usher-browser/usher/internal/session/options"
	"github.com/usher-browser/usher/internal/session/results"
	"github.com/usher-browser/usher/internal/verb"
	"github.com/usher-browser/usher/internal/verb/mistakes"
)

// sessionVerb returns the implementation of a verb about sessions, or nil for other verbs.
func (s *Session) sessionVerb(name string) func(context.Context, Command) (run.Result, error) {
	switch name {
	case "close":
		return s.closeVerb
	case "connect":
		return s.connectVerb
	case "session list":
		return s.listVerb
	case "session info":
		return s.infoVerb
	case "confirm":
		return s.confirmVerb
	case "deny":
		return s.denyVerb
	case "batch":
		return s.batchVerb
	case "run":
		return s.runVerb
	case "agent-tool":
		return s.agentToolVerb
	case "relay start":
		return s.relayStart
	case "relay stop":
		return s.relayStop
	case "relay status":
		return s.relayStatus
	case "extension pair":
		return s.extensionPair
	case "extension doctor":
		return s.extensionDoctor
	case "extension try":
		return s.extensionTry
	case "app list", "app launch", "app status", "app probe", "app cleanup":
		return s.appVerb
	}
	return nil
}

func (s *Session) closeVerb(ctx context.Context, cmd Command) (run.Result, error) {
	if cmd.Call.Bool("all") {
		names, err := s.reg.CloseAll(ctx, s.key.namespace)
		if err != nil {
			return run.Result{}, err
		}
		if cmd.Call.Bool("kill") {
			s.reg.apps.EndAll()
		}
		res := run.Result{Data: &results.Closed{Closed: true, Sessions: names}, Text: fmt.Sprintf("✓ %d closed", len(names))}
		if cmd.Settings.Mode == verb.AgentBrowser {
			res.Own, res.Data = true, &results.ClosedAll{Closed: len(names), Sessions: names}
			res.Text = compatible.Closed(names)
		}
		res.Warning, err = s.caller(cmd).StopAbandoned(ctx, func(string) bool { return true })
		return res, err
	}
	h, _ := s.browserContext()
	restore, restricted, used := s.restored(), s.restricted(), s.reg.apps.Of(s)
	if err := s.Close(ctx); err != nil {
		return run.Result{}, err
	}
	kept := ""
	if cmd.Call.Bool("kill") {
		kept = s.reg.apps.End(used)
	}
	data := &results.Closed{Closed: true}
	res := run.Result{Data: data, Text: "✓ Browser closed", Warning: kept}
	if st := restore.Status(); restore != nil || cmd.Settings.Mode == verb.AgentBrowser {
		data.RestoreStatus, data.SaveStatus = st.Restored, st.Saved
		if data.StatePath = st.Path; st.Failure != nil {
			data.SaveError = readable(st.Failure).Error()
			res.Warning = api.JoinWarnings(res.Warning, "the state of the session was not saved: "+data.SaveError)
		}
	}
	switch {
	case h == nil:
		res.Text = "✓ Session " + s.name + " has no browser to close"
		if restricted {
			res.Text += "; what restricted it has ended"
		}
		notice, err := s.caller(cmd).StopAbandoned(ctx, func(session string) bool { return session == s.key.String() })
		if err != nil {
			return run.Result{}, s.closeError(err)
		}
		res.Warning = api.JoinWarnings(res.Warning, notice)
	case h.Options.Attached() && !h.Options.Browser.Try:
		res.Text = "✓ Session " + s.name + " ended; the attached browser keeps running"
	}
	return res, nil
}

const noSessions = "No sessions"

func (s *Session) listVerb(_ context.Context, cmd Command) (run.Result, error) {
	current := options.SessionOf(cmd.Settings).Name
	names := s.reg.Names(s.key.namespace)
	lines, data := []string{}, results.List{Sessions: names}
	rentals := s.reg.rentals(s.key.namespace)
	for _, n := range names {
		mark, where := "  ", ""
		if n == current {
			mark = "→ "
		}
		if at, ok := rentals[n]; ok {
			where = " (" + at.Provider + " " + at.ID + ")"
			data.Rented = append(data.Rented, results.Rented{Session: n, Provider: at.Provider, RemoteSession: at.ID})
		}
		lines = append(lines, mark+n+where)
	}
	text := strings.Join(lines, "\n")
	if len(names) == 0 {
		text = noSessions
	}
	if cmd.Settings.Mode == verb.AgentBrowser {
		text = compatible.Sessions(lines)
	}
	return run.Result{Data: data, Text: text}, nil
}

func (s *Session) infoVerb(_ context.Context, cmd Command) (run.Result, error) {
	info := s.info()
	if !s.reg.opts.NoDaemon {
		info.PID, info.Version = new(os.Getpid()), &s.reg.opts.Version
	}
	info.SocketDir, info.Namespace = s.reg.opts.RunDir, run.OrNull(s.key.namespace)
	text := info.Text()
	if cmd.Settings.Mode == verb.AgentBrowser {
		if !info.Active { // each session of that tool has a daemon of its own, which would not run now
			info.PID, info.Version = nil, nil
		}
		restore := s.restored()
		saved := restore.Status()
		if err := info.AddRuntime(restore, lifecycle(run.Launch{Running: true}, saved, s.engine())); err != nil {
			return run.Result{}, err
		}
		text = (&compatible.Session{Name: info.Session, SocketDir: info.SocketDir, Namespace: info.Namespace, Version: info.Version, PID: info.PID,
			Restored: saved.Restored, Saved: saved.Saved, Engine: s.engine(), Launched: info.Active}).Text(info.About)
	}
	return run.Result{Data: info, Text: text}, nil
}

// batchAhead is how many commands of a batch that only look at the page are under way at once, so that the browser always has one to
// answer. With 1, 2, 3 and 4 of them, 4,000 `get text` took 2.3, 1.2, 0.9 and 0.9 s on two processors.
const batchAhead = 3

func (s *Session) batchVerb(ctx context.Context, cmd Command) (run.Result, error) {
	rows, err := batch.Rows(cmd.Call, cmd.Stdin)
	if err != nil {
		return run.Result{}, err
	}
	var out results.Batch
	out.Rows = make([]results.Row, 0, len(rows))
	var text []string
	ctx, cancel := context.WithCancel(ctx)
	ahead := batch.NewAhead(rows, batchAhead, func(line batch.Row) (func() (run.Result, error), bool) { return s.batchRow(ctx, cmd, line) })
	defer ahead.Wait()
	defer cancel()
	for i, line := range rows {
		if ctx.Err() != nil {
			return run.Result{}, api.Errorf(api.Cancelled, "batch: cancelled after %d of %d commands", i, len(rows))
		}
		res, err := ahead.Next()
		row := results.Row{Success: err == nil}
		if cmd.Call.Bool("omit-command") {
			row.Index = &i
		} else {
			row.Command = line.Words
		}
		if err != nil {
			e := api.AsError(err)
			out.Failed++
			row.Error, row.Code = new(e.Sentence()), string(e.Code)
			if len(e.Data) > 0 {
				row.Result = e.Data
			}
			text = append(text, "✗ "+e.Sentence())
		} else {
			row.Result = res.Data
			row.Warning = res.Warning
			text = append(text, res.Text)
		}
		out.Rows = append(out.Rows, row)
		if err != nil && cmd.Call.Bool("bail") {
			break
		}
	}
	if cmd.Settings.Mode == verb.AgentBrowser {
		return run.Result{Data: &out, Text: compatible.Rows(text)}, nil
	}
	return run.Result{Data: &out, Text: strings.Join(text, "\n")}, nil
}

// batchRow reads a line of a batch and returns the function that runs it. looks reports whether the command only looks at the page as
// it is now, so that it may run beside others of that kind.
func (s *Session) batchRow(ctx context.Context, cmd Command, line batch.Row) (f func() (run.Result, error), looks bool) {
	fail := func(err error) (func() (run.Result, error), bool) {
		return func() (run.Result, error) { return run.Result{}, err }, false
	}
	if line.Err != nil {
		return fail(line.Err)
	}
	call, err := mistakes.Parse(s.reg.opts.Table, line.Words, cmd.Settings.Mode)
	if err != nil {
		return fail(err)
	}
	name := call.Verb.Name
	if name == "batch" || name == "confirm" || call.Verb.Is(verb.Local) { // whoever writes a batch must not confirm its rows
		return fail(api.Errorf(api.InvalidArgument, "%s cannot be used in a batch", name))
	}
	row := cmd
	row.Call, row.Preset, row.Stdin, row.Emit = call, nil, strings.NewReader(""), nil
	if row.Guard == nil && guardOn(cmd.Settings) {
		row.Guard = cmd.Settings
	}
	if len(call.Globals.Names()) == 0 {
		_, waits := options.LimitOf(cmd.Settings, call.Verb)
		looks = !waits && call.Verb.Category == verb.CatGet && call.Verb.Is(verb.NeedsTab) && !call.Verb.Is(verb.ChangesPage)
		return func() (run.Result, error) { return warnIgnored(call)(s.run(ctx, row)) }, looks
	}
	set, err := config.Load(config.Source{Mode: cmd.Settings.Mode, Env: cmd.Env, Cwd: cmd.Cwd, Flags: call.Globals.Over(cmd.Call.Globals)})
	if err != nil {
		return fail(err)
	}
	row.Settings = set
	execute := s.run
	if call.Globals.Has("session") || call.Globals.Has("namespace") {
		execute = s.reg.Run
	}
	return func() (run.Result, error) { return warnIgnored(call)(execute(ctx, row)) }, false
}

// warnIgnored returns a function that adds what was ignored of a row's line to the warning of its result.
func warnIgnored(call *verb.Call) func(run.Result, error) (run.Result, error) {
	return func(res run.Result, err error) (run.Result, error) {
		res.Warning = api.JoinWarnings(policy.Text(call.Ignored()), res.Warning)
		return res, err
	}
}

// info returns the session's browser for `session info`.
func (s *Session) info() *results.Info {
	h, work := s.browserContext()
	out := &results.Info{Session: s.name, Active: h != nil}
	if h == nil {
		return out
	}
	s.mu.Lock()
	began, last := s.startedAt, s.lastURL
	s.mu.Unlock()
	if down := h.Supervisor.State().Outage; down != nil {
		out.Connection = &host.Connection{State: "reconnecting", Since: down.Since.UTC().Format(time.RFC3339), Cause: down.Cause.Error()}
	} else if h.Supervisor.Capabilities().BrowserOutlives && !h.Dead() {
		out.Connection = &host.Connection{State: "connected"}
	}
	b := &host.Browser{Attached: h.Options.Attached(), Headed: h.Options.Traits().Headed, Crashed: h.Dead()}
	p := h.Browser.Process()
	b.PID, b.Product, b.Executable = p.PID, p.Product, p.Executable
	b.Provider, b.RemoteSession = h.Browser.Rental().Provider, h.Browser.Rental().ID
	out.Recording, out.Extensions = h.Recording(), h.Extensions
	b.Sessions = h.Sessions()
	out.App = results.AppOf(s.reg.apps.Of(s))
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
