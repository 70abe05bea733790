// Package chain parses selectors that are chains of locators, in the notation of Playwright's selectors:
//
//	.row >> has-text="Ada"i >> role=button[name="Save"s] >> nth=0
//
// Each part searches in what the part before it found. Package verb decides which selectors are chains; the page script
// finds the elements (ui/page/src/chain.ts).
package chain

import (
	"strings"

	"github.com/usher-browser/usher/internal/verb/spelling"
)

// Kind is what a part does. Kinds of texts are the words of the notation.
type Kind string

// The kinds of parts. The first group finds elements below those found before, the second chooses among those.
const (
	CSS         Kind = "css"
	XPath       Kind = "xpath"
	ByText      Kind = "text"
	Role        Kind = "role"
	Label       Kind = "label"
	Placeholder Kind = "placeholder"
	Alt         Kind = "alt"
	Title       Kind = "title"
	TestID      Kind = "testid" // by the attribute data-testid
	Name        Kind = "name"   // any element with this accessible name
	Ref         Kind = "ref"
	// Any finds what one of several chains finds: CSS with commas and pseudo-classes of Playwright.
	Any Kind = "any"
	// Enter continues in the document of a frame element.
	Enter Kind = "enter"

	Nth        Kind = "nth"
	Visible    Kind = "visible"
	Has        Kind = "has"
	HasNot     Kind = "has-not"
	HasText    Kind = "has-text"
	HasNotText Kind = "has-not-text"
	And        Kind = "and"
	Or         Kind = "or"

	LeftOf  Kind = "left-of"
	RightOf Kind = "right-of"
	Above   Kind = "above"
	Below   Kind = "below"
	Near    Kind = "near"
)

// frame and control are words of the notation that stand for [Enter].
const (
	frame   = "frame"
	control = "internal:control"
)

// words are the names of parts. Those that select nothing by themselves cannot begin a chain.
var words = map[string]struct{ text, filters bool }{
	"css": {}, "xpath": {}, "text": {text: true}, "role": {}, "label": {text: true}, "placeholder": {text: true}, "alt": {text: true},
	"title": {text: true}, "testid": {text: true}, "name": {text: true}, "ref": {}, frame: {}, control: {filters: true},
	"nth": {filters: true}, "visible": {filters: true}, "has": {filters: true}, "has-not": {filters: true},
	"has-text": {text: true, filters: true}, "has-not-text": {text: true, filters: true}, "and": {filters: true}, "or": {filters: true},
}

// Names lists the names of parts that people write, in the order of the help.
func Names() []string {
	return []string{
		"css", "xpath", "text", "role", "label", "placeholder", "alt", "title", "testid", "name", "ref", "nth", "visible", "has", "has-not",
		"has-text", "has-not-text", "and", "or", "frame",
	}
}

// Part is one part of a chain, in the form that the page script reads.
type Part struct {
	Kind   Kind    `json:"kind"`
	Source string  `json:"source"`          // as written, for messages
	Value  string  `json:"value,omitzero"`  // the CSS, the XPath or the role
	Text   *Text   `json:"text,omitzero"`   // what a text is compared with; for Role the name
	States *States `json:"states,omitzero"` // for Role
	Index  int     `json:"index,omitzero"`  // for Nth: from 0, negative from the end
	Shown  bool    `json:"shown,omitzero"`  // for Visible
	Inner  []Part  `json:"inner,omitzero"`  // for Has, HasNot, And, Or, and the kinds of layout
	// Distance is the largest for the kinds of layout, in CSS pixels; nil for any, and for Near 50.
	Distance *float64 `json:"distance,omitzero"`
	// Alternatives are the chains of Any.
	Alternatives [][]Part `json:"alternatives,omitzero"`
	Ref          int      `json:"-"`           // for Ref: the number of the ref
	ID           int      `json:"id,omitzero"` // for Ref: the element in its document, set by who resolves the ref
}

// Match is how texts are compared.
type Match string

