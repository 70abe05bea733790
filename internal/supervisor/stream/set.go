package stream

import "github.com/usher-browser/usher/internal/supervisor/model"

// Set is the set of streams of a browser's contexts. Its methods need the owner's lock.
type Set struct{ streams map[model.ContextID]*Stream }

// NewSet returns a set without streams.
func NewSet() *Set { return &Set{streams: map[model.ContextID]*Stream{}} }

// Of returns the stream of a context for a reader. s is the browser's state.
func (all *Set) Of(c model.ContextID, s *model.State) *Stream {
	one := all.of(c, s)
	one.used = true
	return one
}

func (all *Set) of(c model.ContextID, s *model.State) *Stream {
	one := all.streams[c]
	if one == nil {
		one = newStream()
		if s.Closed != nil {
			one.end("the browser is gone: " + s.Closed.Error())
		}
		all.streams[c] = one
	}
	return one
}

// End ends the stream of a context that is not in use any more; its readers get the reason.
func (all *Set) End(c model.ContextID, why string) {
	if one := all.streams[c]; one != nil {
		one.end(why)
		delete(all.streams, c)
	}
}

// Add adds a change, after which the browser's state is s.
func (all *Set) Add(c model.Change, s *model.State) {
	switch {
	case c.Kind.ConcernsBrowser():
		for _, one := range all.streams {
			one.add(c)
			if c.Kind == model.BrowserClosed {
				one.end("the browser is gone: " + c.Text)
			}
		}
		return
	case c.Context == "" && c.Tab == "":
		return // of a worker that belongs to no context
	}
	one := all.of(c.Context, s)
	one.add(c)
	// Contexts of other clients are created and removed; of those without a reader only the ones with tabs are stored.
	if c.Kind == model.TabClosed && !one.used && len(s.ContextTabs(c.Context)) == 0 {
		delete(all.streams, c.Context)
	}
}
