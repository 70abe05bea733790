package browsing

import (
	"context"
	"fmt"
	"maps"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/tool"
	"github.com/usher-browser/usher/internal/verb"
)

// maxFields bounds the fields of one call.
const maxFields = 100

// formField is one field of browser_fill_form. Its value is a string, a number, a boolean, or an array of strings.
type formField struct {
	Ref   string         `json:"ref"`
	Value jsontext.Value `json:"value"`
}

// formFields decodes the fields. An error names the field and the member that it is about.
func formFields(list jsontext.Value) ([]formField, error) {
	const example = `objects such as {"ref":"@e5","value":"Ada"}`
	var given []map[string]jsontext.Value
	if err := json.Unmarshal(list, &given, jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true)); err != nil {
		return nil, fmt.Errorf("fields: give an array of %s", example)
	}
	fields := make([]formField, len(given))
	for i, members := range given {
		for name, value := range members {
			switch {
			case name == "ref" && value.Kind() == '"':
				fields[i].Ref = tool.DecodeString(value)
			case name == "ref":
				return nil, fmt.Errorf("fields[%d]: ref: give a string", i)
			case name == "value":
				fields[i].Value = value
			default:
				return nil, fmt.Errorf("fields[%d]: there is no member %.80q; give %s", i, name, example)
			}
		}
	}
	return fields, nil
}

// browserFillForm fills fields in order and stops at the first that fails; the error lists those that were filled.
func browserFillForm(ctx context.Context, h *tool.Host, a tool.Args) (*tool.Result, error) {
	fields, err := formFields(a.JSON("fields"))
	if err != nil {
		return nil, api.Errorf(api.InvalidArgument, "browser_fill_form: %w", err)
	}
	if len(fields) == 0 || len(fields) > maxFields {
		return nil, api.Errorf(api.InvalidArgument, "browser_fill_form: fields: give 1 to %d, not %d", maxFields, len(fields))
	}
	commands := make([]fieldCommand, len(fields))
	for i, f := range fields {
		var err error
		if commands[i], err = f.command(); err != nil {
			return nil, api.Errorf(api.InvalidArgument, "browser_fill_form: fields[%d]: %w", i, err)
		}
	}
	var warnings []string
	for i, c := range commands[:len(commands)-1] {
		_, warning, err := fillField(ctx, h, c)
		if err != nil {
			return nil, addFilled(err, fields, i)
		}
		if warning != "" {
			warnings = append(warnings, fields[i].Ref+": "+warning)
		}
	}
	last := len(fields) - 1
	if !a.Bool("submit") {
		requestChanges(h, a, commands[last].values)
	}
	observed, warning, err := fillField(ctx, h, commands[last])
	if err != nil {
		return nil, addFilled(err, fields, last)
	}
	if warning != "" {
		warnings = append(warnings, fields[last].Ref+": "+warning)
	}
	res, summary := &fillFormResult{Success: tool.Succeeded, Filled: len(fields)}, "filled "+tool.Count(len(fields), "field")
	if !a.Bool("submit") {
		return outcomeResult(h, summary, res, &observed, strings.Join(warnings, "; "))
	}
	return submit(ctx, h, a, summary+", and pressed Enter", res, &observed, strings.Join(warnings, "; "))
}

// fieldCommand is a command with its arguments.
type fieldCommand struct {
	tool.Query[api.Outcome]
	values verb.Values
}

// command returns the command that fills the field: check or uncheck for a boolean, fill for a string or number, select
// for an array.
func (f *formField) command() (fieldCommand, error) {
	on := normalizeRef(f.Ref)
	if on == "" {
		return fieldCommand{}, fmt.Errorf("ref is missing: give a ref such as @e5, or a selector")
	}
	switch f.Value.Kind() {
	case 't':
		return fieldCommand{checkQuery, tool.Values("selector", on)}, nil
	case 'f':
		return fieldCommand{uncheckQuery, tool.Values("selector", on)}, nil
	case '"':
		return fieldCommand{fillQuery, tool.Values("selector", on, "text", tool.DecodeString(f.Value))}, nil
	case '0':
		return fieldCommand{fillQuery, tool.Values("selector", on, "text", string(f.Value))}, nil
	case '[':
		p := tool.Param{Kind: tool.Strings, MaxItems: maxFields}
		values, err := p.Decode(f.Value)
		if err != nil {
			return fieldCommand{}, err
		}
		if len(values.([]string)) == 0 {
			return fieldCommand{}, fmt.Errorf("value: give at least one option")
		}
		return fieldCommand{selectQuery, tool.Values("selector", on, "values", values.([]string))}, nil
	}
	return fieldCommand{}, fmt.Errorf("value: give a text, true or false, or an array of options")
}

// fillField fills one field. If the element does not accept text, it selects the option of that name.
func fillField(ctx context.Context, h *tool.Host, c fieldCommand) (observed api.Outcome, warning string, err error) {
	observed, warning, err = c.Run(ctx, h, c.values)
	if c.Query == fillQuery && err != nil && api.CodeOf(err) == api.ElementUnsuitable {
		option := maps.Clone(c.values)
		option["values"] = option["text"]
		delete(option, "text")
		var other error
		if observed, warning, other = selectQuery.Run(ctx, h, option); other == nil || api.CodeOf(other) != api.ElementUnsuitable {
			err = other
		}
	}
	return observed, warning, err
}

// addFilled adds to the error of field failed (an index) which fields were filled before it.
func addFilled(err error, fields []formField, failed int) error {
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
