package chrome

import (
	"errors"
	"testing"
)

// TestHeadedWithoutDisplay is for Linux, where displays have names.
func TestHeadedWithoutDisplay(t *testing.T) {
	t.Setenv("DISPLAY", "")
	t.Setenv("WAYLAND_DISPLAY", "")
	if _, err := Launch(t.Context(), Options{Headed: true}); !errors.Is(err, ErrNoDisplay) {
		t.Errorf("headed without a display: %v", err)
	}
	t.Setenv("DISPLAY", ":1")
	if _, err := Launch(t.Context(), Options{Headed: true, Display: []string{}}); !errors.Is(err, ErrNoDisplay) {
		t.Errorf("headed for a caller without a display: %v", err)
	}
}
