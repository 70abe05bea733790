package element

import (
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/element/entry"
	"github.com/usher-browser/usher/internal/element/input"
	"github.com/usher-browser/usher/internal/element/key"
	"github.com/usher-browser/usher/internal/element/verify"
)

// slideGrace is how long a page may take to follow a key.
const slideGrace = 300 * time.Millisecond

// slide is the part of Fill for sliders.
func (e *action) slide(ctx context.Context, o *observer, p *prepared, text string) (Filled, error) {
	if err := e.keysArrive(ctx); err != nil {
		return Filled{}, err
	}
	wanted, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
	if err != nil {
		return Filled{}, api.Errorf(api.InvalidArgument, "fill %s: %s accepts a number, not %q", e.target, p.Shape, text)
	}
	s := &entry.Slider{Action: "fill " + e.target.String(), Description: p.Shape}
	s.Press = func(ctx context.Context, name string, times int) (time.Duration, error) {
		return e.pressOnSlider(ctx, s, name, times)
	}
	err = e.readSlider(ctx, s)
	if err == nil {
		err = s.Move(ctx, wanted)
	}
	var seen verify.Report
	if err == nil && e.actor.worlds.Call(ctx, e.frame, "takeEventReport", nil, &seen) == nil {
		o.out.Events = seen.Events
	}
	value := text
	if !s.IsAt(wanted) {
		value = strconv.FormatFloat(s.Now, 'f', -1, 64)
	}
	out, err := o.finish(ctx, err, false)
	return Filled{Outcome: out, Value: value}, err
}

// pressOnSlider presses a key so often and waits until the page has followed. It returns how long the page worked on
// each.
func (e *action) pressOnSlider(ctx context.Context, s *entry.Slider, name string, times int) (each time.Duration, err error) {
	k, before := key.Must(name), s.Now
	var all input.Sent
	for range times {
		all = append(all, e.actor.input.KeyDown(e.session, k), e.actor.input.KeyUp(e.session, k))
	}
	began := time.Now()
	if err := all.Wait(ctx); err != nil {
		e.actor.input.ForgetKeys()
		return 0, err
	}
	each = time.Since(began) / time.Duration(times)
	field := e.field(false)
	for until := time.Now().Add(slideGrace); ; {
		if err := field.AwaitDeferred(ctx); err != nil {
			return each, e.apiError(err)
		}
		if err := e.readSlider(ctx, s); err != nil || !s.IsAt(before) || time.Now().After(until) {
			return each, err
		}
		if err := input.Sleep(ctx, pause); err != nil {
			return each, e.apiError(err)
		}
	}
}

// readSlider reads where the slider stands.
func (e *action) readSlider(ctx context.Context, s *entry.Slider) error {
	var res struct {
		reply
		Value   float64 `json:"value"`
		Focused bool    `json:"focused"`
	}
	if _, err := e.ask(ctx, "slider", nil, &res); err != nil {
		return err
	}
	s.Now = res.Value
	if !res.Focused {
		return api.Errorf(api.ActionNotDelivered, "fill %s: %s lost the keyboard focus", e.target, s.Description)
	}
	return nil
}
