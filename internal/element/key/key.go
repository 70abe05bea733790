// Package key is a keyboard with the US layout: its keys, and the names of keys and chords.
package key

import (
	"runtime"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/usher-browser/usher/internal/api"
)

// Key is one key of a keyboard with the US layout, as the browser reports it
// (UI Events: key, code, location; keyCode as Chromium's virtual key code).
type Key struct {
	Name     string // KeyboardEvent.key without Shift
	Shifted  string // KeyboardEvent.key with Shift, if different
	Code     string // KeyboardEvent.code; empty for a character that no US key produces
	VK       int64  // KeyboardEvent.keyCode
	Text     string // the text it enters, if different from Name
	Location int64  // 0 standard, 1 left, 2 right, 3 numeric pad
	alias    string // other names, lower case, separated by blanks
}

// printable reports whether the key enters its own character.
func (k Key) printable() bool { return utf8.RuneCountInString(k.Name) == 1 }

// With returns the key and text of an event while modifiers are held.
func (k Key) With(mods Modifiers) (key, text string) {
	key = k.Name
	if mods&Shift != 0 && k.Shifted != "" {
		key = k.Shifted
	}
	if mods&(Control|Alt|Meta) != 0 {
		return key, "" // a shortcut enters nothing
	}
	switch {
	case k.Text != "":
		return key, k.Text
	case k.printable():
		return key, key
	}
	return key, ""
}

// Modifiers is a set of modifier keys, with the bits of Input.dispatchKeyEvent.
type Modifiers int64

// The modifier keys.
const (
	Alt     Modifiers = 1
	Control Modifiers = 2
	Meta    Modifiers = 4
	Shift   Modifiers = 8
)

// Modifier returns the bit of a modifier key, 0 for others.
func (k Key) Modifier() Modifiers {
	switch k.Name {
	case "Alt":
		return Alt
	case "Control":
		return Control
	case "Meta":
		return Meta
	case "Shift":
		return Shift
	}
	return 0
}

