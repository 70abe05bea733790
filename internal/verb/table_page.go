package verb

func navigateVerbs() []Verb {
	const moves = onTab | InvalidatesRefs | ChangesPage | TellsChanges
	return []Verb{
		{Name: "open", Synonyms: []string{"goto", "navigate"}, Summary: "go to an address and wait until it has loaded",
			Help: "Starts a browser when the session has none; without an address it stays on a blank page. Waits for the load event.\n" +
				"Prints the final address, title and HTTP status; with --snapshot also the page, as `snapshot --compact` does. A page that\n" +
				"is still loading at the deadline stays usable. A bot check or a login page shown instead of the page is reported.",
			Args: []Arg{{Name: "url", Kind: URL, Doc: "the address; localhost and bare IP addresses get http://, all else https://"}},
			Flags: []Flag{
				{Name: "snapshot", Short: "s", Kind: Bool, Doc: "also print the page, with refs to act on"},
				{Name: "reader", Value: "name", Hidden: true, Doc: "who reads it: a delta is to what the same reader was told"},
			},
			Examples: []string{"open example.com", "open -s example.com", "open localhost:3000/cart", "open https://example.com --headers '{\"X-Trace\":\"1\"}'"},
			Next:     []string{"snapshot -i"},
			Group:    GroupNavigate, Category: CatNavigate, Marks: Starts | InvalidatesRefs | ChangesPage},
		{Name: "back", Summary: "go one page back", Group: GroupNavigate, Category: CatNavigate, Marks: moves,
			Examples: []string{"back"}, Next: []string{"snapshot -i"}},
		{Name: "forward", Summary: "go one page forward", Group: GroupNavigate, Category: CatNavigate, Marks: moves,
			Examples: []string{"forward"}, Next: []string{"snapshot -i"}},
		{Name: "reload", Summary: "load the page again", Group: GroupNavigate, Category: CatNavigate, Marks: moves,
			Examples: []string{"reload"}, Next: []string{"snapshot -i"}},
		{Name: "close", Synonyms: []string{"quit", "exit"}, Summary: "end the session and its browser",
			Help:  "Ends this session; a browser that usher attached to is left running. With --all, every session ends.",
			Flags: []Flag{{Name: "all", Kind: Bool, Doc: "end every session"}},
			Group: GroupNavigate, Category: CatSession, Marks: Control | InvalidatesRefs, Examples: []string{"close", "close --all"}},
	}
}

