package view

import (
	"strings"
)

// Bounds of what is shown for matching rows.
const (
	mostFound  = 40  // rows that match; the others are counted
	together   = 480 // the largest size, in bytes, of a container shown whole around a match: the row of a table, the item of a list
	belowMatch = 12  // rows below a match
)

// found selects the rows of an outline that match words, each with its ancestors, its descendants, and if its container
// is small, all of that. The lines between are counted. Words match in any letter case: the phrase as written, or, if
// nothing matches that, each word somewhere in the row. total is the number of matching rows.
func found(rows []row, words string) (reported []row, total int) {
	match := matching(rows, strings.ToLower(strings.Join(strings.Fields(words), " ")))
	if len(match) == 0 {
		return nil, 0
	}
	parent := parents(rows)
	keep := make([]bool, len(rows))
	for _, i := range match[:min(len(match), mostFound)] {
		top := i
		for p := parent[top]; p >= 0 && rows[p].bytes <= together; p = parent[p] {
			top = p
		}
		last := rows[top].end
		if top == i {
			last = min(last, i+1+belowMatch)
		}
		for j := top; j < last; j++ {
			keep[j] = true
		}
		if top == i {
			beside(rows, top, keep)
		}
		for p := parent[top]; p >= 0; p = parent[p] {
			keep[p] = true
		}
	}
	return kept(rows, keep), len(match)
}

// beside selects the rows next to one, before and after, if they are small: a label's field, a field's error.
func beside(rows []row, at int32, keep []bool) {
	whole := func(from int32) {
		if rows[from].depth == rows[at].depth && rows[from].bytes <= together/2 {
			for j := from; j < rows[from].end; j++ {
				keep[j] = true
			}
		}
	}
	if next := rows[at].end; next < int32(len(rows)) {
		whole(next)
	}
	for j := at - 1; j >= 0 && rows[j].depth >= rows[at].depth; j-- {
		if rows[j].depth == rows[at].depth {
			whole(j)
			break
		}
	}
}

// matching lists the rows that contain the words.
func matching(rows []row, words string) []int32 {
	if words == "" {
		return nil
	}
	var whole, each []int32
	parts := strings.Fields(words)
	for i := range rows {
		text := strings.ToLower(rows[i].text)
		switch {
		case strings.Contains(text, words):
			whole = append(whole, int32(i))
		case len(whole) == 0 && holdsAll(text, parts):
			each = append(each, int32(i))
		}
	}
	if len(whole) > 0 {
		return whole
	}
	return each
}

func holdsAll(text string, parts []string) bool {
	for _, part := range parts {
		if !strings.Contains(text, part) {
			return false
		}
	}
	return true
}

// kept omits the rows that are not selected, and writes their number in their place.
func kept(rows []row, keep []bool) []row {
	var reported []row
	missing, depth := 0, int32(0)
	flush := func() {
		if missing > 0 {
			reported = append(reported, row{text: "… " + plural(missing, "line"), depth: depth, at: -1})
			missing = 0
		}
	}
	for i := range rows {
		if keep[i] {
			flush()
			reported = append(reported, rows[i])
			continue
		}
		if missing == 0 {
			depth = rows[i].depth
		} else if rows[i].depth < depth {
			flush()
			depth = rows[i].depth
		}
		missing++
	}
	flush()
	nest(reported)
	return reported
}
