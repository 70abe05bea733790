package input

import (
	"runtime"
	"slices"

	"github.com/chromedp/cdproto/input"

	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/element/key"
)

// modifiers of the keys that are down.
func (d *Devices) modifiers() int64 {
	var m key.Modifiers
	for _, one := range d.down {
		m |= one.Modifier()
	}
	return int64(m)
}

func (d *Devices) isDown(one key.Key) bool {
	return slices.ContainsFunc(d.down, func(k key.Key) bool { return same(k, one) })
}

// same reports whether two keys are the same: equal in code, or equal in character for keys without a code.
func same(a, b key.Key) bool {
	if a.Code == "" {
		return b.Code == "" && a.Name == b.Name
	}
	return a.Code == b.Code
}

// KeyDown sends keydown, and keypress and input when the key enters text. A key that is down already repeats.
func (d *Devices) KeyDown(session string, k key.Key) *Event {
	repeat := d.isDown(k)
	if !repeat {
		d.down = append(d.down, k)
	}
	mods := d.modifiers()
	name, text := k.With(key.Modifiers(mods))
	p := input.DispatchKeyEventParams{
		Type: input.DispatchKeyEventTypeRawKeyDown, Modifiers: mods, Key: name, Code: k.Code,
		WindowsVirtualKeyCode: k.VK, Location: k.Location, AutoRepeat: new(repeat), IsKeypad: new(k.Location == 3),
		Commands: key.EditingCommands(runtime.GOOS, k, key.Modifiers(mods)),
	}
	if text != "" {
		d.typed, d.entered = true, true
		p.Type, p.Text, p.UnmodifiedText = input.DispatchKeyEventTypeKeyDown, text, text
	}
	return cdp.Start(d.browser.Session(session), input.DispatchKeyEvent, p)
}

// KeyUp sends keyup.
func (d *Devices) KeyUp(session string, k key.Key) *Event {
	d.down = slices.DeleteFunc(d.down, func(other key.Key) bool { return same(other, k) })
	mods := d.modifiers()
	name, _ := k.With(key.Modifiers(mods))
	return cdp.Start(d.browser.Session(session), input.DispatchKeyEvent, input.DispatchKeyEventParams{
		Type: input.DispatchKeyEventTypeKeyUp, Modifiers: mods, Key: name, Code: k.Code,
		WindowsVirtualKeyCode: k.VK, Location: k.Location, IsKeypad: new(k.Location == 3),
	})
}

// Chord presses the keys of a chord and releases them again.
func (d *Devices) Chord(session string, c key.Chord) Sent {
	var all Sent
	for _, k := range c.Held {
		all = append(all, d.KeyDown(session, k))
	}
	all = append(all, d.KeyDown(session, c.Key), d.KeyUp(session, c.Key))
	for _, k := range slices.Backward(c.Held) {
		all = append(all, d.KeyUp(session, k))
	}
	return all
}

// ForgetKeys marks all keys as released, because it is unknown which events arrived.
func (d *Devices) ForgetKeys() { d.down = nil }

// Insert inserts text at once, as an input method does: without key events.
func (d *Devices) Insert(session, text string) *Event {
	d.typed, d.entered = true, true
	return cdp.Start(d.browser.Session(session), input.InsertText, input.InsertTextParams{Text: text})
}