func lookVerbs() []Verb {
	return []Verb{
		{Name: "snapshot", Summary: "the page as an outline with refs to act on",
			Help: "Prints roles, names, states and refs (@e4) of the page and its frames in document order. A ref stays with its element\n" +
				"until the document is replaced; a ref whose element is gone is refused.\n" +
				"--delta prints only changes since the last snapshot of this tab with the same options; unchanged rows are counted, removed\n" +
				"refs are listed. The whole page comes when there is nothing to compare with, or when that is shorter.\n" +
				"--budget limits the output to an estimated number of tokens: dialogs, focus, invalid fields, visible content, headings,\n" +
				"landmarks and controls come first; what is left out is counted, with the snapshot that shows it. With --delta it limits the delta.",
			Args: []Arg{{Name: "scope", Kind: Selector, Doc: "only this element and what is in it; the same as --selector"}},
			Flags: []Flag{
				{Name: "interactive", Short: "i", Kind: Bool, Doc: "only what can be acted on, and headings and table cells"},
				{Name: "compact", Short: "c", Kind: Bool, Doc: "leave out containers that hold neither text nor a ref"},
				{Name: "depth", Short: "d", Kind: Int, Value: "n", Min: 1, Doc: "only this many levels; what was cut is marked"},
				{Name: "selector", Short: "s", Kind: Selector, Value: "sel", Doc: "only this element and what is in it"},
				{Name: "urls", Short: "u", Kind: Bool, Doc: "add the address to every link"},
				{Name: "delta", Kind: Bool, Doc: "only what changed since the last snapshot with the same options"},
				{Name: "find", Value: "words", Doc: "only the lines that hold these words, with the lines they are in and those around them"},
				{Name: "budget", Kind: Int, Value: "tokens", Min: 1, Doc: "at most so many tokens: what matters most, the rest counted"},
				{Name: "reader", Value: "name", Hidden: true, Doc: "who reads it: a delta is to what the same reader was told"},
				{Name: "cursor", Short: "C", Kind: Bool, Hidden: true, Doc: "accepted for old scripts; clickable elements are always listed"},
			},
			Examples: []string{"snapshot -i", "snapshot -i -c -d 5", "snapshot @e4", "snapshot -s '#main' --urls", "snapshot -i --delta", "snapshot --find \"invoice 1042\"", "snapshot --budget 1000"},
			Next:     []string{"click @e4", "fill @e5 \"some text\""},
			Group:    GroupLook, Category: CatSnapshot, Marks: onTab | TakesRefs | TakesFrame},
		{Name: "screenshot", Summary: "a picture of the page, or of one element",
			Help: "A single argument is an element if it begins with . # or @ (but not ./ or ../), xpath=, text= or //; a path if it has a\n" +
				"slash or ends in .png .jpg .jpeg or .webp; otherwise an element. The format follows the extension, then\n" +
				"--screenshot-format, then png. --full resizes the viewport to the page for a moment. Pixels beyond the limit of the format\n" +
				"(webp: 16383 per side) are cut off, with a warning.",
			Args: []Arg{{Name: "selector", Kind: Selector, Doc: "only this element"}, {Name: "path", Kind: Path, Doc: "where to save; otherwise a new file in --screenshot-dir"}},
			Flags: []Flag{
				{Name: "full", Short: "f", Kind: Bool, Doc: "the whole page, not only what is in view"},
				{Name: "tallest", Kind: Int, Value: "px", Min: 1, Hidden: true, Doc: "with --full: a page higher than this is shown as far as it is in view"},
			},
			Examples: []string{"screenshot", "screenshot page.png --full", "screenshot @e4 button.webp", "screenshot --annotate", "screenshot shot.jpg --screenshot-quality 80"},
			Group:    GroupLook, Category: CatSnapshot, Marks: onTab | TakesRefs | SavesFiles},
		{Name: "pdf", Summary: "save the page as PDF", Args: []Arg{{Name: "path", Kind: Path, Required: true, Doc: "where to save"}},
			Examples: []string{"pdf page.pdf"}, Group: GroupLook, Category: CatSnapshot, Marks: onTab | SavesFiles},
	}
}

