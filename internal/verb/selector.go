package verb

import (
	"errors"
	"strings"

	"github.com/usher-browser/usher/internal/plain"
	"github.com/usher-browser/usher/internal/verb/chain"
)

// SelectorKind is the notation of a selector.
type SelectorKind uint8

const (
	CSS    SelectorKind = iota
	Ref                 // @e4, ref=e4 or e4
	XPath               // xpath=..., or a bare path that begins with // or (//
	ByText              // text=...: the element whose own visible text contains it
	Chain               // locators joined by >>, and what only those have, see package chain
)

// Target is a parsed selector.
type Target struct {
	Kind  SelectorKind
	Value string // the CSS, the XPath, the text or the chain; for a ref its name without "@", such as "e4"
	Ref   int    // the number of the ref, 4 for "e4"; 0 for other kinds
}

// ParseSelector recognises the kind of a selector. Any text of no other kind is CSS and is checked by the browser.
// Empty selectors, words that begin with "@" but are no ref, and chains with mistakes are errors.
func ParseSelector(s string) (Target, error) {
	t := strings.TrimSpace(s)
	switch {
	case t == "":
		return Target{}, badSelector("An empty selector matches no element")
	case chain.Is(t):
		return parseChain(t)
	case t[0] == '@':
		if n := chain.RefNumber(t[1:]); n > 0 {
			return Target{Kind: Ref, Value: t[1:], Ref: n}, nil
		}
		return Target{}, badSelector(plain.Quote(s)+" is not a ref", "A ref is @e and a number from the last snapshot, such as @e4.")
	case strings.HasPrefix(t, "ref="):
		name := strings.TrimPrefix(t[4:], "@")
		if n := chain.RefNumber(name); n > 0 {
			return Target{Kind: Ref, Value: name, Ref: n}, nil
		}
		return Target{}, badSelector(plain.Quote(s)+" is not a ref", "A ref is @e and a number from the last snapshot, such as @e4.")
	case chain.RefNumber(t) > 0:
		return Target{Kind: Ref, Value: t, Ref: chain.RefNumber(t)}, nil
	case strings.HasPrefix(t, "xpath="):
		return nonEmpty(Target{Kind: XPath, Value: t[6:]}, s)
	case strings.HasPrefix(t, "//"), strings.HasPrefix(t, "(//"):
		return Target{Kind: XPath, Value: t}, nil
	case strings.HasPrefix(t, "text="):
		return nonEmpty(Target{Kind: ByText, Value: t[5:]}, s)
	case strings.HasPrefix(t, "css="):
		return nonEmpty(Target{Kind: CSS, Value: t[4:]}, s)
	}
	if err := chain.Unknown(t); err != nil {
		return Target{}, badChain(err)
	}
	return Target{Kind: CSS, Value: t}, nil
}

func parseChain(s string) (Target, error) {
	if _, err := chain.Parse(s); err != nil {
		return Target{}, badChain(err)
	}
	return Target{Kind: Chain, Value: s}, nil
}

func badChain(err error) *Error {
	var bad *chain.Error
	if !errors.As(err, &bad) {
		return badSelector(err.Error())
	}
	out := badSelector(bad.Message, bad.Hint)
	out.Suggestions = bad.Suggestions
	return out
}

func nonEmpty(t Target, given string) (Target, error) {
	if strings.TrimSpace(t.Value) == "" {
		return Target{}, badSelector(plain.Quote(given) + " has nothing after the equals sign")
	}
	return t, nil
}
