package run

import (
	"testing"
)

// TestHead cuts texts in whole lines or whole characters.
func TestHead(t *testing.T) {
	for in, want := range map[string]string{"0123456789abc": "0123456789", "012345\n6789": "012345", "01\n3456789ab": "01\n3456789", "012345678é": "012345678"} {
		if got := Head(in, 10); got != want {
			t.Errorf("%q: %q, wanted %q", in, got, want)
		}
	}
}
