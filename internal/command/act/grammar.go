package act

import (
	"github.com/usher-browser/usher/internal/verb"
)

// grammar returns the commands that act on elements.
func grammar() verb.Set {
	const acts = verb.OnTab | verb.TakesRefs | verb.ChangesPage | verb.InvalidatesRefs | verb.TakesFrame | verb.ReportsChanges
	sel := []verb.Arg{verb.SelectorArg()}
	look := []string{"snapshot -i"}
	human := verb.Flag{Name: "human", Kind: verb.Bool, Doc: "move the mouse along a curve, slowly at both ends, as a hand does"}
	at := []verb.Flag{{Name: "at", Value: "x,y", Doc: "which point of the element, in CSS pixels from its top left"}}
	return verb.Set{Verbs: []verb.Verb{
		{Name: "click", Check: clickRules, Summary: "click an element", Args: []verb.Arg{verb.Optional(verb.SelectorArg())},
			Help: "Waits until the element is in view, stable, enabled and not covered; an error names what covers it. Without --timeout it\n" +
				"stops waiting when nothing in the page changes or loads. Reports what the click did: a navigation, a new tab, a dialog,\n" +
				"a download.",
			Flags: []verb.Flag{{Name: "new-tab", Kind: verb.Bool, Doc: "open the link in a new tab"},
				{Name: "button", Value: "which", Default: "left", Choices: []string{"left", "right", "middle"}, Doc: "mouse button"},
				{Name: "count", Kind: verb.Int, Value: "1-3", Min: 1, Max: 3, Default: "1", Doc: "number of clicks: 2 is a double click"},
				human,
				{Name: "modifiers", Value: "keys", Doc: "keys to hold during the click, joined by +: Control+Shift"},
				{Name: "at", Value: "x,y", Doc: "point to click, in CSS pixels from the top left of the element, or without an element of the viewport"}},
			Examples: []string{"click @e4", "click '#submit'", "click text=Continue", "click @e9 --new-tab", "click @e4 --button right", "click @e4 --modifiers Control"}, Next: look,
			Group: verb.GroupAct, Category: verb.CatClick, Marks: acts},
		{Name: "dblclick", Summary: "click an element twice", Args: sel, Flags: at, Examples: []string{"dblclick @e4", "dblclick @e4 --at 40,25"}, Next: look,
			Group: verb.GroupAct, Category: verb.CatClick, Marks: acts},
		{Name: "tap", Summary: "tap an element with a finger", Args: sel,
			Help:     "The checks are those of `click`. The page receives touch events, then the mouse events and the click of a tap. Phones are\nimitated with `set device`.",
			Examples: []string{"tap @e4"}, Next: look, Group: verb.GroupKeys, Category: verb.CatClick, Marks: acts},
		{Name: "swipe", Summary: "swipe with a finger",
			Args: []verb.Arg{{Name: "direction", Required: true, Choices: []string{"up", "down", "left", "right"}, Doc: "where the finger moves: up scrolls down"},
				{Name: "pixels", Kind: verb.Int, Doc: "how far the finger moves, in CSS pixels; default: 300"}},
			Flags:    []verb.Flag{{Name: "selector", Short: "s", Kind: verb.Selector, Value: "sel", Doc: "begin on this element, not in the middle of the page"}},
			Help:     "Reports how far the content moved, which may be more than the finger did.",
			Examples: []string{"swipe up", "swipe left 200 -s '#carousel'"}, Next: look, Group: verb.GroupKeys, Category: verb.CatScroll, Marks: acts},
		{Name: "hover", Summary: "move the mouse over an element", Args: sel, Flags: at, Examples: []string{"hover @e4", "hover '#chart' --at 40,25"}, Next: look,
			Group: verb.GroupAct, Category: verb.CatInteract, Marks: acts},
		{Name: "focus", Summary: "give an element the keyboard focus", Args: sel, Examples: []string{"focus @e4"},
			Group: verb.GroupAct, Category: verb.CatInteract, Marks: acts},
		{Name: "fill", Summary: "replace the content of a field",
			Help: "Replaces the content of an input, textarea or editable element. An empty text ('') clears it. The text is inserted at once,\n" +
				"as by an input method, followed by keyup of its last key; `type` sends every key. A slider is moved to a number with\n" +
				"key presses. Text may begin with a dash; write -- before text that looks like a flag of usher.",
			Args:     []verb.Arg{verb.SelectorArg(), {Name: "text", Required: true, Rest: true, Raw: true, Doc: "the new content; several words are joined by spaces"}},
			Examples: []string{"fill @e5 \"Ada Lovelace\"", "fill '#email' ada@example.com", "fill @e5 ''", "fill @e5 -- --json", "fill @e6 70"},
			Next:     []string{"press Enter", "snapshot -i"}, Group: verb.GroupAct, Category: verb.CatFill, Marks: acts},
		{Name: "type", Summary: "type text into a field, key by key",
			Help: "Focuses the element and sends real key events, adding to the content. Text may begin with a dash; write -- before text\n" +
				"that looks like a flag of usher. An element that holds no text gets the keys, too: a game, a list box. A warning says when\n" +
				"nothing listens for them there. A cell of a grid is clicked first, as the grid has a selection of its own; Enter then ends\n" +
				"the entry.",
			Args: []verb.Arg{verb.SelectorArg(), {Name: "text", Required: true, Rest: true, Raw: true, Doc: "what to type; several words are joined by spaces"}},
			Flags: []verb.Flag{{Name: "clear", Kind: verb.Bool, Doc: "empty the field first"},
				{Name: "delay", Kind: verb.Duration, Value: "ms", Default: "0", Doc: "pause between keys"}},
			Examples: []string{"type @e5 hello world", "type '#q' \"weather\" --clear --delay 20", "type @e5 -5"},
			Next:     []string{"press Enter", "snapshot -i"}, Group: verb.GroupAct, Category: verb.CatFill, Marks: acts},
		{Name: "press", Synonyms: []string{"key"}, Summary: "press a key or a chord",
			Help: "Keys are named as in the KeyboardEvent standard (Enter, Tab, ArrowDown, F5, a, é). Chords are joined by +, with Control,\n" +
				"Alt, Shift, Meta, or their short forms Ctrl and Cmd.",
			Args:     []verb.Arg{{Name: "key", Kind: verb.Key, Required: true, Raw: true, Doc: "a key, or a chord such as Control+a"}},
			Examples: []string{"press Enter", "press Control+a", "press Shift+Tab"}, Next: look,
			Group: verb.GroupAct, Category: verb.CatInteract, Marks: verb.OnTab | verb.ChangesPage | verb.InvalidatesRefs | verb.ReportsChanges},
		{Name: "check", Summary: "tick a checkbox, radio or switch", Args: sel, Examples: []string{"check @e4"},
			Group: verb.GroupAct, Category: verb.CatFill, Marks: acts},
		{Name: "uncheck", Summary: "untick a checkbox or switch", Args: sel, Examples: []string{"uncheck @e4"},
			Group: verb.GroupAct, Category: verb.CatFill, Marks: acts},
		{Name: "select", Summary: "select options of a list",
			Args:     []verb.Arg{verb.SelectorArg(), {Name: "values", Required: true, Variadic: true, Raw: true, Doc: "value or label of each option"}},
			Examples: []string{"select @e4 red", "select '#sizes' S \"Extra large\""},
			Group:    verb.GroupAct, Category: verb.CatFill, Marks: acts},
		{Name: "drag", Check: dragRules, Summary: "drag an element to another or to a point",
			Args: []verb.Arg{{Name: "source", Kind: verb.Selector, Required: true, Doc: "what to drag"}, {Name: "target", Kind: verb.Selector, Doc: "where to drop it"}},
			Help: "Presses, holds, moves for 150 ms and releases. Reports whether the page accepted the drop, and whether anything changed.",
			Flags: []verb.Flag{{Name: "hold", Kind: verb.Duration, Value: "ms", Default: "300", Doc: "how long to hold before moving, for lists that need a long press; 0 for elements with draggable=true, unless given"},
				{Name: "at", Value: "x,y", Doc: "point to release at, in CSS pixels from the top left of the target, or without a target of the viewport"},
				{Name: "by", Value: "dx,dy", Doc: "how far to move from where it is pressed, in CSS pixels, instead of a target or point"}, human},
			Examples: []string{"drag @e4 @e9", "drag @e4 @e9 --hold 1s", "drag @e4 --at 300,120", "drag @e4 --by 80,0"}, Next: look, Group: verb.GroupAct, Category: verb.CatInteract, Marks: acts},
		{Name: "scroll", Summary: "scroll the page or an element",
			Args: []verb.Arg{{Name: "direction", Choices: []string{"up", "down", "left", "right"}, Doc: "default: down"},
				{Name: "pixels", Kind: verb.Int, Doc: "how far; default: 300"}},
			Flags:    []verb.Flag{{Name: "selector", Short: "s", Kind: verb.Selector, Value: "sel", Doc: "scroll this element, what fills it, or what is around it"}},
			Examples: []string{"scroll", "scroll down 800", "scroll right 200 -s '#table'"}, Next: look,
			Group: verb.GroupAct, Category: verb.CatScroll, Marks: verb.OnTab | verb.TakesRefs | verb.ChangesPage | verb.TakesFrame | verb.ReportsChanges},
		{Name: "scrollintoview", Synonyms: []string{"scrollinto"}, Summary: "scroll until an element is in view", Args: sel,
			Examples: []string{"scrollintoview @e40"}, Group: verb.GroupAct, Category: verb.CatScroll, Marks: verb.OnTab | verb.TakesRefs | verb.ChangesPage | verb.TakesFrame | verb.ReportsChanges},
	}}
}

