package state

import (
	"context"
	"fmt"
	"strings"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/command/run"
	"github.com/usher-browser/usher/internal/supervisor/model"
)

// Collected is the state of a session, with what could not be read.
type Collected struct {
	Saved
	// Lost names values that JSON has no form for, such as a Blob in IndexedDB, by origin, database and store.
	Lost []string
	// Unread are the origins whose storage could not be read.
	Unread []Unread
}

// Unread is an origin whose storage could not be read, and why.
type Unread struct {
	Origin string
	Err    error
}

// warning says what is not in the state; it is empty if nothing is missing.
func (c *Collected) warning() string {
	lost := ""
	if len(c.Lost) > 0 {
		lost = "not saved, because JSON has no form for it: " + strings.Join(c.Lost, "; ")
	}
	return api.JoinWarnings(lost, c.unread())
}

// unread says what could not be read; it is empty if everything was.
func (c *Collected) unread() string {
	if len(c.Unread) == 0 {
		return ""
	}
	var list []string
	for _, u := range c.Unread {
		list = append(list, fmt.Sprintf("%s: %v", u.Origin, u.Err))
	}
	return "not saved, because it could not be read: the storage of " + strings.Join(list, "; of ")
}

// content is what the script reads of an origin.
type content struct {
	Origin
	Lost []string `json:"lost"`
}

// Collect reads the state of a session: the cookies of all sites, and what the origins of all frames that it has or had
// store. An origin that a tab shows is read there, and every other one in an empty page in the background. The caller
// bounds ctx.
func Collect(ctx context.Context, w *run.BrowserContext, skip func(url string) bool) (*Collected, error) {
	out := &Collected{Saved: Saved{Cookies: []Cookie{}, Origins: []Origin{}}}
	all, err := jar{w.Browser, w.Context}.all(ctx)
	if err != nil {
		return nil, fmt.Errorf("read the cookies: %w", err)
	}
	for _, c := range all {
		if !skip("https://" + strings.TrimPrefix(c.Domain, ".") + "/") {
			out.Cookies = append(out.Cookies, c)
		}
	}
	own := ownPage{work: w}
	defer own.close()
	for _, origin := range w.Origins.List() {
		if skip(origin + "/") {
			continue
		}
		got, err := readOrigin(ctx, w, &own, origin)
		if err != nil && ctx.Err() != nil {
			return nil, fmt.Errorf("read the storage of %s: %w", origin, err)
		}
		if err != nil { // the others are worth keeping
			out.Unread = append(out.Unread, Unread{origin, err})
			continue
		}
		for _, l := range got.Lost {
			out.Lost = append(out.Lost, origin+": "+l)
		}
		if !got.empty() {
			out.Origins = append(out.Origins, got.Origin)
		}
	}
	return out, nil
}

// readOrigin reads what an origin stores.
func readOrigin(ctx context.Context, w *run.BrowserContext, own *ownPage, origin string) (*content, error) {
	got := &content{}
	if !fromTab(ctx, w, origin, "collect", nil, got) {
		if err := own.call(ctx, origin, "collect", nil, got); err != nil {
			return nil, err
		}
		session, err := kept(w, origin) // not that of a tab of ours
		if err != nil {
			return nil, fmt.Errorf("session storage: %w", err)
		}
		got.SessionStorage = session
	}
	if got.Origin.Origin != origin {
		return nil, fmt.Errorf("the page is one of %s", got.Origin.Origin)
	}
	if got.databases() == 0 {
		got.IndexedDB = nil
	}
	if got.LocalStorage == nil {
		got.LocalStorage = []Entry{}
	}
	return got, nil
}

// fromTab calls a function of the script in a tab whose page is of the origin. It reports whether one answered.
func fromTab(ctx context.Context, w *run.BrowserContext, origin, fn string, args, result any) bool {
	for _, t := range w.Tabs() {
		f := t.MainFrame()
		if f == nil || (f.Origin != origin && model.Origin(f.URL) != origin) {
			continue
		}
		guarded, stop := w.Browser.GuardFrame(ctx, t.ID, f.ID)
		session, in, err := w.Worlds.Context(guarded, f.ID)
		if err == nil {
			err = evaluate(guarded, session, in, fn, args, result)
		}
		stop()
		if err == nil {
			return true
		}
	}
	return false
}

// failedTo explains why a state could not be read or written.
func failedTo(e *run.Env, doing string, err error) error {
	err = e.Explain(err, doing)
	if api.CodeOf(err) == api.Timeout {
		return api.AsError(err).WithHint("The session has many origins or much data: give more time with --timeout. Nothing was written.")
	}
	return err
}

// skipper returns which addresses the site guard leaves out.
func skipper(ctx context.Context, e *run.Env) func(string) bool {
	if e.Sites == nil {
		return func(string) bool { return false }
	}
	sites := e.Sites.WithoutProbes()
	return func(url string) bool { return sites.Loaded(ctx, url) != nil }
}

// summary counts what a state contains.
func (s *Saved) summary() string {
	keys, databases := 0, 0
	for i := range s.Origins {
		keys += len(s.Origins[i].LocalStorage)
		databases += s.Origins[i].databases()
	}
	parts := []string{number(len(s.Cookies), "cookie"), number(len(s.Origins), "origin")}
	if keys > 0 {
		parts = append(parts, number(keys, "local storage entry"))
	}
	if databases > 0 {
		parts = append(parts, number(databases, "database"))
	}
	return strings.Join(parts, ", ")
}
