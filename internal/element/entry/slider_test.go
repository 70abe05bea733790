package entry_test

import (
	"context"
	"testing"
	"time"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/element/entry"
)

func TestSlider(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name         string
		keys         map[string]float64 // how far each moves the slider
		from, wanted float64
		end          float64
		code         api.Code
	}{
		{name: "ahead", keys: map[string]float64{"ArrowRight": 1, "ArrowLeft": -1}, from: 10, wanted: 60, end: 60},
		{name: "back", keys: map[string]float64{"ArrowRight": 0.1, "ArrowLeft": -0.1}, from: 1, wanted: 0.3, end: 0.3},
		{name: "from right to left", keys: map[string]float64{"ArrowRight": -5, "ArrowLeft": 5}, from: 0, wanted: 50, end: 50},
		{name: "vertical", keys: map[string]float64{"ArrowUp": 2, "ArrowDown": -2}, from: 0, wanted: 8, end: 8},
		{name: "between its steps", keys: map[string]float64{"ArrowRight": 10, "ArrowLeft": -10}, from: 0, wanted: 24, end: 20},
		{name: "in the middle between two steps", keys: map[string]float64{"ArrowRight": 10, "ArrowLeft": -10}, from: 20, wanted: 35, end: 40},
		{name: "too far", keys: map[string]float64{"ArrowRight": 1, "ArrowLeft": -1}, from: 0, wanted: 5000, end: 1, code: api.ElementUnsuitable},
		{name: "no keys", from: 0, wanted: 5, code: api.ElementUnsuitable},
		{name: "there already", from: 5, wanted: 5, end: 5},
	} {
		s := &entry.Slider{Action: "fill #s", Description: "<div>", Now: c.from}
		s.Press = func(_ context.Context, key string, times int) (time.Duration, error) {
			for range times {
				s.Now += c.keys[key]
			}
			return 10 * time.Millisecond, nil
		}
		if err := s.Move(t.Context(), c.wanted); api.CodeOf(err) != c.code && (err != nil || c.code != "") {
			t.Errorf("%s: %v, want code %q", c.name, err, c.code)
		}
		if !s.IsAt(c.end) {
			t.Errorf("%s: it is at %v, want %v", c.name, s.Now, c.end)
		}
	}
}
