package budget

import (
	"strings"

	"github.com/usher-browser/usher/internal/view/outline"
)

// Weights of rows. Only their order matters: a row with a larger weight is shown before one with a smaller, and among
// equals the first.
const (
	weightFocus     = 150 // has the keyboard
	weightError     = 120 // a field whose state is invalid
	weightModal     = 100 // in a dialog that has to be answered first
	weightGone      = 160 // of a delta: what is no longer there
	weightChange    = 60  // of a delta: what is new or changed
	weightInView    = 30
	weightRequested = 25 // of a delta: a new or changed field, and what is new around the focus
	weightNewText   = 25 // of a delta: a new or changed text, such as the next instruction
	weightRequired  = 12
	weightAlert     = 60 // in what the page reports

	weightHeading    = 70 // less for each level
	weightNote       = 70 // a frame that is missing
	weightColumn     = 66 // the head of a column
	weightLandmark   = 62
	weightControl    = 60
	weightUnnamed    = 46 // a control without a name
	weightText       = 40
	weightFrame      = 45 // not in view; most contain advertisements
	weightStructure  = 5
	weightFold       = 2  // of a delta: how much is unchanged
	weightCentral    = 20 // in what the page is there for: its main part, tables
	weightForm       = 30
	weightPeripheral = -50 // in menus and at the edges
	weightRepeated   = -35
	weightSameName   = -60 // called like many others
	weightLongerText = -35 // more of a text than its beginning
	weightWholeText  = -50
	critical         = 100 // from here on nothing is repeated, and no record hides it
	firstOfRepeated  = 5   // this many of similar rows keep their weight
	minRepeated      = 8   // from so many on they are many
	maxBytesOfRecord = 400
)

// weigher weighs the rows of an outline, or of a delta.
type weigher struct {
	rows   []outline.Row
	roles  []string
	parent []int32
	nodes  []Node // by row
}

// inherited is what rows have from those around them.
type inherited struct {
	modal, alert, fresh, repeated, again, unseen, focusedPart bool
}

// weigh returns how much each row matters.
func (w *weigher) weigh() []int {
	weights := make([]int, len(w.rows))
	inside := make([]inherited, len(w.rows))
	repeated, again := w.repeated(), w.again()
	requested := w.focusedPart()
	for i := range w.rows {
		r := &w.rows[i]
		var from inherited
		if p := w.parent[i]; p >= 0 {
			from = inside[p]
		}
		node := w.nodes[i]
		role := w.roles[i]
		from.repeated, from.again = from.repeated || repeated[i], from.again || again[i]
		from.fresh = (from.fresh || r.Mark == outline.IsNew || r.Mark == outline.IsMoved) && (!r.Known || r.Mark == outline.IsMoved)
		from.focusedPart = from.focusedPart || i == requested
		from.alert = from.alert || role == "alert" || role == "status"
		from.modal = from.modal || node.Marks&Modal != 0
		weights[i] = weigh(r, role, node, from)
		if role == "Iframe" && node.Marks&InView == 0 {
			from.unseen = true // whatever is in its own viewport
		}
		inside[i] = from
	}
	return weights
}

// weigh returns how much a row matters.
func weigh(r *outline.Row, role string, node Node, from inherited) int {
	switch r.Mark {
	case outline.Removed, outline.MovedAway:
		return weightGone
	case outline.Unchanged:
		return weightFold
	}
	named := outline.SpanOf(r.Text).Named()
	weight := weighKind(r, role, node, named)
	inView := node.Marks&InView != 0 && !from.unseen
	weight += weighPlace(r, role, node, from, inView, weight == weightStructure)
	if node.Marks&Invalid != 0 {
		weight += weightError
	}
	if node.Marks&Focused != 0 {
		weight += weightFocus
	}
	if from.fresh || r.Mark == outline.IsChanged {
		weight += weightChange
		switch {
		case isField(role) || from.focusedPart:
			weight += weightRequested
		case named && hasText(role):
			weight += weightNewText
		}
		if from.repeated && !isField(role) && weight >= critical {
			return weight + weightRepeated
		}
	}
	if node.Marks&Acts != 0 && node.Required {
		weight += weightRequired
	}
	switch {
	case weight >= critical:
	case from.again:
		weight += weightSameName
	case from.repeated && node.Marks&InForm != 0:
	case from.repeated && !inView:
		weight += weightRepeated
	}
	return weight
}

