package chain

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/usher-browser/usher/internal/verb/spelling"
)

// attributes are what a role part can require.
var attributes = []string{"name", "checked", "disabled", "expanded", "pressed", "selected", "level", "include-hidden"}

// role reads a role and its attributes: button[name="Save"i][disabled=false].
func (p *Part) role(s string) error {
	name, rest := s, ""
	if i := strings.IndexByte(s, '['); i >= 0 {
		name, rest = s[:i], s[i:]
	}
	p.Value = strings.ToLower(strings.TrimSpace(name))
	if p.Value == "" || strings.Trim(p.Value, "abcdefghijklmnopqrstuvwxyz-") != "" {
		return &Error{Message: quote(p.Source) + " has no role", Hint: `A role is one word, such as button; a name is in brackets: role=button[name="Save"].`}
	}
	for rest = strings.TrimSpace(rest); rest != ""; rest = strings.TrimSpace(rest) {
		end, open := bracketEnd(rest)
		if open {
			return &Error{Message: quote(rest) + " is not of the form [name=\"Save\"]"}
		}
		if err := p.attribute(rest[1:end]); err != nil {
			return err
		}
		rest = rest[end+1:]
	}
	return nil
}

// bracketEnd returns the index of the bracket that closes the one at the beginning.
func bracketEnd(s string) (end int, open bool) {
	if s[0] != '[' {
		return 0, true
	}
	value := strings.IndexByte(s, '=') + 1
	for i := 1; i < len(s); i++ {
		switch c := s[i]; {
		case c == '\\':
			i++
		case isQuote(s[i:]):
			n := closing(s[i:])
			if n < 0 {
				return 0, true
			}
			i += n
		case c == '/' && i == value:
			if n := patternEnd(s[i:]); n > 0 {
				i += n - 1
			}
		case c == ']':
			return i, false
		}
	}
	return 0, true
}

// attribute reads what is in one pair of brackets.
func (p *Part) attribute(s string) error {
	name, value, given := strings.Cut(s, "=")
	name, value = strings.TrimSpace(name), strings.TrimSpace(value)
	if given && value == "" {
		return &Error{Message: quote("["+s+"]") + " has nothing after the equals sign"}
	}
	if name == "name" {
		return p.name(value)
	}
	if p.States == nil {
		p.States = &States{}
	}
	if isQuote(value) && closing(value) == len(value)-1 {
		value = unquote(value[1 : len(value)-1])
	}
	if name == "level" {
		n, err := strconv.Atoi(value)
		if err != nil || n < 1 {
			return &Error{Message: quote("["+s+"]") + " has no level", Hint: "A level is a number from 1: [level=2]."}
		}
		p.States.Level = n
		return nil
	}
	return p.state(s, name, value, given)
}

func (p *Part) name(value string) error {
	if value == "" {
		return &Error{Message: quote(p.Source) + " has a name without a text", Hint: `Write [name="Save"].`}
	}
	var err error
	p.Text, err = textOf(value, Name)
	return err
}

// state reads an attribute that is true or false, or mixed for some.
func (p *Part) state(s, name, value string, given bool) error {
	if !given {
		value = "true"
	}
	fields := map[string]*string{
		"checked": &p.States.Checked, "pressed": &p.States.Pressed, "disabled": &p.States.Disabled, "expanded": &p.States.Expanded,
		"selected": &p.States.Selected,
	}
	field, known := fields[name]
	mixed := name == "checked" || name == "pressed"
	switch {
	case !known && name != "include-hidden":
		return &Error{
			Message: fmt.Sprintf("A role has no attribute %s", quote(name)), Hint: "Attributes are " + strings.Join(attributes, ", ") + ".",
			Suggestions: spelling.Nearest(name, attributes),
		}
	case value != "true" && value != "false" && (value != "mixed" || !mixed):
		accepted := "true or false"
		if mixed {
			accepted = "true, false or mixed"
		}
		return &Error{Message: quote("["+s+"]") + " is neither " + strings.Replace(accepted, " or ", " nor ", 1)}
	case known:
		*field = value
	default:
		p.States.Hidden = value == "true"
	}
	return nil
}
