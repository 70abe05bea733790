package session

import (
	"slices"

	"github.com/usher-browser/usher/internal/command/dialogs"
	"github.com/usher-browser/usher/internal/command/run"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/config"
	"github.com/usher-browser/usher/internal/policy"
	"github.com/usher-browser/usher/internal/supervisor/model"
	"github.com/usher-browser/usher/internal/verb"
)

// policy returns the initial dialog policy of a session: the requested one, or the default of the program name that
// usher runs under.
func (o contextOptions) policy(set *config.Settings) (model.Policy, error) {
	standing, err := standingRules(set)
	return model.Policy{Mode: o.mode(set), Timeout: o.dialogTimeout, Standing: standing}, err
}

func (o contextOptions) mode(set *config.Settings) model.PolicyMode {
	switch {
	case o.dialogPolicy != "":
		return model.PolicyMode(o.dialogPolicy)
	case set.Mode == verb.AgentBrowser:
		return model.AcceptNotices
	}
	return model.MustRespond
}

// standingRules returns the rules of the settings. Those without a name are named by their index.
func standingRules(set *config.Settings) ([]policy.DialogRule, error) {
	var rules []policy.DialogRule
	for _, line := range set.List("dialog-rules") {
		r, err := verb.ParseDialogRule(line)
		if err != nil { // checked when the command was parsed, or when the configuration was read
			panic("session: a dialog rule was not checked: " + err.Error())
		}
		if r.Name == "" {
			r.Name = dialogs.FreeRuleName("s", rules)
		}
		if slices.ContainsFunc(rules, func(o policy.DialogRule) bool { return o.Name == r.Name }) {
			return nil, api.Errorf(api.InvalidArgument, "two dialog rules of the settings (%s) are called %s", set.Value("dialog-rules").Where, r.Name)
		}
		rules = append(rules, r)
	}
	return rules, nil
}

// revise changes the policy in force by the options that are new in this command. A policy set by command stays, unless
// a flag of this command overrides it.
func (o contextOptions) revise(p *model.Policy, old contextOptions, set *config.Settings) error {
	if o.dialogPolicy != old.dialogPolicy || set.From("dialog-policy") == config.Flags {
		p.Mode = o.mode(set)
	}
	if o.dialogTimeout != old.dialogTimeout || set.From("dialog-timeout") == config.Flags {
		p.Timeout = o.dialogTimeout
	}
	if o.dialogRules != old.dialogRules || set.From("dialog-rules") == config.Flags {
		standing, err := standingRules(set)
		if err != nil {
			return err
		}
		p.Standing = standing
	}
	return nil
}

// overruled reports whether a flag requests another policy than is in force, which a command may have changed since the
// flag was given first.
func overruled(set *config.Settings, work *run.BrowserContext) bool {
	p := work.Browser.State().Policies[work.Context]
	return set.From("dialog-policy") == config.Flags && string(p.Mode) != set.Str("dialog-policy") ||
		set.From("dialog-timeout") == config.Flags && p.Timeout != set.Dur("dialog-timeout")
}

// onDialog sets the rule of --on-dialog for one command.
func onDialog(set *config.Settings, env *run.Env) (end func()) {
	if !set.Given("on-dialog") || env.Tab == "" {
		return func() {}
	}
	r, err := policy.ParseDialogAnswer(set.Str("on-dialog"))
	if err != nil { // checked when the command was parsed
		panic("session: --on-dialog was not checked: " + err.Error())
	}
	r.Name = "--on-dialog"
	return env.Browser.Overrule(env.Tab, r)
}
