package session

import (
	"context"
	"path/filepath"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/browserhost"
	"github.com/usher-browser/usher/internal/browserhost/app"
	"github.com/usher-browser/usher/internal/command/run"
	"github.com/usher-browser/usher/internal/config"
	"github.com/usher-browser/usher/internal/session/apps"
	"github.com/usher-browser/usher/internal/session/batch"
	"github.com/usher-browser/usher/internal/session/options"
	"github.com/usher-browser/usher/internal/session/results"
	"github.com/usher-browser/usher/internal/verb"
)

// connectVerb is `connect`: --cdp for this command and all that follow, until the session is closed.
func (s *Session) connectVerb(ctx context.Context, cmd Command) (run.Result, error) {
	endpoint := cmd.Call.Str("endpoint")
	var a *app.App
	fresh := false
	if cmd.Call.Has("app") {
		var err error
		if a, fresh, err = s.reg.apps.Open(ctx, s, appOptions(cmd)); err != nil {
			return run.Result{}, err
		}
		endpoint = a.Endpoint
	}
	cmd.Settings = cmd.Settings.With("cdp", endpoint, "connect")
	got, err := s.browserContextFor(ctx, cmd)
	if err != nil {
		if fresh {
			_ = s.reg.apps.End(s.reg.apps.Leave(s)) // it would go on running unused
		}
		if api.CodeOf(err) == api.LaunchConflict {
			err = api.AsError(err).WithHint("Run `close` first (the page is lost), or use another --session.")
		}
		return run.Result{}, err
	}
	s.mu.Lock()
	s.connected = cmd.Settings
	s.mu.Unlock()
	data := &results.Connected{Launched: true, Reused: !got.launch.Launched, App: results.AppOf(a)}
	if cmd.Settings.Mode == verb.AgentBrowser {
		data.RelaunchedBrowser = new(got.launch.Launched && got.launch.Relaunched)
	}
	return run.Result{Data: data, Text: run.Done, Warning: got.warning, Launch: got.launch}, nil
}

// appVerb is a command about apps built on Electron.
func (s *Session) appVerb(ctx context.Context, cmd Command) (run.Result, error) {
	c := &apps.Caller{Session: s, Namespace: s.key.namespace, Call: cmd.Call, Env: cmd.Env, Display: browserhost.Display(cmd.Env)}
	if limit, given := options.LimitOf(cmd.Settings, cmd.Call.Verb); given {
		c.Timeout = limit
	}
	c.Connect = func(ctx context.Context, endpoint string) (string, run.Launch, error) {
		cmd := cmd
		cmd.Settings = cmd.Settings.With("cdp", endpoint, "app launch")
		got, err := s.browserContextFor(ctx, cmd)
		if err == nil {
			s.mu.Lock()
			s.connected = cmd.Settings
			s.mu.Unlock()
		}
		return got.warning, got.launch, err
	}
	c.Attached = func(socket string) (list []apps.Session) {
		for _, other := range s.reg.live() {
			if h, _ := other.browserContext(); h != nil && h.Options.Attached() && h.Browser.Address() == socket {
				list = append(list, other)
			}
		}
		return list
	}
	c.Run = func(ctx context.Context, in apps.Session, words ...string) (run.Result, error) {
		of, ok := in.(*Session)
		if !ok {
			return run.Result{}, api.Errorf(api.Internal, "%s is no session", in.Name())
		}
		row, _ := of.batchRow(ctx, cmd, batch.Row{Words: words})
		return row()
	}
	return s.reg.apps.Run(ctx, c)
}

// appOptions returns how the app of --app is found or started.
func appOptions(cmd Command) app.Options {
	path := cmd.Call.Str("app")
	if !filepath.IsAbs(path) {
		path = filepath.Join(cmd.Cwd, path)
	}
	return app.Options{Path: filepath.Clean(path), Args: cmd.Call.List("app-arg"), Dir: cmd.Cwd, Display: browserhost.Display(cmd.Env)}
}

// connection returns the settings of a command with the browser that `connect` chose, unless the command chooses one.
func (s *Session) connection(set *config.Settings) *config.Settings {
	s.mu.Lock()
	from := s.connected
	s.mu.Unlock()
	if from == nil {
		return set
	}
	for _, name := range options.Sources() {
		if set.From(name) == config.Flags {
			return set
		}
	}
	for _, name := range []string{"cdp", "cdp-headers"} {
		if from.Given(name) {
			set = set.With(name, from.Str(name), "connect")
		}
	}
	return set
}

func (s *Session) isConnected() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.connected != nil
}

// disconnect forgets what connect chose.
func (s *Session) disconnect() {
	s.reg.apps.Leave(s)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.connected = nil
}
