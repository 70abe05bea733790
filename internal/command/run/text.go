package run

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/usher-browser/usher/internal/plain"
)

func Quote(s string) string {
	const most = 200
	if r := []rune(s); len(r) > most {
		s = string(r[:most]) + "…"
	}
	return `"` + s + `"`
}

// Head returns the beginning of a text, in whole lines if they are not too long.
func Head(s string, most int) string {
	s = s[:most]
	if i := strings.LastIndexByte(s, '\n'); i > most/2 {
		return s[:i]
	}
	return strings.ToValidUTF8(s, "") // a character may have been cut in two
}

// Printable formats page text for a terminal: continuation lines are indented, and control characters are escaped.
func Printable(text string) string {
	var b strings.Builder
	for _, r := range text {
		switch {
		case r == '\n':
			b.WriteString("\n    ")
		case r == '\t' || unicode.IsPrint(r):
			b.WriteRune(r)
		default:
			fmt.Fprintf(&b, "\\u%04x", r)
		}
	}
	return b.String()
}

// OneLine is [Printable] for a text of one line, such as a title.
func OneLine(text string) string {
	return strings.Join(strings.Fields(Printable(plain.Cut(text, longestLine))), " ")
}

// longestLine is the largest length of a line, in characters.
const longestLine = 1_000

func Plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// OrNull returns a text for JSON: null for the empty one.
func OrNull(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}
