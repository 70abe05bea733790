package chain

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"

	"github.com/usher-browser/usher/internal/verb/spelling"
)

// parseChain parses a chain that is inside of depth others. left is how many parts there may still be.
func parseChain(s string, depth int, left *int) ([]Part, error) {
	if depth > deepest {
		return nil, &Error{Message: fmt.Sprintf("More than %d selectors are inside each other", deepest)}
	}
	var parts []Part
	pieces := split(s)
	for i, piece := range pieces {
		if *left--; *left < 0 {
			return nil, &Error{Message: fmt.Sprintf("The selector has more than %d parts", mostParts)}
		}
		if piece.text == "" {
			return nil, &Error{Message: fmt.Sprintf("Part %d of the selector is empty", i+1), Hint: "Each >> has a part on both sides."}
		}
		if piece.open != 0 {
			return nil, &Error{Message: fmt.Sprintf("%s has a %c that is not closed", quote(piece.text), piece.open)}
		}
		name, _ := nameOf(piece.text)
		if words[name].filters && (len(parts) == 0 || parts[len(parts)-1].Kind == Enter) {
			return nil, &Error{Message: quote(piece.text) + " needs a part before it", Hint: "It chooses among the elements that the part before it found."}
		}
		part, err := parsePart(piece.text, depth, left)
		if err != nil {
			return nil, err
		}
		if hasRef(part) && Frames(parts) {
			return nil, &Error{Message: quote(piece.text) + " cannot follow a frame", Hint: "A ref needs no frame: begin with it."}
		}
		if name == frame {
			parts = append(parts, part.Inner...)
			part.Inner = nil
		}
		if part.Kind == CSS && Extended(part.Value) {
			expanded, err := expand(part.Value, depth, left)
			if err != nil {
				return nil, err
			}
			parts = append(parts, expanded...)
			continue
		}
		parts = append(parts, part)
	}
	switch last := parts[len(parts)-1]; {
	case depth > 0 && Frames(parts) && last.Kind != Enter:
		return nil, &Error{Message: quote(s) + " enters a frame, which a selector inside another cannot"}
	case last.Kind == Enter:
		return nil, &Error{Message: quote(s) + " ends with a frame", Hint: "Add what to find in the frame: ... >> role=button."}
	}
	return parts, nil
}

func hasRef(p Part) bool {
	return p.Kind == Ref || slices.ContainsFunc(p.Inner, hasRef)
}

// parsePart parses one part.
func parsePart(s string, depth int, left *int) (Part, error) {
	name, value := nameOf(s)
	part := Part{Kind: Kind(name), Source: s}
	if name != "" && value == "" {
		return part, &Error{Message: quote(s) + " has nothing after the equals sign"}
	}
	var err error
	switch {
	case name == "":
		return bare(s)
	case name == control:
		if value != "enter-frame" {
			return part, &Error{Message: "There is no " + quote(s), Hint: "Use frame=\"selector\"."}
		}
		part.Kind = Enter
	case words[name].text:
		part.Text, err = textOf(value, Kind(name))
	default:
		switch part.Kind {
		case CSS, XPath:
			part.Value = value
		case Ref:
			part.Ref, err = refOf(value)
		case Role:
			err = part.role(value)
		case Nth:
			if part.Index, err = strconv.Atoi(value); err != nil {
				err = &Error{Message: quote(s) + " has no whole number", Hint: "nth=0 is the first element, nth=-1 the last."}
			}
		case Visible:
			if part.Shown = value == "true"; !part.Shown && value != "false" {
				err = &Error{Message: quote(s) + " is neither visible=true nor visible=false"}
			}
		case Has, HasNot, And, Or:
			part.Inner, err = inner(value, depth, left)
		case frame:
			part.Kind = Enter
			part.Inner, err = inner(value, depth, left)
		default:
			err = unknownName(name)
		}
	}
	return part, err
}

// bare parses a part without a name.
func bare(s string) (Part, error) {
	part := Part{Kind: CSS, Source: s, Value: s}
	n, err := refOf(s)
	switch {
	case s[0] == '@' && err != nil:
		return part, err
	case err == nil:
		return Part{Kind: Ref, Source: s, Ref: n}, nil
	case strings.HasPrefix(s, "//"), strings.HasPrefix(s, "(//"), strings.HasPrefix(s, ".."):
		part.Kind = XPath
	case isQuote(s):
		part.Kind, part.Value = ByText, ""
		part.Text, err = textOf(s, ByText)
		return part, err
	}
	return part, nil
}

