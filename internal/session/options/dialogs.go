package options

import (
	"reflect"
	"slices"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/command/dialogs"
	"github.com/usher-browser/usher/internal/command/run"
	"github.com/usher-browser/usher/internal/config"
	"github.com/usher-browser/usher/internal/policy"
	"github.com/usher-browser/usher/internal/supervisor/model"
	"github.com/usher-browser/usher/internal/verb"
)

// NewPolicy returns the initial dialog policy of a session.
func NewPolicy(set *config.Settings) (model.Policy, error) {
	var p model.Policy
	for _, row := range table() {
		if row.dialogs == nil {
			continue
		}
		if err := row.dialogs(&p, row.in(set)); err != nil {
			return p, err
		}
	}
	return p, nil
}

// setDialogMode sets the requested policy, or the default of the program name that usher runs under.
func setDialogMode(p *model.Policy, v setting) error {
	switch {
	case v.str() != "":
		p.Mode = model.PolicyMode(v.str())
	case v.set.Mode == verb.AgentBrowser:
		p.Mode = model.AcceptNotices
	default:
		p.Mode = model.MustRespond
	}
	return nil
}

// setStandingRules sets the rules of the settings. Those without a name are named by their index.
func setStandingRules(p *model.Policy, v setting) error {
	var rules []policy.DialogRule
	for _, line := range v.list() {
		r, err := verb.ParseDialogRule(line)
		if err != nil { // checked when the command was parsed, or when the configuration was read
			panic("options: a dialog rule was not checked: " + err.Error())
		}
		if r.Name == "" {
			r.Name = dialogs.FreeRuleName("s", rules)
		}
		if slices.ContainsFunc(rules, func(o policy.DialogRule) bool { return o.Name == r.Name }) {
			return api.Errorf(api.InvalidArgument, "two dialog rules of the settings (%s) are named %s", v.set.Value(v.name).Where, r.Name)
		}
		rules = append(rules, r)
	}
	p.Standing = rules
	return nil
}

// Revise changes the policy in force by the options that are new in this command. A policy set by `dialog rule` or
// `dialog policy` stays, unless a flag of this command overrides it.
func (o Live) Revise(p *model.Policy, old Live, set *config.Settings) error {
	for _, row := range table() {
		if row.dialogs == nil || o[row.name] == old[row.name] && !row.in(set).asFlag() {
			continue
		}
		if err := row.dialogs(p, row.in(set)); err != nil {
			return err
		}
	}
	return nil
}

// OverridesPolicy reports whether a flag requests another policy than the one in force, which a command may have
// changed since the flag was first given.
func OverridesPolicy(set *config.Settings, work *run.BrowserContext) bool {
	have := work.Browser.State().Policies[work.Context]
	for _, row := range table() {
		if row.dialogs == nil || !row.in(set).asFlag() {
			continue
		}
		want := have
		if err := row.dialogs(&want, row.in(set)); err != nil || !reflect.DeepEqual(want, have) {
			return true // the error is reported when it is applied
		}
	}
	return false
}
