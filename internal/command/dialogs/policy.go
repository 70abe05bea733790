package dialogs

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/command/run"
	"github.com/usher-browser/usher/internal/policy"
	"github.com/usher-browser/usher/internal/supervisor/model"
	"github.com/usher-browser/usher/internal/verb"
	"github.com/usher-browser/usher/internal/verb/shell"
)

// dialogPolicy shows or sets what happens to dialogs. --timeout means the
// dialogs' here: the verb itself has nothing to wait for.
func dialogPolicy(_ context.Context, e *run.Env, c *verb.Call) (run.Reply[Policy], error) {
	var now model.Policy
	err := e.Browser.UpdatePolicy(e.Context, func(p *model.Policy) error {
		if c.Has("policy") {
			p.Mode = model.PolicyMode(c.Str("policy"))
		}
		if c.Globals.Has("timeout") {
			p.Timeout = c.Dur("timeout")
		}
		now = *p
		return nil
	})
	if err != nil {
		return run.Reply[Policy]{}, err
	}
	limit := now.WatchdogTimeout()
	text := string(now.Mode)
	switch now.Mode {
	case model.MustRespond, model.AcceptNotices:
		text += fmt.Sprintf("; an unanswered dialog is dismissed after %s", limit)
	case model.AutoAccept, model.AutoDismiss:
	}
	if n := len(now.Rules) + len(now.Standing); n > 0 {
		text += fmt.Sprintf("\nrules applied before it: %d; `dialog rule` lists them", n)
	}
	return run.Reply[Policy]{Data: Policy{Policy: string(now.Mode), TimeoutMS: limit.Milliseconds(), Rules: ruleData(&now)}, Text: text}, nil
}

// dialogRule lists, adds or removes rules.
func dialogRule(_ context.Context, e *run.Env, c *verb.Call) (run.Reply[Rules], error) {
	var now model.Policy
	head := ""
	words, err := withTabs(e, c)
	if err != nil {
		return run.Reply[Rules]{}, err
	}
	err = e.Browser.UpdatePolicy(e.Context, func(p *model.Policy) (err error) {
		switch c.Str("action") {
		case "add":
			tabs := e.Browser.State().Tabs
			p.Rules = slices.DeleteFunc(p.Rules, func(r policy.DialogRule) bool { return r.Tab != "" && tabs[model.TargetID(r.Tab)] == nil })
			head, err = addRule(p, words)
		case "remove":
			head, err = removeRules(p, c.List("words"))
		}
		now = *p
		return err
	})
	if err != nil {
		return run.Reply[Rules]{}, err
	}
	var lines []string
	if head != "" {
		lines = append(lines, head)
	}
	for i := range now.Rules {
		lines = append(lines, ruleLine(&now.Rules[i], ""))
	}
	for i := range now.Standing {
		lines = append(lines, ruleLine(&now.Standing[i], "  (settings)"))
	}
	if len(now.Rules)+len(now.Standing) == 0 {
		lines = append(lines, "No rules: the policy applies ("+string(now.Mode)+")")
	}
	return run.Reply[Rules]{Data: Rules{Rules: ruleData(&now)}, Text: strings.Join(lines, "\n")}, nil
}

// withTabs returns the words of a rule, with the target id of the tab in place of its id or label.
func withTabs(e *run.Env, c *verb.Call) ([]string, error) {
	words := slices.Clone(c.List("words"))
	if c.Str("action") != "add" {
		return words, nil
	}
	for i, w := range words {
		if name, ok := strings.CutPrefix(w, "tab="); ok && name != "" {
			t, err := e.FindTab(name)
			if err != nil {
				return nil, err
			}
			words[i] = "tab=" + string(t.ID)
		}
	}
	return words, nil
}

func addRule(p *model.Policy, words []string) (head string, err error) {
	r, err := policy.ParseDialogRule(words)
	if err != nil {
		return "", api.Errorf(api.InvalidArgument, "dialog rule add: %w", err)
	}
	all := append(slices.Clone(p.Rules), p.Standing...)
	if r.Name == "" {
		r.Name = FreeRuleName("r", all)
	}
	if slices.ContainsFunc(all, named(r.Name)) {
		return "", api.Errorf(api.InvalidArgument, "dialog rule add: a rule named %s exists", r.Name).
			WithHint("Remove it first with `dialog rule remove %s`, or choose another name.", r.Name)
	}
	if len(all) >= maxRules {
		return "", api.Errorf(api.InvalidArgument, "dialog rule add: there are already %d rules, which is the maximum", len(all))
	}
	p.Rules = append(p.Rules, r)
	return "✓ Added " + r.Name, nil
}

// maxRules bounds what every dialog is held against.
const maxRules = 200

func removeRules(p *model.Policy, names []string) (head string, err error) {
	for _, name := range names {
		before := len(p.Rules) + len(p.Standing)
		p.Rules, p.Standing = slices.DeleteFunc(p.Rules, named(name)), slices.DeleteFunc(p.Standing, named(name))
		if len(p.Rules)+len(p.Standing) == before {
			return "", api.Errorf(api.InvalidArgument, "dialog rule remove: there is no rule named %s", name).
				WithHint("`dialog rule` lists the rules.")
		}
	}
	return "✓ Removed " + strings.Join(names, ", "), nil
}

func named(name string) func(policy.DialogRule) bool {
	return func(r policy.DialogRule) bool { return r.Name == name }
}

// FreeRuleName returns a name that none of the rules has.
func FreeRuleName(prefix string, rules []policy.DialogRule) string {
	for n := len(rules) + 1; ; n++ {
		if name := fmt.Sprintf("%s%d", prefix, n); !slices.ContainsFunc(rules, named(name)) {
			return name
		}
	}
}

func ruleLine(r *policy.DialogRule, where string) string {
	return r.Name + "  " + shell.Join(unnamed(r)) + where
}

// unnamed returns the words of a rule without its name.
func unnamed(r *policy.DialogRule) []string {
	c := *r
	c.Name = ""
	return c.Words()
}

func ruleData(p *model.Policy) []Rule {
	out := []Rule{}
	add := func(list []policy.DialogRule, from string) {
		for i := range list {
			out = append(out, Rule{Name: list[i].Name, Rule: unnamed(&list[i]), From: from})
		}
	}
	add(p.Rules, "command")
	add(p.Standing, "settings")
	return out
}
