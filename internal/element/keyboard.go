package element

import (
	"context"
	"time"
	"unicode/utf8"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/element/input"
	"github.com/usher-browser/usher/internal/element/key"
	"github.com/usher-browser/usher/internal/element/locate"
)

// Press presses and releases a chord, like "Enter" or "Control+a", in the element that has the keyboard focus. Errors:
// [api.UnknownKey] and those of a blocked tab; a dialog, navigation or new tab that the key caused is in the outcome.
func (a *Actor) Press(ctx context.Context, chord string) (Outcome, error) {
	c, err := input.ParseChord(ctx, chord)
	if err != nil {
		return Outcome{}, err
	}
	ctx, e, done, err := a.begin(ctx, "press "+chord, locate.Target{})
	if err != nil {
		return Outcome{}, err
	}
	defer done()
	w := e.observe()
	if c.Key.Name == "Escape" && len(c.Held) == 0 && e.leavesExclusive(ctx) {
		return w.finish(ctx, nil, false)
	}
	return w.finish(ctx, a.input.Chord(e.session, c).Wait(ctx), false)
}

// leavesExclusive ends fullscreen and pointer lock, which Escape does in a browser's window, but not as input by CDP, and reports
// whether there was either. A document that cannot be asked has neither, as far as the key goes.
func (e *action) leavesExclusive(ctx context.Context) bool {
	var was bool
	return e.actor.worlds.Call(ctx, e.frame, "leaveExclusive", nil, &was) == nil && was
}

// KeyDown presses a key and holds it; held modifiers apply to all later input, clicks included.
func (a *Actor) KeyDown(ctx context.Context, name string) error {
	return a.oneKey(ctx, "keydown", name, a.input.KeyDown)
}

// KeyUp releases a key.
func (a *Actor) KeyUp(ctx context.Context, name string) error {
	return a.oneKey(ctx, "keyup", name, a.input.KeyUp)
}

func (a *Actor) oneKey(ctx context.Context, verb, name string, send func(string, key.Key) *input.Event) error {
	k, err := key.Parse(name)
	if err != nil {
		return err
	}
	return a.button(ctx, verb+" "+name, func(session string) *input.Event { return send(session, k) })
}

// Keyboard types text key by key into the element that has the keyboard focus.
func (a *Actor) Keyboard(ctx context.Context, text string, delay time.Duration) (Outcome, error) {
	if !utf8.ValidString(text) {
		return Outcome{}, api.Errorf(api.InvalidArgument, "keyboard type: the text is not valid UTF-8")
	}
	ctx, e, done, err := a.begin(ctx, "keyboard type", locate.Target{})
	if err != nil {
		return Outcome{}, err
	}
	defer done()
	w := e.observe()
	return w.finish(ctx, a.input.Type(ctx, e.session, text, delay), false)
}

// InsertText inserts text at once into the element that has the keyboard focus, as an input method does: without key
// events.
func (a *Actor) InsertText(ctx context.Context, text string) error {
	if !utf8.ValidString(text) {
		return api.Errorf(api.InvalidArgument, "keyboard inserttext: the text is not valid UTF-8")
	}
	return a.button(ctx, "keyboard inserttext", func(session string) *input.Event {
		return a.input.Insert(session, text)
	})
}
