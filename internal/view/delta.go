package view

import (
	"slices"
	"strconv"
	"strings"
)

// Delta returns the difference of two outlines, by subtree, in the outline's own form:
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
// (All of main's would be indented.) The new outline can be made of the old one and the delta, line by line. ok is
// false if one of the two is no outline. For equal outlines the delta is [Unchanged].
func Delta(before, after string) (text string, ok bool) {
	old, ok := parseRows(before)
	if !ok {
		return "", false
	}
	now, ok := parseRows(after)
	if !ok {
		return "", false
	}
	rows := compare(old, now)
	if len(rows) == 0 {
		return Unchanged, true
	}
	return join(rows), true
}

// Unchanged is the delta of a page on which nothing changed.
const Unchanged = "(nothing changed)"

// small is the largest size, in bytes, of a changed subtree that is shown whole: a changed cell of a table row or item
// of a list needs the text beside it.
const small = 240

// comparison makes the delta of two outlines.
type comparison struct {
	old, now []row
	oldOf    map[int32]int32 // row of the old outline by its ref
	nowHas   map[int32]bool  // refs of the new outline
	rows     []row
}

// compare returns the delta as rows, none if nothing changed.
func compare(old, now []row) []row {
	if slices.EqualFunc(old, now, func(a, b row) bool { return a.depth == b.depth && a.text == b.text }) {
		return nil
	}
	c := &comparison{old: old, now: now, oldOf: make(map[int32]int32, len(old)), nowHas: make(map[int32]bool, len(now))}
	for i := range old {
		if old[i].ref != 0 {
			c.oldOf[old[i].ref] = int32(i)
		}
	}
	for i := range now {
		if now[i].ref != 0 {
			c.nowHas[now[i].ref] = true
		}
	}
	c.children(siblings(old, 0, int32(len(old))), siblings(now, 0, int32(len(now))), 0, false)
	nest(c.rows)
	return c.rows
}

// siblings lists the rows at the top of a range.
func siblings(rows []row, from, to int32) []int32 {
	n := 0
	for i := from; i < to; i = rows[i].end {
		n++
	}
	list := make([]int32, 0, n)
	for i := from; i < to; i = rows[i].end {
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
	kind := asBefore
	if c.old[a].text != one.text {
		kind = isChanged
	}
	c.rows = append(c.rows, row{text: one.text, mark: kind, depth: depth, ref: one.ref, at: one.at})
	c.children(siblings(c.old, a+1, c.old[a].end), siblings(c.now, b+1, one.end), depth+1, one.bytes <= small)
	inner := c.rows
	c.rows = outer
	if one.ref == 0 {
		cost := 0
		for i := range inner {
			cost += inner[i].length() - 2*int(depth)
		}
		if cost > int(one.bytes)*3/2+len("- new: - removed: 1 line") {
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
		lines += int(c.now[b].end - b)
		bytes += int(c.now[b].bytes)
	}
	fold := "… " + plural(lines, "line") + " unchanged"
	if whole || bytes <= len(fold)+3 {
		for _, b := range t.same {
			c.copy(b, depth, asBefore)
		}
	} else {
		c.rows = append(c.rows, row{text: fold, mark: unchanged, depth: depth, at: -1})
	}
	t.same = t.same[:0]
}

// copy writes a row with all below it.
func (c *comparison) copy(b, depth int32, kind mark) {
	shift := depth - c.now[b].depth
	for i := b; i < c.now[b].end; i++ {
		one := c.now[i]
		_, was := c.oldOf[one.ref]
		c.rows = append(c.rows, row{text: one.text, mark: kind, depth: one.depth + shift, ref: one.ref, at: one.at, known: was && one.ref != 0})
		kind = asBefore
	}
}

// writeOther writes the rows that were removed at a position, and the new ones.
func (c *comparison) writeOther(t *pending, depth int32) {
	if len(t.gone) > 0 {
		text, kind := c.departed(t.gone)
		c.rows = append(c.rows, row{text: text, mark: kind, depth: depth, at: -1})
		t.gone = t.gone[:0]
	}
	for _, b := range t.fresh {
		kind := isNew
		if c.stoodElsewhere(b) {
			kind = isMoved
		}
		c.copy(b, depth, kind)
	}
	t.fresh = t.fresh[:0]
}

// stoodElsewhere reports whether all that has a ref in a row was in the old outline.
func (c *comparison) stoodElsewhere(b int32) bool {
	any := false
	for i := b; i < c.now[b].end; i++ {
		if ref := c.now[i].ref; ref != 0 {
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
func (c *comparison) departed(gone []int32) (string, mark) {
	var away, elsewhere []int32
	lines, words := 0, ""
	for _, a := range gone {
		for i := a; i < c.old[a].end; i++ {
			lines++
			if s := spanOf(c.old[i].text); words == "" && s.after > s.name {
				words = c.old[i].text
			}
			switch ref := c.old[i].ref; {
			case ref == 0:
			case c.nowHas[ref]:
				elsewhere = append(elsewhere, ref)
			default:
				away = append(away, ref)
			}
		}
	}
	text, kind := refList(away), removed
	switch {
	case len(away) == 0 && len(elsewhere) == 0: // the text identifies it
		if text = words; text == "" || len(text) > 80 {
			return plural(lines, "line"), removed
		}
	case len(away) == 0:
		text, kind = refList(elsewhere), movedAway
	case len(elsewhere) > 0:
		text += ", moved: " + refList(elsewhere)
	}
	if lines != len(away)+len(elsewhere) {
		text += " (" + plural(lines, "line") + ")"
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
