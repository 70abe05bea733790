package view

import (
	"slices"
	"strings"
)

// Hints that a wrapper passes to its content: a press there arrives at both. The carried ones are shown there.
const (
	pressHints   = "|cursor:pointer|click|mousedown|pointerdown|touchstart|mouseup|pointerup|onclick|onmousedown|onpointerdown|tabindex|"
	carriedHints = "|dblclick|contextmenu|" + chosenHint + "|"
	chosenHint   = "selected by class"
	delegated    = "delegated "
)

// unwrap drops a clickable line without content of its own, if a press on it arrives at a shown descendant or ancestor.
// A label is dropped in favour of the field after it that has its name.
func (t *tree) unwrap(i int, opt Options) {
	l := &t.lines[i]
	if l.Kind != "clickable" || l.Value != "" {
		return
	}
	if l.Role == "LabelText" && l.children == 0 && t.labels(i) || t.isInnerWrapper(i) {
		l.drop = true
		return
	}
	carried, ok := hintsToCarry(l.Hints)
	if !ok || l.children == 0 || l.Name != "" || !l.mayWrap(opt) || !l.onlyStates("disabled", "offscreen") {
		return
	}
	if held := t.pressTarget(i); held != nil && (len(carried) == 0 || l.children == 1 || held.isControl()) {
		for _, hint := range carried {
			if hint != chosenHint || !held.isStated() {
				held.hint(hint)
			}
		}
		l.drop = true
		return
	}
	l.drop = len(carried) == 0 && (t.isInner(i) || l.Hints == "touchstart")
}

func (l *line) onlyStates(some ...string) bool {
	return !slices.ContainsFunc(l.States, func(state string) bool { return !slices.Contains(some, state) })
}

// mayWrap reports whether a line is of a kind that only groups.
func (l *line) mayWrap(opt Options) bool {
	switch l.Role {
	case "generic", "none", "LabelText", "emphasis", "strong":
		return true
	case "cell", "gridcell", "listitem":
		return opt.Interactive
	}
	return false
}

// isInnerWrapper reports whether a line is the inside of a clickable element whose presses arrive here, and has no
// content of its own.
func (t *tree) isInnerWrapper(i int) bool {
	l := &t.lines[i]
	if !l.Covers || l.Role != "generic" || !l.onlyStates("disabled", "offscreen") {
		return false
	}
	if _, ok := hintsToCarry(l.Hints); !ok || strings.Contains(l.Hints, chosenHint) {
		return false
	}
	at := l.parent
	for at >= 0 && t.lines[at].isWrapper() {
		at = t.lines[at].parent
	}
	if at < 0 {
		return false
	}
	outer := &t.lines[at]
	return outer.note == "" && outer.ID != 0 && (outer.isControl() || outer.Kind == "clickable") && outer.Name != "" && (l.Name == "" || l.fullName() == outer.Name)
}

// hintsToCarry returns the hints of a wrapper that have to be shown on its content; ok is false if one of them belongs
// to the wrapper alone.
func hintsToCarry(hints string) (carried []string, ok bool) {
	for hint := range strings.SplitSeq(hints, ", ") {
		switch {
		case strings.Contains(carriedHints, "|"+hint+"|"):
			carried = append(carried, hint)
		case !isPress(hint):
			return nil, false
		}
	}
	return carried, true
}

func isPress(hint string) bool {
	return strings.Contains(pressHints, "|"+hint+"|") || strings.HasPrefix(hint, delegated)
}

// pressTarget returns the descendant that is shown in place of a wrapper and takes its presses; nil if there is none.
func (t *tree) pressTarget(i int) *line {
	wrapper := &t.lines[i]
	for j := int32(i + 1); j < wrapper.end; {
		one := &t.lines[j]
		switch {
		case one.drop && (one.isWrapper() || one.Covers):
			j++
		case !one.drop && one.Covers && one.standsFor(wrapper):
			return one
		default:
			j = one.end
		}
	}
	return nil
}