func refOf(s string) (int, error) {
	if n := RefNumber(strings.TrimPrefix(s, "@")); n > 0 {
		return n, nil
	}
	return 0, &Error{Message: quote(s) + " is not a ref", Hint: "A ref is @e and a number from the last snapshot, such as @e4."}
}

// RefNumber reads "e12" as 12, and anything else as 0. Numbers have at most nine digits and no leading zero.
func RefNumber(s string) int {
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

// inner parses a chain inside a part, with or without quotes around it.
func inner(value string, depth int, left *int) ([]Part, error) {
	if isQuote(value) && closing(value) == len(value)-1 {
		value = unquote(value[1 : len(value)-1])
	}
	return parseChain(value, depth+1, left)
}

// textOf reads a text to compare with: "x" and "x"s are the whole text, "x"i and x a part of it in any letter case, /x/i
// is a regular expression. After has-text= and has-not-text=, "x" is as "x"i.
func textOf(s string, kind Kind) (*Text, error) {
	t := &Text{Value: s, Match: Contains}
	if source, flags, ok := pattern(s); ok {
		return &Text{Value: source, Match: Pattern, Flags: flags}, nil
	}
	if isQuote(s) {
		switch end := closing(s); {
		case end == len(s)-1:
			t.Value, t.Match = unquote(s[1:end]), Whole
			switch kind {
			case ByText:
				t.Match = Own
			case HasText, HasNotText: // the text of all that is in an element is rarely known
				t.Match = Contains
			}
		case end == len(s)-2 && s[end+1] == 's':
			return &Text{Value: unquote(s[1:end]), Match: Whole}, nil
		case end == len(s)-2 && s[end+1] == 'i':
			return &Text{Value: unquote(s[1:end]), Match: Contains}, nil
		}
	}
	// An empty text is written by a shell whose variable is not set; a script that means it writes ""s or ""i.
	if strings.TrimSpace(t.Value) == "" && kind != Placeholder && kind != Alt && kind != Title && kind != TestID {
		return nil, &Error{Message: quote(string(kind)+"="+s) + " looks for an empty text"}
	}
	return t, nil
}

// unquote resolves the escapes of JSON; a backslash before any other character stands for that one.
func unquote(s string) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) {
			b.WriteByte(s[i])
			continue
		}
		i++
		switch s[i] {
		case 'n':
			b.WriteByte('\n')
		case 't':
			b.WriteByte('\t')
		case 'r':
			b.WriteByte('\r')
		case 'b':
			b.WriteByte('\b')
		case 'f':
			b.WriteByte('\f')
		case 'u':
			r, n := escaped(s[i:])
			if n == 0 {
				b.WriteByte('u')
				continue
			}
			b.WriteRune(r)
			i += n - 1
		default:
			b.WriteByte(s[i])
		}
	}
	return b.String()
}

// escaped reads u0041 and surrogate pairs at the beginning of s, and returns how long they are; 0 for anything else.
func escaped(s string) (r rune, length int) {
	unit := func(s string) (rune, bool) {
		if len(s) < 5 || s[0] != 'u' {
			return 0, false
		}
		n, err := strconv.ParseUint(s[1:5], 16, 16)
		return rune(n), err == nil
	}
	first, ok := unit(s)
	if !ok {
		return 0, 0
	}
	if utf16.IsSurrogate(first) && len(s) > 6 && s[5] == '\\' {
		if second, ok := unit(s[6:]); ok && utf16.IsSurrogate(second) {
			return utf16.DecodeRune(first, second), 11
		}
	}
	return first, 5
}

func unknownName(name string) error {
	return &Error{
		Message: "No part of a selector is called " + quote(name), Hint: "Parts are " + strings.Join(Names(), ", ") + ".",
		Suggestions: spelling.Nearest(name, Names()),
	}
}

func quote(s string) string {
	const most = 80
	if cut := []rune(s[:min(len(s), 4*most)]); len(cut) > most {
		s = string(cut[:most]) + "…"
	}
	return strconv.Quote(s)
}
