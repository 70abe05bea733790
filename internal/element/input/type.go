package input

import (
	"context"
	"time"
	"unicode/utf8"

	"github.com/usher-browser/usher/internal/element/key"
)

// window is how many key events may be on their way at once: enough to hide the
// way to the browser and back, few enough that a dialog stops the rest soon.
const window = 32

// typist types a text. Its events are sent ahead of their answers.
type typist struct {
	*Devices

	session string
	flying  Sent // not answered yet
	held    bool // Shift was down before
	shifted bool // Shift is down for a run of characters
}

// Type types text like a person: each character is its key going down and up, with Shift held over runs that need it.
// The events are sent ahead of their answers, unless there is a delay between characters.
func (d *Devices) Type(ctx context.Context, session, text string, delay time.Duration) error {
	t := &typist{Devices: d, session: session, held: d.modifiers()&int64(key.Shift) != 0}
	for i, r := range text {
		if r == '\r' && i+1 < len(text) && text[i+1] == '\n' {
			continue // one Enter for a line end of two characters
		}
		if err := t.enter(ctx, r); err != nil {
			return err
		}
		if delay <= 0 {
			continue
		}
		if err := t.end(ctx); err != nil {
			return err
		}
		if i+utf8.RuneLen(r) < len(text) {
			if err := Sleep(ctx, delay); err != nil {
				return err
			}
		}
	}
	return t.end(ctx)
}

// enter presses and releases the key of a character.
func (t *typist) enter(ctx context.Context, r rune) error {
	k, upper := key.ForRune(r)
	// A space is typed without letting Shift go first.
	if err := t.shift(ctx, upper || t.shifted && r == ' '); err != nil {
		return err
	}
	if err := t.push(ctx, t.KeyDown(t.session, k)); err != nil {
		return err
	}
	return t.push(ctx, t.KeyUp(t.session, k))
}

// shift presses or releases Shift, unless it is so already.
func (t *typist) shift(ctx context.Context, want bool) error {
	if t.held || want == t.shifted {
		return nil
	}
	t.shifted = want
	k := key.Must("Shift")
	if want {
		return t.push(ctx, t.KeyDown(t.session, k))
	}
	return t.push(ctx, t.KeyUp(t.session, k))
}

// push adds an event on its way. It waits for the first of too many.
func (t *typist) push(ctx context.Context, p *Event) error {
	t.flying = append(t.flying, p)
	if len(t.flying) < window {
		return nil
	}
	err := t.handled(ctx, t.flying[0])
	t.flying = t.flying[1:]
	return err
}

// end releases Shift and waits until the page has handled everything.
func (t *typist) end(ctx context.Context) error {
	if err := t.shift(ctx, false); err != nil {
		return err
	}
	for _, p := range t.flying {
		if err := t.handled(ctx, p); err != nil {
			return err
		}
	}
	t.flying = t.flying[:0]
	return nil
}
