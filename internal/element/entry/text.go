package entry

import (
	"slices"
	"strings"
)

// SameText reports whether two texts are equal as the content of a field: spaces, which fields rearrange, and empty
// lines, which editors show between paragraphs, do not count.
func SameText(a, b string) bool { return plainText(a) == plainText(b) }

// HoldsText reports whether one text contains the other, compared as by [SameText].
func HoldsText(whole, part string) bool { return strings.Contains(plainText(whole), plainText(part)) }

func plainText(s string) string {
	list := lines(s)
	for i, line := range list {
		list[i] = strings.Join(strings.Fields(line), "")
	}
	return strings.Join(list, "\n")
}

// sameLines is SameText with the spaces at the beginning of a line and within: what an editor indents by itself differs.
func sameLines(a, b string) bool { return slices.Equal(lines(a), lines(b)) }

// lines returns those of a text that are not empty, without the spaces at their end.
func lines(s string) []string {
	var list []string
	for line := range strings.Lines(strings.ReplaceAll(s, "\r\n", "\n")) {
		if line = strings.TrimRight(line, " \t\n"); line != "" {
			list = append(list, line)
		}
	}
	return list
}