// Ways to compare texts. White space counts as one space, except for patterns.
const (
	Contains Match = "contains" // in any letter case
	Whole    Match = "whole"    // in the same letter case
	Own      Match = "own"      // as Whole, with the text between two tags of an element
	Pattern  Match = "pattern"  // a regular expression of JavaScript
)

// Text is a text to compare with.
type Text struct {
	Value string `json:"value"`
	Match Match  `json:"match"`
	Flags string `json:"flags,omitzero"` // of a pattern
}

// States are what a role part requires of elements; the zero value of a field requires nothing.
type States struct {
	Checked  string `json:"checked,omitzero"` // true, false or mixed; so is Pressed
	Pressed  string `json:"pressed,omitzero"`
	Disabled string `json:"disabled,omitzero"` // true or false; so are Expanded and Selected
	Expanded string `json:"expanded,omitzero"`
	Selected string `json:"selected,omitzero"`
	Level    int    `json:"level,omitzero"`
	Hidden   bool   `json:"hidden,omitzero"` // finds elements that are hidden from assistive technology, too
}

// Error says what is wrong with a chain.
type Error struct {
	Message, Hint string
	Suggestions   []string // the nearest names, best first
}

func (e *Error) Error() string { return e.Message }

// Limits of a chain. They end what no page needs: quotes inside quotes double the backslashes with each level.
const (
	longest   = 64 << 10 // bytes
	mostParts = 500
	deepest   = 16 // chains inside each other
)

// Is reports whether a selector is a chain: it has more than one part, begins with a name that only chains have, or is a
// text in the forms "x"i, "x"s and /x/.
func Is(s string) bool {
	if len(s) > longest {
		return strings.Contains(s, " >> ") // an error, whatever it is
	}
	pieces := split(s)
	if len(pieces) != 1 {
		return len(pieces) > 1
	}
	name, value := nameOf(pieces[0].text)
	if value == "" {
		return false
	}
	switch name {
	case "", "css":
		bare := value[:1]
		return bare != "@" && bare != "/" && bare != "(" && Extended(value)
	case "xpath", "ref":
		return false
	case "text":
		if isQuote(value) {
			last := len(value) - 1
			return (value[last] == 'i' || value[last] == 's') && closing(value) == last-1
		}
		_, _, ok := pattern(value)
		return ok
	}
	_, known := words[name]
	return known
}

// Unknown returns an error if a selector begins with a name and an equals sign, which no CSS does, and the name is
// unknown but near to one of a part.
func Unknown(s string) error {
	name, _ := nameOf(s)
	if _, known := words[name]; name == "" || known || len(spelling.Nearest(name, Names())) == 0 {
		return nil
	}
	return unknownName(name)
}

// Parse parses a chain. The error is an [*Error].
func Parse(s string) ([]Part, error) {
	if len(s) > longest {
		return nil, &Error{Message: "The selector is longer than 64 KiB"}
	}
	left := mostParts
	parts, err := parseChain(s, 0, &left)
	if err != nil {
		return nil, err
	}
	return parts, nil
}

// Frames reports whether a chain continues in a frame.
func Frames(parts []Part) bool {
	for _, p := range parts {
		if p.Kind == Enter {
			return true
		}
	}
	return false
}

// Refs calls f for each ref of a chain, also in chains inside it, and puts what it returns in the place of the parts. The
// argument is not changed.
func Refs(parts []Part, f func(p Part, first bool) (Part, error)) ([]Part, error) {
	return refs(parts, true, f)
}

func refs(parts []Part, outer bool, f func(p Part, first bool) (Part, error)) (out []Part, err error) {
	out = make([]Part, len(parts))
	for i, p := range parts {
		if p.Kind == Ref {
			if p, err = f(p, outer && i == 0); err != nil {
				return nil, err
			}
		}
		if len(p.Inner) > 0 {
			if p.Inner, err = refs(p.Inner, false, f); err != nil {
				return nil, err
			}
		}
		out[i] = p
	}
	return out, nil
}
