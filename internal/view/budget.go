package view

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/usher-browser/usher/internal/view/outline"
)

// bytesPerToken is the estimated size of a token of a model, in bytes.
const bytesPerToken = 4

// Tokens estimates how many tokens a text costs: a quarter of its bytes, rounded up.
func Tokens(text string) int { return (len(text) + bytesPerToken - 1) / bytesPerToken }

// Spent is the use of a budget, in tokens.
type Spent struct {
	// Truncated reports whether something was omitted or shortened.
	Truncated bool
	// Tokens is the estimated size of the text, Total that of the complete outline.
	Tokens, Total int
}

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

// lost is what is not shown and has no container that states it.
type lost struct {
	short    int // texts that are shortened
	wrappers int // rows that only grouped others
}

// step shows the rows from first to before end at a level.
type step struct {
	first, end int32
	level      uint8
	weight     int
}

// missing is what is omitted from a container.
type missing struct {
	lines, refs int32
	tops        int32  // of them, those not inside another missing one
	role        string // of all tops
	mixed       bool   // they differ in role
}

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

// choose returns the rows to show. Their size is within the limit, unless no row is that short.
func (d *digest) choose() []outline.Row {
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
	return d.compose(d.fill(slices.Clone(d.steps[:low]), slices.Clone(d.steps[low:min(low+mostTried, len(d.steps))])))
}

// shortestRow is the bytes of a step at least.
const shortestRow = len("- a")

// mostTried is how many steps are tried beyond the first that does not fit.
const mostTried = 30

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

// less is how much less more of a text matters than its beginning: not less where the text is what changed.
func less(weight int, changed bool) int {
	if changed {
		return 0
	}
	return weight
}

// maxChangedText is how long a text may be of which all matters where it is new: an instruction is of no use without its end.
const maxChangedText = 500

// textChanged reports whether a row is a new or changed text of which all matters.
func (d *digest) textChanged(i int32) bool {
	r := &d.rows[i]
	return (r.Mark == outline.IsNew || r.Mark == outline.IsChanged) && r.End == i+1 && len(r.Text) <= maxChangedText && says(d.roles[i])
}

// isRecord reports whether a row and its descendants are shown together or not at all.
func (d *digest) isRecord(i int) bool {
	r := &d.rows[i]
	if r.Bytes > mostBytesOfRecord || int(r.End) == i+1 || r.Mark != outline.AsBefore {
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

// leastMissing is how many lines must be missing for a line of their own: the smaller the budget, the more.
func (d *digest) leastMissing() int32 {
	return int32(10 + max(0, 2000-d.limit)/100)
}

func (m *missing) add(other missing) {
	m.mixed = m.mixed || other.mixed || m.tops > 0 && m.role != other.role
	m.lines, m.refs, m.tops, m.role = m.lines+other.lines, m.refs+other.refs, m.tops+other.tops, other.role
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
func (d *digest) compose(steps []step) []outline.Row {
	d.mark(steps)
	var reported []outline.Row
	var open []int32 // containers whose missing lines are not written yet
	closeUntil := func(at int32) {
		for len(open) > 0 && d.rows[open[len(open)-1]].End <= at {
			i := open[len(open)-1]
			open = open[:len(open)-1]
			reported = append(reported, outline.Row{Text: d.missed[i].text(lost{}, d.cut[i]), Depth: d.rows[i].Depth + 1, At: -i - 2})
		}
	}
	for _, i := range d.reported {
		closeUntil(i)
		one := d.rows[i]
		one.Text = d.text(i)
		reported = append(reported, one)
		if d.missed[i].lines > 0 {
			open = append(open, i)
		}
	}
	closeUntil(int32(len(d.rows)))
	if rest := d.rest(); rest != "" {
		reported = append(reported, outline.Row{Text: rest, At: -1})
	}
	return reported
}

// rest states what is missing on the page and not stated elsewhere; it is empty if nothing is.
func (d *digest) rest() string {
	if d.missed[len(d.rows)].lines == 0 && d.short == 0 && d.left == 0 {
		return ""
	}
	return d.missed[len(d.rows)].text(lost{d.short, d.left}, d.whole)
}

// text states what is missing:
//
//	… 194 more listitem (582 lines, 194 with refs), 3 texts shortened, 40 wrappers left out: how to see them
func (m *missing) text(lost lost, how string) string {
	var all []string
	if m.lines > 0 {
		what, details := outline.Plural(int(m.lines), "more line"), []string{}
		if !m.mixed && m.role != "…" {
			what = strconv.Itoa(int(m.tops)) + " more " + m.role
			if m.lines > m.tops {
				details = append(details, outline.Plural(int(m.lines), "line"))
			}
		}
		if m.refs > 0 {
			details = append(details, strconv.Itoa(int(m.refs))+" with refs")
		}
		if len(details) > 0 {
			what += " (" + strings.Join(details, ", ") + ")"
		}
		all = append(all, what)
	}
	if lost.short > 0 {
		all = append(all, outline.Plural(lost.short, "text")+" shortened")
	}
	if lost.wrappers > 0 {
		all = append(all, outline.Plural(lost.wrappers, "wrapper")+" left out")
	}
	return "… " + strings.Join(all, ", ") + ": " + how
}

// shortened is a row with at most so many bytes of its name, and of what follows it.
func shortened(text string, most int) string {
	s := outline.SpanOf(text)
	name, rest := text[s.Name:s.NameEnd], text[s.NameEnd:]
	if len(name) > most+len(`""…`) {
		name = head(name[:len(name)-1], most+1) + `…"`
	}
	if len(rest) > most+len("…]")+40 { // the ref is at its beginning
		url := strings.Contains(rest, "url=")
		if rest = head(rest, most+40) + "…"; url && !strings.Contains(rest, "]") {
			rest += "]"
		}
	}
	if cut := text[:s.Name] + name + rest; len(cut) < len(text) {
		return cut
	}
	return text
}

// head is the beginning of a text, without half a character or half an escape.
func head(text string, most int) string {
	if len(text) <= most {
		return text
	}
	for most > 0 && !utf8.RuneStart(text[most]) {
		most--
	}
	text = text[:most]
	// \u00e9 is six characters, everything else two. An even number of backslashes is none.
	for at := max(0, len(text)-5); at < len(text); at++ {
		if text[at] != '\\' {
			continue
		}
		run := at
		for run > 0 && text[run-1] == '\\' {
			run--
		}
		if (at-run)%2 == 1 { // the second of a pair
			continue
		}
		if need := escapeLength(text[at:]); at+need > len(text) {
			return text[:at]
		}
	}
	return text
}

func escapeLength(escape string) int {
	if len(escape) > 1 && escape[1] == 'u' {
		return 6
	}
	return 2
}

// squeezed returns the beginning of a text that is no outline, or of one so long that not even the line for what is
// missing fits.
func squeezed(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	if limit < len("…") {
		return ""
	}
	return head(text, limit-len("…")) + "…"
}

// seeMore returns the hint how to read a container; without a ref, the whole page.
func seeMore(opt Options, ref string) string {
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
