// Package shell splits a line into words as a shell does, and joins words into such a line.
package shell

import (
	"errors"
	"strings"

	"github.com/usher-browser/usher/internal/plain"
)

// Split splits a line as a shell does: blanks separate words, single quotes keep everything, double quotes keep
// everything but a backslash before " or \, and a backslash outside quotes keeps the next character. Nothing is
// expanded. An unmatched quote and a backslash at the end are errors.
func Split(line string) ([]string, error) {
	var words []string
	var b strings.Builder
	inWord := false
	for i := 0; i < len(line); i++ {
		switch c := line[i]; c {
		case ' ', '\t', '\n', '\r':
			if inWord {
				words = append(words, b.String())
				b.Reset()
				inWord = false
			}
		case '\'':
			end := strings.IndexByte(line[i+1:], '\'')
			if end < 0 {
				return nil, errors.New("the single quote in " + plain.Quote(line) + " is never closed")
			}
			b.WriteString(line[i+1 : i+1+end])
			i += end + 1
			inWord = true
		case '"':
			n, ok := doubleQuoted(&b, line[i+1:])
			if !ok {
				return nil, errors.New("the double quote in " + plain.Quote(line) + " is never closed")
			}
			i += n
			inWord = true
		case '\\':
			if i+1 == len(line) {
				return nil, errors.New("the backslash at the end of " + plain.Quote(line) + " has nothing to keep")
			}
			i++
			b.WriteByte(line[i])
			inWord = true
		default:
			b.WriteByte(c)
			inWord = true
		}
	}
	if inWord {
		words = append(words, b.String())
	}
	return words, nil
}

// doubleQuoted copies the text up to the closing quote and returns how many bytes it took, the quote included.
func doubleQuoted(b *strings.Builder, s string) (int, bool) {
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '"':
			return i + 1, true
		case s[i] == '\\' && i+1 < len(s) && (s[i+1] == '"' || s[i+1] == '\\'):
			i++
			b.WriteByte(s[i])
		default:
			b.WriteByte(s[i])
		}
	}
	return 0, false
}

// Join joins words into one line that Split splits into the same words.
func Join(words []string) string {
	var b strings.Builder
	for i, w := range words {
		if i > 0 {
			b.WriteByte(' ')
		}
		if w != "" && strings.IndexFunc(w, needsQuote) < 0 {
			b.WriteString(w)
			continue
		}
		b.WriteByte('\'')
		b.WriteString(strings.ReplaceAll(w, "'", `'\''`))
		b.WriteByte('\'')
	}
	return b.String()
}

func needsQuote(r rune) bool {
	plain := '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || strings.ContainsRune("-_./:@=,+%", r)
	return !plain
}
