package budget

import "github.com/usher-browser/usher/internal/view/outline"

// unwrapped omits rows that only group others, as Compact does, and returns how many: under a budget they cost most and
// inform least.
func unwrapped(rows []outline.Row) (rest []outline.Row, left int) {
	parent := outline.Parents(rows)
	inside := make([]int32, len(rows)) // rows that will stand directly below one
	drop := make([]bool, len(rows))
	for i := len(rows) - 1; i >= 0; i-- {
		text := rows[i].Text
		only := rows[i].Mark == outline.AsBefore && int(rows[i].End) > i+1 && text == outline.Role(text) && !isLandmark(text)
		drop[i] = only && (text == "generic" || text == "none" || inside[i] < 2)
		if drop[i] {
			left++
		}
		if p := parent[i]; p >= 0 {
			if drop[i] {
				inside[p] += inside[i]
			} else {
				inside[p]++
			}
		}
	}
	rest = make([]outline.Row, 0, len(rows)-left)
	depths := make([]int32, len(rows)) // of the rows below one
	for i, r := range rows {
		r.Depth = 0
		if p := parent[i]; p >= 0 {
			r.Depth = depths[p]
		}
		depths[i] = r.Depth
		if !drop[i] {
			depths[i]++
			rest = append(rest, r)
		}
	}
	outline.Nest(rest)
	return rest, left
}
