package chain

import (
	"slices"
	"strconv"
	"strings"
)

// Playwright has pseudo-classes besides those of CSS: a selector with one is taken apart into parts that choose, so that the
// browser only sees CSS.

// extensions are the pseudo-classes that only Playwright has; true for those with arguments.
var extensions = map[string]bool{
	"has-text": true, "text": true, "text-is": true, "text-matches": true, "nth-match": true, "visible": false,
	"left-of": true, "right-of": true, "above": true, "below": true, "near": true,
}

// beginnings are what a selector with one of the extensions contains.
var beginnings = []string{":text", ":has-text(", ":visible", ":nth-match(", ":left-of(", ":right-of(", ":above(", ":below(", ":near("}

// pseudo is a pseudo-class in a selector.
type pseudo struct {
	name, args, source string
	call               bool // it has parentheses
}

// pseudoAt reads the pseudo-class at a colon; its source is empty if there is none, or its parentheses are open.
func pseudoAt(s string) pseudo {
	end := 1
	for end < len(s) && (s[end] >= 'a' && s[end] <= 'z' || s[end] == '-') {
		end++
	}
	p := pseudo{name: s[1:end], source: s[:end]}
	if end < len(s) && s[end] == '(' {
		n := groupEnd(s[end:])
		if n < 0 {
			return pseudo{}
		}
		p.args, p.call = strings.Trim(s[end+1:end+n], spaces), true
		p.source = s[:end+n+1]
	}
	return p
}

func (p pseudo) extended(depth int) bool {
	call, known := extensions[p.name]
	return known && call == p.call ||
		p.call && (p.name == "has" || p.name == "not" || p.name == "is" || p.name == "where") && isExtended(p.args, depth+1)
}

