package verb

import "strings"

// SelectorKind is the notation of a selector.
type SelectorKind uint8

const (
	CSS    SelectorKind = iota
	Ref                 // @e4, ref=e4 or e4
	XPath               // xpath=..., or a bare path that begins with // or (//
	ByText              // text=...: the element whose own visible text contains it
)

// Target is a parsed selector.
type Target struct {
	Kind  SelectorKind
	Value string // the CSS, the XPath or the text; for a ref its name without "@", such as "e4"
	Ref   int    // the number of the ref, 4 for "e4"; 0 for other kinds
}

// ParseSelector recognises the kind of a selector. Any text of no other kind is CSS and is checked by the browser.
// Empty selectors, and words that begin with "@" but are no ref, are errors.
func ParseSelector(s string) (Target, error) {
	t := strings.TrimSpace(s)
	switch {
	case t == "":
		return Target{}, badSelector("An empty selector matches no element")
	case t[0] == '@':
		if n := refNumber(t[1:]); n > 0 {
			return Target{Kind: Ref, Value: t[1:], Ref: n}, nil
		}
		return Target{}, badSelector(Quote(s)+" is not a ref", "A ref is @e and a number from the last snapshot, such as @e4.")
	case strings.HasPrefix(t, "ref="):
		name := strings.TrimPrefix(t[4:], "@")
		if n := refNumber(name); n > 0 {
			return Target{Kind: Ref, Value: name, Ref: n}, nil
		}
		return Target{}, badSelector(Quote(s)+" is not a ref", "A ref is @e and a number from the last snapshot, such as @e4.")
	case refNumber(t) > 0:
		return Target{Kind: Ref, Value: t, Ref: refNumber(t)}, nil
	case strings.HasPrefix(t, "xpath="):
		return nonEmpty(Target{Kind: XPath, Value: t[6:]}, s)
	case strings.HasPrefix(t, "//"), strings.HasPrefix(t, "(//"):
		return Target{Kind: XPath, Value: t}, nil
	case strings.HasPrefix(t, "text="):
		return nonEmpty(Target{Kind: ByText, Value: t[5:]}, s)
	case strings.HasPrefix(t, "css="):
		return nonEmpty(Target{Kind: CSS, Value: t[4:]}, s)
	}
	return Target{Kind: CSS, Value: t}, nil
}

func nonEmpty(t Target, given string) (Target, error) {
	if strings.TrimSpace(t.Value) == "" {
		return Target{}, badSelector(Quote(given) + " has nothing after the equals sign")
	}
	return t, nil
}

// refNumber reads "e12" as 12, and anything else as 0. Numbers have at most nine digits and no leading zero.
func refNumber(s string) int {
	if len(s) < 2 || len(s) > 10 || s[0] != 'e' || s[1] == '0' {
		return 0
	}
	n := 0
	for i := 1; i < len(s); i++ {
		if s[i] < '0' || s[i] > '9' {
			return 0
		}
		n = n*10 + int(s[i]-'0')
	}
	return n
}
