package outline

import "strings"

// Bounds of what is shown for matching rows.
const (
	maxFound   = 40  // rows that match; the others are counted
	together   = 480 // the largest size, in bytes, of a container shown whole around a match: the row of a table, the item of a list
	belowMatch = 12  // rows below a match
)

// Find selects the rows of an outline that match words, each with its ancestors, its descendants, and if its container
// is small, all of that. The lines between are counted. Words match in any letter case: the phrase as written, or, if
// nothing matches that, each word somewhere in the row. total is the number of matching rows.
func Find(rows []Row, words string) (reported []Row, total int) {
	match := matching(rows, strings.ToLower(strings.Join(strings.Fields(words), " ")))
	if len(match) == 0 {
		return nil, 0
	}
	parent := Parents(rows)
	keep := make([]bool, len(rows))
	for _, i := range match[:min(len(match), maxFound)] {
		top := i
		for p := parent[top]; p >= 0 && rows[p].Bytes <= together; p = parent[p] {
			top = p
		}
		last := rows[top].End
		if top == i {
			last = min(last, i+1+belowMatch)
		}
		for j := top; j < last; j++ {
			keep[j] = true
		}
		if top == i {
			selectNeighbours(rows, top, keep)
		}
		for p := parent[top]; p >= 0; p = parent[p] {
			keep[p] = true
		}
	}
	return kept(rows, keep), len(match)
}

// selectNeighbours selects the rows next to one, before and after, if they are small: a label's field, a field's error.
func selectNeighbours(rows []Row, at int32, keep []bool) {
	whole := func(from int32) {
		if rows[from].Depth == rows[at].Depth && rows[from].Bytes <= together/2 {
			for j := from; j < rows[from].End; j++ {
				keep[j] = true
			}
		}
	}
	if next := rows[at].End; next < int32(len(rows)) {
		whole(next)
	}
	for j := at - 1; j >= 0 && rows[j].Depth >= rows[at].Depth; j-- {
		if rows[j].Depth == rows[at].Depth {
			whole(j)
			break
		}
	}
}

// matching lists the rows that contain the words.
func matching(rows []Row, words string) []int32 {
	if words == "" {
		return nil
	}
	var whole, each []int32
	parts := strings.Fields(words)
	for i := range rows {
		text := strings.ToLower(rows[i].Text)
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
func kept(rows []Row, keep []bool) []Row {
	var reported []Row
	missing, depth := 0, int32(0)
	flush := func() {
		if missing > 0 {
			reported = append(reported, Row{Text: "… " + Plural(missing, "line"), Depth: depth, At: -1})
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
			depth = rows[i].Depth
		} else if rows[i].Depth < depth {
			flush()
			depth = rows[i].Depth
		}
		missing++
	}
	flush()
	Nest(reported)
	return reported
}