func actVerbs() []Verb {
	const acts = onTab | TakesRefs | ChangesPage | InvalidatesRefs | TakesFrame | TellsChanges
	sel := []Arg{selectorArg()}
	look := []string{"snapshot -i"}
	return []Verb{
		{Name: "click", Summary: "click an element", Args: []Arg{optional(selectorArg())},
			Help: "Waits until the element is in view, still, enabled and not covered, and says what covers it otherwise; without\n" +
				"--timeout only as long as something in the page changes or loads. Reports what the click did: a navigation, a new tab,\n" +
				"a dialog, a download.",
			Flags: []Flag{{Name: "new-tab", Kind: Bool, Doc: "open the link in a new tab"},
				{Name: "button", Value: "which", Default: "left", Choices: []string{"left", "right", "middle"}, Doc: "which button of the mouse"},
				{Name: "count", Kind: Int, Value: "1-3", Min: 1, Max: 3, Default: "1", Doc: "how often: 2 is a double click"},
				{Name: "modifiers", Value: "keys", Doc: "keys that are held meanwhile, joined by +: Control+Shift"},
				{Name: "at", Value: "x,y", Doc: "where, in CSS pixels from the top left of the element; in place of an element, of the viewport"}},
			Examples: []string{"click @e4", "click '#submit'", "click text=Continue", "click @e9 --new-tab", "click @e4 --button right", "click @e4 --modifiers Control"}, Next: look,
			Group: GroupAct, Category: CatClick, Marks: acts},
		{Name: "dblclick", Summary: "click an element twice", Args: sel, Examples: []string{"dblclick @e4"}, Next: look,
			Group: GroupAct, Category: CatClick, Marks: acts},
		{Name: "hover", Summary: "move the mouse over an element", Args: sel, Examples: []string{"hover @e4"}, Next: look,
			Group: GroupAct, Category: CatInteract, Marks: acts},
		{Name: "focus", Summary: "give an element the keyboard focus", Args: sel, Examples: []string{"focus @e4"},
			Group: GroupAct, Category: CatInteract, Marks: acts},
		{Name: "fill", Summary: "replace what is in a field",
			Help: "Replaces the content of an input, textarea or editable element. An empty text ('') clears it. The text arrives at once,\n" +
				"as from an input method, and then the event keyup of its last key; `type` sends every key. A slider is moved to\n" +
				"a number by its keys. Text may begin with a dash; write -- before text that reads like a flag of usher.",
			Args:     []Arg{selectorArg(), {Name: "text", Required: true, Rest: true, Raw: true, Doc: "the new content; several words are joined by spaces"}},
			Examples: []string{"fill @e5 \"Ada Lovelace\"", "fill '#email' ada@example.com", "fill @e5 ''", "fill @e5 -- --json", "fill @e6 70"},
			Next:     []string{"press Enter", "snapshot -i"}, Group: GroupAct, Category: CatFill, Marks: acts},
		{Name: "type", Summary: "type text into a field, key by key",
			Help: "Focuses the element and sends real key events, adding to what is there. Text may begin with a dash; write -- before text\n" +
				"that reads like a flag of usher.",
			Args: []Arg{selectorArg(), {Name: "text", Required: true, Rest: true, Raw: true, Doc: "what to type; several words are joined by spaces"}},
			Flags: []Flag{{Name: "clear", Kind: Bool, Doc: "empty the field first"},
				{Name: "delay", Kind: Duration, Value: "ms", Default: "0", Doc: "pause between keys"}},
			Examples: []string{"type @e5 hello world", "type '#q' \"weather\" --clear --delay 20", "type @e5 -5"},
			Next:     []string{"press Enter", "snapshot -i"}, Group: GroupAct, Category: CatFill, Marks: acts},
		{Name: "press", Synonyms: []string{"key"}, Summary: "press a key or a chord",
			Help: "Keys are named as in the KeyboardEvent standard (Enter, Tab, ArrowDown, F5, a, é). Chords are joined by +, with Control,\n" +
				"Alt, Shift, Meta, or their short forms Ctrl and Cmd.",
			Args:     []Arg{{Name: "key", Kind: Key, Required: true, Raw: true, Doc: "a key, or a chord such as Control+a"}},
			Examples: []string{"press Enter", "press Control+a", "press Shift+Tab"}, Next: look,
			Group: GroupAct, Category: CatInteract, Marks: onTab | ChangesPage | InvalidatesRefs | TellsChanges},
		{Name: "check", Summary: "tick a checkbox, radio or switch", Args: sel, Examples: []string{"check @e4"},
			Group: GroupAct, Category: CatInteract, Marks: acts},
		{Name: "uncheck", Summary: "untick a checkbox or switch", Args: sel, Examples: []string{"uncheck @e4"},
			Group: GroupAct, Category: CatInteract, Marks: acts},
		{Name: "select", Summary: "choose options of a list",
			Args:     []Arg{selectorArg(), {Name: "values", Required: true, Variadic: true, Raw: true, Doc: "value or label of each option to choose"}},
			Examples: []string{"select @e4 red", "select '#sizes' S \"Extra large\""},
			Group:    GroupAct, Category: CatInteract, Marks: acts},
		{Name: "drag", Summary: "drag an element to another or to a point",
			Args: []Arg{{Name: "source", Kind: Selector, Required: true, Doc: "what to drag"}, {Name: "target", Kind: Selector, Doc: "where to drop it"}},
			Help: "Presses, holds still, moves over 150 ms and lets go. Reports whether the page took the drop, and when nothing in it changed.",
			Flags: []Flag{{Name: "hold", Kind: Duration, Value: "ms", Default: "300", Doc: "how long to hold still before moving, for lists that wait for a long press"},
				{Name: "at", Value: "x,y", Doc: "where to let go, in CSS pixels from the top left of the target; without a target, of the viewport"}},
			Examples: []string{"drag @e4 @e9", "drag @e4 @e9 --hold 1s", "drag @e4 --at 300,120"}, Next: look, Group: GroupAct, Category: CatInteract, Marks: acts},
		{Name: "upload", Summary: "give files to a file field",
			Args:     []Arg{selectorArg(), {Name: "files", Kind: Path, Required: true, Variadic: true, Doc: "the files, which must exist"}},
			Examples: []string{"upload @e4 photo.jpg", "upload '#docs' a.pdf b.pdf"},
			Group:    GroupAct, Category: CatUpload, Marks: acts | ReadsFiles},
		{Name: "download", Summary: "click an element and save the download",
			Help: "An existing file is replaced; in a directory the file gets the suggested name, or the next free one. Without --timeout it\n" +
				"waits 25 s; a longer download continues, and `wait --download` waits for the rest.",
			Args:     []Arg{selectorArg(), {Name: "path", Kind: Path, Required: true, Doc: "where to save"}},
			Examples: []string{"download @e4 report.csv"}, Group: GroupAct, Category: CatDownload, Marks: acts | SavesFiles},
		{Name: "downloads", Summary: "list the downloads",
			Help:     "Downloads of the session, oldest first: state (inProgress, completed, canceled), size and path of each.",
			Examples: []string{"downloads", "downloads --json"}, Next: []string{"wait --download report.csv"},
			Group: GroupAct, Category: CatDownload, Marks: NeedsBrowser | Control},
		{Name: "scroll", Summary: "scroll the page or an element",
			Args: []Arg{{Name: "direction", Choices: []string{"up", "down", "left", "right"}, Doc: "down when left out"},
				{Name: "pixels", Kind: Int, Doc: "how far; 300 when left out"}},
			Flags:    []Flag{{Name: "selector", Short: "s", Kind: Selector, Value: "sel", Doc: "scroll inside this element"}},
			Examples: []string{"scroll", "scroll down 800", "scroll right 200 -s '#table'"}, Next: look,
			Group: GroupAct, Category: CatScroll, Marks: onTab | TakesRefs | ChangesPage | TakesFrame | TellsChanges},
		{Name: "scrollintoview", Synonyms: []string{"scrollinto"}, Summary: "scroll until an element is in view", Args: sel,
			Examples: []string{"scrollintoview @e40"}, Group: GroupAct, Category: CatScroll, Marks: onTab | TakesRefs | ChangesPage | TakesFrame | TellsChanges},
	}
}

