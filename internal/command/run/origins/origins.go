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
	noted   []string        // guarded by mu: by the order in which they were noted
	scanned uint64          // guarded by mu: the last event that was read for origins
	kept    map[string]kept // guarded by mu: by origin, session storage that waits for a tab to show it
}

// kept is session storage, and what is to be done when it does not wait any more.
type kept struct {
	storage []byte
	remove  func()
}

// New returns the origins of a session whose browser context is c.
func New(b *supervisor.Browser, c model.ContextID) *Session {
	return &Session{browser: b, context: c, kept: map[string]kept{}}
}

// Keep keeps the session storage of an origin, in the caller's form, until a tab shows the origin. remove is called then,
// or when another one is kept for the origin.
func (o *Session) Keep(origin string, storage []byte, remove func()) {
	o.mu.Lock()
	before := o.kept[origin]
	o.kept[origin] = kept{storage, remove}
	o.mu.Unlock()
	if before.remove != nil {
		before.remove()
	}
}

// Shown ends Keep: a tab shows the origin.
func (o *Session) Shown(origin string) {
	o.mu.Lock()
	before := o.kept[origin]
	delete(o.kept, origin)
	o.mu.Unlock()
	if before.remove != nil {
		before.remove()
	}
}

// Kept returns what is kept for an origin; nil for nothing.
func (o *Session) Kept(origin string) []byte {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.kept[origin].storage
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
