package verb

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Dump is the whole table as one JSON object {verbs, families, globals}, from which schemas and documents are made. Hidden
// flags are in it, marked as such. The scope of flags of a verb is "call".
func (t *Table) Dump() ([]byte, error) {
	return json.Marshal(struct {
		Verbs    []Verb   `json:"verbs"`
		Families []Family `json:"families"`
		Globals  []Flag   `json:"globals"`
	}{t.All(), t.Families(), GlobalFlags()}, jsontext.WithIndent("  "))
}
