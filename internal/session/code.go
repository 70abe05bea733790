package session

import (
	"context"
	"slices"
	"strings"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/browserhost"
	"github.com/usher-browser/usher/internal/command/run"
	"github.com/usher-browser/usher/internal/config"
	"github.com/usher-browser/usher/internal/gate"
	"github.com/usher-browser/usher/internal/session/code"
	"github.com/usher-browser/usher/internal/session/code/order"
	"github.com/usher-browser/usher/internal/session/code/permit"
	"github.com/usher-browser/usher/internal/session/options"
	"github.com/usher-browser/usher/internal/supervisor/model"
	"github.com/usher-browser/usher/internal/verb"
)

// runVerb runs code in the tab.
func (s *Session) runVerb(ctx context.Context, cmd Command) (run.Result, error) {
	c := &codeCaller{s, cmd}
	if cmd.Call.Bool("reset") {
		return code.Reset(&s.code, cmd.Call.Str("keep")), nil
	}
	asked, err := order.Read(cmd.Call, cmd.Settings, cmd.Stdin, cmd.Cwd)
	if err != nil {
		return run.Result{}, err
	}
	if asked.Intent != "" {
		allowed, failed := c.Restrictions(ctx)
		if err := permit.Check(allowed, failed, asked.Intent); err != nil {
			return run.Result{}, err
		}
	}
	// The browser is started, and the tab chosen, as for other commands.
	tab := cmd.Tab
	if cmd.Call.Has("tab") {
		tab = cmd.Call.Str("tab")
	}
	err = c.InTab(ctx, model.TargetID(tab), cmd.Call.Verb, func(_ context.Context, e *run.Env, _ *verb.Call) (run.Result, error) {
		asked.Tab, asked.Label = e.Tab, tabName(e)
		return run.Result{}, nil
	})
	if err != nil {
		return run.Result{}, err
	}
	emit := cmd.Emit
	if cmd.Settings.Bool("json") || cmd.Settings.Int("max-output") > 0 || c.Redacts() {
		emit = nil // the result is encoded, bounded or redacted as a whole
	}
	return code.Execute(ctx, &s.code, c, asked, emit)
}

// codeCaller runs what code asks for, with the settings of the command that runs the code.
type codeCaller struct {
	s   *Session
	cmd Command
}

// Command implements [code.Session].
func (c *codeCaller) Command(ctx context.Context, asked code.Command) (run.Result, error) {
	call, err := c.s.reg.opts.Table.NewCall(asked.Name, asked.Values, c.cmd.Settings.Mode)
	if err != nil {
		return run.Result{}, err
	}
	if call.Verb.Is(verb.Local) {
		return run.Result{}, api.Errorf(api.InvalidArgument, "%s cannot be used in code", asked.Name)
	}
	if asked.Category != "" {
		as := *call.Verb
		as.Category = asked.Category
		call.Verb = &as
	}
	cmd := c.of(call)
	cmd.Tab, cmd.asked = asked.Tab, &asked
	if len(call.Globals.Names()) > 0 {
		set, err := config.Load(config.Source{Mode: cmd.Settings.Mode, Env: cmd.Env, Cwd: cmd.Cwd, Flags: call.Globals.Over(c.cmd.Call.Globals)})
		if err != nil {
			return run.Result{}, err
		}
		cmd.Settings = set
	}
	return c.s.dispatch(ctx, cmd)
}

// of returns a command that code runs.
func (c *codeCaller) of(call *verb.Call) Command {
	cmd := c.cmd
	cmd.Call, cmd.Preset, cmd.Stdin, cmd.Emit = call, nil, strings.NewReader(""), nil
	if cmd.Guard == nil && guardOn(cmd.Settings) {
		cmd.Guard = cmd.Settings
	}
	return cmd
}

// InTab implements [code.Session].
func (c *codeCaller) InTab(ctx context.Context, tab model.TargetID, v *verb.Verb, f run.Func) error {
	cmd := c.of(&verb.Call{Verb: v, Mode: c.cmd.Settings.Mode})
	cmd.Tab, cmd.unordered = string(tab), true
	domains, _, err := c.s.restrict(ctx, cmd)
	if err != nil {
		return err
	}
	cmd.domains = domains
	_, err = c.s.runInBrowser(ctx, cmd, run.Around(v, f), c.s.sites(ctx, cmd))
	return err
}

