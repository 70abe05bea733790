package input

import (
	"slices"
	"strings"
)

// CompiledSemanticAction is the command that a semanticAction stands for.
type CompiledSemanticAction struct {
	Action   string   `json:"action"`
	Locator  string   `json:"locator,omitzero"`
	Selector string   `json:"selector,omitzero"`
	Args     []string `json:"args"`
	Values   []string `json:"values,omitzero"`

	// Role and Name are what has to be found in a snapshot before the command can run; Must reports that it cannot run otherwise.
	Role string `json:"-"`
	Name string `json:"-"`
	Must bool   `json:"-"`

	text    string
	session string
}

var (
	semanticActions  = []string{"check", "click", "fill", "select", "uncheck"}
	semanticLocators = []string{"alt", "label", "placeholder", "role", "testid", "text", "title"}
)

// Compile returns the command. The checks have the reference's order.
func (a *SemanticAction) Compile(what string) (*CompiledSemanticAction, error) {
	isSelect := a.Action == "select"
	fail := func(format string, args ...any) (*CompiledSemanticAction, error) {
		return nil, invalid(what+format, args...)
	}
	locator := str(a.Locator)
	switch {
	case !slices.Contains(semanticActions, a.Action):
		return fail(".action must be one of %s, not %q.", strings.Join(semanticActions, ", "), a.Action)
	case blank(a.Session):
		return fail(".session must not be blank.")
	case isSelect && a.Text != nil:
		return fail(".text cannot be combined with select: give value or values.")
	case a.Selector != nil && !isSelect && (a.Locator != nil || a.Value != nil || a.Role != nil || has(a.Name)),
		a.Selector != nil && isSelect && (a.Locator != nil || a.Role != nil || has(a.Name)):
		return fail(".selector cannot be combined with locator, value, role or name.")
	case blank(a.Selector):
		return fail(".selector must not be blank.")
	case isSelect && a.Selector == nil && a.Locator == nil:
		return fail(" select needs selector, or locator role or label.")
	case isSelect && a.Selector == nil && locator != "role" && locator != "label":
		return fail(" select works with locator role or label, not %q.", locator)
	}
	role := str(a.Role)
	if role == "" && locator == "role" && !isSelect {
		role = str(a.Value)
	}
	if isSelect && locator == "role" {
		switch {
		case role != "combobox" && role != "listbox":
			return fail(".role must be combobox or listbox for select, not %q.", role)
		case !has(a.Name):
			return fail(".name is needed for select by role.")
		}
	}
	values := a.Values
	switch {
	case isSelect && locator != "label" && a.Value != nil && a.Values != nil:
		return fail(": give value or values for select, not both.")
	case a.Values != nil && slices.Contains(a.Values, ""), isSelect && a.Values != nil && len(a.Values) == 0:
		return fail(".values must be a list of non-empty texts.")
	case a.Values != nil && !isSelect:
		return fail(".values is for select only.")
	case a.Action == "fill" && a.Text == nil:
		return fail(" fill needs text.")
	case a.Action != "fill" && a.Text != nil:
		return fail(".text is for fill only.")
	}
	out := &CompiledSemanticAction{Action: a.Action, Locator: locator, Selector: str(a.Selector), text: str(a.Text), session: str(a.Session)}
	if isSelect && values == nil && locator != "label" && a.Value != nil {
		values = []string{*a.Value}
	}
	switch {
	case isSelect && len(values) == 0:
		return fail(" select needs value or values.")
	case a.Selector != nil:
		out.Args = []string{a.Action, *a.Selector}
		if a.Action == "fill" {
			out.Args = append(out.Args, *a.Text)
		}
		out.Args = append(out.Args, values...)
	default:
		if err := a.locate(what, out, role, values); err != nil {
			return nil, err
		}
	}
	if isSelect {
		out.Values = values
	}
	if a.Session != nil {
		out.Args = append([]string{"--session", *a.Session}, out.Args...)
	}
	return out, nil
}

// locate sets the command for an element that is named by a locator.
func (a *SemanticAction) locate(what string, out *CompiledSemanticAction, role string, values []string) error {
	locator := out.Locator
	switch {
	case !slices.Contains(semanticLocators, locator):
		return invalid(what+".locator must be one of %s, not %q. Give a locator or a selector.", strings.Join(semanticLocators, ", "), locator)
	case locator == "role" && a.Role != nil && a.Value != nil && *a.Role != *a.Value && a.Action != "select":
		return invalid("%s.role and value differ: with locator role both name the role.", what)
	case locator != "role" && (a.Role != nil || has(a.Name)):
		return invalid(what+".role and name are for locator role, not for %q.", locator)
	}
	value := str(a.Value)
	if locator == "role" {
		value = role
	}
	if strings.TrimSpace(value) == "" {
		return invalid("%s.value must not be blank.", what)
	}
	out.Args = []string{"find", locator, value, a.Action}
	if a.Action == "fill" {
		out.Args = append(out.Args, *a.Text)
	}
	out.Args = append(out.Args, values...)
	if has(a.Name) {
		out.Args = append(out.Args, "--name", *a.Name)
	}
	switch {
	case a.Action == "select":
		out.Must, out.Role, out.Name = true, role, str(a.Name)
		if locator == "label" {
			out.Role, out.Name = "", value
		}
	case locator == "role" && has(a.Name):
		out.Role, out.Name = role, *a.Name
	}
	return nil
}

// Unnamed returns the words without --session.
func (c *CompiledSemanticAction) Unnamed() []string {
	if c.session != "" {
		return c.Args[2:]
	}
	return c.Args
}

// OnRef returns the command on a ref.
func (c *CompiledSemanticAction) OnRef(ref string) []string {
	words := []string{c.Action, ref}
	if c.Action == "fill" {
		words = append(words, c.text)
	}
	words = append(words, c.Values...)
	if c.session != "" {
		words = append([]string{"--session", c.session}, words...)
	}
	return words
}
