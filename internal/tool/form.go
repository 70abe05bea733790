package tool

import (
	"context"
	"fmt"
	"maps"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/verb"
)

// maxFields bounds the fields of one call.
const maxFields = 100

// formField is one field of browser_fill_form. Its value is a string, a number, a boolean, or an array of strings.
type formField struct {
	Ref   string         `json:"ref"`
	Value jsontext.Value `json:"value"`
}

// browserFillForm fills fields in order and stops at the first that fails; the error lists those that were filled.
func browserFillForm(ctx context.Context, h *Host, a Args) (*Result, error) {
	var fields []formField
	if err := json.Unmarshal(a.JSON("fields"), &fields, json.RejectUnknownMembers(true), jsontext.AllowInvalidUTF8(true)); err != nil {
		return nil, api.Errorf(api.InvalidArgument, `browser_fill_form: fields: give an array of objects such as {"ref":"@e5","value":"Ada"}: %w`, err)
	}
	if len(fields) == 0 || len(fields) > maxFields {
		return nil, api.Errorf(api.InvalidArgument, "browser_fill_form: fields: give 1 to %d, not %d", maxFields, len(fields))
	}
	commands := make([]command, len(fields))
	for i, f := range fields {
		var err error
		if commands[i], err = f.command(); err != nil {
			return nil, api.Errorf(api.InvalidArgument, "browser_fill_form: fields[%d]: %w", i, err)
		}
	}
	var warnings []string
	for i, c := range commands[:len(commands)-1] {
		_, warning, err := h.fillOne(ctx, c)
		if err != nil {
			return nil, partly(err, fields, i)
		}
		if warning != "" {
			warnings = append(warnings, fields[i].Ref+": "+warning)
		}
	}
	last := len(fields) - 1
	if !a.Bool("submit") {
		h.telling(a, commands[last].values)
	}
	seen, warning, err := h.fillOne(ctx, commands[last])
	if err != nil {
		return nil, partly(err, fields, last)
	}
	if warning != "" {
		warnings = append(warnings, fields[last].Ref+": "+warning)
	}
	res, said := &fillFormResult{success: succeeded, Filled: len(fields)}, "filled "+count(len(fields), "field")
	if !a.Bool("submit") {
		return h.outcome(said, res, &seen, strings.Join(warnings, "; "))
	}
	return h.submit(ctx, a, said+", and pressed Enter", res, &seen, strings.Join(warnings, "; "))
}

// command is a command with its arguments.
type command struct {
	query[api.Outcome]
	values verb.Values
}

// command returns the command that fills the field: check or uncheck for a boolean, fill for a string or number, select
// for an array.
func (f *formField) command() (command, error) {
	on := target(f.Ref)
	if on == "" {
		return command{}, fmt.Errorf("ref is missing: give a ref such as @e5, or a selector")
	}
	switch f.Value.Kind() {
	case 't':
		return command{checked, given("selector", on)}, nil
	case 'f':
		return command{unchecked, given("selector", on)}, nil
	case '"':
		return command{filled, given("selector", on, "text", textOf(f.Value))}, nil
	case '0':
		return command{filled, given("selector", on, "text", string(f.Value))}, nil
	case '[':
		p := Param{Kind: Strings, MaxItems: maxFields}
		values, err := p.readStrings(f.Value)
		if err != nil {
			return command{}, err
		}
		if len(values.([]string)) == 0 {
			return command{}, fmt.Errorf("value: give at least one option")
		}
		return command{selected, given("selector", on, "values", values.([]string))}, nil
	}
	return command{}, fmt.Errorf("value: give a text, true or false, or an array of options")
}

// fillOne fills one field. If the element does not accept text, it selects the option of that name.
func (h *Host) fillOne(ctx context.Context, c command) (seen api.Outcome, warning string, err error) {
	seen, warning, err = c.ask(ctx, h, c.values)
	if c.query == filled && err != nil && api.CodeOf(err) == api.ElementUnsuitable {
		option := maps.Clone(c.values)
		option["values"] = option["text"]
		delete(option, "text")
		var other error
		if seen, warning, other = selected.ask(ctx, h, option); other == nil || api.CodeOf(other) != api.ElementUnsuitable {
			err = other
		}
	}
	return seen, warning, err
}

// partly adds to the error of field failed (an index) which fields were filled before it.
func partly(err error, fields []formField, failed int) error {
	e := api.AsError(err)
	done := "no other field was filled"
	if failed > 0 {
		refs := make([]string, failed)
		for i := range refs {
			refs[i] = fields[i].Ref
		}
		done = "filled before it: " + strings.Join(refs, ", ")
	}
	out := *e
	out.Message = fmt.Sprintf("field %d of %d (%s): %s; %s", failed+1, len(fields), fields[failed].Ref, e.Message, done)
	return &out
}