// EditingCommands returns what macOS attaches to its shortcuts: there the operating
// system, not the page, turns Command+A into "select all" (names of Blink's
// editor commands). Elsewhere Blink reads the keys itself.
func EditingCommands(system string, k Key, mods Modifiers) []string {
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

// keys is the US layout. Order matters only where two keys share a name: the
// first is the one meant by it.
var keys = [...]Key{
	{Name: "a", Shifted: "A", Code: "KeyA", VK: 65}, {Name: "b", Shifted: "B", Code: "KeyB", VK: 66},
	{Name: "c", Shifted: "C", Code: "KeyC", VK: 67}, {Name: "d", Shifted: "D", Code: "KeyD", VK: 68},
	{Name: "e", Shifted: "E", Code: "KeyE", VK: 69}, {Name: "f", Shifted: "F", Code: "KeyF", VK: 70},
	{Name: "g", Shifted: "G", Code: "KeyG", VK: 71}, {Name: "h", Shifted: "H", Code: "KeyH", VK: 72},
	{Name: "i", Shifted: "I", Code: "KeyI", VK: 73}, {Name: "j", Shifted: "J", Code: "KeyJ", VK: 74},
	{Name: "k", Shifted: "K", Code: "KeyK", VK: 75}, {Name: "l", Shifted: "L", Code: "KeyL", VK: 76},
	{Name: "m", Shifted: "M", Code: "KeyM", VK: 77}, {Name: "n", Shifted: "N", Code: "KeyN", VK: 78},
	{Name: "o", Shifted: "O", Code: "KeyO", VK: 79}, {Name: "p", Shifted: "P", Code: "KeyP", VK: 80},
	{Name: "q", Shifted: "Q", Code: "KeyQ", VK: 81}, {Name: "r", Shifted: "R", Code: "KeyR", VK: 82},
	{Name: "s", Shifted: "S", Code: "KeyS", VK: 83}, {Name: "t", Shifted: "T", Code: "KeyT", VK: 84},
	{Name: "u", Shifted: "U", Code: "KeyU", VK: 85}, {Name: "v", Shifted: "V", Code: "KeyV", VK: 86},
	{Name: "w", Shifted: "W", Code: "KeyW", VK: 87}, {Name: "x", Shifted: "X", Code: "KeyX", VK: 88},
	{Name: "y", Shifted: "Y", Code: "KeyY", VK: 89}, {Name: "z", Shifted: "Z", Code: "KeyZ", VK: 90},

	{Name: "0", Shifted: ")", Code: "Digit0", VK: 48}, {Name: "1", Shifted: "!", Code: "Digit1", VK: 49},
	{Name: "2", Shifted: "@", Code: "Digit2", VK: 50}, {Name: "3", Shifted: "#", Code: "Digit3", VK: 51},
	{Name: "4", Shifted: "$", Code: "Digit4", VK: 52}, {Name: "5", Shifted: "%", Code: "Digit5", VK: 53},
	{Name: "6", Shifted: "^", Code: "Digit6", VK: 54}, {Name: "7", Shifted: "&", Code: "Digit7", VK: 55},
	{Name: "8", Shifted: "*", Code: "Digit8", VK: 56}, {Name: "9", Shifted: "(", Code: "Digit9", VK: 57},

	{Name: " ", Code: "Space", VK: 32, alias: "spacebar"},
	{Name: ";", Shifted: ":", Code: "Semicolon", VK: 186}, {Name: "=", Shifted: "+", Code: "Equal", VK: 187, alias: "equals"},
	{Name: ",", Shifted: "<", Code: "Comma", VK: 188}, {Name: "-", Shifted: "_", Code: "Minus", VK: 189},
	{Name: ".", Shifted: ">", Code: "Period", VK: 190}, {Name: "/", Shifted: "?", Code: "Slash", VK: 191},
	{Name: "`", Shifted: "~", Code: "Backquote", VK: 192}, {Name: "[", Shifted: "{", Code: "BracketLeft", VK: 219},
	{Name: `\`, Shifted: "|", Code: "Backslash", VK: 220}, {Name: "]", Shifted: "}", Code: "BracketRight", VK: 221},
	{Name: "'", Shifted: `"`, Code: "Quote", VK: 222},

	{Name: "Enter", Code: "Enter", VK: 13, Text: "\r", alias: "return"},
	{Name: "Tab", Code: "Tab", VK: 9},
	{Name: "Backspace", Code: "Backspace", VK: 8, alias: "bksp"},
	{Name: "Delete", Code: "Delete", VK: 46, alias: "del"},
	{Name: "Insert", Code: "Insert", VK: 45, alias: "ins"},
	{Name: "Escape", Code: "Escape", VK: 27, alias: "esc"},
	{Name: "ArrowLeft", Code: "ArrowLeft", VK: 37, alias: "left"},
	{Name: "ArrowUp", Code: "ArrowUp", VK: 38, alias: "up"},
	{Name: "ArrowRight", Code: "ArrowRight", VK: 39, alias: "right"},
	{Name: "ArrowDown", Code: "ArrowDown", VK: 40, alias: "down"},
	{Name: "Home", Code: "Home", VK: 36}, {Name: "End", Code: "End", VK: 35},
	{Name: "PageUp", Code: "PageUp", VK: 33, alias: "pgup"}, {Name: "PageDown", Code: "PageDown", VK: 34, alias: "pgdn pgdown"},

	{Name: "Shift", Code: "ShiftLeft", VK: 16, Location: 1}, {Name: "Shift", Code: "ShiftRight", VK: 16, Location: 2},
	{Name: "Control", Code: "ControlLeft", VK: 17, Location: 1, alias: "ctrl"},
	{Name: "Control", Code: "ControlRight", VK: 17, Location: 2},
	{Name: "Alt", Code: "AltLeft", VK: 18, Location: 1, alias: "option opt"}, {Name: "Alt", Code: "AltRight", VK: 18, Location: 2},
	{Name: "Meta", Code: "MetaLeft", VK: 91, Location: 1, alias: "cmd command super win windows"},
	{Name: "Meta", Code: "MetaRight", VK: 92, Location: 2},

	{Name: "F1", Code: "F1", VK: 112}, {Name: "F2", Code: "F2", VK: 113}, {Name: "F3", Code: "F3", VK: 114},
	{Name: "F4", Code: "F4", VK: 115}, {Name: "F5", Code: "F5", VK: 116}, {Name: "F6", Code: "F6", VK: 117},
	{Name: "F7", Code: "F7", VK: 118}, {Name: "F8", Code: "F8", VK: 119}, {Name: "F9", Code: "F9", VK: 120},
	{Name: "F10", Code: "F10", VK: 121}, {Name: "F11", Code: "F11", VK: 122}, {Name: "F12", Code: "F12", VK: 123},
	{Name: "F13", Code: "F13", VK: 124}, {Name: "F14", Code: "F14", VK: 125}, {Name: "F15", Code: "F15", VK: 126},
	{Name: "F16", Code: "F16", VK: 127}, {Name: "F17", Code: "F17", VK: 128}, {Name: "F18", Code: "F18", VK: 129},
	{Name: "F19", Code: "F19", VK: 130}, {Name: "F20", Code: "F20", VK: 131}, {Name: "F21", Code: "F21", VK: 132},
	{Name: "F22", Code: "F22", VK: 133}, {Name: "F23", Code: "F23", VK: 134}, {Name: "F24", Code: "F24", VK: 135},

	{Name: "CapsLock", Code: "CapsLock", VK: 20}, {Name: "NumLock", Code: "NumLock", VK: 144},
	{Name: "ScrollLock", Code: "ScrollLock", VK: 145}, {Name: "Pause", Code: "Pause", VK: 19, alias: "break"},
	{Name: "PrintScreen", Code: "PrintScreen", VK: 44}, {Name: "ContextMenu", Code: "ContextMenu", VK: 93, alias: "menu"},

	// The numeric pad with NumLock on.
	{Name: "0", Code: "Numpad0", VK: 96, Location: 3}, {Name: "1", Code: "Numpad1", VK: 97, Location: 3},
	{Name: "2", Code: "Numpad2", VK: 98, Location: 3}, {Name: "3", Code: "Numpad3", VK: 99, Location: 3},
	{Name: "4", Code: "Numpad4", VK: 100, Location: 3}, {Name: "5", Code: "Numpad5", VK: 101, Location: 3},
	{Name: "6", Code: "Numpad6", VK: 102, Location: 3}, {Name: "7", Code: "Numpad7", VK: 103, Location: 3},
	{Name: "8", Code: "Numpad8", VK: 104, Location: 3}, {Name: "9", Code: "Numpad9", VK: 105, Location: 3},
	{Name: "*", Code: "NumpadMultiply", VK: 106, Location: 3}, {Name: "+", Code: "NumpadAdd", VK: 107, Location: 3},
	{Name: "-", Code: "NumpadSubtract", VK: 109, Location: 3}, {Name: ".", Code: "NumpadDecimal", VK: 110, Location: 3},
	{Name: "/", Code: "NumpadDivide", VK: 111, Location: 3},
	{Name: "Enter", Code: "NumpadEnter", VK: 13, Text: "\r", Location: 3},

	{Name: "AudioVolumeMute", Code: "AudioVolumeMute", VK: 173}, {Name: "AudioVolumeDown", Code: "AudioVolumeDown", VK: 174},
	{Name: "AudioVolumeUp", Code: "AudioVolumeUp", VK: 175}, {Name: "MediaTrackNext", Code: "MediaTrackNext", VK: 176},
	{Name: "MediaTrackPrevious", Code: "MediaTrackPrevious", VK: 177}, {Name: "MediaStop", Code: "MediaStop", VK: 178},
	{Name: "MediaPlayPause", Code: "MediaPlayPause", VK: 179},
	{Name: "BrowserBack", Code: "BrowserBack", VK: 166}, {Name: "BrowserForward", Code: "BrowserForward", VK: 167},
	{Name: "BrowserRefresh", Code: "BrowserRefresh", VK: 168},
}

// ForRune returns the key that enters r, and whether Shift must be held. A
// character no US key makes becomes a key of its own, the way layouts that have
// it report it: key and text are the character.
func ForRune(r rune) (k Key, shift bool) {
	switch r {
	case '\n', '\r':
		return Must("Enter"), false
	case '\t':
		return Must("Tab"), false
	}
	if r < utf8.RuneSelf {
		s := string(r)
		for i := range keys {
			switch s {
			case keys[i].Name:
				return keys[i], false
			case keys[i].Shifted:
				return keys[i], true
			}
		}
	}
	return Key{Name: string(r)}, false
}

// Must returns a key by its name, which has to be right.
func Must(name string) Key {
	k, ok := find(name)
	if !ok {
		panic("key: the key table has no " + name)
	}
	return k
}

// find looks a key up by its name, code or alias, ignoring case.
func find(name string) (Key, bool) {
	for i := range keys {
		if k := &keys[i]; !k.printable() && strings.EqualFold(k.Name, name) {
			return *k, true
		}
	}
	for i := range keys {
		if strings.EqualFold(keys[i].Code, name) {
			return keys[i], true
		}
	}
	lower := strings.ToLower(name)
	if lower == "controlormeta" { // Playwright's name of the modifier of shortcuts
		lower = "ctrl"
		if runtime.GOOS == "darwin" {
			lower = "cmd"
		}
	}
	for i := range keys {
		for rest := keys[i].alias; rest != ""; {
			var one string
			one, rest, _ = strings.Cut(rest, " ")
			if one == lower {
				return keys[i], true
			}
		}
	}
	return Key{}, false
}

// Chord is a key combination: the modifiers in the order they go down, then the key.
type Chord struct {
	Held []Key
	Key  Key
}

// ParseChord parses "Enter", "a", "Control+a", "Control+Shift+T", "Shift++". Names are those of KeyboardEvent.key and
// .code in any case, and the usual short ones (Ctrl, Cmd, Esc, Return, Space, Up, Plus). A single character stands for
// the key that enters it: "A" is Shift and a, while in "Control+A" the letter only names its key. The error is
// [api.UnknownKey].
func ParseChord(s string) (Chord, error) {
	var c Chord
	rest := s
	for {
		var part string
		// A plus sign is a separator unless it stands where a key must.
		if i := strings.IndexByte(rest, '+'); i > 0 {
			part, rest = rest[:i], rest[i+1:]
		} else if i == 0 && len(rest) > 1 && rest[1] == '+' {
			part, rest = "+", rest[2:]
		} else {
			if err := c.last(s, rest); err != nil {
				return Chord{}, err
			}
			return c, nil
		}
		k, ok := find(part)
		if !ok || k.Modifier() == 0 {
			return Chord{}, badModifier(s, part, ok)
		}
		c.Held = append(c.Held, k)
	}
}

// last sets the key at the end of a chord.
func (c *Chord) last(whole, name string) error {
	if r, size := utf8.DecodeRuneInString(name); size == len(name) && size > 0 && r != utf8.RuneError {
		if unicode.IsControl(r) && r != '\n' && r != '\t' && r != '\r' {
			return unknownKey(whole, name)
		}
		shortcut := c.modifiers()&^Shift != 0
		k, shift := ForRune(r)
		switch {
		case shift && shortcut && unicode.IsLetter(r):
		case shift && c.modifiers()&Shift == 0:
			c.Held = append(c.Held, Must("Shift"))
		}
		c.Key = k
		return nil
	}
	if strings.EqualFold(name, "plus") {
		return c.last(whole, "+")
	}
	k, ok := find(name)
	if !ok {
		return unknownKey(whole, name)
	}
	c.Key = k
	return nil
}

func (c *Chord) modifiers() Modifiers {
	var m Modifiers
	for _, k := range c.Held {
		m |= k.Modifier()
	}
	return m
}

// Parse parses the name of one key, to be pressed or released alone. The error is [api.UnknownKey].
func Parse(s string) (Key, error) {
	c, err := ParseChord(s)
	if err != nil {
		return Key{}, err
	}
	if len(c.Held) == 1 && c.Key.printable() && c.Key.Shifted == s {
		return Key{Name: s, Code: c.Key.Code, VK: c.Key.VK}, nil // "A": the key as it is with Shift
	}
	if len(c.Held) > 0 {
		return Key{}, api.Errorf(api.UnknownKey, "%q is a combination; name one key, or use press", s)
	}
	return c.Key, nil
}

// ParseModifiers reads keys to be held, joined by +, like "Control+Shift"; empty is none. The error is [api.InvalidArgument].
func ParseModifiers(s string) ([]Key, error) {
	if s == "" {
		return nil, nil
	}
	var held []Key
	for part := range strings.SplitSeq(s, "+") {
		k, ok := find(strings.TrimSpace(part))
		if !ok || k.Modifier() == 0 {
			return nil, api.Errorf(api.InvalidArgument, "%q is not a modifier key", part).
				WithHint("Modifiers are Control, Shift, Alt and Meta, joined by +: Control+Shift.")
		}
		held = append(held, k)
	}
	return held, nil
}

func badModifier(whole, part string, isKey bool) error {
	if isKey || utf8.RuneCountInString(part) == 1 {
		return api.Errorf(api.UnknownKey, "in %q, %q is not a modifier key", whole, part).
			WithHint("Modifiers are Control, Alt, Shift and Meta; the key is last.")
	}
	return unknownKey(whole, part)
}

func unknownKey(whole, name string) error {
	if name == "" {
		return api.Errorf(api.UnknownKey, "there is no key in %q", whole)
	}
	err := api.Errorf(api.UnknownKey, "there is no key named %q", name)
	if near := nearest(name); near != "" {
		return err.With("suggestion", near).WithHint("Did you mean %s?", near)
	}
	if utf8.RuneCountInString(name) > 1 {
		return err.WithHint("Keys are named like Enter, Tab, ArrowDown, F5, a, Control+a. To enter text use `type` or `keyboard type`.")
	}
	return err
}

// nearest returns the key name fewest edits away, empty when none is near.
func nearest(name string) string {
	best, distance := "", len(name)/3+1
	try := func(candidate string) {
		if len(candidate) < 2 {
			return
		}
		if d := edits(strings.ToLower(name), strings.ToLower(candidate)); d < distance {
			best, distance = candidate, d
		}
	}
	for i := range keys {
		try(keys[i].Name)
		try(keys[i].Code)
	}
	return best
}

// edits returns the Levenshtein distance of two short strings.
func edits(a, b string) int {
	if len(a) > 40 {
		return len(a)
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		diagonal := row[0]
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := diagonal
			if a[i-1] != b[j-1] {
				cost++
			}
			diagonal = row[j]
			row[j] = min(cost, row[j]+1, row[j-1]+1)
		}
	}
	return row[len(b)]
}
