package read

import (
	"context"

	"github.com/go-json-experiment/json"

	"github.com/usher-browser/usher/internal/command/run"
	"github.com/usher-browser/usher/internal/verb"
)

// Pushed is the result of `pushstate`.
type Pushed struct {
	URL string `json:"url"` // of the page now
}

// pushScript goes to an address within the page's document, as its own links do: with the router of Next.js if the page
// has one, else with the History API and the event that other routers listen for. The address is resolved first, so that
// a mistake is reported before the page changes.
const pushScript = `(url => {
  const to = URL.parse(url, location.href)
  if (!to) throw new Error(url + ' is no address on ' + location.href + ': use open')
  if (to.origin !== location.origin) throw new Error(to.origin + ' is another origin than ' + location.origin + ': use open')
  const router = window.next && window.next.router
  if (router && typeof router.push === 'function') return Promise.resolve(router.push(to.href)).then(() => location.href)
  history.pushState(null, '', to.href)
  if (location.href !== to.href)
    throw new Error('the browser ignored it, because the page has changed its address some 200 times in 10 s: stop that, or wait 10 s')
  dispatchEvent(new PopStateEvent('popstate', { state: null }))
  return location.href // itself, not a promise, which would be asked for in another round trip
})(`

func pushState(ctx context.Context, e *run.Env, c *verb.Call) (run.Reply[*Pushed], error) {
	tab, err := e.CurrentTab()
	if err != nil {
		return run.Reply[*Pushed]{}, err
	}
	if err := e.DocumentAllowed(); err != nil {
		return run.Reply[*Pushed]{}, err
	}
	address, err := json.Marshal(c.Str("url"))
	if err != nil {
		return run.Reply[*Pushed]{}, err
	}
	if _, err := Evaluate(ctx, e, tab.MainFrame(), pushScript+string(address)+")"); err != nil {
		return run.Reply[*Pushed]{}, err
	}
	if tab, err = e.CurrentTab(); err != nil {
		return run.Reply[*Pushed]{}, err
	}
	return run.Reply[*Pushed]{Data: &Pushed{tab.URL}, Text: tab.URL}, nil
}