// standsFor reports whether the content of a wrapper can be pressed in its place, and has a name.
func (l *line) standsFor(wrapper *line) bool {
	if l.note != "" || l.ID == 0 || !l.isControl() && l.Kind != "clickable" && l.Kind != "editable" {
		return false
	}
	for _, state := range [...]string{"disabled", "offscreen"} {
		if slices.Contains(l.States, state) && !slices.Contains(wrapper.States, state) {
			return false
		}
	}
	return l.Name != "" || wrapper.Label == "" || wrapper.Label == l.Label
}

func (l *line) isStated() bool {
	return slices.ContainsFunc(l.States, func(state string) bool {
		return state == "selected" || strings.HasPrefix(state, "checked=") || strings.HasPrefix(state, "pressed=") || strings.HasPrefix(state, "current")
	})
}

func (l *line) hint(hint string) {
	if l.Hints == "" {
		l.Hints = hint
	} else if !slices.Contains(strings.Split(l.Hints, ", "), hint) {
		l.Hints += ", " + hint
	}
}

// isField reports whether a line is a control that labels are written for.
func (l *line) isField() bool {
	switch l.Role {
	case "textbox", "searchbox", "combobox", "spinbutton", "checkbox", "radio", "switch":
		return true
	}
	return false
}

// isControl reports whether a line is there to be acted on by its role.
func (l *line) isControl() bool {
	switch l.Role {
	case "button", "link", "textbox", "checkbox", "radio", "combobox", "listbox", "menuitem", "menuitemcheckbox", "menuitemradio", "option",
		"searchbox", "slider", "spinbutton", "switch", "tab", "treeitem", "ColorWell", "Date", "DateTime", "InputTime":
		return l.ID != 0
	}
	return false
}

// isInner reports whether a line is the only content of a list that has a line of its own: it listens for the items in
// it.
func (t *tree) isInner(i int) bool {
	l := &t.lines[i]
	if l.parent < 0 || int32(i) != l.parent+1 || t.lines[l.parent].end != l.end || t.lines[l.parent].note != "" {
		return false
	}
	return t.lines[l.parent].isListing()
}

// isListing reports whether a line is there for the items in it.
func (l *line) isListing() bool {
	switch l.Role {
	case "tree", "treegrid", "grid", "table", "tablist", "listbox", "menu", "menubar", "radiogroup", "list", "toolbar":
		return true
	}
	return false
}

// maxBetween is how many lines after a label its field is looked for.
const maxBetween = 6

// labels reports whether a field with the name of a label comes right after it.
func (t *tree) labels(i int) bool {
	l := &t.lines[i]
	end := len(t.lines)
	if l.parent >= 0 {
		end = int(t.lines[l.parent].end)
	}
	for j := int(l.end); j < min(end, int(l.end)+maxBetween); j++ {
		if one := &t.lines[j]; one.isControl() && !one.drop {
			return one.shownName() == l.Name && one.isField()
		}
	}
	return false
}

// firstOfHinted is the number of similar lines that show their hints.
const firstOfHinted = 3

// omitHints omits the hints of the lines of a long list or table, except the first of them.
func (t *tree) omitHints() {
	type kind struct {
		role, kind, hints string
		around            int32
		inItem            bool
	}
	reported := make([]int32, len(t.lines)) // the shown line around each line
	seen := map[kind]int{}
	for i := range t.lines {
		l := &t.lines[i]
		reported[i] = l.parent
		if l.parent >= 0 && t.lines[l.parent].drop {
			reported[i] = reported[l.parent]
		}
		if l.drop || l.Kind == "" || l.Hints == "" {
			continue
		}
		around := reported[i]
		inItem := around >= 0 && (l.inRow() || t.lines[around].Kind != "" && !t.lines[around].isListing())
		if inItem {
			around = reported[around]
		}
		k := kind{l.Role, l.Kind, l.Hints, around, inItem}
		if seen[k]++; seen[k] > firstOfHinted && onlyPresses(l.Hints) {
			l.Hints = ""
		}
	}
}

func onlyPresses(hints string) bool {
	for hint := range strings.SplitSeq(hints, ", ") {
		if !isPress(hint) {
			return false
		}
	}
	return true
}

func (l *line) inRow() bool {
	switch l.Role {
	case "cell", "gridcell", "columnheader", "rowheader":
		return true
	}
	return false
}
