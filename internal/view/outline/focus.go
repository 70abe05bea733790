package outline

import (
	"slices"
	"strings"
)

// DropKnownFocus removes the state focused from rows where it is no news: from old rows that have lost it, because the
// row that has it now shows where it went; and, if nothing else in a row has changed, from the row of the element that
// was acted on and from frames in which another row has it.
func DropKnownFocus(old, now []Row, acted int32) (before, after []Row) {
	had, has := focusedRows(old), focusedRows(now)
	lost := slices.DeleteFunc(slices.Clone(had), func(i int) bool {
		return slices.ContainsFunc(has, func(j int) bool { return now[j].Ref == old[i].Ref })
	})
	several := len(has) > 1
	expected := slices.DeleteFunc(has, func(j int) bool {
		plain := unfocusedRow(now[j].Text)
		outer := several && Role(now[j].Text) == "Iframe" // a frame that holds the focused element has the focus, too
		return now[j].Ref != acted && !outer ||
			!slices.ContainsFunc(old, func(r Row) bool { return r.Ref == now[j].Ref && r.Text == plain })
	})
	return unfocused(old, lost), unfocused(now, expected)
}

// focusedRows lists the rows with a ref that have the mark of the focus.
func focusedRows(rows []Row) (at []int) {
	for i := range rows {
		if rows[i].Ref != 0 && isFocused(rows[i].Text) {
			at = append(at, i)
		}
	}
	return at
}

// unfocused is rows without the mark of the focus in some of them.
func unfocused(rows []Row, at []int) []Row {
	if len(at) == 0 {
		return rows
	}
	rows = slices.Clone(rows)
	for _, i := range at {
		rows[i].Text = unfocusedRow(rows[i].Text)
	}
	read, _ := Parse(Join(rows))
	return read
}

// unfocusedRow returns a row without the mark of the focus.
func unfocusedRow(text string) string {
	s := SpanOf(text)
	return text[:s.Attributes] + strings.Replace(text[s.Attributes:s.AttributesEnd], focusedState+", ", "", 1) + text[s.AttributesEnd:]
}

const focusedState = "focused"

func isFocused(text string) bool {
	s := SpanOf(text)
	return slices.Contains(strings.Split(text[s.Attributes:s.AttributesEnd], ", "), focusedState)
}
