package tool

import (
	"reflect"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/api"
)

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
		params := paramsOf(tool.Output)
		if len(params) < 2 || params[0].Name != "success" || !params[0].Required {
			t.Errorf("%s: the schema is made of %v", tool.Name, params)
		}
		seen := map[string]bool{}
		for _, p := range params {
			if seen[p.Name] {
				t.Errorf("%s: %s stands in the schema twice", tool.Name, p.Name)
			}
			seen[p.Name] = true
		}
		if listed := tool.ResultSchema() != nil; listed == tool.Unlisted {
			t.Errorf("%s: a schema is listed: %v", tool.Name, listed)
		}
	}
}

// TestSchemaOfResults: the schema tags select members, also embedded ones.
func TestSchemaOfResults(t *testing.T) {
	t.Parallel()
	type inner struct {
		Seen  int    `json:"seen"`
		Known string `json:"known,omitzero" schema:"-"`
	}
	type later struct {
		Late  []string       `json:"late,omitzero"`
		Later []inner        `json:"later,omitzero"`
		Never jsontext.Value `json:"never,omitzero"`
	}
	type some struct {
		success
		inner
		Hidden bool           `json:"hidden" schema:"-"`
		Rate   float64        `json:"rate"`
		Code   api.Code       `json:"code"`
		Raw    jsontext.Value `json:"raw"`
		List   jsontext.Value `json:"list" schema:"array"`
		Part   *inner         `json:"part,omitzero"`
		More   *later         `json:",embed" schema:"late,later"`
	}
	type chosen struct {
		success
		some `schema:"known,seen"`
	}
	type acting struct {
		success
		outcome
	}
	for _, c := range []struct {
		of   reflect.Type
		want string
	}{
		{reflect.TypeFor[some](), `{"type":"object","properties":{"success":{"type":"boolean"},"seen":{"type":"integer"},"rate":{"type":"number"},` +
			`"code":{"type":"string"},"raw":{},"list":{"type":"array"},"part":{"type":"object"},"late":{"type":"array","items":{"type":"string"}},` +
			`"later":{"type":"array"}},"required":["success"]}`},
		{reflect.TypeFor[chosen](), `{"type":"object","properties":{"success":{"type":"boolean"},"seen":{"type":"integer"},"known":{"type":"string"}},"required":["success"]}`},
		{reflect.TypeFor[acting](), `{"type":"object","properties":{"success":{"type":"boolean"},"changes":{"type":"string"}},"required":["success"]}`},
	} {
		if got := string(schemaOf(paramsOf(c.of))); got != c.want {
			t.Errorf("%s: %s\nwant %s", c.of, got, c.want)
		}
	}
}

// TestResultsAreOfTheirType: a result has the type that its tool declares, or is a failure.
func TestResultsAreOfTheirType(t *testing.T) {
	t.Parallel()
	tool := &Tool{Name: "t", Output: reflect.TypeFor[pressResult]()}
	for _, c := range []struct {
		value any
		code  api.Code
		want  string
	}{
		{pressResult{success: succeeded, Pressed: "a"}, "", `{"success":true,"pressed":"a"}`},
		{&pressResult{success: succeeded, outcome: outcome{Warning: "w", Outcome: api.Outcome{Waits: "x"}}}, "", `{"success":true,"pressed":"","waits":"x","warning":"w"}`},
		{&failure{Error: "e", Code: api.NotConfirmed}, "", `{"success":false,"error":"e","code":"not_confirmed"}`},
		{nil, "", `{}`}, // of another program's tool
		{memoryResult{}, api.Internal, `{}`},
	} {
		res := &Result{Value: c.value}
		if err := tool.unpack(res); err == nil && c.code != "" || err != nil && api.CodeOf(err) != c.code || string(res.Data.JSON()) != c.want {
			t.Errorf("%#v: %s, %v, want %s", c.value, res.Data.JSON(), err, c.want)
		}
	}
}
