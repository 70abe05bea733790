package codegen

import (
	"strconv"
	"strings"

	"github.com/usher-browser/usher/internal/element/locate"
	"github.com/usher-browser/usher/internal/supervisor/model"
)

// PlaywrightLocator writes a locator as a call of Playwright's Page or Frame, without the page.
func PlaywrightLocator(l locate.Locator) string {
	var b strings.Builder
	var options []string
	switch l.By {
	case locate.ByRole:
		options = append(options, "name: "+single(l.Name))
		fallthrough
	case locate.ByTestID, locate.ByLabel, locate.ByPlaceholder, locate.ByAlt, locate.ByTitle, locate.ByText:
		b.WriteString(map[locate.By]string{
			locate.ByRole: "getByRole", locate.ByTestID: "getByTestId", locate.ByLabel: "getByLabel", locate.ByPlaceholder: "getByPlaceholder",
			locate.ByAlt: "getByAltText", locate.ByTitle: "getByTitle", locate.ByText: "getByText",
		}[l.By])
	default:
		b.WriteString("locator")
	}
	if l.Exact {
		options = append(options, "exact: true")
	}
	value := l.Value
	if l.By == locate.ByRole && value == "image" { // Playwright knows its old name only
		value = "img"
	}
	b.WriteString("(" + single(value))
	if options != nil {
		b.WriteString(", { " + strings.Join(options, ", ") + " }")
	}
	b.WriteString(")")
	if l.Nth != nil {
		b.WriteString(".nth(" + strconv.Itoa(*l.Nth) + ")")
	}
	return b.String()
}

// PlaywrightFrame writes what finds a frame, with a dot at its end: by the names of the frames on the way, else by its address. It is empty for the page.
func PlaywrightFrame(t *model.Tab, id model.FrameID) string {
	if t == nil || id == t.Main || t.Frames[id] == nil {
		return ""
	}
	chain := ""
	for f := t.Frames[id]; f != nil && f.ID != t.Main; f = t.Frames[f.Parent] {
		if f.Name == "" {
			return "frame({ url: " + single(t.Frames[id].URL) + " })."
		}
		chain = "frameLocator(" + single("iframe[name="+strconv.Quote(f.Name)+"]") + ")." + chain
	}
	return chain
}

// single is a JavaScript string in single quotes.
func single(s string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`, "\n", `\n`, "\r", `\r`, "\u2028", `\u2028`, "\u2029", `\u2029`).Replace(s) + "'"
}
