package outline

import (
	"slices"
	"strconv"
	"strings"
)

// NothingChanged is the delta of a page on which nothing changed.
const NothingChanged = "(nothing changed)"

// small is the largest size, in bytes, of a changed subtree that is shown whole: a changed cell of a table row or item
// of a list needs the text beside it.
const small = 240

// comparison makes the delta of two outlines.
type comparison struct {
	old, now []Row
	oldOf    map[int32]int32 // row of the old outline by its ref
	nowHas   map[int32]bool  // refs of the new outline
	added    map[string]int  // how many rows without a ref the new outline has more than the old one, by text; nil until it is needed
	rows     []Row
}

// Compare returns the difference of two outlines, by subtree, as rows; none if nothing changed. In the outline's own form:
//
//   - main                                       a row as before, shown because something below it changed
//   - … 12 lines unchanged                       rows that are the same, with all below them
//   - list "Todos"
//   - changed: checkbox "Milk" [checked=true]    only this row; those below it follow, as before or not
//   - new: listitem "Bread"                      with all below it
//   - moved: listitem "Tea"                      the same, and it stood elsewhere
//   - removed: @e5, @e9 (7 lines)                rows that stood here, with all below them
//   - moved away: @e7                            the same, and they are elsewhere now
//
// (All of main's would be indented.) The new outline can be made of the old one and the delta, line by line.
func Compare(old, now []Row) []Row {
	if slices.EqualFunc(old, now, func(a, b Row) bool { return a.Depth == b.Depth && a.Text == b.Text }) {
		return nil
	}
	c := &comparison{old: old, now: now, oldOf: make(map[int32]int32, len(old)), nowHas: make(map[int32]bool, len(now))}
	for i := range old {
		if old[i].Ref != 0 {
			c.oldOf[old[i].Ref] = int32(i)
		}
	}
	for i := range now {
		if now[i].Ref != 0 {
			c.nowHas[now[i].Ref] = true
		}
	}
	c.children(siblings(old, 0, int32(len(old))), siblings(now, 0, int32(len(now))), 0, false)
	Nest(c.rows)
	return c.rows
}

// siblings lists the rows at the top of a range.
func siblings(rows []Row, from, to int32) []int32 {
	n := 0
	for i := from; i < to; i = rows[i].End {
		n++
	}
	list := make([]int32, 0, n)
	for i := from; i < to; i = rows[i].End {
		list = append(list, i)
	}
	return list
}

// pending are the changes of a list of siblings that are not written yet.
type pending struct {
	same        []int32 // rows of the new outline that are as before
	gone, fresh []int32 // rows of the old and of the new outline in one place
}

// children compares the rows directly below a row. whole requests equal rows to be written, too.
func (c *comparison) children(old, now []int32, depth int32, whole bool) {
	var t pending
	i := 0
	for j, partner := range c.align(old, now) {
		if partner < 0 {
			c.writeSame(&t, depth, whole)
			t.fresh = append(t.fresh, now[j])
			continue
		}
		if i < partner {
			c.writeSame(&t, depth, whole)
			t.gone = append(t.gone, old[i:partner]...)
		}
		i = partner + 1
		a, b := old[partner], now[j]
		if c.old[a].hash == c.now[b].hash {
			c.writeOther(&t, depth)
			t.same = append(t.same, b)
			continue
		}
		c.writeSame(&t, depth, whole)
		c.pair(&t, a, b, depth)
	}
	if i < len(old) {
		c.writeSame(&t, depth, whole)
		t.gone = append(t.gone, old[i:]...)
	}
	c.writeOther(&t, depth)
	c.writeSame(&t, depth, whole)
}

// pair writes a row that is still there but changed. Where that is much longer than to write it as removed and new, and
// no ref identifies it, it is written so.
func (c *comparison) pair(t *pending, a, b, depth int32) {
	outer := c.rows
	c.rows = nil
	one := c.now[b]
	kind := AsBefore
	if c.old[a].Text != one.Text {
		kind = IsChanged
	}
	c.rows = append(c.rows, Row{Text: one.Text, Mark: kind, Depth: depth, Ref: one.Ref, At: one.At})
	c.children(siblings(c.old, a+1, c.old[a].End), siblings(c.now, b+1, one.End), depth+1, one.Bytes <= small)
	inner := c.rows
	c.rows = outer
	if one.Ref == 0 {
		cost := 0
		for i := range inner {
			cost += inner[i].Size() - 2*int(depth)
		}
		if cost > int(one.Bytes)*3/2+len("- new: - removed: 1 line") {
			t.gone, t.fresh = append(t.gone, a), append(t.fresh, b)
			return
		}
	}
	c.writeOther(t, depth)
	c.rows = append(c.rows, inner...)
}

