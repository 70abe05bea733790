package tool

import (
	"reflect"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/api"
)

// actionOutcome is embedded by results, as those of actions embed theirs.
type actionOutcome struct {
	api.Outcome `schema:"-"`
	Warning     string `json:"warning,omitzero" schema:"-"`
	Changes     string `json:"changes,omitzero"`
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
		Success
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
		Success
		some `schema:"known,seen"`
	}
	type acting struct {
		Success
		actionOutcome
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

// TestResultTypes: a result has the type that its tool declares, or is a failure.
func TestResultTypes(t *testing.T) {
	t.Parallel()
	type pressResult struct {
		Success
		Pressed string `json:"pressed"`
		actionOutcome
	}
	type otherResult struct{ Success }
	tool := &Tool{Name: "t", Output: reflect.TypeFor[pressResult]()}
	for _, c := range []struct {
		value any
		code  api.Code
		want  string
	}{
		{pressResult{Success: Succeeded, Pressed: "a"}, "", `{"success":true,"pressed":"a"}`},
		{&pressResult{Success: Succeeded, actionOutcome: actionOutcome{Warning: "w", Outcome: api.Outcome{Waits: "x"}}}, "", `{"success":true,"pressed":"","waits":"x","warning":"w"}`},
		{&FailureData{Error: "e", Code: api.NotConfirmed}, "", `{"success":false,"error":"e","code":"not_confirmed"}`},
		{nil, "", `{}`}, // of another program's tool
		{otherResult{}, api.Internal, `{}`},
	} {
		res := &Result{Value: c.value}
		if err := tool.setData(res); err == nil && c.code != "" || err != nil && api.CodeOf(err) != c.code || string(res.Data.JSON()) != c.want {
			t.Errorf("%#v: %s, %v, want %s", c.value, res.Data.JSON(), err, c.want)
		}
	}
}
