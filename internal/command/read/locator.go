package read

import (
	"context"
	"strconv"
	"strings"

	"github.com/usher-browser/usher/internal/command/run"
	"github.com/usher-browser/usher/internal/element"
	"github.com/usher-browser/usher/internal/supervisor/model"
	"github.com/usher-browser/usher/internal/verb"
)

// Locator is the result of `generate-locator`. Its members besides Locator are those of the command find.
type Locator struct {
	Locator string     `json:"locator"` // a call of a Playwright Page, without the page
	By      element.By `json:"by"`
	Value   string     `json:"value"`
	Name    string     `json:"name,omitzero"` // the accessible name, for a role
	Exact   bool       `json:"exact,omitzero"`
	Nth     *int       `json:"nth,omitzero"` // the index, from 0, if several elements match
}

func generateLocator(ctx context.Context, e *run.Env, c *verb.Call) (run.Reply[Locator], error) {
	var found element.Locator
	var frame model.FrameID
	err := ask(ctx, e, c, func(ctx context.Context, a *element.Actor, t element.Target) (err error) {
		found, frame, err = a.Locator(ctx, t)
		return err
	})
	if err != nil {
		return run.Reply[Locator]{}, err
	}
	text := inFrame(e.Browser.State().Tabs[e.Tab], frame) + playwright(found)
	return run.Reply[Locator]{Data: Locator{text, found.By, found.Value, found.Name, found.Exact, found.Nth}, Text: text}, nil
}

// playwright writes a locator as Playwright does.
func playwright(l element.Locator) string {
	var b strings.Builder
	var options []string
	switch l.By {
	case element.ByRole:
		options = append(options, "name: "+single(l.Name))
		fallthrough
	case element.ByTestID, element.ByLabel, element.ByPlaceholder, element.ByAlt, element.ByTitle, element.ByText:
		b.WriteString(map[element.By]string{
			element.ByRole: "getByRole", element.ByTestID: "getByTestId", element.ByLabel: "getByLabel", element.ByPlaceholder: "getByPlaceholder",
			element.ByAlt: "getByAltText", element.ByTitle: "getByTitle", element.ByText: "getByText",
		}[l.By])
	default:
		b.WriteString("locator")
	}
	if l.Exact {
		options = append(options, "exact: true")
	}
	value := l.Value
	if l.By == element.ByRole && value == "image" { // Playwright knows its old name only
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

// inFrame writes what finds a frame: by the names of the frames on the way, else by its address. It is empty for the page.
func inFrame(t *model.Tab, id model.FrameID) string {
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