// weighKind returns how much rows of a kind matter, wherever they are.
func weighKind(r *outline.Row, role string, node Node, named bool) int {
	switch {
	case node.IsNote:
		return weightNote
	case role == "heading":
		return weightHeading - 2*levelOf(r.Text)
	case role == "columnheader":
		return weightColumn
	case role == "Iframe":
		return weightFrame
	case isLandmark(role):
		return weightLandmark
	case node.Marks&Acts != 0 && named:
		return weightControl
	case node.Marks&Acts != 0:
		return weightUnnamed
	case named:
		return weightText
	}
	return weightStructure
}

// weighPlace returns how much more a row matters for where it is. groups is true for a row that only groups others.
func weighPlace(r *outline.Row, role string, node Node, from inherited, inView, groups bool) int {
	weight := 0
	if inView {
		weight += weightInView
	}
	if from.alert {
		weight += weightAlert
	}
	switch {
	case from.modal:
		weight += weightModal
	case groups && !inView && node.Marks&(Invalid|Focused) == 0:
	case node.Marks&InForm != 0, role == "heading" && levelOf(r.Text) == 1:
		weight += weightForm
	case node.Marks&Central != 0, role == "heading" && inView && node.Marks&Peripheral == 0:
		weight += weightCentral
	case node.Marks&Peripheral != 0:
		weight += weightPeripheral
	}
	return weight
}

// hasText reports whether a row has text to be read.
func hasText(role string) bool {
	switch role {
	case "StaticText", "heading", "paragraph", "caption":
		return true
	}
	return false
}

// focusedPart returns the part of the page that is new and has the keyboard focus, such as a dialog or an editor; -1 if
// there is none. Its rows belong together.
func (w *weigher) focusedPart() int {
	for i := range w.rows {
		if w.nodes[i].Marks&Focused == 0 {
			continue
		}
		part, fresh := -1, false
		for at := w.parent[i]; at >= 0 && !fresh; at = w.parent[at] {
			if part < 0 && isLandmark(w.roles[at]) {
				part = int(at)
			}
			fresh = w.rows[at].Mark == outline.IsNew
		}
		if fresh {
			return part
		}
	}
	return -1
}

// again returns the controls with the same name as others anywhere on the page, without the first of them: the
// expanders of a tree, the same menu on each row.
func (w *weigher) again() []bool {
	all, seen, many := map[string]int{}, map[string]int{}, make([]bool, len(w.rows))
	name := func(i int) string {
		if w.nodes[i].Marks&Acts == 0 || isField(w.roles[i]) {
			return ""
		}
		s := outline.SpanOf(w.rows[i].Text)
		return w.rows[i].Text[:s.NameEnd]
	}
	for i := range w.rows {
		if n := name(i); n != "" {
			all[n]++
		}
	}
	for i := range w.rows {
		if n := name(i); n != "" && all[n] >= minRepeated {
			many[i] = seen[n] >= firstOfRepeated
			seen[n]++
		}
	}
	return many
}

// repeated returns the rows that are one of many similar siblings, without the first of them.
func (w *weigher) repeated() []bool {
	many := make([]bool, len(w.rows))
	count := func(from, to int32) {
		n := 0
		for i := from; i < to; i = w.rows[i].End {
			n++
		}
		if n < minRepeated {
			return
		}
		alike, seen := map[string]int{}, map[string]int{}
		for i := from; i < to; i = w.rows[i].End {
			alike[w.roles[i]]++
		}
		for i := from; i < to; i = w.rows[i].End {
			role := w.roles[i]
			many[i] = alike[role] >= minRepeated && seen[role] >= firstOfRepeated && !isField(role)
			seen[role]++
		}
	}
	count(0, int32(len(w.rows)))
	for i := range w.rows {
		count(int32(i)+1, w.rows[i].End)
	}
	return many
}

// isField reports whether each of many similar rows needs its own input.
func isField(role string) bool {
	switch role {
	case "textbox", "searchbox", "combobox", "listbox", "spinbutton", "slider", "ColorWell", "Date", "DateTime", "InputTime":
		return true
	}
	return false
}

func levelOf(text string) int {
	s := outline.SpanOf(text)
	if at := strings.Index(text[s.Attributes:s.AttributesEnd], "level="); at >= 0 && s.Attributes+at+6 < len(text) {
		if c := text[s.Attributes+at+6]; c >= '1' && c <= '9' {
			return int(c - '0')
		}
	}
	return 2
}

func isLandmark(role string) bool {
	switch role {
	case "main", "navigation", "region", "banner", "contentinfo", "complementary", "form", "search", "dialog", "alertdialog",
		"sectionheader", "sectionfooter", "alert", "status", "Iframe":
		return true
	}
	return false
}
