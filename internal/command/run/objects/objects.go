// Package objects remembers objects in documents that commands keep from one to the next.
package objects

import (
	"maps"
	"sync"

	"github.com/chromedp/cdproto/runtime"

	"github.com/usher-browser/usher/internal/supervisor/model"
)

// Kept is an object in a frame's document.
type Kept struct {
	Session, Loader string // the CDP session that has the object, and the document that it is in
	Object          runtime.RemoteObjectID
}

// Session are the objects of a session: one per frame. The zero value has none.
type Session struct {
	mu     sync.Mutex
	frames map[model.FrameID]Kept // guarded by mu
	used   int                    // guarded by mu
}

// Of returns the object of a frame's present document.
func (s *Session) Of(f *model.Frame) (k Kept, found bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	k, found = s.frames[f.ID]
	return k, found && k.Session == f.Session && k.Loader == f.Loader
}

// Keep sets the object of a frame's document, and drops those of frames that are gone from the state.
func (s *Session) Keep(f *model.Frame, object runtime.RemoteObjectID, now *model.State) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.frames == nil {
		s.frames = map[model.FrameID]Kept{}
	}
	maps.DeleteFunc(s.frames, func(id model.FrameID, _ Kept) bool { return now.Frame(id) == nil })
	s.frames[f.ID] = Kept{Session: f.Session, Loader: f.Loader, Object: object}
}

// Used returns the greatest number that the objects have given out, at least n.
func (s *Session) Used(n int) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.used = max(s.used, n)
	return s.used
}
