// Package plain removes from text what is displayed as something else than it is, or not at all: control characters,
// which a terminal interprets; marks that change the direction of text; invisible characters, in which text for a model
// can be hidden from people.
//
// What text of any language needs is kept: letters of all directions, joiners between letters and in emoji, one
// variation selector behind a character that has variants, the flags that are encoded with tags.
package plain

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// Text returns s without such characters. Line ends and tabs are kept; other white space that ends a line becomes a
// line end. Invalid UTF-8 becomes U+FFFD. Text is idempotent.
func Text(s string) string {
	// What was kept because of a character behind it may be hidden once that is gone.
	for !isASCII(s) {
		shown := withoutHidden(s)
		if shown == s {
			return shown
		}
		s = shown
	}
	return s
}

// withoutHidden removes what is hidden among the characters of s as they are.
func withoutHidden(s string) string {
	var b strings.Builder
	b.Grow(len(s))
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == '\u0085' || r == '\u2028' || r == '\u2029':
			b.WriteByte('\n')
		case r == '\n' || r == '\t' || !hidden(r, b.String(), s[i+n:]):
			b.WriteRune(r)
		}
		i += n
	}
	return b.String()
}

// Line is Text in one line: line ends and tabs become spaces.
func Line(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' {
			return ' '
		}
		return r
	}, Text(s))
}

// Cut returns at most limit characters of s, with the whole number if there are more.
func Cut(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	at, n := 0, 0
	for i := range s {
		if n == limit {
			at = i
		}
		n++
	}
	if n <= limit {
		return s
	}
	return s[:at] + "… (" + strconv.Itoa(n) + " characters)"
}

// Escaped escapes what Text would remove, for a terminal: ESC as \x1b, U+202E as \u202e, a byte that is not UTF-8 as
// \xff. Line ends and tabs are kept.
func Escaped(s string) string {
	return escape(s, func(b []byte, r rune) []byte {
		switch {
		case r < 0x80:
			return append(b, '\\', 'x', hex[r>>4], hex[r&15])
		case r > 0xffff:
			return append(b, `\U`+zeroPadded(strconv.FormatInt(int64(r), 16), 8)...)
		}
		return append(b, `\u`+zeroPadded(strconv.FormatInt(int64(r), 16), 4)...)
	})
}

// EscapedJSON is Escaped for JSON, whose value stays the same.
func EscapedJSON(s string) string {
	return escape(s, func(b []byte, r rune) []byte {
		if high, low := utf16.EncodeRune(r); high != utf8.RuneError {
			b = append(b, `\u`+zeroPadded(strconv.FormatInt(int64(high), 16), 4)...)
			r = low
		}
		return append(b, `\u`+zeroPadded(strconv.FormatInt(int64(r), 16), 4)...)
	})
}

const hex = "0123456789abcdef"

func zeroPadded(digits string, width int) string {
	return strings.Repeat("0", width-len(digits)) + digits
}

func escape(s string, write func(b []byte, r rune) []byte) string {
	if isASCII(s) {
		return s
	}
	b := make([]byte, 0, len(s)+16)
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && n == 1:
			b = append(b, '\\', 'x', hex[s[i]>>4], hex[s[i]&15])
		case r == '\n' || r == '\t' || r != '\u0085' && r != '\u2028' && r != '\u2029' && !hidden(r, s[:i], s[i+n:]):
			b = append(b, s[i:i+n]...)
		default:
			b = write(b, r)
		}
		i += n
	}
	return string(b)
}

// isASCII reports whether there is nothing to look at: printable, or a line end or tab.
func isASCII(s string) bool {
	for i := range len(s) {
		if c := s[i]; (c < ' ' && c != '\n' && c != '\t') || c > '~' {
			return false
		}
	}
	return true
}

