package view

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/usher-browser/usher/internal/supervisor/model"
	"github.com/usher-browser/usher/internal/view/budget"
	"github.com/usher-browser/usher/internal/view/outline"
)

// applyBudget cuts a snapshot down to its budget. rows are those of its text, nil if it is no outline.
func (v *Viewer) applyBudget(tab model.TargetID, snap *Snapshot, rows []outline.Row, t *tree, opt Options) {
	limit := budget.BytesPerToken * opt.Budget
	spent := &budget.Spent{Total: budget.Tokens(snap.Text)}
	snap.Spent = spent
	defer func() { spent.Tokens = budget.Tokens(snap.Text) }()
	if len(snap.Text) <= limit {
		return
	}
	spent.Truncated = true
	if len(rows) == 0 {
		snap.Text = budget.Truncate(snap.Text, limit)
		return
	}
	selected := budget.Select(budget.Request{
		Rows: rows, Node: t.node, Bytes: limit, HighestRef: v.refs.highest(),
		More: func(ref string) string { return moreHint(opt, ref) },
	})
	if text := outline.Join(selected.Rows); len(text) > limit {
		snap.Text, snap.Refs = budget.Truncate(text, limit), nil
		return
	}
	v.handles(tab, snap, selected, t, opt)
	snap.Text = outline.Join(selected.Rows)
	snap.keepRefs(selected.Rows)
}

// node returns what a row of the text was made of.
func (t *tree) node(at int32) budget.Node {
	l := t.shownAt(at)
	if l == nil {
		return budget.Node{}
	}
	return budget.Node{
		Role: l.Role, Marks: l.Marks, IsNote: l.note != "", Required: slices.Contains(l.States, "required"), Nameable: l.Handle != 0,
	}
}

// shownAt returns the line of a row of the text, nil for a row that stands for others.
func (t *tree) shownAt(at int32) *line {
	if at < 0 || int(at) >= len(t.shown) || t.shown[at] < 0 {
		return nil
	}
	return &t.lines[t.shown[at]]
}

// handles assigns refs to containers with missing lines that have none, so that they can be requested.
func (v *Viewer) handles(tab model.TargetID, snap *Snapshot, selected budget.Selection, t *tree, opt Options) {
	for _, cut := range selected.Cuts {
		if cut.Container.Ref != 0 {
			continue
		}
		l := t.shownAt(cut.Container.At)
		name := strings.Clone(l.shownName())
		n := v.refs.Number(tab, l.part.doc, l.Handle, l.Role, name)
		snap.Refs = append(snap.Refs, Shown{Number: n, Role: strings.Clone(l.Role), Name: name, Document: l.part.doc, ID: l.Handle})
		row := &selected.Rows[cut.Row]
		row.Ref, row.Text = int32(n), cut.Text(moreHint(opt, "@e"+strconv.Itoa(n)))
	}
}

// moreHint returns the hint how to read a container; without a ref, the whole page.
func moreHint(opt Options, ref string) string {
	flags := ""
	if opt.Interactive {
		flags += " -i"
	}
	if opt.Compact {
		flags += " -c"
	}
	if ref == "" {
		return "snapshot" + flags
	}
	return fmt.Sprintf("snapshot%s -s %s", flags, ref)
}
