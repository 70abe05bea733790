package verb

import "encoding/json"

// Dump is the whole table as one JSON object {verbs, families, globals}, from which schemas and documents are made. Hidden
// flags are in it, marked as such. The scope of flags of a verb is "call".
func Dump() ([]byte, error) {
	return json.MarshalIndent(struct {
		Verbs    []Verb   `json:"verbs"`
		Families []Family `json:"families"`
		Globals  []Flag   `json:"globals"`
	}{All(), Families(), GlobalFlags()}, "", "  ")
}