// hidden reports whether r, between before and after, does not show or turns around what does.
func hidden(r rune, before, after string) bool {
	switch {
	case r < 0x80:
		return r < ' ' || r == 0x7f
	case r > 0xad && r < 0x034f, r > 0x3164 && r < 0xfdd0:
		return false // most letters
	case r < 0xa0, r == 0xad, r == 0x034f, r == 0x061c, r == 0x115f, r == 0x1160, r == 0x17b4, r == 0x17b5, r >= 0x180b && r <= 0x180f:
		return true
	case r == zwnj || r == zwj:
		return !isJoiner(r, before, after)
	case r == 0x200b, r == 0x200e, r == 0x200f, r >= 0x2028 && r <= 0x202e, r >= 0x2060 && r <= 0x206f, r == 0x3164, r == 0xfeff, r == 0xffa0:
		return true
	case r >= 0xfe00 && r <= 0xfe0f, r >= 0xe0100 && r <= 0xe01ef:
		return !isVariation(r, before)
	case r >= 0xe0000 && r <= 0xe007f:
		return !inFlag(before, after, r)
	case r >= 0xfff0 && r <= 0xfffb, r >= 0x1bca0 && r <= 0x1bca3, r >= 0x1d173 && r <= 0x1d17a, r >= 0xe0080 && r <= 0xe0fff:
		return true
	}
	return unicode.Is(unicode.Noncharacter_Code_Point, r)
}

const (
	zwnj = '\u200c'
	zwj  = '\u200d'
)

// isJoiner reports whether a joiner stands between what can be joined: letters of a script that joins, or emoji.
func isJoiner(r rune, before, after string) bool {
	last, _ := utf8.DecodeLastRuneInString(before)
	next, _ := utf8.DecodeRuneInString(after)
	if canJoin(last) && canJoin(next) {
		return true
	}
	return r == zwj && isEmojiPart(last) && isEmojiPart(next)
}

func canJoin(r rune) bool {
	return unicode.In(r, unicode.Arabic, unicode.Syriac, unicode.Mongolian, unicode.Nko, unicode.Mandaic, unicode.Devanagari, unicode.Bengali,
		unicode.Gurmukhi, unicode.Gujarati, unicode.Oriya, unicode.Tamil, unicode.Telugu, unicode.Kannada, unicode.Malayalam, unicode.Sinhala,
		unicode.Khmer, unicode.Myanmar, unicode.Tibetan, unicode.Balinese, unicode.Javanese) && unicode.In(r, unicode.L, unicode.M)
}

// isEmojiPart reports whether r can be a part of an emoji that is joined of several: a picture, a skin colour, the
// selector behind one.
func isEmojiPart(r rune) bool {
	return unicode.In(r, unicode.So) || r >= 0x1f3fb && r <= 0x1f3ff || r == 0xfe0f || r == 0x2194 || r == 0x2195 || r == 0x27a1
}

// isVariation reports whether a variation selector stands behind a character that has variants: one behind each, no row of
// them.
func isVariation(r rune, before string) bool {
	last, _ := utf8.DecodeLastRuneInString(before)
	if r >= 0xe0100 || r < 0xfe0e {
		return unicode.In(last, unicode.Han, unicode.Mongolian, unicode.Sm)
	}
	return unicode.In(last, unicode.S) || last >= '0' && last <= '9' || last == '#' || last == '*' || last == 0x203c || last == 0x2049 || last == 0x3030 || last == 0x303d
}

// The flags of England, Scotland and Wales are a black flag with letters in tags behind it, and the tag that ends them.
const (
	blackFlag = "\U0001f3f4"
	tagsEnd   = "\U000e007f"
)

// inFlag reports whether a tag is one of a flag's.
func inFlag(before, after string, r rune) bool {
	at := strings.LastIndex(before, blackFlag)
	end := strings.Index(after+tagsEnd, tagsEnd)
	if string(r) == tagsEnd {
		end = 0
		after = ""
	} else {
		after = after[:min(len(after), end)] + tagsEnd
	}
	if at < 0 || len(before)-at > 32 || end > 32 {
		return false
	}
	switch tags := before[at+len(blackFlag):] + string(r) + after; tags {
	case tagged("gbeng"), tagged("gbsct"), tagged("gbwls"):
		return true
	}
	return false
}

func tagged(letters string) string {
	var b strings.Builder
	for _, c := range letters {
		b.WriteRune(0xe0000 + c)
	}
	return b.String() + tagsEnd
}

// Quote returns s for a message: in double quotes, control characters escaped, and cut at 80 characters, because s may
// have ten megabytes.
func Quote(s string) string {
	const most = 80
	if len(s) > 4*most || utf8.RuneCountInString(s) > most {
		n, cut := 0, 0
		for i := range s {
			if n == most {
				cut = i
				break
			}
			n++
		}
		if cut > 0 {
			return strconv.Quote(s[:cut]) + "..."
		}
	}
	return strconv.Quote(s)
}
