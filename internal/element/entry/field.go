// Package entry enters text into the field or editor that has the keyboard focus, moves sliders by their keys, and
// reads what they hold afterwards.
package entry

import (
	"context"
	"runtime"
	"strings"
	"unicode/utf8"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/element/input"
	"github.com/usher-browser/usher/internal/element/key"
	"github.com/usher-browser/usher/internal/supervisor/model"
	"github.com/usher-browser/usher/internal/world"
)

// Field is a field or editor that has the keyboard focus.
type Field struct {
	Worlds  *world.Worlds
	Devices *input.Devices
	Frame   model.FrameID
	Session string         // of the tab
	Target  map[string]any // as locate.ts reads it
	// Drawn marks an editor that draws its text elsewhere.
	Drawn bool
}

// An editor is filled by keys and input-method text, and its content is read afterwards:
//
//	Control+a, Delete        what is left then is selected by script and deleted once more
//	the focus                is taken back from where these keys moved it
//	the text, at once        as from an input method
//	differs, several lines?  again, with Enter between the lines
//	still differs?           again, as a paste, which nothing completes or indents
//	several lines            the caret is put behind the last
//
// Each step waits for the page's deferred tasks: editors handle selectionchange in a later task, and a key sent before
// that acts on the old selection.

// Replace replaces the content of an editor, or what is selected in it, and returns its new content; known is false where
// that cannot be read. Of several lines that are entered into a part of an editor, only the first may be in that part.
func (f *Field) Replace(ctx context.Context, text string, selected bool) (value string, known bool, err error) {
	type way func(context.Context, string) error
	ways := []way{f.Insert}
	several := strings.Contains(text, "\n")
	switch {
	case several && selected: // entered at once, they leave the caret within the last
		ways = []way{f.insertLines}
	case several:
		ways = append(ways, f.insertLines)
	}
	for i, enter := range append(ways, f.paste) {
		before, err := f.empty(ctx, selected)
		if err != nil {
			return "", false, err
		}
		if text != "" {
			if err := enter(ctx, text); err != nil {
				return "", false, err
			}
		}
		now := f.editor(ctx)
		value, known = now.value, now.known
		if !known || sameLines(value, text) || text == "" && i > 0 || selected && value != "" && HoldsText(text, value) {
			break
		}
		if value == "" && now.inputs > before.inputs {
			break // the page took the text and emptied the field: once more would be twice
		}
	}
	if known && several && !selected && !f.Drawn {
		err = f.endContent(ctx)
	}
	return value, known, err
}

// endContent puts the caret behind all that an editor holds: one that makes its own elements of the lines that were entered
// at once may have put it behind another line, and what is typed next would go there.
func (f *Field) endContent(ctx context.Context) error {
	var res struct {
		Moved bool `json:"moved"`
	}
	err := f.Worlds.Call(ctx, f.Frame, "endContent", map[string]any{"target": f.Target}, &res)
	if err != nil || !res.Moved {
		return err
	}
	return f.AwaitDeferred(ctx)
}

// empty deletes all that an editor holds, or what is selected in it, and returns its state then.
func (f *Field) empty(ctx context.Context, selected bool) (editor, error) {
	now := f.editor(ctx)
	for try := range 2 {
		if err := f.keepFocus(ctx, now); err != nil {
			return now, err
		}
		if try == 0 && now.known && now.value == "" || try > 0 && (!now.known || strings.TrimSpace(now.value) == "") {
			return now, nil
		}
		switch {
		case try > 0 || selected:
			if err := f.Worlds.Call(ctx, f.Frame, "selectContent", map[string]any{"target": f.Target}, nil); err != nil {
				return now, err
			}
		default:
			if err := f.chord(ctx, selectAllKeys(runtime.GOOS)); err != nil {
				return now, err
			}
		}
		if err := f.AwaitDeferred(ctx); err != nil {
			return now, err
		}
		if err := f.chord(ctx, []string{"Delete", "Backspace"}[try]); err != nil {
			return now, err
		}
		now = f.editor(ctx)
	}
	return now, f.keepFocus(ctx, now) // the caller reads what is left
}

// keepFocus gives an editor the focus back that its own keys have moved to another: the parts of a date hand it on when they are
// empty or complete.
func (f *Field) keepFocus(ctx context.Context, now editor) error {
	if now.focused {
		return nil
	}
	var res struct {
		OK bool `json:"ok"`
	}
	if err := f.Worlds.Call(ctx, f.Frame, "focusOn", map[string]any{"target": f.Target}, &res); err != nil {
		return err
	}
	if !res.OK {
		return api.Errorf(api.ActionNotDelivered, "the field lost the keyboard focus while it was emptied").
			WithHint("Run `snapshot -i` to see what changed.")
	}
	return f.AwaitDeferred(ctx)
}

