package element

import (
	"strconv"
	"strings"

	"github.com/usher-browser/usher/internal/api"
)

// ParseTarget parses the notation for an element on a command line:
//
//	@e7  ref=e7  e7           a ref of a snapshot
//	xpath=…  //…  (//…)[1]    XPath
//	text=…  role=…[name=…]    by text, by role and name
//	label=…  placeholder=…  alt=…  title=…  testid=…
//	css=…  anything else      CSS
//
// A ref is returned unresolved ([Target.Ref]). Errors: [api.MissingArgument], [api.InvalidSelector].
func ParseTarget(s string) (Target, error) {
	s = strings.TrimSpace(s)
	if s == "" {
		return Target{}, api.Errorf(api.MissingArgument, "the selector is empty").
			WithHint("Give a ref like @e7, a CSS selector, text=… or xpath=….")
	}
	if refNumber(s) > 0 {
		return Target{By: ByRef, Value: "@e" + strconv.Itoa(refNumber(s))}, nil
	}
	if s[0] == '@' {
		return Target{}, api.Errorf(api.InvalidSelector, "%q is not a ref", s).
			WithHint("Refs look like @e7; `snapshot -i` shows them.")
	}
	if strings.HasPrefix(s, "//") || strings.HasPrefix(s, "(/") || strings.HasPrefix(s, "..") {
		return Target{By: ByXPath, Value: s}, nil
	}
	kind, value, found := strings.Cut(s, "=")
	if !found {
		return Target{By: ByCSS, Value: s}, nil
	}
	switch By(kind) {
	case ByCSS, ByXPath, ByText, ByLabel, ByPlaceholder, ByAlt, ByTitle, ByTestID:
		value, exact := Unquote(value)
		if value == "" {
			return Target{}, api.Errorf(api.InvalidSelector, "%q has no text to search for", s)
		}
		return Target{By: By(kind), Value: value, Exact: exact && By(kind) != ByCSS && By(kind) != ByXPath}, nil
	case ByRole:
		return parseRole(s, value)
	}
	return Target{By: ByCSS, Value: s}, nil
}

// parseRole reads `button` and `button[name="Save"]`.
func parseRole(whole, value string) (Target, error) {
	role, rest, named := strings.Cut(value, "[")
	t := Target{By: ByRole, Value: strings.TrimSpace(role)}
	if named {
		inner, closed := strings.CutSuffix(strings.TrimSpace(rest), "]")
		name, ok := strings.CutPrefix(inner, "name=")
		if !closed || !ok || name == "" {
			return Target{}, api.Errorf(api.InvalidSelector, `%q is not of the form role=button[name="Save"]`, whole)
		}
		t.Name, t.Exact = Unquote(name)
	}
	if t.Value == "" {
		return Target{}, api.Errorf(api.InvalidSelector, "%q names no role", whole)
	}
	return t, nil
}

// Unquote removes quotes; quoted text is matched exactly.
func Unquote(s string) (string, bool) {
	if len(s) >= 2 && (s[0] == '"' || s[0] == '\'') && s[len(s)-1] == s[0] {
		return s[1 : len(s)-1], true
	}
	return s, false
}

// refNumber is n for "@en", "ref=en" and "en", else 0.
func refNumber(s string) int {
	s = strings.TrimPrefix(strings.TrimPrefix(s, "ref="), "@")
	digits, ok := strings.CutPrefix(s, "e")
	if !ok || digits == "" || digits[0] == '0' || len(digits) > 9 {
		return 0
	}
	for _, c := range []byte(digits) {
		if c < '0' || c > '9' {
			return 0
		}
	}
	n, err := strconv.Atoi(digits)
	if err != nil {
		return 0
	}
	return n
}

func quote(s string) string { return strconv.Quote(s) }
