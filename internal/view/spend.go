package view

import (
	"strconv"
	"strings"

	"github.com/usher-browser/usher/internal/supervisor/model"
	"github.com/usher-browser/usher/internal/view/outline"
)

// spend cuts a snapshot down to its budget. rows are those of its text, nil if it is no outline.
func (v *Viewer) spend(tab model.TargetID, snap *Snapshot, rows []outline.Row, t *tree, opt Options) {
	limit := bytesPerToken * opt.Budget
	spent := &Spent{Total: Tokens(snap.Text)}
	snap.Spent = spent
	defer func() { spent.Tokens = Tokens(snap.Text) }()
	if len(snap.Text) <= limit {
		return
	}
	spent.Truncated = true
	if len(rows) == 0 {
		snap.Text = squeezed(snap.Text, limit)
		return
	}
	d := v.digest(rows, t, opt)
	reported := d.choose()
	if text := outline.Join(reported); len(text) > limit {
		snap.Text, snap.Refs = squeezed(text, limit), nil
		return
	}
	v.handles(tab, snap, reported, d, t, opt)
	snap.Text = outline.Join(reported)
	snap.keepRefs(reported)
}

// digest makes the choice ready.
func (v *Viewer) digest(rows []outline.Row, t *tree, opt Options) *digest {
	rows, left := unwrapped(rows)
	d := &digest{
		rows: rows, left: left, parent: outline.Parents(rows), limit: bytesPerToken * opt.Budget,
		holds: make([]bool, len(rows)), cut: make([]string, len(rows)),
		whole: seeMore(opt, ""),
	}
	d.roles = make([]string, len(rows))
	for i := range rows {
		if d.roles[i] = outline.Role(rows[i].Text); rows[i].At < 0 || !isWord(d.roles[i]) {
			d.roles[i] = "…" // it stands for others
		}
	}
	w := &weigher{rows: rows, roles: d.roles, parent: d.parent, lines: t.lines, shown: t.shown}
	d.weights = w.weigh()
	// A ref that has yet to be given is at most so long.
	widest := "@e" + strings.Repeat("0", len(strconv.Itoa(v.refs.highest()+len(rows))))
	for i := range rows {
		l := w.line(i)
		switch {
		case l == nil || rows[i].End == int32(i)+1:
		case rows[i].Ref != 0 && (isLandmark(l.Role) || isContainerWithRef(l.Role)):
			d.holds[i], d.cut[i] = true, seeMore(opt, "@e"+strconv.Itoa(int(rows[i].Ref)))
		case rows[i].Ref == 0 && l.Handle != 0:
			d.holds[i], d.cut[i] = true, seeMore(opt, widest)
		}
	}
	return d
}

func isWord(role string) bool {
	return role != "" && (role[0]|0x20 >= 'a' && role[0]|0x20 <= 'z')
}

func isContainerWithRef(role string) bool {
	switch role {
	case "article", "combobox", "listbox", "listitem", "menu", "tree", "treeitem":
		return true
	}
	return false
}

// handles assigns refs to containers with missing lines that have none, so that they can be requested.
func (v *Viewer) handles(tab model.TargetID, snap *Snapshot, reported []outline.Row, d *digest, t *tree, opt Options) {
	for k := range reported {
		if reported[k].At >= -1 {
			continue
		}
		i := -reported[k].At - 2
		reported[k].At = -1
		ref := d.rows[i].Ref
		if ref == 0 {
			l := &t.lines[t.shown[d.rows[i].At]]
			name := strings.Clone(l.shownName())
			n := v.refs.Number(tab, l.part.doc, l.Handle, l.Role, name)
			snap.Refs = append(snap.Refs, Shown{Number: n, Role: strings.Clone(l.Role), Name: name, Document: l.part.doc, ID: l.Handle})
			ref = int32(n)
			reported[k].Text = d.missed[i].text(lost{}, seeMore(opt, "@e"+strconv.Itoa(n)))
		}
		reported[k].Ref = ref
	}
}
