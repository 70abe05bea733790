// Package origins remembers which websites may have stored something in a session.
package origins

import (
	"slices"
	"strings"
	"sync"

	"github.com/usher-browser/usher/internal/supervisor"
	"github.com/usher-browser/usher/internal/supervisor/model"
)

// most bounds the remembered origins of a session; those noted first are forgotten first.
const most = 1000

// Session is the origins of a session.
type Session struct {
	browser *supervisor.Browser
	context model.ContextID

	mu      sync.Mutex
	noted   []string // guarded by mu: by the order in which they were noted
	scanned uint64   // guarded by mu: the last event that was read for origins
	// kept is, by origin, session storage that waits for a tab to show it.
	kept map[string][]byte // guarded by mu
}

// New returns the origins of a session whose browser context is c.
func New(b *supervisor.Browser, c model.ContextID) *Session {
	return &Session{browser: b, context: c, kept: map[string][]byte{}}
}

// Keep keeps the session storage of an origin, in the caller's form, until a tab shows the origin; nil ends that.
func (o *Session) Keep(origin string, storage []byte) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if storage == nil {
		delete(o.kept, origin)
		return
	}
	o.kept[origin] = storage
}

// Kept returns what is kept for an origin; nil for nothing.
func (o *Session) Kept(origin string) []byte {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.kept[origin]
}

// Note remembers origins that have stored something, such as those of a loaded state.
func (o *Session) Note(list ...string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.note(list)
}

func (o *Session) note(list []string) {
	for _, origin := range list {
		if !strings.HasPrefix(origin, "http") || slices.Contains(o.noted, origin) {
			continue
		}
		if len(o.noted) >= most {
			o.noted = slices.Delete(o.noted, 0, 1)
		}
		o.noted = append(o.noted, origin)
	}
}

// List returns the origins of websites that may have stored something in the session: those of all frames, present
// and, as far as the events that are kept tell, past, and those noted. The browser has no list of them.
func (o *Session) List() []string {
	o.mu.Lock()
	defer o.mu.Unlock()
	const all = 1 << 20
	changes, _ := o.browser.Stream(o.context).After(o.scanned, all)
	var seen []string
	for i := range changes {
		c := &changes[i]
		o.scanned = c.Seq
		if c.Kind == model.TabNavigated || c.Kind == model.FrameNavigated {
			seen = append(seen, model.Origin(c.URL))
		}
	}
	for _, t := range o.browser.State().ContextTabs(o.context) {
		for f := range t.InOrder() {
			seen = append(seen, f.Origin, model.Origin(f.URL))
		}
	}
	o.note(seen)
	return slices.Clone(o.noted)
}
