package session

import (
	"context"
	"io"
	"strings"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/command/run"
	"github.com/usher-browser/usher/internal/config"
	"github.com/usher-browser/usher/internal/config/protect"
	"github.com/usher-browser/usher/internal/session/agenttool"
	"github.com/usher-browser/usher/internal/session/agenttool/result"
	"github.com/usher-browser/usher/internal/session/agenttool/step"
	"github.com/usher-browser/usher/internal/session/options"
	"github.com/usher-browser/usher/internal/verb"
)

// agentToolVerb runs a call of the tool agent_browser.
func (s *Session) agentToolVerb(ctx context.Context, cmd Command) (run.Result, error) {
	c := &agentCaller{s.reg, cmd}
	r := &agenttool.Request{Client: cmd.Call.Str("client"), Cwd: cmd.Cwd, Prompt: cmd.Call.Str("user-prompt")}
	if cmd.Call.Globals.Has("session") {
		r.Session = options.SessionOf(cmd.Settings).Name
	}
	if cmd.Call.Bool("release") {
		return run.Result{Data: &result.Result{Content: []result.Content{}, Details: &result.Details{Success: true, ResultCategory: "success"}}},
			s.reg.agents.Release(ctx, c, r)
	}
	input := cmd.Call.Str("input")
	if input == "-" || input == "" {
		raw, err := io.ReadAll(io.LimitReader(cmd.Stdin, maxAgentInput+1))
		if err != nil {
			return run.Result{}, api.Errorf(api.InvalidArgument, "agent-tool: read standard input: %w", err)
		}
		input = string(raw)
	}
	if len(input) > maxAgentInput {
		return run.Result{}, api.Errorf(api.TooLarge, "agent-tool: the input has more than %d MB", maxAgentInput>>20)
	}
	r.Input = []byte(input)
	res := s.reg.agents.Call(ctx, c, r)
	return run.Result{Data: res, Text: res.Text()}, nil
}

// maxAgentInput bounds the arguments of a call, in bytes: 10 MB of standard input, as JSON.
const maxAgentInput = 14 << 20

// agentCaller runs the commands of a call, with the settings of the command that made it.
type agentCaller struct {
	reg *Registry
	cmd Command
}

// Table implements [step.Host].
func (c *agentCaller) Table() *verb.Table { return c.reg.opts.Table }

// Run implements [step.Host].
func (c *agentCaller) Run(ctx context.Context, row step.Row) (run.Result, error) {
	cmd := c.cmd
	cmd.Call, cmd.Preset, cmd.Tab, cmd.Stdin, cmd.Emit, cmd.Ask = row.Call, nil, "", strings.NewReader(row.Stdin), nil, nil
	if cmd.Guard == nil && c.Guarded() {
		cmd.Guard = cmd.Settings
	}
	base := c.cmd.Call.Globals.Without("session", "namespace", "json", "timeout")
	set, err := config.Load(config.Source{Mode: cmd.Settings.Mode, Env: cmd.Env, Cwd: cmd.Cwd, Flags: row.Call.Globals.Over(base)})
	if err != nil {
		return run.Result{}, err
	}
	cmd.Settings = set
	return warnIgnored(row.Call)(c.reg.Run(ctx, cmd))
}

// Work implements [step.Host].
func (c *agentCaller) Work(namespace, session string) *run.BrowserContext {
	c.reg.mu.Lock()
	s := c.reg.sessions[sessionKey{namespace, session}]
	c.reg.mu.Unlock()
	if s == nil {
		return nil
	}
	h, work := s.browserContext()
	if h == nil || h.Dead() {
		return nil
	}
	return work
}

// Guarded implements [step.Host].
func (c *agentCaller) Guarded() bool { return guardOn(guardSettings(c.cmd)) }

// Artifacts implements [step.Host].
func (c *agentCaller) Artifacts() string { return c.cmd.Artifacts }

// MayWrite implements [step.Host].
func (c *agentCaller) MayWrite(path string) error {
	s := &Session{reg: c.reg}
	paths := protect.New(func(name string) string { v, _ := c.cmd.Env(name); return v }, s.protected(c.cmd))
	return paths.Write(path)
}
