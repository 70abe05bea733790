package sites

import (
	"context"
	"errors"
	"net/netip"
	"testing"
)

func TestResolverCaches(t *testing.T) {
	t.Parallel()
	asked := 0
	r := Resolver{Ask: func(_ context.Context, host string) ([]netip.Addr, error) {
		asked++
		if host == "gone.example" {
			return nil, errors.New("no such host")
		}
		return []netip.Addr{netip.MustParseAddr("93.184.215.14")}, nil
	}}
	for range 3 {
		if a, err := r.Lookup(t.Context(), "example.com"); err != nil || len(a) != 1 {
			t.Fatal(a, err)
		}
	}
	if asked != 1 {
		t.Errorf("asked %d times", asked)
	}
	for range 2 { // failures are not cached
		if _, err := r.Lookup(t.Context(), "gone.example"); err == nil {
			t.Error("no failure")
		}
	}
	if asked != 3 {
		t.Errorf("asked %d times, failures included", asked)
	}
}
