// Package revisions numbers the snapshots of `snapshot --delta` as agent-browser does, and says in that tool's form what
// changed from one to the next.
package revisions

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/go-json-experiment/json"
)

// Node is the element of a ref.
type Node struct {
	Name string `json:"name"`
	Role string `json:"role"`
}

// Revision is the data of a snapshot. Which members it has depends on its kind: full has Tree and Refs; unchanged has
// BaseRevision; delta has BaseRevision, Changes and TreeChange.
type Revision struct {
	Kind         string          `json:"kind"`
	Revision     int             `json:"revision"`
	BaseRevision int             `json:"baseRevision,omitzero"` // that of the snapshot it is compared with
	Tree         *string         `json:"tree,omitzero"`         // the outline
	Refs         map[string]Node `json:"refs,omitzero"`
	Changes      []Change        `json:"changes,omitzero"`
	TreeChange   *TreeChange     `json:"treeChange,omitzero"`
}

// Change is one ref that is new (op add), gone (remove), or whose element has another name or role (replace).
type Change struct {
	Op    string  `json:"op"`
	Ref   string  `json:"ref"` // as @e4
	Node  *Node   `json:"node,omitzero"`
	Field string  `json:"field,omitzero"` // name or role
	Value *string `json:"value,omitzero"` // the new one
}

// TreeChange replaces lines of the outline.
type TreeChange struct {
	DeleteCount int      `json:"deleteCount"`
	Lines       []string `json:"lines"`
	StartLine   int      `json:"startLine"` // counts from 0
}

// Log has the last revision of each tab. The zero value is empty.
type Log struct {
	mu   sync.Mutex
	last int             // guarded by mu: number of the last revision
	tabs map[string]seen // guarded by mu
}

type seen struct {
	number  int
	options string
	tree    string
	refs    map[string]Node
}

// most is the number of tabs whose last revision is kept.
const most = 32

// Next returns the next revision of a tab's outline. It is full for the first one, for other options than the last had, if
// whole is set, and if little of the outline is as it was.
func (l *Log) Next(tab, options, tree string, refs map[string]Node, whole bool) Revision {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.last++
	base, known := l.tabs[tab]
	if l.tabs == nil || len(l.tabs) >= most && !known {
		l.tabs = map[string]seen{} // the others begin with a full one again
	}
	l.tabs[tab] = seen{l.last, options, tree, refs}
	if !known || whole || base.options != options {
		return full(l.last, tree, refs)
	}
	changes := compare(base.refs, refs)
	if base.tree == tree && len(changes) == 0 {
		return Revision{Kind: "unchanged", Revision: l.last, BaseRevision: base.number}
	}
	d := Revision{Kind: "delta", Revision: l.last, BaseRevision: base.number, Changes: changes, TreeChange: splice(base.tree, tree)}
	if text, err := json.Marshal(d); err != nil || 2*len(text) > len(tree) {
		return full(l.last, tree, refs)
	}
	return d
}

func full(number int, tree string, refs map[string]Node) Revision {
	return Revision{Kind: "full", Revision: number, Tree: &tree, Refs: refs}
}

// compare returns what differs between two maps of refs, in the order of the refs.
func compare(before, after map[string]Node) []Change {
	changes := []Change{}
	for ref := range before {
		if _, stays := after[ref]; !stays {
			changes = append(changes, Change{Op: "remove", Ref: "@" + ref})
		}
	}
	for ref, node := range after {
		old, known := before[ref]
		if !known {
			changes = append(changes, Change{Op: "add", Ref: "@" + ref, Node: &node})
			continue
		}
		if old.Name != node.Name {
			changes = append(changes, Change{Op: "replace", Ref: "@" + ref, Field: "name", Value: &node.Name})
		}
		if old.Role != node.Role {
			changes = append(changes, Change{Op: "replace", Ref: "@" + ref, Field: "role", Value: &node.Role})
		}
	}
	number := func(c Change) int {
		n, _ := strconv.Atoi(strings.TrimPrefix(c.Ref, "@e")) // every ref has this form
		return n
	}
	slices.SortStableFunc(changes, func(a, b Change) int { return cmp.Or(number(a)-number(b), cmp.Compare(a.Field, b.Field)) })
	return changes
}

// splice returns the one replacement of lines that makes an outline of another.
func splice(before, after string) *TreeChange {
	old, now := strings.Split(before, "\n"), strings.Split(after, "\n")
	start := 0
	for start < min(len(old), len(now)) && old[start] == now[start] {
		start++
	}
	end := 0
	for end < min(len(old), len(now))-start && old[len(old)-1-end] == now[len(now)-1-end] {
		end++
	}
	return &TreeChange{StartLine: start, DeleteCount: len(old) - start - end, Lines: now[start : len(now)-end]}
}
