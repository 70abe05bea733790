package element

import "strconv"

// Unquote removes quotes; quoted text is matched exactly.
func Unquote(s string) (string, bool) {
	if len(s) >= 2 && (s[0] == '"' || s[0] == '\'') && s[len(s)-1] == s[0] {
		return s[1 : len(s)-1], true
	}
	return s, false
}

func quote(s string) string { return strconv.Quote(s) }
