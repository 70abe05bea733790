package read

import (
	"context"

	"github.com/usher-browser/usher/internal/codegen"
	"github.com/usher-browser/usher/internal/command/run"
	"github.com/usher-browser/usher/internal/element"
	"github.com/usher-browser/usher/internal/element/locate"
	"github.com/usher-browser/usher/internal/supervisor/model"
	"github.com/usher-browser/usher/internal/verb"
)

// Locator is the result of `generate-locator`. Its members besides Locator are those of the command find.
type Locator struct {
	Locator string    `json:"locator"` // a call of a Playwright Page, without the page
	By      locate.By `json:"by"`
	Value   string    `json:"value"`
	Name    string    `json:"name,omitzero"` // the accessible name, for a role
	Exact   bool      `json:"exact,omitzero"`
	Nth     *int      `json:"nth,omitzero"` // the index, from 0, if several elements match
}

func generateLocator(ctx context.Context, e *run.Env, c *verb.Call) (run.Reply[Locator], error) {
	var found locate.Locator
	var frame model.FrameID
	err := ask(ctx, e, c, func(ctx context.Context, a *element.Actor, t locate.Target) (err error) {
		found, frame, err = a.Locator(ctx, t)
		return err
	})
	if err != nil {
		return run.Reply[Locator]{}, err
	}
	text := codegen.PlaywrightFrame(e.Browser.State().Tabs[e.Tab], frame) + codegen.PlaywrightLocator(found)
	return run.Reply[Locator]{Data: Locator{text, found.By, found.Value, found.Name, found.Exact, found.Nth}, Text: text}, nil
}
