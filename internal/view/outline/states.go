package outline

import "strings"

// StatesLast returns an outline in which the brackets of a row with a ref have only the states that agent-browser shows;
// the others follow them in brackets of their own. Scripts search for a role, a name and the bracket of the ref, as in
//
//	button "Next" [ref=
//
// and would not find a button that has the focus.
func StatesLast(text string) string {
	if !strings.Contains(text, ", ref=e") {
		return text
	}
	var b strings.Builder
	b.Grow(len(text) + 64)
	for line := range strings.Lines(text) {
		row, ok := strings.CutPrefix(strings.TrimLeft(line, " "), "- ")
		if ok && strings.Contains(row, ", ref=e") {
			b.WriteString(line[:len(line)-len(row)])
			writeStatesLast(&b, row)
			continue
		}
		b.WriteString(line)
	}
	return b.String()
}

// writeStatesLast writes a row as [StatesLast] does.
func writeStatesLast(b *strings.Builder, row string) {
	s := SpanOf(row)
	attributes := row[s.Attributes:s.AttributesEnd]
	before, ref, ok := strings.Cut(attributes, ", ref=e")
	var shown, others []string
	if ok {
		for state := range strings.SplitSeq(before, ", ") {
			if isShown(state) {
				shown = append(shown, state)
			} else {
				others = append(others, state)
			}
		}
	}
	if len(others) == 0 {
		b.WriteString(row)
		return
	}
	ref, url, linked := strings.Cut(ref, ", ")
	b.WriteString(row[:s.Attributes])
	b.WriteString(strings.Join(append(shown, "ref=e"+ref), ", "))
	if linked { // the address may have brackets, so that nobody knows where it ends
		b.WriteString(", " + strings.Join(others, ", ") + ", " + url + row[s.AttributesEnd:])
		return
	}
	b.WriteString("] [" + strings.Join(others, ", ") + row[s.AttributesEnd:])
}

// isShown reports whether agent-browser shows a state.
func isShown(state string) bool {
	key, _, _ := strings.Cut(state, "=")
	switch key {
	case "level", "checked", "expanded", "selected", "disabled", "required":
		return true
	}
	return false
}
