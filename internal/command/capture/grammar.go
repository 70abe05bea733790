package capture

import (
	"strings"

	"github.com/usher-browser/usher/internal/plain"
	"github.com/usher-browser/usher/internal/verb"
)

// grammar returns the grammar of the commands that save a page as a file.
func grammar() verb.Set {
	return verb.Set{Verbs: []verb.Verb{
		{Name: "screenshot", Check: screenshotRules, Summary: "save an image of the page or an element",
			Help: "A single argument is an element if it begins with . # or @ (but not ./ or ../), xpath=, text= or //; a path if it has a\n" +
				"slash or ends in .png .jpg .jpeg or .webp; otherwise an element. The format follows the extension, then\n" +
				"--screenshot-format, then png. --full temporarily resizes the viewport to the page. Pixels beyond the limit of the format\n" +
				"(webp: 16383 per side) are cut off, with a warning.",
			Args: []verb.Arg{{Name: "selector", Kind: verb.Selector, Doc: "only this element"}, {Name: "path", Kind: verb.Path, Doc: "where to save; default: a new file in --screenshot-dir"}},
			Flags: []verb.Flag{
				{Name: "full", Short: "f", Kind: verb.Bool, Doc: "the whole page, not only the viewport"},
				{Name: "if-changed", Kind: verb.Bool, Doc: "save nothing if no pixel changed since the last --if-changed of the same area"},
				{Name: "threshold", Kind: verb.Float, Value: "0..1", Doc: "share of the pixels that may change; implies --if-changed; default: 0"},
				{Name: "tallest", Kind: verb.Int, Value: "px", Min: 1, Hidden: true, Doc: "with --full: only the viewport if the page is higher than this"},
			},
			Examples: []string{"screenshot", "screenshot page.png --full", "screenshot @e4 button.webp", "screenshot --annotate", "screenshot --if-changed", "screenshot shot.jpg --screenshot-quality 80"},
			Group:    verb.GroupLook, Category: verb.CatSnapshot, Marks: verb.OnTab | verb.TakesRefs | verb.SavesFiles},
		{Name: "pdf", Summary: "save the page as PDF", Args: []verb.Arg{{Name: "path", Kind: verb.Path, Required: true, Doc: "where to save"}},
			Examples: []string{"pdf page.pdf"}, Group: verb.GroupLook, Category: verb.CatSnapshot, Marks: verb.OnTab | verb.SavesFiles},
		{Name: "highlight", Check: highlightRules, Summary: "draw a box over an element", Args: []verb.Arg{verb.Optional(verb.SelectorArg())},
			Help: "The browser draws it, in windows and screenshots; the document is not changed. It stays until another element is highlighted,\n" +
				"--off, or another document is shown.",
			Flags:    []verb.Flag{{Name: "off", Kind: verb.Bool, Doc: "remove the box"}},
			Examples: []string{"highlight @e4", "highlight --off"}, Next: []string{"screenshot"},
			Group: verb.GroupDebug, Category: verb.CatSnapshot, Marks: verb.OnTab | verb.TakesRefs | verb.TakesFrame},
	}}
}

// screenshotRules decides what a single argument is, by the rule that agent-browser documents, with one mend: what can only be
// a selector is never taken for a path.
func screenshotRules(c *verb.Call) *verb.Error {
	if t := c.Float("threshold"); t < 0 || t > 1 {
		return verb.Invalid("--threshold: "+plain.Quote(c.Str("threshold"))+" is not from 0 to 1").About("--threshold", c.Str("threshold"))
	}
	if c.Has("selector") && !c.Has("path") && isPicturePath(c.Str("selector")) {
		c.Move("selector", "path")
	}
	return nil
}

func isPicturePath(s string) bool {
	if strings.HasPrefix(s, "./") || strings.HasPrefix(s, "../") {
		return true
	}
	if t, err := verb.ParseSelector(s); err != nil || t.Kind != verb.CSS || strings.HasPrefix(s, "css=") || s[0] == '.' || s[0] == '#' {
		return false
	}
	lower := strings.ToLower(s)
	for _, end := range [...]string{".png", ".jpg", ".jpeg", ".webp"} {
		if strings.HasSuffix(lower, end) {
			return true
		}
	}
	return strings.ContainsAny(s, `/\`)
}
