package wait

import (
	"testing"
)

func TestTruthy(t *testing.T) {
	for _, c := range []struct {
		value, special, kind string
		want                 bool
	}{
		{"true", "", "boolean", true}, {"false", "", "boolean", false},
		{"0", "", "number", false}, {"1", "", "number", true}, {"-0", "", "number", false},
		{"", "-0", "number", false}, {"", "NaN", "number", false}, {"", "Infinity", "number", true},
		{"", "0n", "bigint", false}, {"", "1n", "bigint", true},
		{`""`, "", "string", false}, {`"0"`, "", "string", true}, {`" "`, "", "string", true},
		{"null", "", "object", false}, {"", "", "undefined", false},
		{"{}", "", "object", true}, {"[]", "", "object", true}, {"", "", "function", true}, {"", "", "symbol", true},
	} {
		if got := truthy([]byte(c.value), c.special, c.kind); got != c.want {
			t.Errorf("truthy(%q, %q, %q) = %v, want %v", c.value, c.special, c.kind, got, c.want)
		}
	}
}