// outside is the grammar of requests that this machine sends.
var outside = &verb.Verb{Name: "run", Category: verb.CatWeb, Marks: verb.NeedsBrowser}

// Outside implements [code.Session]. To a policy the request is the command `read url`, and like that it is judged as one of this machine.
func (c *codeCaller) Outside(ctx context.Context, tab model.TargetID, address string, f func(context.Context, *run.Env) error) error {
	values := verb.Values{}
	values.Set("url", address)
	call, err := c.s.reg.opts.Table.NewCall("read url", values, c.cmd.Settings.Mode)
	if err != nil {
		return err
	}
	cmd := c.of(call)
	cmd.Tab, cmd.unordered = string(tab), true
	if cmd.domains, _, err = c.s.restrict(ctx, cmd); err != nil {
		return err
	}
	if decision, rule := c.s.gate.Decide(call); decision != gate.Allow {
		return api.Errorf(api.ActionDenied, "Action 'read url' denied by policy: a request of code is not sent, because %s", rule).With("action", "read url")
	}
	sites := c.s.sites(ctx, cmd)
	if sites != nil {
		sites.Debugger = c.s.reg.debugger(true)
	}
	_, err = c.s.runInBrowser(ctx, cmd, run.Around(outside, func(ctx context.Context, e *run.Env, _ *verb.Call) (run.Result, error) {
		h, _ := c.s.browserContext()
		if h != nil && (h.Options.Browser.Mine || h.Options.Browser.Try) { // the extension cannot judge what does not go through the browser
			return run.Result{}, api.Errorf(api.Unsupported, "requests without the page are not sent with the logins of a person's own browser").
				WithHint("Use fetch in page.evaluate.")
		}
		if h != nil && e.Settings.Proxy == "" {
			e.Settings.Proxy = options.ProxyAddress(h.Options.Browser.Proxy)
		}
		return run.Result{}, f(ctx, e)
	}), sites)
	return err
}

// Restrictions implements [code.Session]. Sessions in the person's own browser over the relay will ask it; all others have none.
func (c *codeCaller) Restrictions(context.Context) (*permit.Restrictions, error) { return nil, nil }

// Work implements [code.Session].
func (c *codeCaller) Work() *run.BrowserContext {
	_, work := c.s.browserContext()
	return work
}

// Viewport implements [code.Session].
func (c *codeCaller) Viewport() *code.Viewport {
	if set := c.s.option("viewport"); set != "" {
		v, err := verb.ParseViewport(set)
		if err != nil { // it was checked when it was set
			return nil
		}
		out := &code.Viewport{Width: v.Width, Height: v.Height, Mobile: c.s.option("mobile") != "", HasTouch: c.s.option("touch") != ""}
		if v.Scale != 1 {
			out.Scale = v.Scale
		}
		return out
	}
	h, _ := c.s.browserContext()
	if h == nil || !h.Options.Launches() || h.Options.Traits().Headed || slices.ContainsFunc(h.Options.Browser.Args, setsWindowSize) {
		return nil
	}
	return &code.Viewport{Width: browserhost.DefaultViewport.Width, Height: browserhost.DefaultViewport.Height}
}

// setsWindowSize reports whether a switch of the browser gives its window another size.
func setsWindowSize(arg string) bool {
	return strings.HasPrefix(arg, "--window-size") || strings.HasPrefix(arg, "--screen-info")
}

// Begun implements [code.Session].
func (c *codeCaller) Begun() (number uint64, restricted bool) {
	return c.s.begun.Load(), c.s.gate.InForce()
}

// Redacts implements [code.Session].
func (c *codeCaller) Redacts() bool { return guardOn(guardSettings(c.cmd)) }

// JudgesCDP implements [code.Session].
func (c *codeCaller) JudgesCDP() bool {
	domains, err := c.s.allowed() // the list may have come into force while the code runs
	return c.Redacts() || domains != nil || err != nil
}

// tabName returns the label of the tab, or its id.
func tabName(e *run.Env) string {
	if label := e.Labels.Of(e.Tab); label != "" {
		return label
	}
	if t := e.Browser.State().Tabs[e.Tab]; t != nil {
		return run.TabID(t)
	}
	return ""
}
