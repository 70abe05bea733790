package budget

import (
	"strings"
	"unicode/utf8"

	"github.com/usher-browser/usher/internal/view/outline"
)

// shortened returns a row with at most so many bytes of its name, and of what follows it.
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

// head returns the beginning of a text, without half a character or half an escape.
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

// Truncate returns the beginning of a text that is no outline, or of one so long that not even the line for what is
// missing fits.
func Truncate(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	if limit < len("…") {
		return ""
	}
	return head(text, limit-len("…")) + "…"
}