func keyVerbs() []Verb {
	const acts = onTab | ChangesPage | InvalidatesRefs | TellsChanges
	key := []Arg{{Name: "key", Kind: Key, Required: true, Raw: true, Doc: "one key"}}
	text := []Arg{{Name: "text", Required: true, Rest: true, Raw: true, Doc: "the text; several words are joined by spaces"}}
	button := []Arg{{Name: "button", Choices: []string{"left", "right", "middle"}, Doc: "left when left out"}}
	return []Verb{
		{Name: "keyboard type", Summary: "type text where the focus is, key by key", Args: text,
			Examples: []string{"keyboard type hello"}, Group: GroupKeys, Category: CatFill, Marks: acts},
		{Name: "keyboard inserttext", Summary: "put text where the focus is, without key events", Args: text,
			Examples: []string{"keyboard inserttext \"hello world\""}, Group: GroupKeys, Category: CatFill, Marks: acts},
		{Name: "keydown", Summary: "hold a key down", Args: key, Examples: []string{"keydown Shift"},
			Group: GroupKeys, Category: CatInteract, Marks: acts},
		{Name: "keyup", Summary: "let a key go", Args: key, Examples: []string{"keyup Shift"},
			Group: GroupKeys, Category: CatInteract, Marks: acts},
		{Name: "mouse move", Summary: "move the mouse to a point of the viewport",
			Args: []Arg{{Name: "x", Kind: Float, Required: true, Doc: "CSS pixels from the left"}, {Name: "y", Kind: Float, Required: true, Doc: "CSS pixels from the top"}},
			Flags: []Flag{{Name: "duration", Kind: Duration, Value: "ms", Doc: "how long the way takes; 150 ms for several steps when left out"},
				{Name: "steps", Kind: Int, Value: "1-240", Min: 1, Max: 240, Default: "1", Doc: "how many moves the way is made of"}},
			Examples: []string{"mouse move 200 150", "mouse move 200 150 --duration 300 --steps 20"},
			Group:    GroupKeys, Category: CatInteract, Marks: acts},
		{Name: "mouse down", Summary: "press a mouse button", Args: button, Examples: []string{"mouse down"},
			Group: GroupKeys, Category: CatInteract, Marks: acts},
		{Name: "mouse up", Summary: "let a mouse button go", Args: button, Examples: []string{"mouse up right"},
			Group: GroupKeys, Category: CatInteract, Marks: acts},
		{Name: "mouse wheel", Summary: "turn the wheel",
			Args:     []Arg{{Name: "dy", Kind: Float, Doc: "pixels down, negative for up; 100 when left out"}, {Name: "dx", Kind: Float, Doc: "pixels to the right; 0 when left out"}},
			Examples: []string{"mouse wheel", "mouse wheel -300", "mouse wheel 0 120"},
			Group:    GroupKeys, Category: CatScroll, Marks: acts},
	}
}