// grammarInput returns the commands that send raw keyboard and mouse input.
func grammarInput() verb.Set {
	const acts = verb.OnTab | verb.ChangesPage | verb.InvalidatesRefs | verb.ReportsChanges
	key := []verb.Arg{{Name: "key", Kind: verb.Key, Required: true, Raw: true, Doc: "one key"}}
	text := []verb.Arg{{Name: "text", Required: true, Rest: true, Raw: true, Doc: "the text; several words are joined by spaces"}}
	button := []verb.Arg{{Name: "button", Choices: []string{"left", "right", "middle"}, Doc: "default: left"}}
	return verb.Set{Families: []verb.Family{
		{Name: "keyboard", Summary: "type into the focused element"},
		{Name: "mouse", Summary: "use the mouse"},
	}, Verbs: []verb.Verb{
		{Name: "keyboard type", Summary: "type text into the focused element, key by key", Args: text,
			Examples: []string{"keyboard type hello"}, Group: verb.GroupKeys, Category: verb.CatFill, Marks: acts},
		{Name: "keyboard inserttext", Summary: "insert text into the focused element, without key events", Args: text,
			Examples: []string{"keyboard inserttext \"hello world\""}, Group: verb.GroupKeys, Category: verb.CatFill, Marks: acts},
		{Name: "keydown", Summary: "hold a key down", Args: key, Examples: []string{"keydown Shift"},
			Group: verb.GroupKeys, Category: verb.CatInteract, Marks: acts},
		{Name: "keyup", Summary: "release a key", Args: key, Examples: []string{"keyup Shift"},
			Group: verb.GroupKeys, Category: verb.CatInteract, Marks: acts},
		{Name: "mouse move", Summary: "move the mouse to a point of the viewport",
			Args: []verb.Arg{{Name: "x", Kind: verb.Float, Required: true, Doc: "CSS pixels from the left"}, {Name: "y", Kind: verb.Float, Required: true, Doc: "CSS pixels from the top"}},
			Flags: []verb.Flag{{Name: "duration", Kind: verb.Duration, Value: "ms", Doc: "duration of the movement; default: 150 ms if there are several steps"},
				{Name: "steps", Kind: verb.Int, Value: "1-240", Min: 1, Max: 240, Doc: "number of mouse move events; default: 1"},
				{Name: "human", Kind: verb.Bool, Doc: "move along a curve, slowly at both ends, as a hand does; duration and steps follow from the distance"},
				{Name: "seed", Kind: verb.Int, Value: "n", Min: 1, Max: 2147483647, Doc: "with --human: the same number makes the same movement"}},
			Examples: []string{"mouse move 200 150", "mouse move 200 150 --duration 300 --steps 20", "mouse move 200 150 --human"},
			Group:    verb.GroupKeys, Category: verb.CatInteract, Marks: acts},
		{Name: "mouse down", Summary: "press a mouse button", Args: button, Examples: []string{"mouse down"},
			Group: verb.GroupKeys, Category: verb.CatInteract, Marks: acts},
		{Name: "mouse up", Summary: "release a mouse button", Args: button, Examples: []string{"mouse up right"},
			Group: verb.GroupKeys, Category: verb.CatInteract, Marks: acts},
		{Name: "mouse wheel", Summary: "turn the wheel",
			Args:     []verb.Arg{{Name: "dy", Kind: verb.Float, Doc: "pixels down, negative for up; default: 100"}, {Name: "dx", Kind: verb.Float, Doc: "pixels to the right; default: 0"}},
			Examples: []string{"mouse wheel", "mouse wheel -300", "mouse wheel 0 120"},
			Group:    verb.GroupKeys, Category: verb.CatScroll, Marks: acts},
	}}
}

