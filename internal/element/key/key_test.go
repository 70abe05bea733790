package key

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/usher-browser/usher/internal/api"
)

// chord writes a chord as the codes (or characters) of its keys.
func chord(c Chord) string {
	var parts []string
	for _, k := range append(c.Held, c.Key) {
		if k.Code != "" {
			parts = append(parts, k.Code)
		} else {
			parts = append(parts, k.Name)
		}
	}
	return strings.Join(parts, " ")
}

func TestParseChord(t *testing.T) {
	for in, want := range map[string]string{
		"a": "KeyA", "A": "ShiftLeft KeyA", "Enter": "Enter", "return": "Enter", "ESC": "Escape", "Space": "Space", " ": "Space",
		"Control+a": "ControlLeft KeyA", "Control+A": "ControlLeft KeyA", "ctrl+shift+T": "ControlLeft ShiftLeft KeyT",
		"Shift+a": "ShiftLeft KeyA", "Shift+A": "ShiftLeft KeyA", "cmd+c": "MetaLeft KeyC", "Alt+F4": "AltLeft F4", "option+left": "AltLeft ArrowLeft",
		"+": "ShiftLeft Equal", "Control++": "ControlLeft ShiftLeft Equal", "Control+Plus": "ControlLeft ShiftLeft Equal", "Shift++": "ShiftLeft Equal",
		"!": "ShiftLeft Digit1", "é": "é", "ß": "ß", "日": "日", "😀": "😀", "KeyQ": "KeyQ", "Numpad5": "Numpad5", "NumpadEnter": "NumpadEnter",
		"ShiftRight+b": "ShiftRight KeyB", "Up": "ArrowUp", "PageDown": "PageDown", "Del": "Delete", "f12": "F12", "Control": "ControlLeft",
		"\n": "Enter", "\t": "Tab", "-": "Minus", "Control+-": "ControlLeft Minus",
	} {
		c, err := ParseChord(in)
		if err != nil {
			t.Errorf("%q: %v", in, err)
		} else if got := chord(c); got != want {
			t.Errorf("%q is %s, want %s", in, got, want)
		}
	}
}

func TestParseChordRefuses(t *testing.T) {
	for in, hint := range map[string]string{
		"": "", "foo": "Keys are named", "Entr": "Enter", "ArowDown": "ArrowDown", "Contrl+a": "Control", "Control+": "", "a+b": "Modifiers are",
		"Enter+a": "Modifiers are", "hello": "", "F25": "F2", "Control+Esacpe": "Escape", "\x01": "", "++": "", "+a": "", "é+a": "Modifiers are", "\xff": "",
	} {
		_, err := ParseChord(in)
		if api.CodeOf(err) != api.UnknownKey {
			t.Errorf("%q: %v, want unknown_key", in, err)
			continue
		}
		if got := api.AsError(err).Hint; !strings.Contains(got, hint) {
			t.Errorf("%q: hint %q, want %q in it", in, got, hint)
		}
	}
	if _, err := Parse("Control+a"); api.CodeOf(err) != api.UnknownKey {
		t.Errorf("a chord as a key: %v", err)
	}
}

func TestKeyTable(t *testing.T) {
	codes := map[string]bool{}
	for _, k := range keys {
		if codes[k.Code] {
			t.Errorf("code %s stands twice", k.Code)
		}
		codes[k.Code] = true
		if k.VK <= 0 || k.VK > 255 || k.Code == "" || k.Name == "" || k.Location < 0 || k.Location > 3 {
			t.Errorf("key %+v is incomplete", k)
		}
		for alias := range strings.FieldsSeq(k.alias) {
			if found, ok := find(alias); !ok || found.Code != k.Code {
				t.Errorf("alias %s leads to %s, not %s", alias, found.Code, k.Code)
			}
		}
	}
	for r := rune(' '); r < 127; r++ {
		k, shift := ForRune(r)
		if k.Code == "" || k.Location != 0 {
			t.Errorf("no key of the main block enters %q", r)
			continue
		}
		mods := Modifiers(0)
		if shift {
			mods = Shift
		}
		if _, text := k.With(mods); text != string(r) {
			t.Errorf("the key for %q enters %q", r, text)
		}
	}
	if _, text := Must("Enter").With(Control); text != "" {
		t.Error("Control+Enter enters text")
	}
}

func TestEditingCommands(t *testing.T) {
	k := Must("KeyA")
	if got := EditingCommands("darwin", k, Meta); len(got) != 1 || got[0] != "selectAll" {
		t.Errorf("Command+A on macOS: %v", got)
	}
	if got := EditingCommands("linux", k, Control); got != nil {
		t.Errorf("Control+A on Linux: %v", got)
	}
	if got := EditingCommands("darwin", Must("KeyZ"), Meta|Shift); len(got) != 1 || got[0] != "redo" {
		t.Errorf("Command+Shift+Z on macOS: %v", got)
	}
}

func FuzzParseChord(f *testing.F) {
	for _, s := range []string{"a", "Control+a", "Shift++", "+", "é", "Contrl+x", "", "Control+Shift+Alt+Meta+F1", "\xff", "++"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		c, err := ParseChord(s)
		if err != nil {
			if api.CodeOf(err) != api.UnknownKey {
				t.Fatalf("%q: code %s", s, api.CodeOf(err))
			}
			return
		}
		if c.Key.Name == "" {
			t.Fatalf("%q has no key: %+v", s, c)
		}
		for _, k := range c.Held {
			if k.Modifier() == 0 {
				t.Fatalf("%q holds %s, which is no modifier", s, k.Name)
			}
		}
		if _, text := c.Key.With(0); !utf8.ValidString(text) {
			t.Fatalf("%q enters %q", s, text)
		}
	})
}
