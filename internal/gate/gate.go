// Package gate decides which commands a person's policy allows (--action-policy, --confirm-actions), and keeps those that
// wait for a confirmation.
//
// A policy names commands by category ([verb.Categories]), by name, by the first word that several share, or by the action
// name that agent-browser sends to its daemon. Commands that end a session, list sessions or describe the program are never
// refused, nor is starting a browser without an address.
package gate

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/usher-browser/usher/internal/files"
	"github.com/usher-browser/usher/internal/verb"
	"github.com/usher-browser/usher/internal/verb/spelling"
)

// Decision is what happens to a command.
type Decision string

// The decisions.
const (
	Allow   Decision = "allow"
	Deny    Decision = "deny"
	Confirm Decision = "confirm"
)

// Policy is a policy file. It does not change after [Parse].
type Policy struct {
	Path    string
	Default Decision
	lists   map[Decision][]string
}

// Gate is the policy of one session. The zero value allows everything. It is safe for concurrent use.
type Gate struct {
	mu      sync.Mutex
	path    string   // guarded by mu: of the file; empty for none
	stamp   string   // guarded by mu: size and time of the file that was read last
	policy  *Policy  // guarded by mu: the last valid one
	broken  error    // guarded by mu: why the newest file is not valid; nil if it is
	confirm []string // guarded by mu: names that --confirm-actions lists
}

// mostPolicy bounds a policy file, in bytes.
const mostPolicy = 1 << 20

// Set sets the policy file, and the names of --confirm-actions; empty values keep what was set before. An invalid file is
// an error if no version of it was valid, and otherwise a warning: the last valid version stays in force. The file is read
// again when it has changed.
func (g *Gate) Set(ctx context.Context, table *verb.Table, path string, confirm []string) (warning string, err error) {
	for _, name := range confirm {
		if err := known(table, name); err != nil {
			return "", fmt.Errorf("--confirm-actions: %w", err)
		}
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if path != "" && path != g.path {
		p, stamp, err := load(ctx, table, path)
		if err != nil {
			return "", g.kept(err)
		}
		g.path, g.stamp, g.policy, g.broken = path, stamp, p, nil
	}
	if len(confirm) > 0 {
		g.confirm = confirm
	}
	g.reload(ctx, table)
	if g.broken != nil {
		return g.broken.Error() + "; the last valid version of the policy stays in force", nil
	}
	return "", nil
}

// InForce reports whether there is a policy, or anything to confirm.
func (g *Gate) InForce() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.path != "" || len(g.confirm) > 0
}

// Reset removes the policy and what is to be confirmed.
func (g *Gate) Reset() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.path, g.stamp, g.policy, g.broken, g.confirm = "", "", nil, nil, nil
}

// kept adds to the error about a new file that the one before stays in force.
func (g *Gate) kept(err error) error {
	if g.policy == nil {
		return err
	}
	return fmt.Errorf("%w; the policy %s stays in force", err, g.path)
}

// reload reads the file again if it has changed. The caller holds mu.
func (g *Gate) reload(ctx context.Context, table *verb.Table) {
	if g.path == "" {
		return
	}
	stamp, err := stampOf(ctx, g.path)
	if err == nil && stamp == g.stamp {
		return
	}
	p, stamp, err := load(ctx, table, g.path)
	g.broken = err
	if err == nil {
		g.policy, g.stamp = p, stamp
	}
}

func stampOf(ctx context.Context, path string) (string, error) {
	fi, err := files.Stat(ctx, path)
	if err != nil {
		return "", fmt.Errorf("read the action policy: %w", err)
	}
	return fmt.Sprint(fi.Size(), fi.ModTime().UnixNano()), nil
}

func load(ctx context.Context, table *verb.Table, path string) (*Policy, string, error) {
	stamp, err := stampOf(ctx, path)
	if err != nil {
		return nil, "", err
	}
	text, err := files.Read(ctx, path, mostPolicy)
	if err != nil {
		return nil, "", fmt.Errorf("read the action policy: %w", err)
	}
	p, err := Parse(table, path, text)
	return p, stamp, err
}

// Decide returns what happens to a command, and which rule says so. uses are what it does besides, such as uses of plugins:
// they are judged also if the command itself is never refused.
func (g *Gate) Decide(c *verb.Call, uses ...verb.Act) (d Decision, rule string) {
	g.mu.Lock()
	p, confirm := g.policy, g.confirm
	g.mu.Unlock()
	if Exempt(c) {
		uses = append(c.ActsBesides(), uses...)
		return judge(p, confirm, uses, append(byName(c), uses...))
	}
	all := append(c.Acts(), uses...)
	return judge(p, confirm, all, all)
}

// DecideAct returns what happens to something that a command may leave out, such as the outline after an action, and which rule says so.
func (g *Gate) DecideAct(act verb.Act) (d Decision, rule string) {
	g.mu.Lock()
	p, confirm := g.policy, g.confirm
	g.mu.Unlock()
	acts := []verb.Act{act}
	return judge(p, confirm, acts, acts)
}

