package element

import (
	"context"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/element/input"
	"github.com/usher-browser/usher/internal/element/key"
	"github.com/usher-browser/usher/internal/element/verify"
)

// A slider that a page draws is moved by its keys. The step and direction of a key are measured: sliders may be
// vertical, run from right to left, and have steps of any size. The remaining key presses are then sent at once, and
// the value is read again.

const (
	slideKeys  = 2000                   // at most so many in all
	slideAhead = 150 * time.Millisecond // of the page's work are pressed at once: it answers in between
	slideGrace = 300 * time.Millisecond // for the page to follow a key
)

// slide is the part of Fill for sliders.
func (e *action) slide(ctx context.Context, o *observer, p *prepared, text string) (Filled, error) {
	if err := e.keysArrive(ctx); err != nil {
		return Filled{}, err
	}
	wanted, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
	if err != nil {
		return Filled{}, api.Errorf(api.InvalidArgument, "fill %s: %s accepts a number, not %q", e.target, p.Shape, text)
	}
	s := slider{action: e, description: p.Shape, wanted: wanted}
	err = s.move(ctx)
	var seen verify.Report
	if err == nil && e.actor.worlds.Call(ctx, e.frame, "takeEventReport", nil, &seen) == nil {
		o.out.Events = seen.Events
	}
	out, err := o.finish(ctx, err, false)
	return Filled{Outcome: out, Value: s.value(text)}, err
}

// slider is one that is being moved.
type slider struct {
	*action
	description string
	wanted      float64
	now         float64
	keysSent    int           // keys pressed so far
	each        time.Duration // of the page's work, for a key
}

// value returns the requested text if the slider has that value, else the slider's own.
func (s *slider) value(text string) string {
	if s.equals(s.wanted) {
		return text
	}
	return strconv.FormatFloat(s.now, 'f', -1, 64)
}

// equals is equality for numbers that a page has added up and rounded.
func (s *slider) equals(v float64) bool { return math.Abs(s.now-v) < 1e-6*math.Max(1, math.Abs(v)) }

// move presses keys until the slider stands where it is wanted, or as near as its steps allow.
func (s *slider) move(ctx context.Context) error {
	if err := s.readValue(ctx); err != nil || s.equals(s.wanted) {
		return err
	}
	key, step, err := s.findKey(ctx)
	if err != nil {
		return err
	}
	for !s.equals(s.wanted) {
		count := int(math.Round((s.wanted - s.now) / step))
		if count < 0 {
			key, step = opposite[key], -step
			count = -count
		}
		if count == 0 {
			return nil // the steps of the slider pass by what is wanted
		}
		if s.keysSent+count > slideKeys {
			return api.Errorf(api.ElementUnsuitable, "fill %s: %s is at %v and moves by %v per key press, so it would need %d; drag it, or click its track with --at",
				s.target, s.description, s.now, math.Abs(step), count)
		}
		before := s.now
		if err := s.press(ctx, key, min(count, s.batch())); err != nil {
			return err
		}
		if s.equals(before) {
			return nil // at an end, or limited by the page: the outcome has the value
		}
	}
	return nil
}

var opposite = map[string]string{"ArrowRight": "ArrowLeft", "ArrowLeft": "ArrowRight", "ArrowUp": "ArrowDown", "ArrowDown": "ArrowUp"}

// findKey presses single keys until one moves the slider, and returns that key and the distance.
func (s *slider) findKey(ctx context.Context) (key string, step float64, err error) {
	ahead := []string{"ArrowRight", "ArrowUp", "ArrowLeft", "ArrowDown"}
	if s.wanted < s.now {
		ahead = []string{"ArrowLeft", "ArrowDown", "ArrowRight", "ArrowUp"}
	}
	for _, key := range ahead {
		before := s.now
		if err := s.press(ctx, key, 1); err != nil {
			return "", 0, err
		}
		if !s.equals(before) {
			return key, s.now - before, nil
		}
	}
	return "", 0, api.Errorf(api.ElementUnsuitable, "fill %s: no key moves %s; drag it, or click its track with --at", s.target, s.description)
}

// press presses a key so often and waits until the page has followed.
func (s *slider) press(ctx context.Context, name string, times int) error {
	k, before := key.Must(name), s.now
	var all input.Sent
	for range times {
		all = append(all, s.actor.input.KeyDown(s.session, k), s.actor.input.KeyUp(s.session, k))
	}
	s.keysSent += times
	began := time.Now()
	if err := all.Wait(ctx); err != nil {
		s.actor.input.ForgetKeys()
		return err
	}
	s.each = time.Since(began) / time.Duration(times)
	for until := time.Now().Add(slideGrace); ; {
		if err := s.awaitDeferred(ctx); err != nil {
			return s.apiError(err)
		}
		if err := s.readValue(ctx); err != nil || !s.equals(before) || time.Now().After(until) {
			return err
		}
		if err := input.Sleep(ctx, pause); err != nil {
			return s.apiError(err)
		}
	}
}

// batch returns how many keys are pressed ahead.
func (s *slider) batch() int { return max(1, int(slideAhead/max(s.each, time.Millisecond))) }

// readValue reads where the slider stands.
func (s *slider) readValue(ctx context.Context) error {
	var res struct {
		reply
		Value   float64 `json:"value"`
		Focused bool    `json:"focused"`
	}
	if _, err := s.ask(ctx, "slider", nil, &res); err != nil {
		return err
	}
	s.now = res.Value
	if !res.Focused {
		return api.Errorf(api.ActionNotDelivered, "fill %s: %s lost the keyboard focus", s.target, s.description)
	}
	return nil
}