func selectAllKeys(system string) string {
	if system == "darwin" {
		return "Meta+a"
	}
	return "Control+a"
}

func endKeys(system string) string {
	if system == "darwin" {
		return "Meta+ArrowDown"
	}
	return "Control+End"
}

// chord presses keys in whatever has the keyboard focus and waits until the page has handled them.
func (f *Field) chord(ctx context.Context, keys string) error {
	c, err := key.ParseChord(keys)
	if err != nil {
		return err
	}
	if err := f.Devices.Chord(f.Session, c).Wait(ctx); err != nil {
		f.Devices.ForgetKeys()
		return err
	}
	return nil
}

// AwaitDeferred waits until the page has done what it put off. Editors that draw their text do so with the next frame.
func (f *Field) AwaitDeferred(ctx context.Context) error {
	fn := "turn"
	if f.Drawn {
		fn = "drawn"
	}
	return f.Worlds.Call(ctx, f.Frame, fn, nil, nil)
}

// editor is the state of an editor.
type editor struct {
	value   string
	known   bool // the value can be read
	focused bool // keys go to it
	inputs  int  // input events since it was prepared
}

// editor returns the state of an editor after the page's deferred tasks have run.
func (f *Field) editor(ctx context.Context) editor {
	var res struct {
		OK      bool    `json:"ok"`
		Value   *string `json:"value"`
		Focused bool    `json:"focused"`
		Inputs  int     `json:"inputs"`
	}
	if f.AwaitDeferred(ctx) != nil || f.Worlds.Call(ctx, f.Frame, "editorState", map[string]any{"target": f.Target}, &res) != nil || !res.OK {
		return editor{focused: true} // the next call fails, too
	}
	now := editor{known: res.Value != nil, focused: res.Focused, inputs: res.Inputs}
	if now.known {
		now.value = *res.Value
	}
	return now
}

// Insert enters text at once, as an input method does, and sends the keyup of its last character: pages check a field
// at keyup. No keydown is sent, because a page that enters characters by itself would enter that one again.
func (f *Field) Insert(ctx context.Context, text string) error {
	events := input.Sent{f.Devices.Insert(f.Session, text)}
	if last, _ := utf8.DecodeLastRuneInString(strings.TrimRight(text, "\r\n\t")); last != utf8.RuneError {
		k, shifted := key.ForRune(last)
		if shifted {
			k.Name = k.Shifted
		}
		events = append(events, f.Devices.KeyUp(f.Session, k))
	}
	return events.Wait(ctx)
}

// insertLines enters text with the Enter key between its lines.
func (f *Field) insertLines(ctx context.Context, text string) error {
	for i, line := range strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n") {
		if i > 0 {
			if err := f.chord(ctx, "Enter"); err != nil {
				return err
			}
			if err := f.AwaitDeferred(ctx); err != nil {
				return err
			}
		}
		if line == "" {
			continue
		}
		if err := f.Insert(ctx, line); err != nil {
			return err
		}
	}
	return nil
}

// paste offers text as a paste, and inserts it where that is not taken.
func (f *Field) paste(ctx context.Context, text string) error {
	var res struct {
		Taken bool `json:"taken"`
	}
	err := f.Worlds.Call(ctx, f.Frame, "pasteInto", map[string]any{"target": f.Target, "text": text}, &res)
	if err != nil || res.Taken {
		return err
	}
	return f.Insert(ctx, text)
}

// Ready brings a field or an editor to where typing begins. next is what fill.ts left to do: "clear", "replace",
// "selected" or "end". A mask that a page lays over a field follows the key that
// deletes, as a person presses it, and has done so only in a later task.
func (f *Field) Ready(ctx context.Context, next string) error {
	switch next {
	case "clear":
		if err := f.chord(ctx, "Delete"); err != nil {
			return err
		}
	case "replace", "selected":
		_, err := f.empty(ctx, next == "selected")
		return err
	case "end":
		if err := f.chord(ctx, endKeys(runtime.GOOS)); err != nil {
			return err
		}
	}
	return f.AwaitDeferred(ctx)
}

// Value returns the value of the field; known is false where it cannot be read.
func (f *Field) Value(ctx context.Context) (value string, known bool) {
	var res struct {
		OK    bool    `json:"ok"`
		Value *string `json:"value"`
	}
	err := f.Worlds.Call(ctx, f.Frame, "value", map[string]any{"target": f.Target}, &res)
	if err != nil || !res.OK || res.Value == nil {
		return "", false
	}
	return *res.Value, true
}
