package scripts

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Result is what came of a script.
type Result struct {
	Value jsontext.Value // what it returned; empty for undefined, which is equal to null: usher run prints both alike
	Error *Error         // what it threw, or nil
	Took  time.Duration  // in a library: of the script alone; in usher: of the process of the command
}

// Error is an error that a script threw. Messages are for people; names are compared.
type Error struct {
	Name    string `json:"name"`
	Message string `json:"message"`
	Line    int    `json:"line"` // in the script, from 1; 0 if it is not known, as in a library
}

// String returns the value, or the error with its message.
func (r Result) String() string {
	if r.Error != nil {
		if r.Error.Line > 0 {
			return fmt.Sprintf("%s in line %d: %s", r.Error.Name, r.Error.Line, r.Error.Message)
		}
		return fmt.Sprintf("%s: %s", r.Error.Name, r.Error.Message)
	}
	return string(r.Value)
}

// Differences lists where other differs from r, a line each: the path in the value, what r has, what other has. It is empty if
// both returned the same, or threw errors of one name.
func (r Result) Differences(other Result) ([]string, error) {
	if r.Error != nil || other.Error != nil {
		if r.Error != nil && other.Error != nil && r.Error.Name == other.Error.Name {
			return nil, nil
		}
		return []string{fmt.Sprintf("got %.300s", other), fmt.Sprintf("want %.100s", r)}, nil
	}
	a, err := decoded(r.Value)
	if err != nil {
		return nil, err
	}
	b, err := decoded(other.Value)
	if err != nil {
		return nil, err
	}
	return differences(nil, "value", a, b), nil
}

// missing is a member or an element that the other side has.
type missing struct{}

func (missing) String() string { return "nothing" }

func decoded(value jsontext.Value) (any, error) {
	if len(value) == 0 {
		return nil, nil
	}
	var v any
	if err := json.Unmarshal(value, &v); err != nil {
		return nil, fmt.Errorf("read the value of a script: %w", err)
	}
	return v, nil
}

func differences(found []string, at string, a, b any) []string {
	switch x := a.(type) {
	case map[string]any:
		y, is := b.(map[string]any)
		if !is {
			break
		}
		keys := slices.Sorted(maps.Keys(x))
		for _, key := range slices.Sorted(maps.Keys(y)) {
			if _, both := x[key]; !both {
				keys = append(keys, key)
			}
		}
		for _, key := range keys {
			found = differences(found, at+"."+key, member(x, key), member(y, key))
		}
		return found
	case []any:
		y, is := b.([]any)
		if !is {
			break
		}
		for i := range max(len(x), len(y)) {
			found = differences(found, fmt.Sprintf("%s[%d]", at, i), element(x, i), element(y, i))
		}
		return found
	default: // of no kind that cannot be compared
		if a == b {
			return found
		}
	}
	return append(found, fmt.Sprintf("%s: want %s, got %s", at, shown(a), shown(b)))
}

func member(of map[string]any, key string) any {
	if value, is := of[key]; is {
		return value
	}
	return missing{}
}

func element(of []any, i int) any {
	if i < len(of) {
		return of[i]
	}
	return missing{}
}

func shown(value any) string {
	if nothing, is := value.(missing); is {
		return nothing.String()
	}
	text, err := json.Marshal(value, json.Deterministic(true))
	if err != nil {
		return fmt.Sprint(value)
	}
	return strings.ToValidUTF8(fmt.Sprintf("%.200s", text), "�")
}