// clickRules checks that a click has an element or a point.
func clickRules(c *verb.Call) *verb.Error {
	if c.Has("at") {
		if _, _, err := verb.ParsePoint(c.Str("at")); err != nil {
			return verb.AsError(err)
		}
	}
	plain := !c.Has("button") && !c.Has("count") && !c.Has("modifiers") && !c.Has("at")
	switch {
	case !c.Has("selector") && !c.Has("at"):
		return &verb.Error{Code: verb.MissingArgument, Message: "click needs <selector>: the element, or --at x,y"}
	case c.Bool("new-tab") && !plain:
		return verb.Invalid("--new-tab opens the address of a link, and cannot be combined with --button, --count, --modifiers or --at", "To let the page open it, use --button middle or --modifiers Control.")
	case !c.Has("selector") && c.Has("frame"):
		return verb.Invalid("--at without an element is a point in the viewport of the tab, and cannot be combined with --frame")
	}
	return nil
}

// dragRules: a drag ends at an element, at a point, or so far from where it began.
func dragRules(c *verb.Call) *verb.Error {
	if c.Has("by") {
		if c.Has("at") || c.Has("target") {
			return verb.Invalid("--by is instead of <target> and --at: it says how far to move from where the source is pressed")
		}
		if _, _, err := verb.ParsePoint(c.Str("by")); err != nil {
			return verb.AsError(err)
		}
		return nil
	}
	if c.Has("at") {
		if _, _, err := verb.ParsePoint(c.Str("at")); err != nil {
			return verb.AsError(err)
		}
	} else if !c.Has("target") {
		return &verb.Error{Code: verb.MissingArgument, Message: "drag needs <target>: the element to drop it on, --at x,y or --by dx,dy"}
	}
	return nil
}
