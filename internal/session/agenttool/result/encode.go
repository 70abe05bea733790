package result

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Encode returns a value as JSON.
func Encode(v any) jsontext.Value {
	raw, err := json.Marshal(v, json.Deterministic(true), json.FormatNilSliceAsNull(false), jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true))
	if err != nil {
		return Encode(map[string]string{"encodingError": err.Error()})
	}
	return raw
}

// Read decodes data of a command. Members that are not there keep their values.
func Read(data jsontext.Value, into any) {
	if len(data) > 0 {
		_ = json.Unmarshal(data, into, jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true)) // another form has none of it
	}
}

// Quote returns a text in quotes, cut to 80 characters.
func Quote(text string) string {
	if r := []rune(text); len(r) > 80 {
		text = string(r[:80]) + "…"
	}
	return `"` + text + `"`
}
