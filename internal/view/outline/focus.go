package outline

import (
	"slices"
	"strings"
)

// DropKnownFocus takes the mark of the focus out of rows where it tells nothing new: out of old ones that have lost it, for where it
// went is told by the row that has it; and, where that is all that is new in a row, out of the one that was acted on and of frames
// in which another row has it.
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

// unfocusedRow is a row without the mark of the focus.
func unfocusedRow(text string) string {
	s := SpanOf(text)
	return text[:s.Attributes] + strings.Replace(text[s.Attributes:s.AttributesEnd], focusedState+", ", "", 1) + text[s.AttributesEnd:]
}

const focusedState = "focused"

func isFocused(text string) bool {
	s := SpanOf(text)
	return slices.Contains(strings.Split(text[s.Attributes:s.AttributesEnd], ", "), focusedState)
}