// judge applies a policy, nil for none, and the names to confirm. The default is for all acts, the lists are for the named ones.
func judge(p *Policy, confirm []string, all, named []verb.Act) (d Decision, rule string) {
	if p == nil && len(confirm) == 0 || len(named) == 0 {
		return Allow, ""
	}
	has := func(list []string) (string, bool) {
		for _, a := range named {
			for _, name := range list {
				if matches(a, name) {
					return name, true
				}
			}
		}
		return "", false
	}
	if name, ok := has(confirm); ok && (p == nil || !p.denies(has)) {
		return Confirm, name + " is in --confirm-actions"
	}
	if p == nil {
		return Allow, ""
	}
	for _, d := range [...]Decision{Deny, Confirm} {
		if name, ok := has(p.lists[d]); ok {
			return d, name + " is in " + string(d) + " of " + p.Path
		}
	}
	if missing := p.notAllowed(all); p.Default != Allow && missing != "" {
		return p.Default, missing + " is not in allow of " + p.Path + ", whose default is " + string(p.Default)
	}
	return Allow, ""
}

// notAllowed returns the name of the first act that the policy's list allow has not; empty if it has all.
func (p *Policy) notAllowed(all []verb.Act) string {
	for _, a := range all {
		if !slices.ContainsFunc(p.lists[Allow], func(name string) bool { return matches(a, name) }) {
			return a.Name
		}
	}
	return ""
}

func (p *Policy) denies(has func([]string) (string, bool)) bool {
	_, denied := has(p.lists[Deny])
	return denied
}

// Exempt reports whether a command is never refused, unless a list has its own name (see byName).
func Exempt(c *verb.Call) bool {
	if c.Verb.Category == verb.CatNavigate && c.Verb.Is(verb.Starts) {
		// What starts a session and opens no page. `diff url` requires both of its addresses.
		takes := slices.ContainsFunc(c.Verb.Args, func(a verb.Arg) bool { return a.Name == "url" })
		return takes && !c.Has("url")
	}
	return slices.ContainsFunc(verb.Categories(), func(i verb.CategoryInfo) bool { return i.Free && i.Category == c.Verb.Category })
}

// byName returns the acts for which a command that is never refused otherwise is refused by its own name: `set credentials`
// and `connect`, while `close` is always possible.
func byName(c *verb.Call) []verb.Act {
	if c.Verb.Category == verb.CatNavigate || !c.Verb.Is(verb.ChangesPage) && !c.Verb.Is(verb.Starts) {
		return nil
	}
	acts := c.Acts()
	for i := range acts {
		acts[i].Category = ""
	}
	return acts
}

// matches reports whether a name of a policy is for an act.
func matches(a verb.Act, name string) bool {
	name = strings.ToLower(name)
	if target, ok := actionNames()[name]; ok {
		name = target
	}
	first, _, two := strings.Cut(a.Name, " ")
	return name == string(a.Category) || name == strings.ToLower(a.Name) || strings.ReplaceAll(name, "_", " ") == a.Name || two && name == first ||
		slices.Contains(a.Synonyms, name)
}

// known returns an error for a name that is none of a policy.
func known(table *verb.Table, name string) error {
	word := strings.ToLower(name)
	if _, ok := actionNames()[word]; ok {
		return nil
	}
	names := []string{"launch"}
	for _, c := range verb.Categories() {
		names = append(names, string(c.Category))
	}
	for _, v := range table.All() {
		names = append(append(names, v.Name), v.Synonyms...)
	}
	for _, f := range table.Families() {
		names = append(names, f.Name)
	}
	for _, m := range verb.MissingCommands() {
		names = append(names, m.Name)
	}
	first, _, _ := strings.Cut(word, "_")
	missing := func(m verb.Missing) bool { return m.Name == first }
	if slices.Contains(names, word) || slices.Contains(names, strings.ReplaceAll(word, "_", " ")) || slices.ContainsFunc(verb.MissingCommands(), missing) {
		return nil
	}
	if rest, ok := strings.CutPrefix(word, "plugin:"); ok {
		if plugin, capability, ok := strings.Cut(rest, ":"); ok && plugin != "" && capability != "" {
			return nil
		}
		return fmt.Errorf("%q: write plugin:NAME:CAPABILITY, such as plugin:vault:credential.read; plugin is all of them", name)
	}
	for action := range actionNames() {
		names = append(names, action)
	}
	slices.Sort(names)
	if near := spelling.Nearest(word, slices.Compact(names)); len(near) > 0 {
		return fmt.Errorf("%q is neither a category nor a command; did you mean %s?", name, strings.Join(near, " or "))
	}
	list := make([]string, 0, len(verb.Categories()))
	for _, c := range verb.Categories() {
		list = append(list, string(c.Category))
	}
	return fmt.Errorf("%q is neither a category nor a command; the categories are %s", name, strings.Join(list, ", "))
}

// errSyntax is for what is no JSON object.
var errSyntax = errors.New(`is not a policy: write {"default": "allow", "deny": ["eval"], "confirm": ["download"]}`)
