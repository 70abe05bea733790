package toolset

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// TestSchemas: every schema is valid JSON Schema, and Parse accepts what it promises.
func TestSchemas(t *testing.T) {
	seen := map[string]bool{}
	for _, tool := range Native() {
		if seen[tool.Name] || tool.Doc == "" || tool.Title == "" || tool.Run == nil {
			t.Errorf("%s: listed twice, or without description, title or function", tool.Name)
		}
		seen[tool.Name] = true
		for _, raw := range []jsontext.Value{tool.InputSchema(), tool.ResultSchema()} {
			if raw == nil && tool.Unlisted {
				continue // its result schema is not listed
			}
			var schema struct {
				Type       string                    `json:"type"`
				Properties map[string]map[string]any `json:"properties"`
				Required   []string                  `json:"required"`
			}
			if err := json.Unmarshal(raw, &schema); err != nil || schema.Type != "object" || schema.Properties == nil {
				t.Errorf("%s: %v: %s", tool.Name, err, raw)
			}
			for _, name := range schema.Required {
				if schema.Properties[name] == nil {
					t.Errorf("%s: %s is required and not a property", tool.Name, name)
				}
			}
		}
	}
}

// FuzzParse: for arbitrary arguments, every tool parses them or returns an error.
func FuzzParse(f *testing.F) {
	for i, seed := range []string{`{"url":"x"}`, `{"ref":5}`, `{"timeout":"1e400"}`, `{"params":"{"}`, `{"todos":[{}]}`, "\xff", `{"a":{"b":[`, `{"direction":"\u0000"}`} {
		f.Add(byte(i), seed)
	}
	all := Native()
	f.Fuzz(func(t *testing.T, which byte, text string) {
		tool := &all[int(which)%len(all)]
		args, err := tool.Parse(jsontext.Value(text))
		if err != nil {
			if !strings.HasPrefix(err.Error(), tool.Name+": ") {
				t.Errorf("%q: the error does not name the tool: %v", text, err)
			}
			return
		}
		for _, p := range tool.Params {
			if p.Required && !args.Has(p.Name) {
				t.Errorf("%q: %s is required and missing, and Parse returned no error", text, p.Name)
			}
		}
	})
}

// TestOutputs: the result type of every tool encodes as a JSON object whose first member is success, and the output
// schema is made from it.
func TestOutputs(t *testing.T) {
	t.Parallel()
	for _, tool := range Native() {
		if tool.Output == nil || tool.Output.Kind() != reflect.Struct {
			t.Errorf("%s: its result is a %v", tool.Name, tool.Output)
			continue
		}
		raw, err := json.Marshal(reflect.New(tool.Output).Interface())
		if err != nil || !strings.HasPrefix(string(raw), `{"success":false`) {
			t.Errorf("%s: the result is %s, %v", tool.Name, raw, err)
		}
		with := tool
		with.Unlisted = false
		var schema struct {
			Properties map[string]jsontext.Value `json:"properties"`
			Required   []string                  `json:"required"`
		}
		if err := json.Unmarshal(with.ResultSchema(), &schema); err != nil { // a name that occurs twice is an error
			t.Errorf("%s: the schema %s: %v", tool.Name, with.ResultSchema(), err)
		}
		if len(schema.Properties) < 2 || !slices.Equal(schema.Required, []string{"success"}) {
			t.Errorf("%s: the schema is %s", tool.Name, with.ResultSchema())
		}
		if listed := tool.ResultSchema() != nil; listed == tool.Unlisted {
			t.Errorf("%s: a schema is listed: %v", tool.Name, listed)
		}
	}
}
