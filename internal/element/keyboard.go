package element

import (
	"context"
	"runtime"
	"slices"
	"time"
	"unicode/utf8"

	protocol "github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/input"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/element/key"
)

// keyboard is the keys of a tab that are down.
type keyboard struct {
	down []key.Key // in the order they went down
}

// modifiers of the keys that are down.
func (k *keyboard) modifiers() int64 {
	var m key.Modifiers
	for _, one := range k.down {
		m |= one.Modifier()
	}
	return int64(m)
}

func (k *keyboard) isDown(one key.Key) bool {
	return slices.ContainsFunc(k.down, func(d key.Key) bool { return same(d, one) })
}

// same reports whether two keys are the same: equal in code, or equal in character for keys without a code.
func same(a, b key.Key) bool {
	if a.Code == "" {
		return b.Code == "" && a.Name == b.Name
	}
	return a.Code == b.Code
}

// window is how many key events may be on their way at once: enough to hide the
// way to the browser and back, few enough that a dialog stops the rest soon.
const window = 32

// keyDown sends keydown, and keypress and input when the key enters text. A key
// that is down already repeats.
func (a *Actor) keyDown(session string, k key.Key) *cdp.Pending[protocol.Empty] {
	repeat := a.keys.isDown(k)
	if !repeat {
		a.keys.down = append(a.keys.down, k)
	}
	mods := a.keys.modifiers()
	name, text := k.With(key.Modifiers(mods))
	p := input.DispatchKeyEventParams{
		Type: input.DispatchKeyEventTypeRawKeyDown, Modifiers: mods, Key: name, Code: k.Code,
		WindowsVirtualKeyCode: k.VK, Location: k.Location, AutoRepeat: new(repeat), IsKeypad: new(k.Location == 3),
		Commands: key.EditingCommands(runtime.GOOS, k, key.Modifiers(mods)),
	}
	if text != "" {
		p.Type, p.Text, p.UnmodifiedText = input.DispatchKeyEventTypeKeyDown, text, text
	}
	return cdp.Start(a.browser.Session(session), input.DispatchKeyEvent, p)
}

func (a *Actor) keyUp(session string, k key.Key) *cdp.Pending[protocol.Empty] {
	a.keys.down = slices.DeleteFunc(a.keys.down, func(d key.Key) bool { return same(d, k) })
	mods := a.keys.modifiers()
	name, _ := k.With(key.Modifiers(mods))
	return cdp.Start(a.browser.Session(session), input.DispatchKeyEvent, input.DispatchKeyEventParams{
		Type: input.DispatchKeyEventTypeKeyUp, Modifiers: mods, Key: name, Code: k.Code,
		WindowsVirtualKeyCode: k.VK, Location: k.Location, IsKeypad: new(k.Location == 3),
	})
}

// Press presses and releases a chord, like "Enter" or "Control+a", in the element that has the keyboard focus. Errors:
// [api.UnknownKey] and those of a blocked tab; a dialog, navigation or new tab that the key caused is in the outcome.
func (a *Actor) Press(ctx context.Context, chord string) (Outcome, error) {
	c, err := key.ParseChord(chord)
	if err != nil {
		return Outcome{}, err
	}
	ctx, e, done, err := a.begin(ctx, "press "+chord, Target{})
	if err != nil {
		return Outcome{}, err
	}
	defer done()
	w := e.observe()
	var all sent
	for _, k := range c.Held {
		all = append(all, a.keyDown(e.session, k))
	}
	all = append(all, a.keyDown(e.session, c.Key), a.keyUp(e.session, c.Key))
	for _, k := range slices.Backward(c.Held) {
		all = append(all, a.keyUp(e.session, k))
	}
	return w.finish(ctx, all.wait(ctx), false)
}

// KeyDown presses a key and holds it; held modifiers apply to all later input, clicks included.
func (a *Actor) KeyDown(ctx context.Context, name string) error {
	return a.oneKey(ctx, "keydown", name, a.keyDown)
}

// KeyUp releases a key.
func (a *Actor) KeyUp(ctx context.Context, name string) error {
	return a.oneKey(ctx, "keyup", name, a.keyUp)
}

func (a *Actor) oneKey(ctx context.Context, verb, name string, send func(string, key.Key) *cdp.Pending[protocol.Empty]) error {
	k, err := key.Parse(name)
	if err != nil {
		return err
	}
	return a.button(ctx, verb+" "+name, func(session string) *cdp.Pending[protocol.Empty] { return send(session, k) })
}

// Keyboard types text key by key into the element that has the keyboard focus.
func (a *Actor) Keyboard(ctx context.Context, text string, delay time.Duration) (Outcome, error) {
	if !utf8.ValidString(text) {
		return Outcome{}, api.Errorf(api.InvalidArgument, "keyboard type: the text is not valid UTF-8")
	}
	ctx, e, done, err := a.begin(ctx, "keyboard type", Target{})
	if err != nil {
		return Outcome{}, err
	}
	defer done()
	w := e.observe()
	return w.finish(ctx, a.typeText(ctx, e.session, text, delay), false)
}

// InsertText inserts text at once into the element that has the keyboard focus, as an input method does: without key
// events.
func (a *Actor) InsertText(ctx context.Context, text string) error {
	if !utf8.ValidString(text) {
		return api.Errorf(api.InvalidArgument, "keyboard inserttext: the text is not valid UTF-8")
	}
	return a.button(ctx, "keyboard inserttext", func(session string) *cdp.Pending[protocol.Empty] {
		return cdp.Start(a.browser.Session(session), input.InsertText, input.InsertTextParams{Text: text})
	})
}

// typeText types like a person: each character is its key going down and up,
// with Shift held over runs that need it. The events are sent ahead of their
// answers, unless there is a delay between characters.
func (a *Actor) typeText(ctx context.Context, session, text string, delay time.Duration) error {
	var flying sent
	push := func(p *cdp.Pending[protocol.Empty]) error {
		flying = append(flying, p)
		if len(flying) < window {
			return nil
		}
		err := a.handled(ctx, flying[0])
		flying = flying[1:]
		return err
	}
	flush := func() error {
		for _, p := range flying {
			if err := a.handled(ctx, p); err != nil {
				return err
			}
		}
		flying = flying[:0]
		return nil
	}
	shiftKey := key.Must("Shift")
	held := a.keys.modifiers()&int64(key.Shift) != 0 // by an earlier keydown
	shifted := false
	shift := func(want bool) error {
		if held || want == shifted {
			return nil
		}
		shifted = want
		if want {
			return push(a.keyDown(session, shiftKey))
		}
		return push(a.keyUp(session, shiftKey))
	}
	for i, r := range text {
		if r == '\r' && i+1 < len(text) && text[i+1] == '\n' {
			continue // one Enter for a line end of two characters
		}
		k, upper := key.ForRune(r)
		// A space is typed without letting Shift go first.
		if err := shift(upper || shifted && r == ' '); err != nil {
			return err
		}
		if err := push(a.keyDown(session, k)); err != nil {
			return err
		}
		if err := push(a.keyUp(session, k)); err != nil {
			return err
		}
		if delay > 0 {
			if err := shift(false); err != nil {
				return err
			}
			if err := flush(); err != nil {
				return err
			}
			if i+utf8.RuneLen(r) < len(text) {
				if err := sleep(ctx, delay); err != nil {
					return err
				}
			}
		}
	}
	if err := shift(false); err != nil {
		return err
	}
	return flush()
}
