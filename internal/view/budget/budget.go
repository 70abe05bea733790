// Package budget selects the rows of an outline that matter most and fit in a number of tokens, and counts the others.
package budget

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/usher-browser/usher/internal/view/outline"
)

// BytesPerToken is the estimated size of a token of a model, in bytes.
const BytesPerToken = 4

// Tokens estimates how many tokens a text costs: a quarter of its bytes, rounded up.
func Tokens(text string) int { return (len(text) + BytesPerToken - 1) / BytesPerToken }

// Spent is the use of a budget, in tokens.
type Spent struct {
	// Truncated reports whether something was omitted or shortened.
	Truncated bool
	// Tokens is the estimated size of the text, Total that of the complete outline.
	Tokens, Total int
}

// Request is what to select from.
type Request struct {
	// Rows are those of an outline or of a delta.
	Rows []outline.Row
	// Node returns what a row of the outline was made of, by its Row.At; the zero Node for a row that stands for others.
	Node func(at int32) Node
	// Bytes is the limit of the size of the text.
	Bytes int
	// More returns how to see a container, by its ref as it is written ("@e5"), or the whole page, for "".
	More func(ref string) string
	// HighestRef is the highest number of a ref that was assigned.
	HighestRef int
}

// Node is what a row of an outline was made of.
type Node struct {
	Role     string
	Marks    Marks
	IsNote   bool // it is the reason why a frame is missing
	Required bool // it has the state required
	Nameable bool // it has no ref and can get one
}

// Marks encode how much a node matters, as the page script sends them for a budget.
type Marks uint16

// The marks of a node.
const (
	InView     Marks = 1 << iota // in the viewport of its frame
	Focused                      // has the keyboard focus
	Modal                        // a modal dialog
	Invalid                      // a field with an error
	Acts                         // can be acted on
	Central                      // in the main content: the main landmark, a table
	InForm                       // in a form or a dialog
	Peripheral                   // in a menu or at the edges
)

// Selection is the rows to show.
type Selection struct {
	Rows []outline.Row
	Cuts []Cut
}

// Cut is a row of a selection that states what is missing in a container.
type Cut struct {
	// Row is its index in the selection, Container the row of the container.
	Row       int
	Container outline.Row

	missing missing
}

// Text states what is missing, and how to see it.
func (c *Cut) Text(how string) string { return c.missing.text(lost{}, how) }

// Select returns the rows to show. Their size is within the limit, unless no row is that short.
func Select(r Request) Selection { return newDigest(r).choose() }

// How much of a row is shown.
const (
	hidden uint8 = iota
	begun        // the beginning of its text
	most         // more of it
	entire
)

// The limits, in bytes, of a name and of what follows it, for rows shown at the levels begun and most.
var lengths = [...]int{begun: 60, most: 240}

// digest selects the rows to show within a number of bytes:
//
//	steps        what could be shown, most important first: rows with the beginning of their text, then more of it
//	compose(k)   the first k steps, with the rows around them, and a line for what is missing in each container
//	choose       the largest k that fits
type digest struct {
	rows    []outline.Row
	parent  []int32
	weights []int
	holds   []bool   // containers that state how much of them is missing
	cut     []string // how to see what is missing in each of those
	whole   string   // how to see what is missing outside of them
	limit   int
	left    int // wrappers that are not among the rows

	steps []step
	texts map[int32][2]string // of rows with long texts: begun, most
	roles []string            // by row, without its mark
	refs  []int32             // how many of the rows before one have refs

	// Of the last mark:
	kept     []uint8   // by row: how much of it is shown
	reported []int32   // rows that are shown, in order
	owner    []int32   // by shown row: the container that states what is missing in it
	missed   []missing // by shown row; the last one is of the page
	short    int       // how many texts are shortened
}

// step shows the rows from first to before end at a level.
type step struct {
	first, end int32
	level      uint8
	weight     int
}

