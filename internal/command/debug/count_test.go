package debug

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

func TestCountEvents(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int{
		`{"traceEvents":[]}`: 0,
		`{"metadata":{"a":[1,{"traceEvents":[1]}]},"traceEvents":[{"a":"]"},{},{"b":[1,2]}],"x":null}` + "\n": 3,
		`{"traceEvents":[{"a":"\ud800"}]}`: 1,
		`[]`:                               -1, `{"traceEvents":[{}`: -1, `{"traceEvents":[{}]} more`: -1, ``: -1,
	} {
		if got, err := countEvents(strings.NewReader(text)); got != max(want, 0) || (err != nil) != (want < 0) {
			t.Errorf("%s: %d %v", text, got, err)
		}
	}
}

// FuzzCountEvents: what is accepted is JSON.
func FuzzCountEvents(f *testing.F) {
	f.Add(`{"metadata":{},"traceEvents":[{"a":1},{}]}`)
	f.Fuzz(func(t *testing.T, text string) {
		_, err := countEvents(strings.NewReader(text))
		if valid := jsontext.Value(text).IsValid(jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true)); err == nil && !valid {
			t.Errorf("%q is accepted", text)
		}
	})
}