// groupEnd returns the index of the bracket that closes the one at the beginning; -1 if there is none.
func groupEnd(s string) int {
	depth := 0
	for i := 0; i < len(s); i++ {
		switch c := s[i]; c {
		case '\\':
			i++
		case '"', '\'':
			n := closing(s[i:])
			if n < 0 {
				return -1
			}
			i += n
		case '(', '[':
			depth++
		case ')', ']':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}

// Extended reports whether a CSS selector has a pseudo-class of Playwright, such as button:has-text("Save").
func Extended(css string) bool { return isExtended(css, 0) }

// isExtended looks no deeper than a chain may be: what is inside that many others, [expand] refuses.
func isExtended(css string, depth int) bool {
	if !slices.ContainsFunc(beginnings, func(with string) bool { return strings.Contains(css, with) }) {
		return false
	}
	if depth > deepest {
		return true
	}
	for i := 0; i < len(css); {
		n, p := token(css[i:])
		if n == 0 {
			return false
		}
		if p.extended(depth) {
			return true
		}
		i += n
	}
	return false
}

// token returns the length of what cannot be taken apart at the beginning of s, and the pseudo-class that it is. The length
// is 0 if a bracket is not closed.
func token(s string) (length int, p pseudo) {
	end := -1
	switch s[0] {
	case '\\':
		return min(2, len(s)), p
	case '"', '\'':
		end = closing(s)
	case '[', '(':
		return groupEnd(s) + 1, p
	case ':':
		p = pseudoAt(s)
		return len(p.source), p
	}
	return max(end, 0) + 1, p
}

// expansion is a CSS selector that is being taken apart.
type expansion struct {
	alternatives [][]Part
	parts        []Part // of the alternative
	css          strings.Builder
	filters      []Part // of the compound
	counts       bool   // it counts what is in the scope, which makes it one search
	depth        int
	left         *int
}

// expand takes a selector with pseudo-classes of Playwright apart.
func expand(css string, depth int, left *int) ([]Part, error) {
	if depth > deepest {
		return nil, &Error{Message: "Too many selectors are inside each other"}
	}
	x := &expansion{depth: depth, left: left}
	for i := 0; i < len(css); {
		n, p := token(css[i:])
		var err error
		switch {
		case n == 0:
			err = &Error{Message: quote(css) + " has a bracket that is not closed"}
		case p.extended(x.depth):
			err = x.filter(p)
		case css[i] == ',':
			err = x.alternative(css)
		case isSpace(css[i]) || strings.IndexByte(">+~", css[i]) >= 0:
			n, err = x.combinator(css[i:])
		default:
			x.css.WriteString(css[i : i+n])
		}
		if err != nil {
			return nil, err
		}
		i += n
	}
	if err := x.alternative(css); err != nil {
		return nil, err
	}
	if len(x.alternatives) == 1 && !x.counts {
		return x.alternatives[0], nil
	}
	return []Part{{Kind: Any, Source: css, Alternatives: x.alternatives}}, nil
}

// combinator ends a compound that has been filtered. It returns how much of s it has read.
func (x *expansion) combinator(s string) (int, error) {
	rest := strings.TrimLeft(s, spaces)
	if len(x.filters) == 0 || rest == "" || rest[0] == ',' {
		x.css.WriteByte(s[0])
		return 1, nil
	}
	if rest[0] == '+' || rest[0] == '~' {
		return 0, &Error{Message: quote(s) + " cannot follow a pseudo-class of Playwright", Hint: "After one, use a space or >, or parts with >>."}
	}
	x.step()
	if rest[0] == '>' {
		x.css.WriteString("> ")
		rest = strings.TrimLeft(rest[1:], spaces)
	}
	return len(s) - len(rest), nil
}

func (x *expansion) step() {
	css := strings.Trim(x.css.String(), spaces)
	x.parts = append(append(x.parts, Part{Kind: CSS, Source: css, Value: css}), x.filters...)
	x.css.Reset()
	x.filters = nil
}

func (x *expansion) alternative(css string) error {
	if strings.Trim(x.css.String(), spaces) == "" {
		return &Error{Message: quote(css) + " has an empty selector"}
	}
	x.step()
	x.alternatives, x.parts = append(x.alternatives, x.parts), nil
	return nil
}

// filter adds what a pseudo-class means.
func (x *expansion) filter(p pseudo) error {
	if *x.left--; *x.left < 0 {
		return &Error{Message: "The selector has more than " + strconv.Itoa(mostParts) + " parts"}
	}
	if css := x.css.String(); css == "" || isSpace(css[len(css)-1]) || strings.IndexByte(">+~", css[len(css)-1]) >= 0 {
		x.css.WriteByte('*')
	}
	parts, err := x.meaning(p)
	for i := range parts {
		parts[i].Source = p.source
	}
	x.filters = append(x.filters, parts...)
	return err
}

func (x *expansion) meaning(p pseudo) ([]Part, error) {
	switch p.name {
	case "visible":
		return []Part{{Kind: Visible, Shown: true}}, nil
	case "has-text":
		text, err := argument(p)
		return []Part{{Kind: HasText, Text: &Text{Value: text, Match: Contains}}}, err
	case "text", "text-is", "text-matches":
		text, err := x.text(p)
		return []Part{{Kind: And, Inner: []Part{{Kind: ByText, Source: p.source, Text: text}}}}, err
	case "nth-match":
		return x.nthMatch(p)
	case "left-of", "right-of", "above", "below", "near":
		return x.beside(p)
	case "has":
		inner, err := expand(p.args, x.depth+1, x.left)
		return []Part{{Kind: Has, Inner: inner}}, err
	case "not":
		if inner := pseudoOnly(p.args); inner.name == "visible" {
			return []Part{{Kind: Visible}}, nil
		} else if inner.name == "has-text" {
			text, err := argument(inner)
			return []Part{{Kind: HasNotText, Text: &Text{Value: text, Match: Contains}}}, err
		} else if inner.name == "has" {
			parts, err := expand(inner.args, x.depth+1, x.left)
			return []Part{{Kind: HasNot, Inner: parts}}, err
		}
	}
	return nil, &Error{Message: quote(p.source) + " cannot be combined so", Hint: "Use parts with >>: has=, has-not=, and=, or=."}
}

// pseudoOnly reads a selector that is one pseudo-class.
func pseudoOnly(s string) pseudo {
	if strings.HasPrefix(s, ":") {
		if p := pseudoAt(s); p.source == s {
			return p
		}
	}
	return pseudo{}
}

// argument returns the one text in quotes that a pseudo-class has.
func argument(p pseudo) (string, error) {
	if !isQuote(p.args) || closing(p.args) != len(p.args)-1 {
		return "", &Error{Message: quote(p.source) + " has no text in quotes", Hint: `Write :` + p.name + `("Save").`}
	}
	text := unquote(p.args[1 : len(p.args)-1])
	if strings.TrimSpace(text) == "" {
		return "", &Error{Message: quote(p.source) + " looks for an empty text"}
	}
	return text, nil
}

func (x *expansion) text(p pseudo) (*Text, error) {
	out := &Text{Match: Contains}
	if p.name == "text-is" {
		out.Match = Own
	}
	if p.name == "text-matches" {
		out.Match = Pattern
		if end := closing(p.args); isQuote(p.args) && end > 0 && end < len(p.args)-1 {
			flags := strings.Trim(p.args[end+1:], spaces+",")
			out.Flags, p.args = strings.Trim(flags, `"'`), p.args[:end+1]
			if strings.Trim(out.Flags, "dgimsuvy") != "" {
				return nil, &Error{Message: quote(p.source) + " has unknown flags"}
			}
		}
	}
	var err error
	out.Value, err = argument(p)
	return out, err
}

// nthMatch reads :nth-match(selector, n), with n from 1.
func (x *expansion) nthMatch(p pseudo) ([]Part, error) {
	i := strings.LastIndexByte(p.args, ',')
	n, err := strconv.Atoi(strings.Trim(p.args[i+1:], spaces))
	if i < 0 || err != nil || n < 1 {
		return nil, &Error{Message: quote(p.source) + " has no selector and number", Hint: "Write :nth-match(button, 2) for the second button."}
	}
	inner, err := expand(p.args[:i], x.depth+1, x.left)
	if err != nil {
		return nil, err
	}
	x.counts = true
	return []Part{{Kind: And, Inner: append(inner, Part{Kind: Nth, Source: p.source, Index: n - 1})}}, nil
}

// beside reads :right-of(selector) and its kind, with or without the largest distance in CSS pixels: :near(.price, 120).
func (x *expansion) beside(p pseudo) ([]Part, error) {
	part := Part{Kind: Kind(p.name)}
	css := p.args
	if i := strings.LastIndexByte(css, ','); i >= 0 {
		if n, err := strconv.ParseFloat(strings.Trim(css[i+1:], spaces), 64); err == nil {
			part.Distance, css = &n, css[:i]
		}
	}
	if strings.Trim(css, spaces) == "" {
		return nil, &Error{Message: quote(p.source) + " has no selector", Hint: "Write :" + p.name + `(label), or :` + p.name + "(label, 120) for at most 120 pixels."}
	}
	var err error
	part.Inner, err = expand(css, x.depth+1, x.left)
	x.counts = true // the other elements are searched where the compound is
	return []Part{part}, err
}