// newDigest makes the choice ready.
func newDigest(r Request) *digest {
	rows, left := unwrapped(r.Rows)
	d := &digest{
		rows: rows, left: left, parent: outline.Parents(rows), limit: r.Bytes,
		holds: make([]bool, len(rows)), cut: make([]string, len(rows)),
		whole: r.More(""),
	}
	d.roles = make([]string, len(rows))
	for i := range rows {
		if d.roles[i] = outline.Role(rows[i].Text); rows[i].At < 0 || !isWord(d.roles[i]) {
			d.roles[i] = "…" // it stands for others
		}
	}
	w := &weigher{rows: rows, roles: d.roles, parent: d.parent, nodes: make([]Node, len(rows))}
	for i := range rows {
		w.nodes[i] = r.Node(rows[i].At)
	}
	d.weights = w.weigh()
	// A ref that has yet to be given is at most so long.
	widest := "@e" + strconv.Itoa(r.HighestRef+len(rows))
	for i := range rows {
		n := w.nodes[i]
		switch {
		case rows[i].End == int32(i)+1:
		case rows[i].Ref != 0 && (isLandmark(n.Role) || isContainerWithRef(n.Role)):
			d.holds[i], d.cut[i] = true, r.More("@e"+strconv.Itoa(int(rows[i].Ref)))
		case rows[i].Ref == 0 && n.Nameable:
			d.holds[i], d.cut[i] = true, r.More(widest)
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

// choose is Select.
func (d *digest) choose() Selection {
	d.kept, d.owner, d.missed = make([]uint8, len(d.rows)), make([]int32, len(d.rows)), make([]missing, len(d.rows)+1)
	d.refs = make([]int32, len(d.rows)+1)
	for i := range d.rows {
		d.refs[i+1] = d.refs[i]
		if d.rows[i].Ref != 0 {
			d.refs[i+1]++
		}
	}
	d.plan()
	low, high := 0, min(len(d.steps), d.limit/shortestRow) // what fits, what may not
	for low < high {
		middle := (low + high + 1) / 2
		if d.length(d.steps[:middle]) <= d.limit {
			low = middle
		} else {
			high = middle - 1
		}
	}
	return d.compose(d.fill(slices.Clone(d.steps[:low]), slices.Clone(d.steps[low:min(low+maxTried, len(d.steps))])))
}

// shortestRow is the bytes of a step at least.
const shortestRow = len("- a")

// maxTried is how many steps are tried beyond the first that does not fit.
const maxTried = 30

// fill adds to the chosen steps those of the next that fit. A shown row can make the whole shorter, when nothing is
// missing any more that had to be counted; then a step may fit that did not fit before.
func (d *digest) fill(chosen, next []step) []step {
	before := d.length(chosen)
	for i := 0; i < len(next); {
		after := d.length(append(chosen, next[i]))
		if after > d.limit {
			i++
			continue
		}
		chosen = append(chosen, next[i])
		next = slices.Delete(next, i, i+1)
		if after < before {
			i = 0
		}
		before = after
	}
	return chosen
}

// plan lists the steps, what matters most first.
func (d *digest) plan() {
	d.texts = map[int32][2]string{}
	for i := range d.rows {
		if text := d.rows[i].Text; len(text) > lengths[begun] {
			d.texts[int32(i)] = [2]string{shortened(text, lengths[begun]), shortened(text, lengths[most])}
		}
	}
	for i := 0; i < len(d.rows); {
		end := i + 1
		if d.isRecord(i) {
			end = int(d.rows[i].End)
		}
		if end > i+1 || !d.onlyHolds(i) {
			d.offer(int32(i), int32(end))
		}
		i = end
	}
	slices.SortStableFunc(d.steps, func(a, b step) int { return cmp.Compare(b.weight, a.weight) })
}

// onlyHolds reports whether a row is nothing without what is in it.
func (d *digest) onlyHolds(i int) bool {
	r := &d.rows[i]
	return int(r.End) > i+1 && r.Ref == 0 && r.Mark == outline.AsBefore && d.weights[i] < critical && !outline.SpanOf(r.Text).Named()
}

// offer adds the steps of rows that are shown together.
func (d *digest) offer(first, end int32) {
	weight, long, longer := d.weights[first], false, false
	changed := d.textChanged(first)
	for i := first; i < end; i++ {
		weight = max(weight, d.weights[i])
		if texts, ok := d.texts[i]; ok {
			long = long || texts[0] != texts[1]
			longer = longer || texts[1] != d.rows[i].Text
		}
	}
	d.steps = append(d.steps, step{first, end, begun, weight})
	if long {
		d.steps = append(d.steps, step{first, end, most, weight + less(weightLongerText, changed)})
	}
	if longer {
		d.steps = append(d.steps, step{first, end, entire, weight + less(weightWholeText, changed)})
	}
}

// less returns how much less more of a text matters than its beginning: not less where the text is what changed.
func less(weight int, changed bool) int {
	if changed {
		return 0
	}
	return weight
}

// maxChangedText is how long a text may be of which all matters where it is new: an instruction is of no use without
// its end.
const maxChangedText = 500

// textChanged reports whether a row is a new or changed text of which all matters.
func (d *digest) textChanged(i int32) bool {
	r := &d.rows[i]
	return (r.Mark == outline.IsNew || r.Mark == outline.IsChanged) && r.End == i+1 && len(r.Text) <= maxChangedText && hasText(d.roles[i])
}

// isRecord reports whether a row and its descendants are shown together or not at all.
func (d *digest) isRecord(i int) bool {
	r := &d.rows[i]
	if r.Bytes > maxBytesOfRecord || int(r.End) == i+1 || r.Mark != outline.AsBefore {
		return false
	}
	switch d.roles[i] {
	case "row", "listitem":
		return true
	}
	return false
}

// mark records which rows the steps show, with their ancestors, and which rows state what is missing.
func (d *digest) mark(steps []step) {
	clear(d.kept)
	for _, s := range steps {
		for i := s.first; i < s.end; i++ {
			d.kept[i] = max(d.kept[i], s.level)
		}
		for i := d.parent[s.first]; i >= 0 && d.kept[i] == hidden; i = d.parent[i] {
			d.kept[i] = begun
		}
	}
	d.reported, d.short = d.reported[:0], 0
	d.missed[len(d.rows)] = missing{}
	for i := int32(0); int(i) < len(d.rows); {
		holder := d.holder(i)
		if d.kept[i] == hidden {
			end := d.rows[i].End
			d.missed[holder].add(missing{lines: end - i, refs: d.refs[end] - d.refs[i], tops: 1, role: d.roles[i]})
			i = end
			continue
		}
		d.reported, d.missed[i], d.owner[i] = append(d.reported, i), missing{}, holder
		if d.holds[i] {
			d.owner[i] = i
		}
		if len(d.text(i)) != len(d.rows[i].Text) {
			d.short++
		}
		i++
	}
	// Containers with few missing lines leave the count to an ancestor.
	least := d.leastMissing()
	for _, i := range slices.Backward(d.reported) {
		if m := &d.missed[i]; m.lines > 0 && m.lines < least {
			d.missed[d.holder(i)].add(*m)
			*m = missing{}
		}
	}
}

// holder returns the row that states what is missing beside a row: an ancestor, or the page.
func (d *digest) holder(i int32) int32 {
	if p := d.parent[i]; p >= 0 {
		return d.owner[p]
	}
	return int32(len(d.rows))
}

// leastMissing returns how many lines must be missing for a line of their own: the smaller the budget, the more.
func (d *digest) leastMissing() int32 {
	return int32(10 + max(0, 2000-d.limit)/100)
}

// text returns the text of a row as of the last mark.
func (d *digest) text(i int32) string {
	if level := d.kept[i]; level == begun || level == most {
		if texts, ok := d.texts[i]; ok {
			return texts[level-begun]
		}
	}
	return d.rows[i].Text
}

// length returns the size of the rows of the steps, in bytes.
func (d *digest) length(steps []step) int {
	d.mark(steps)
	n := 0
	for _, i := range d.reported {
		r := &d.rows[i]
		n += r.Size() - len(r.Text) + len(d.text(i))
		if d.missed[i].lines > 0 {
			n += 2*int(r.Depth+1) + 2 + len(d.missed[i].text(lost{}, d.cut[i])) + 1
		}
	}
	if rest := d.rest(); rest != "" {
		n += 2 + len(rest) + 1
	}
	return max(0, n-1) // the last line has no end
}

// compose returns the rows that the steps show, and those that state what is missing.
func (d *digest) compose(steps []step) Selection {
	d.mark(steps)
	var s Selection
	var open []int32 // containers whose missing lines are not written yet
	closeUntil := func(at int32) {
		for len(open) > 0 && d.rows[open[len(open)-1]].End <= at {
			i := open[len(open)-1]
			open = open[:len(open)-1]
			s.Cuts = append(s.Cuts, Cut{Row: len(s.Rows), Container: d.rows[i], missing: d.missed[i]})
			s.Rows = append(s.Rows, outline.Row{Text: d.missed[i].text(lost{}, d.cut[i]), Depth: d.rows[i].Depth + 1, Ref: d.rows[i].Ref, At: -1})
		}
	}
	for _, i := range d.reported {
		closeUntil(i)
		one := d.rows[i]
		one.Text = d.text(i)
		s.Rows = append(s.Rows, one)
		if d.missed[i].lines > 0 {
			open = append(open, i)
		}
	}
	closeUntil(int32(len(d.rows)))
	if rest := d.rest(); rest != "" {
		s.Rows = append(s.Rows, outline.Row{Text: rest, At: -1})
	}
	return s
}

// rest states what is missing on the page and not stated elsewhere; it is empty if nothing is.
func (d *digest) rest() string {
	if d.missed[len(d.rows)].lines == 0 && d.short == 0 && d.left == 0 {
		return ""
	}
	return d.missed[len(d.rows)].text(lost{d.short, d.left}, d.whole)
}
