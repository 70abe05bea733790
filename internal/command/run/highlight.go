package run

import (
	"sync"

	"github.com/usher-browser/usher/internal/element/locate"
	"github.com/usher-browser/usher/internal/supervisor/model"
)

// Highlights are the elements that `highlight` has marked, one in each tab. The zero value has none.
type Highlights struct {
	mu sync.Mutex
	of map[model.TargetID]locate.Element // guarded by mu
}

// Set records the element that is marked in a tab.
func (h *Highlights) Set(tab model.TargetID, on locate.Element) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.of == nil {
		h.of = map[model.TargetID]locate.Element{}
	}
	h.of[tab] = on
}

// Take forgets the element that is marked in a tab and returns it; ok is false if there is none.
func (h *Highlights) Take(tab model.TargetID) (on locate.Element, ok bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	on, ok = h.of[tab]
	delete(h.of, tab)
	return on, ok
}
