package input

import (
	"context"
	"time"
	"unicode/utf8"

	"github.com/usher-browser/usher/internal/element/key"
)

// maxPending is how many key events may be on their way at once: enough to hide the
// way to the browser and back, few enough that a dialog stops the rest soon.
const maxPending = 32

// typing types a text. Its events are sent ahead of their answers.
type typing struct {
	*Devices

	session string
	pending Sent // not answered yet
	held    bool // Shift was down before
	shifted bool // Shift is down for a run of characters
}

// Type types text like a person: each character is its key going down and up, with Shift held over runs that need it.
// The events are sent ahead of their answers, unless there is a delay between characters.
func (d *Devices) Type(ctx context.Context, session, text string, delay time.Duration) error {
	t := &typing{Devices: d, session: session, held: d.modifiers()&int64(key.Shift) != 0}
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
func (t *typing) enter(ctx context.Context, r rune) error {
	k, upper := key.ForRune(r)
	if upper && unshifted(ctx) {
		k.Name = k.Shifted
	}
	// A space is typed without letting Shift go first.
	if err := t.shift(ctx, upper || t.shifted && r == ' '); err != nil {
		return err
	}
	if err := t.push(ctx, t.KeyDown(t.session, k)); err != nil {
		return err
	}
	return t.push(ctx, t.KeyUp(t.session, k))
}

type unshiftedKey struct{}

// WithoutShift makes [Devices.Type] and [ParseChord] press the keys of capitals without Shift, as Playwright and Puppeteer do.
func WithoutShift(ctx context.Context) context.Context {
	return context.WithValue(ctx, unshiftedKey{}, true)
}

// ParseChord is [key.ParseChord]. With [WithoutShift] a single character such as "A" is its key without Shift.
func ParseChord(ctx context.Context, s string) (key.Chord, error) {
	c, err := key.ParseChord(s)
	if err == nil && unshifted(ctx) && len(c.Held) == 1 {
		if k, err := key.Parse(s); err == nil {
			return key.Chord{Key: k}, nil
		}
	}
	return c, err
}

func unshifted(ctx context.Context) bool { return ctx.Value(unshiftedKey{}) != nil }

// shift presses or releases Shift, unless it is so already.
func (t *typing) shift(ctx context.Context, want bool) error {
	if unshifted(ctx) || t.held || want == t.shifted {
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
func (t *typing) push(ctx context.Context, p *Event) error {
	t.pending = append(t.pending, p)
	if len(t.pending) < maxPending {
		return nil
	}
	err := t.handled(ctx, t.pending[0])
	t.pending = t.pending[1:]
	return err
}

// end releases Shift and waits until the page has handled everything.
func (t *typing) end(ctx context.Context) error {
	if err := t.shift(ctx, false); err != nil {
		return err
	}
	for _, p := range t.pending {
		if err := t.handled(ctx, p); err != nil {
			return err
		}
	}
	t.pending = t.pending[:0]
	return nil
}
