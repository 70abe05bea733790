package entry

import (
	"context"
	"math"
	"time"

	"github.com/usher-browser/usher/internal/api"
)

// A slider that a page draws is moved by its keys. The step and direction of a key are measured: sliders may be
// vertical, run from right to left, and have steps of any size. The remaining key presses are then sent at once, and
// the value is read again.

const (
	slideKeys  = 2000                   // at most so many in all
	slideAhead = 150 * time.Millisecond // of the page's work are pressed at once: it answers in between
)

// Slider is a slider that is being moved.
type Slider struct {
	Action      string  // for messages: "fill #volume"
	Description string  // for messages
	Now         float64 // its value
	// Press presses a key so often, waits until the page has followed, and sets Now. It returns how long the page worked
	// on each key.
	Press func(ctx context.Context, key string, times int) (each time.Duration, err error)

	keysSent int           // keys pressed so far
	each     time.Duration // of the page's work, for a key
}

// IsAt reports whether the slider has a value. Pages add up such numbers and round them.
func (s *Slider) IsAt(v float64) bool { return math.Abs(s.Now-v) < 1e-6*math.Max(1, math.Abs(v)) }

// Move presses keys until the slider stands where it is wanted, or as near as its steps allow. The error is
// [api.ElementUnsuitable] if no key moves it, or too many would be needed.
func (s *Slider) Move(ctx context.Context, wanted float64) error {
	if s.IsAt(wanted) {
		return nil
	}
	key, step, err := s.findKey(ctx, wanted)
	if err != nil {
		return err
	}
	for !s.IsAt(wanted) {
		count := int(math.Round((wanted - s.Now) / step))
		if count < 0 {
			key, step = opposite[key], -step
			count = -count
		}
		if count == 0 {
			return nil // the steps of the slider pass by what is wanted
		}
		if s.keysSent+count > slideKeys {
			return api.Errorf(api.ElementUnsuitable, "%s: %s is at %v and moves by %v per key press, so it would need %d; drag it, or click its track with --at",
				s.Action, s.Description, s.Now, math.Abs(step), count)
		}
		before, times := s.Now, min(count, s.batch())
		if err := s.press(ctx, key, times); err != nil {
			return err
		}
		if s.IsAt(before) {
			return nil // at an end, or limited by the page: the outcome has the value
		}
		if times == 1 && math.Abs(s.Now-wanted) >= math.Abs(before-wanted) {
			return nil // on the other side of what is wanted and no nearer: it would go back and forth
		}
	}
	return nil
}

var opposite = map[string]string{"ArrowRight": "ArrowLeft", "ArrowLeft": "ArrowRight", "ArrowUp": "ArrowDown", "ArrowDown": "ArrowUp"}

// findKey presses single keys until one moves the slider, and returns that key and the distance.
func (s *Slider) findKey(ctx context.Context, wanted float64) (key string, step float64, err error) {
	ahead := []string{"ArrowRight", "ArrowUp", "ArrowLeft", "ArrowDown"}
	if wanted < s.Now {
		ahead = []string{"ArrowLeft", "ArrowDown", "ArrowRight", "ArrowUp"}
	}
	for _, key := range ahead {
		before := s.Now
		if err := s.press(ctx, key, 1); err != nil {
			return "", 0, err
		}
		if !s.IsAt(before) {
			return key, s.Now - before, nil
		}
	}
	return "", 0, api.Errorf(api.ElementUnsuitable, "%s: no key moves %s; drag it, or click its track with --at", s.Action, s.Description)
}

func (s *Slider) press(ctx context.Context, key string, times int) (err error) {
	s.keysSent += times
	s.each, err = s.Press(ctx, key, times)
	return err
}

// batch returns how many keys are pressed ahead.
func (s *Slider) batch() int { return max(1, int(slideAhead/max(s.each, time.Millisecond))) }
