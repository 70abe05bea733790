package snapshot

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/usher-browser/usher/internal/session/agenttool/result"
	"github.com/usher-browser/usher/internal/verb"
)

// IsRef matches refs: @e1, ref=e1 or e1.
var IsRef = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(?:@|ref=)?e\d+$`) })

// RefID returns a ref without its mark.
func RefID(text string) string { return strings.TrimPrefix(strings.TrimPrefix(text, "@"), "ref=") }

// EditableRoles are the roles of fields.
var EditableRoles = []string{"combobox", "searchbox", "textbox"}

// Matching returns the refs with one of the roles and exactly the name, in order. White space and case make no difference.
func Matching(refs map[string]result.RefInfo, roles []string, name string) (out []result.RefCandidate) {
	for _, id := range sortedIDs(refs) {
		if r := refs[id]; slices.Contains(roles, r.Role) && normal(r.Name) == normal(name) {
			out = append(out, result.RefCandidate{Ref: "@" + id, Role: r.Role, Name: r.Name})
		}
	}
	return out
}

// maxNames is how many names are told of what was not meant.
const maxNames = 8

// Names returns the names of the first refs with one of the roles, quoted.
func Names(refs map[string]result.RefInfo, roles []string) (names []string) {
	for _, id := range sortedIDs(refs) {
		if r := refs[id]; slices.Contains(roles, r.Role) && r.Name != "" && len(names) < maxNames {
			names = append(names, result.Quote(r.Name))
		}
	}
	return names
}

func sortedIDs(refs map[string]result.RefInfo) (ids []string) {
	for id := range refs {
		ids = append(ids, id)
	}
	slices.SortFunc(ids, ByNumber)
	return ids
}

func normal(name string) string { return strings.ToLower(strings.Join(strings.Fields(name), " ")) }

// ByNumber compares refs by their numbers.
func ByNumber(a, b string) int {
	if len(a) != len(b) {
		return len(a) - len(b)
	}
	return strings.Compare(a, b)
}

// RefsOf returns the refs that a command acts on.
func RefsOf(call *verb.Call) (refs []string) {
	for i := range call.Verb.Args {
		if a := &call.Verb.Args[i]; a.Kind == verb.Selector && call.Has(a.Name) {
			for _, text := range call.List(a.Name) {
				if IsRef().MatchString(text) {
					refs = append(refs, text)
				}
			}
		}
	}
	return refs
}
