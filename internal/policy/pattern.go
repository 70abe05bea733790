package policy

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
)

// Pattern is what a text is held against: a glob, in which * stands for anything,
// or a regular expression between slashes (/sure\?/, or /sure/i to leave case out
// of account). Regular expressions are RE2, so that matching takes time linear in
// the text: the text is a page's, and so is not to be trusted. The zero Pattern
// matches everything.
type Pattern struct {
	text string // as written
	re   *regexp.Regexp
}

// maxPattern is the longest pattern accepted; a compiled one takes many times the
// room of its text.
const maxPattern = 1000

// parsePattern reads a pattern. loose says that a glob without a * need only be
// contained in the text.
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

// between takes the slashes off a regular expression; ok is false for a glob.
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

// Match says that the text is as the pattern wants it.
func (p Pattern) Match(text string) bool { return p.re == nil || p.re.MatchString(text) }

// String is the pattern as it was written.
func (p Pattern) String() string { return p.text }
