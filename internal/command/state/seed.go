package state

import (
	"context"
	"fmt"

	"github.com/chromedp/cdproto/page"
	"github.com/go-json-experiment/json"

	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/command/run"
	"github.com/usher-browser/usher/internal/fault"
	"github.com/usher-browser/usher/internal/supervisor/model"
)

// seedSource writes session storage at the start of a document of the origin, before the page's own scripts. What the page
// has stored by itself stays.
const seedSource = `(()=>{if(location.origin!==%s||window!==window.top)return;try{for(const e of %s)if(sessionStorage.getItem(e.name)===null)sessionStorage.setItem(e.name,e.value)}catch{}})()`

// seed has the session storage of an origin that no tab shows written when the active tab shows it for the first time: it
// belongs to a tab. Until then, and for [Collect], it is kept in [run.BrowserContext.Origins]. It reports false if there is
// no tab that could.
func seed(ctx context.Context, w *run.BrowserContext, o *Origin) bool {
	id, ok := w.Active()
	if !ok {
		return false
	}
	tab := w.Browser.State().Tabs[id]
	if tab == nil || tab.Session == "" {
		return false
	}
	origin, err := json.Marshal(o.Origin)
	if err != nil {
		return false
	}
	entries, err := json.Marshal(o.SessionStorage)
	if err != nil {
		return false
	}
	session := w.Browser.Session(tab.Session)
	added, err := cdp.Do(ctx, session, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{
		Source: fmt.Sprintf(seedSource, origin, entries), WorldName: model.WorldName,
	})
	if err != nil {
		return false
	}
	w.Origins.Keep(o.Origin, entries, func() {
		session.Post(page.CommandRemoveScriptToEvaluateOnNewDocument, page.RemoveScriptToEvaluateOnNewDocumentParams{Identifier: added.Identifier}, nil)
	})
	ctx = context.WithoutCancel(ctx) // it ends with the tab or its connection
	fault.Go(ctx, func() {
		shown := false
		err := w.Browser.Wait(ctx, func(s *model.State) (bool, error) {
			t := s.Tabs[id]
			if t == nil || t.Session != tab.Session {
				return true, s.Unreachable()
			}
			f := t.MainFrame()
			shown = f != nil && (f.Origin == o.Origin || model.Origin(f.URL) == o.Origin)
			return shown, s.Unreachable()
		})
		if err == nil && shown {
			w.Origins.Shown(o.Origin)
		}
	})
	return true
}

// kept returns the session storage of a loaded state that no tab has shown yet.
func kept(w *run.BrowserContext, origin string) (list []Entry, err error) {
	text := w.Origins.Kept(origin)
	if text == nil {
		return nil, nil
	}
	err = json.Unmarshal(text, &list)
	return list, err
}
