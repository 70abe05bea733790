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
)

// keyboard is the keys of a tab that are down.
type keyboard struct {
	down []Key // in the order they went down
}

// modifiers of the keys that are down.
func (k *keyboard) modifiers() int64 {
	var m Modifiers
	for _, key := range k.down {
		m |= key.modifier()
	}
	return int64(m)
}

func (k *keyboard) isDown(key Key) bool {
	return slices.ContainsFunc(k.down, func(d Key) bool { return same(d, key) })
}

// same reports whether two keys are the same: equal in code, or equal in character for keys without a code.
func same(a, b Key) bool {
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
func (a *Actor) keyDown(session string, k Key) *cdp.Pending[protocol.Empty] {
	repeat := a.keys.isDown(k)
	if !repeat {
		a.keys.down = append(a.keys.down, k)
	}
	mods := a.keys.modifiers()
	key, text := k.with(Modifiers(mods))
	p := input.DispatchKeyEventParams{
		Type: input.DispatchKeyEventTypeRawKeyDown, Modifiers: mods, Key: key, Code: k.Code,
		WindowsVirtualKeyCode: k.VK, Location: k.Location, AutoRepeat: new(repeat), IsKeypad: new(k.Location == 3),
		Commands: editingCommands(runtime.GOOS, k, Modifiers(mods)),
	}
	if text != "" {
		p.Type, p.Text, p.UnmodifiedText = input.DispatchKeyEventTypeKeyDown, text, text
	}
	return cdp.Start(a.browser.Session(session), input.DispatchKeyEvent, p)
}

func (a *Actor) keyUp(session string, k Key) *cdp.Pending[protocol.Empty] {
	a.keys.down = slices.DeleteFunc(a.keys.down, func(d Key) bool { return same(d, k) })
	mods := a.keys.modifiers()
	key, _ := k.with(Modifiers(mods))
	return cdp.Start(a.browser.Session(session), input.DispatchKeyEvent, input.DispatchKeyEventParams{
		Type: input.DispatchKeyEventTypeKeyUp, Modifiers: mods, Key: key, Code: k.Code,
		WindowsVirtualKeyCode: k.VK, Location: k.Location, IsKeypad: new(k.Location == 3),
	})
}

// editingCommands are what macOS attaches to its shortcuts: there the operating
// system, not the page, turns Command+A into "select all" (names of Blink's
// editor commands). Elsewhere Blink reads the keys itself.
func editingCommands(system string, k Key, mods Modifiers) []string {
	if system != "darwin" || mods&^Shift != Meta {
		return nil
	}
	switch {
	case k.Code == "KeyZ" && mods&Shift != 0:
		return []string{"redo"}
	case mods&Shift != 0:
		return nil
	}
	switch k.Code {
	case "KeyA":
		return []string{"selectAll"}
	case "KeyC":
		return []string{"copy"}
	case "KeyV":
		return []string{"paste"}
	case "KeyX":
		return []string{"cut"}
	case "KeyZ":
		return []string{"undo"}
	}
	return nil
}

// Press presses and releases a chord, like "Enter" or "Control+a", in the element that has the keyboard focus. Errors:
// [api.UnknownKey] and those of a blocked tab; a dialog, navigation or new tab that the key caused is in the outcome.
func (a *Actor) Press(ctx context.Context, chord string) (Outcome, error) {
	c, err := ParseChord(chord)
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

func (a *Actor) oneKey(ctx context.Context, verb, name string, send func(string, Key) *cdp.Pending[protocol.Empty]) error {
	k, err := ParseKey(name)
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

// typeText types each character as its key going down and up, with Shift held over runs that need it. The events are sent
// ahead of their replies, unless there is a delay between characters.
func (a *Actor) typeText(ctx context.Context, session, text string, delay time.Duration) error {
	t := typist{actor: a, session: session, held: a.keys.modifiers()&int64(Shift) != 0}
	for i, r := range text {
		if r == '\r' && i+1 < len(text) && text[i+1] == '\n' {
			continue // one Enter for a line end of two characters
		}
		if err := t.key(ctx, r); err != nil {
			return err
		}
		if delay <= 0 {
			continue
		}
		if err := t.flush(ctx); err != nil {
			return err
		}
		if i+utf8.RuneLen(r) < len(text) {
			if err := sleep(ctx, delay); err != nil {
				return err
			}
		}
	}
	return t.flush(ctx)
}

// typist sends the key events of a text.
type typist struct {
	actor   *Actor
	session string
	flying  sent // events without a reply
	held    bool // Shift is down by an earlier keydown
	shifted bool // Shift is down for the text
}

// key types one character.
func (t *typist) key(ctx context.Context, r rune) error {
	k, upper := keyForRune(r)
	// A space is typed without releasing Shift first.
	if err := t.shift(ctx, upper || t.shifted && r == ' '); err != nil {
		return err
	}
	if err := t.push(ctx, t.actor.keyDown(t.session, k)); err != nil {
		return err
	}
	return t.push(ctx, t.actor.keyUp(t.session, k))
}

// shift presses or releases Shift.
func (t *typist) shift(ctx context.Context, want bool) error {
	if t.held || want == t.shifted {
		return nil
	}
	t.shifted = want
	if want {
		return t.push(ctx, t.actor.keyDown(t.session, mustKey("Shift")))
	}
	return t.push(ctx, t.actor.keyUp(t.session, mustKey("Shift")))
}

// push adds an event in flight; when the window is full it waits for the first.
func (t *typist) push(ctx context.Context, p *cdp.Pending[protocol.Empty]) error {
	t.flying = append(t.flying, p)
	if len(t.flying) < window {
		return nil
	}
	err := t.actor.handled(ctx, t.flying[0])
	t.flying = t.flying[1:]
	return err
}

// flush releases Shift and waits for all events.
func (t *typist) flush(ctx context.Context) error {
	if err := t.shift(ctx, false); err != nil {
		return err
	}
	for _, p := range t.flying {
		if err := t.actor.handled(ctx, p); err != nil {
			return err
		}
	}
	t.flying = t.flying[:0]
	return nil
}
