package executor

import (
	"fmt"
	"slices"

	"github.com/usher-browser/usher/internal/command/run"
	"github.com/usher-browser/usher/internal/supervisor/model"
)

// Tabs are the tabs that code knew of: those after its last call, and those that it opened or closed itself since.
type Tabs struct {
	list []model.TargetID // nil before the first call
	urls map[model.TargetID]string
	page model.TargetID // the active one
}

// Begin notes the tabs at the beginning of a call, unless an earlier call did. The page of the call is tab.
func (t *Tabs) Begin(work *run.BrowserContext, tab model.TargetID) {
	if t.list == nil || work == nil {
		t.note(work)
	}
	t.page = tab
}

// Own notes the tabs after a command of the code that opened or closed one: that is no news to it.
func (t *Tabs) Own(work *run.BrowserContext) { t.note(work) }

func (t *Tabs) note(work *run.BrowserContext) {
	t.list, t.urls = []model.TargetID{}, map[model.TargetID]string{}
	if work == nil {
		return
	}
	for _, tab := range work.Browser.State().ContextTabs(work.Context) {
		t.list = append(t.list, tab.ID)
		t.urls[tab.ID] = tab.URL
	}
}

// News returns what the code should know of the tabs since the last call: pages that closed or opened, dialogs that wait.
func (t *Tabs) News(work *run.BrowserContext) (news []string) {
	if work == nil {
		t.list = nil
		return nil
	}
	state := work.Browser.State()
	before, urls := t.list, t.urls
	t.note(work)
	for _, id := range before {
		if slices.Contains(t.list, id) {
			continue
		}
		if id == t.page {
			news = append(news, fmt.Sprintf("the page of this call was closed (%s)", urls[id]))
		} else {
			news = append(news, fmt.Sprintf("a page was closed (%s)", urls[id]))
		}
	}
	for i, id := range t.list {
		if !slices.Contains(before, id) {
			news = append(news, fmt.Sprintf("a new page opened: context.pages()[%d] (%s)", i, t.urls[id]))
		}
	}
	for i, id := range t.list {
		if d := state.Dialog(id); d != nil {
			news = append(news, fmt.Sprintf("a dialog is open in context.pages()[%d]: %s %q. It blocks the page until it is answered: "+
				"page.once('dialog', d => d.accept()) before what opens it, or the tool browser_dialog", i, d.Type, d.Message))
		}
	}
	return news
}
