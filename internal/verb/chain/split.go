package chain

import "strings"

// piece is the text of one part, without white space around it.
type piece struct {
	text string
	open byte // the quote or bracket that is not closed; 0 if all are
}

// split takes a selector apart at each >> with white space around it that is in no quotes and no brackets. A text that
// is written without quotes may have quotes of its own.
func split(s string) []piece {
	var pieces []piece
	for rest := strings.Trim(s, spaces); ; {
		rest = strings.TrimLeft(rest, spaces)
		if len(pieces) > 0 && rest == "" || strings.HasPrefix(rest, ">>") && (len(rest) == 2 || isSpace(rest[2])) {
			pieces = append(pieces, piece{})
			if rest == "" {
				return pieces
			}
			if rest = rest[2:]; len(pieces) == 1 && strings.TrimLeft(rest, spaces) == "" {
				return pieces
			}
			continue
		}
		end, open := endOf(rest)
		pieces = append(pieces, piece{text: strings.TrimRight(rest[:end], spaces), open: open})
		if end == len(rest) {
			return pieces
		}
		rest = strings.TrimLeft(rest[end:], spaces)[2:]
	}
}

const spaces = " \t\r\n\f"

func isSpace(c byte) bool { return strings.IndexByte(spaces, c) >= 0 }

// endOf returns where the part at the beginning of s ends, and what is open there.
func endOf(s string) (end int, open byte) {
	name, value := nameOf(s)
	from := len(s) - len(value)
	switch {
	case !words[name].text && !isQuote(s):
		return rawEnd(s)
	case name == "":
		from, value = 0, s
	}
	if value == "" {
		return len(s), 0
	}
	if isQuote(value) {
		end := closing(value)
		if end < 0 {
			return len(s), value[0]
		}
		if end++; end < len(value) && (value[end] == 'i' || value[end] == 's') {
			end++
		}
		if separates(value, end) {
			return from + end, 0
		}
	} else if end := patternEnd(value); end > 0 && separates(value, end) {
		return from + end, 0
	}
	return from + plainEnd(value), 0
}

// separates reports whether a separator or the end of the selector is at i.
func separates(s string, i int) bool {
	if strings.TrimLeft(s[i:], spaces) == "" {
		return true
	}
	if !isSpace(s[i]) {
		return false
	}
	rest := strings.TrimLeft(s[i:], spaces)
	return strings.HasPrefix(rest, ">>") && (len(rest) == 2 || isSpace(rest[2]))
}

// plainEnd is the end of a text without quotes.
func plainEnd(s string) int {
	for from := 0; ; {
		i := strings.Index(s[from:], ">>")
		if i < 0 {
			return len(s)
		}
		i += from
		if i > 0 && isSpace(s[i-1]) && i+2 < len(s) && isSpace(s[i+2]) {
			return len(strings.TrimRight(s[:i], spaces))
		}
		from = i + 2
	}
}

// rawEnd is the end of CSS, XPath and what else may have quotes and brackets anywhere.
func rawEnd(s string) (end int, open byte) {
	var around []byte
	patterns := true
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '\\':
			i++
		case c == '"' || c == '\'':
			n := closing(s[i:])
			if n < 0 {
				return len(s), c
			}
			i += n
		case c == '/' && patterns && len(around) > 0 && s[i-1] == '=':
			n := patternEnd(s[i:])
			if patterns = n > 0; patterns {
				i += n - 1
			}
		case c == '[' || c == '(':
			around = append(around, c)
		case c == ']' || c == ')':
			if len(around) > 0 {
				around = around[:len(around)-1]
			}
		case len(around) == 0 && isSpace(c):
			rest := strings.TrimLeft(s[i:], spaces)
			if strings.HasPrefix(rest, ">>") && (len(rest) == 2 || isSpace(rest[2])) {
				return i, 0
			}
			i = len(s) - len(rest) - 1
		}
	}
	if len(around) > 0 {
		return len(s), around[len(around)-1]
	}
	return len(s), 0
}

func isQuote(s string) bool { return s != "" && (s[0] == '"' || s[0] == '\'') }

// closing returns the index of the quote that closes the one at the beginning of s; -1 if there is none.
func closing(s string) int {
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case s[0]:
			return i
		}
	}
	return -1
}

// patternEnd returns the index after a regular expression, /source/flags, at the beginning of s; 0 if there is none.
func patternEnd(s string) int {
	if s == "" || s[0] != '/' {
		return 0
	}
	class := false
	for i := 1; i < len(s); i++ {
		switch c := s[i]; {
		case c == '\\':
			i++
		case c == '\n' || c == '\r':
			return 0
		case c == '[':
			class = true
		case c == ']':
			class = false
		case c == '/' && !class:
			if i == 1 {
				return 0 // "//" begins a comment in JavaScript, and an XPath here
			}
			for i++; i < len(s) && strings.IndexByte("dgimsuvy", s[i]) >= 0; i++ {
			}
			return i
		}
	}
	return 0
}

// pattern reads a text that is a regular expression and nothing else.
func pattern(s string) (source, flags string, ok bool) {
	if end := patternEnd(s); end == 0 || end != len(s) {
		return "", "", false
	}
	last := strings.LastIndexByte(s, '/')
	return s[1:last], s[last+1:], true
}

// nameOf returns the name before the first equals sign and what is after it, or no name and the selector.
func nameOf(s string) (name, value string) {
	i := 0
	for i < len(s) && (s[i] >= 'a' && s[i] <= 'z' || i > 0 && (s[i] == '-' || s[i] == ':' || s[i] == '_')) {
		i++
	}
	if i == 0 || i >= len(s) || s[i] != '=' {
		return "", s
	}
	return s[:i], strings.TrimLeft(s[i+1:], spaces)
}
