package browsing

import (
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/tool"
)

// TestFormFields: what a caller gave wrongly is named by its field and member, without words of the program's own.
func TestFormFields(t *testing.T) {
	const example = `objects such as {"ref":"@e5","value":"Ada"}`
	for in, want := range map[string]string{
		`[{"ref":"@e1","value":"a"},{"ref":"@e2","value":true}]`: "",
		`[{"ref":"@e1"},{"name":"User","ref":"@e2"}]`:            `fields[1]: there is no member "name"; give ` + example,
		`[{"ref":5}]`: "fields[0]: ref: give a string",
		`["@e1"]`:     "fields: give an array of " + example,
	} {
		fields, err := formFields(jsontext.Value(in))
		switch {
		case want == "" && (err != nil || len(fields) != 2 || fields[1].Ref != "@e2" || fields[1].Value.Kind() != 't'):
			t.Errorf("%s: %v, %v", in, fields, err)
		case want != "" && (err == nil || err.Error() != want):
			t.Errorf("%s: %v, want %s", in, err, want)
		}
	}
	p := tool.Param{Kind: tool.Array}
	if got, err := p.Decode(jsontext.Value(`{"ref":"@e1"}`)); err != nil || string(got.(jsontext.Value)) != `[{"ref":"@e1"}]` {
		t.Errorf("one for a list of one: %s, %v", got, err)
	}
}
