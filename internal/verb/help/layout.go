package help

import (
	"strings"
	"unicode/utf8"
)

// lineWidth is the most columns of a line of help: a terminal beside an editor, or a block of code in a chat.
const lineWidth = 110

// writeRows prints two columns; where the left one is too wide the right one starts on the next line.
func writeRows(b *strings.Builder, rows [][2]string, width int) {
	margin := "\n" + strings.Repeat(" ", width+4)
	for _, r := range rows {
		b.WriteString("  " + breakPattern(r[0], lineWidth-2, "\n      "))
		if r[1] != "" {
			if n := len(r[0]); n <= width {
				b.WriteString(strings.Repeat(" ", width-n+2))
			} else {
				b.WriteString(margin)
			}
			b.WriteString(strings.ReplaceAll(wrap(r[1], lineWidth-width-4), "\n", margin))
		}
		b.WriteByte('\n')
	}
}

// wrap breaks text between words into lines of at most width columns.
func wrap(text string, width int) string {
	var b strings.Builder
	used := 0
	for _, word := range strings.Fields(text) {
		n := utf8.RuneCountInString(word)
		switch {
		case used == 0:
		case used+1+n > width:
			b.WriteByte('\n')
			used = 0
		default:
			b.WriteByte(' ')
			used++
		}
		b.WriteString(word)
		used += n
	}
	return b.String()
}

// paragraphs wraps each paragraph of a text; blank lines part them, and those with indented lines stay as they are.
func paragraphs(text string) string {
	var out []string
	for _, part := range strings.Split(text, "\n\n") {
		if !strings.HasPrefix(part, " ") && !strings.Contains(part, "\n ") {
			part = wrap(part, lineWidth)
		}
		out = append(out, part)
	}
	return strings.Join(out, "\n\n")
}

// breakPattern breaks the pattern of a command before an argument or flag, never inside one.
func breakPattern(pattern string, width int, margin string) string {
	var b strings.Builder
	used, depth, start := 0, 0, 0
	part := func(end int) {
		text := pattern[start:end]
		if used > 0 && used+len(text) > width {
			b.WriteString(margin)
			used, text = len(margin)-1, strings.TrimPrefix(text, " ")
		}
		b.WriteString(text)
		used += len(text)
		start = end
	}
	for i := range len(pattern) {
		switch pattern[i] {
		case '[', '<':
			depth++
		case ']', '>':
			depth--
		case ' ':
			if depth == 0 {
				part(i)
			}
		}
	}
	part(len(pattern))
	return b.String()
}

// columns prints rows with the left column as wide as its widest entry.
func columns(b *strings.Builder, rows [][2]string) {
	width := 0
	for _, r := range rows {
		width = max(width, len(r[0]))
	}
	writeRows(b, rows, min(width, 34))
}

// wrapped returns text in indented lines.
func wrapped(text, indent string) string {
	var b strings.Builder
	line := indent
	for _, word := range strings.Fields(text) {
		if len(line)+len(word)+1 > lineWidth {
			b.WriteString(strings.TrimRight(line, " ") + "\n")
			line = indent
		}
		line += word + " "
	}
	return b.String() + strings.TrimRight(line, " ") + "\n"
}
