package schema

import (
	_ "embed"
	"slices"
	"strings"
	"sync"
)

//go:embed allowed.txt
var allowedText string

//go:embed instead.txt
var hintsText string

// Scope is what is judged before and after a call that is allowed under the site guard.
type Scope string

// The scopes; allowed.txt defines them.
const (
	ScopeFree   Scope = "free"
	ScopeFrame  Scope = "frame"
	ScopeScript Scope = "script"
	ScopePage   Scope = "page"
)

// Rule is the condition for calling a method under the site guard.
type Rule struct {
	Scope Scope
	// Browser reports whether the call may go to the browser itself.
	Browser bool
	// Params are the allowed parameters.
	Params []string
}

// Takes reports whether a parameter is allowed.
func (r *Rule) Takes(param string) bool { return slices.Contains(r.Params, param) }

// Allowed returns the rule for a method under the site guard, nil if the method is refused there.
func Allowed(method string) *Rule { return allowed()[method] }

var allowed = sync.OnceValue(func() map[string]*Rule {
	all := map[string]*Rule{}
	for line := range strings.Lines(allowedText) {
		words := strings.Fields(line)
		if len(words) < 2 || strings.HasPrefix(words[0], "#") {
			continue
		}
		scope, where, _ := strings.Cut(words[1], "/")
		all[words[0]] = &Rule{Scope: Scope(scope), Browser: where == "browser", Params: words[2:]}
	}
	return all
})

// Hint returns a hint about what to use in place of a method that is refused under the site guard; empty if there is
// none.
func Hint(method string) string {
	domain, _, _ := strings.Cut(method, ".")
	table := hints()
	if text := table[method]; text != "" {
		return text
	}
	return table[domain]
}

// HasHint reports whether there is a hint for this very method, even if the protocol's description leaves it out.
func HasHint(method string) bool { return hints()[method] != "" }

var hints = sync.OnceValue(func() map[string]string {
	all := map[string]string{}
	for line := range strings.Lines(hintsText) {
		if method, text, ok := strings.Cut(strings.TrimSpace(line), "  "); ok && !strings.HasPrefix(line, "#") {
			all[method] = strings.TrimSpace(text)
		}
	}
	return all
})
