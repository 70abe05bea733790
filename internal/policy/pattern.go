package policy

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
)

// Pattern matches texts: a glob, in which * stands for any text, or a regular expression between slashes (/sure\?/, or
// /sure/i to ignore case). Regular expressions are RE2, so that matching takes time linear in the text, which comes
// from an untrusted page. The zero Pattern matches everything.
type Pattern struct {
	text string // as written
	re   *regexp.Regexp
}

// maxPattern is the longest pattern accepted, in bytes; a compiled one takes many times the memory of its text.
const maxPattern = 1000

// parsePattern parses a pattern. With loose, a glob without a * matches a text that contains it.
func parsePattern(text string, loose bool) (Pattern, error) {
	if text == "" {
		return Pattern{}, errors.New("a pattern cannot be empty; omit the condition to match everything")
	}
	if len(text) > maxPattern {
		return Pattern{}, fmt.Errorf("the pattern has %d bytes, and at most %d are allowed", len(text), maxPattern)
	}
	source, isRegexp := between(text)
	if !isRegexp {
		source = globSource(text, loose && !strings.Contains(text, "*"))
	}
	re, err := regexp.Compile(source)
	if err != nil {
		return Pattern{}, fmt.Errorf("%q is not a regular expression: %w", text, err)
	}
	return Pattern{text: text, re: re}, nil
}

// between removes the slashes of a regular expression; ok is false for a glob.
func between(text string) (source string, ok bool) {
	inner, found := strings.CutPrefix(text, "/")
	if !found {
		return "", false
	}
	if body, plain := strings.CutSuffix(inner, "/"); plain && body != "" {
		return body, true
	}
	if body, folded := strings.CutSuffix(inner, "/i"); folded && body != "" {
		return "(?i)" + body, true
	}
	return "", false
}

func globSource(glob string, contained bool) string {
	parts := strings.Split(glob, "*")
	for i := range parts {
		parts[i] = regexp.QuoteMeta(parts[i])
	}
	source := strings.Join(parts, ".*")
	if contained {
		return source
	}
	return `(?s)\A` + source + `\z`
}

// Match reports whether the pattern matches the text.
func (p Pattern) Match(text string) bool { return p.re == nil || p.re.MatchString(text) }

// String returns the pattern as it was written.
func (p Pattern) String() string { return p.text }