// writeSame writes unchanged rows: their number, or each of them.
func (c *comparison) writeSame(t *pending, depth int32, whole bool) {
	if len(t.same) == 0 {
		return
	}
	lines, bytes := 0, 0
	for _, b := range t.same {
		lines += int(c.now[b].End - b)
		bytes += int(c.now[b].Bytes)
	}
	fold := "… " + Plural(lines, "line") + " unchanged"
	if whole || bytes <= len(fold)+3 {
		for _, b := range t.same {
			c.copy(b, depth, AsBefore)
		}
	} else {
		c.rows = append(c.rows, Row{Text: fold, Mark: Unchanged, Depth: depth, At: -1})
	}
	t.same = t.same[:0]
}

// copy writes a row with all below it.
func (c *comparison) copy(b, depth int32, kind Mark) {
	shift := depth - c.now[b].Depth
	for i := b; i < c.now[b].End; i++ {
		one := c.now[i]
		c.rows = append(c.rows, Row{Text: one.Text, Mark: kind, Depth: one.Depth + shift, Ref: one.Ref, At: one.At, Known: c.known(&one)})
		kind = AsBefore
	}
}

// known reports whether a row was in the old outline: by its ref; without one, by its text, if that is not in the new
// outline more often.
func (c *comparison) known(r *Row) bool {
	if r.Ref != 0 {
		_, was := c.oldOf[r.Ref]
		return was
	}
	if !SpanOf(r.Text).Named() {
		return false
	}
	if c.added == nil {
		c.added = map[string]int{}
		for i := range c.now {
			if c.now[i].Ref == 0 {
				c.added[c.now[i].Text]++
			}
		}
		for i := range c.old {
			if c.old[i].Ref == 0 {
				c.added[c.old[i].Text]--
			}
		}
	}
	return c.added[r.Text] <= 0
}

// writeOther writes the rows that were removed at a position, and the new ones.
func (c *comparison) writeOther(t *pending, depth int32) {
	if len(t.gone) > 0 {
		text, kind := c.departed(t.gone)
		c.rows = append(c.rows, Row{Text: text, Mark: kind, Depth: depth, At: -1})
		t.gone = t.gone[:0]
	}
	for _, b := range t.fresh {
		kind := IsNew
		if c.wasElsewhere(b) {
			kind = IsMoved
		}
		c.copy(b, depth, kind)
	}
	t.fresh = t.fresh[:0]
}

// wasElsewhere reports whether all that has a ref in a row was in the old outline.
func (c *comparison) wasElsewhere(b int32) bool {
	any := false
	for i := b; i < c.now[b].End; i++ {
		if ref := c.now[i].Ref; ref != 0 {
			if _, was := c.oldOf[ref]; !was {
				return false
			}
			any = true
		}
	}
	return any
}

// departed lists the rows that were removed at a position: by ref, or by number for rows without. Rows that moved are
// listed separately.
func (c *comparison) departed(gone []int32) (string, Mark) {
	var away, elsewhere []int32
	lines, words := 0, ""
	for _, a := range gone {
		for i := a; i < c.old[a].End; i++ {
			lines++
			if s := SpanOf(c.old[i].Text); words == "" && s.NameEnd > s.Name {
				words = c.old[i].Text
			}
			switch ref := c.old[i].Ref; {
			case ref == 0:
			case c.nowHas[ref]:
				elsewhere = append(elsewhere, ref)
			default:
				away = append(away, ref)
			}
		}
	}
	text, kind := refList(away), Removed
	switch {
	case len(away) == 0 && len(elsewhere) == 0: // the text identifies it
		if text = words; text == "" || len(text) > 80 {
			return Plural(lines, "line"), Removed
		}
	case len(away) == 0:
		text, kind = refList(elsewhere), MovedAway
	case len(elsewhere) > 0:
		text += ", moved: " + refList(elsewhere)
	}
	if lines != len(away)+len(elsewhere) {
		text += " (" + Plural(lines, "line") + ")"
	}
	return text, kind
}

// refList writes refs, three or more consecutive ones as a range.
func refList(refs []int32) string {
	var b strings.Builder
	for i := 0; i < len(refs); {
		j := i + 1
		for j < len(refs) && refs[j] == refs[j-1]+1 {
			j++
		}
		if j-i < 3 {
			j = i + 1
		}
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString("@e" + strconv.Itoa(int(refs[i])))
		if j > i+1 {
			b.WriteString("-@e" + strconv.Itoa(int(refs[j-1])))
		}
		i = j
	}
	return b.String()
}

// Vanished lists the refs of the old outline that are not in the new one.
func Vanished(old, now []Row) []int {
	shown := make(map[int32]bool, len(now))
	for i := range now {
		shown[now[i].Ref] = true
	}
	var refs []int
	for i := range old {
		if ref := old[i].Ref; ref != 0 && !shown[ref] {
			refs = append(refs, int(ref))
		}
	}
	return refs
}
