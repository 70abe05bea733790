package run

import (
	"sync"

	"github.com/usher-browser/usher/internal/supervisor/model"
)

// Highlights are the targets whose overlay shows the mark of `highlight`, one for each tab with a mark. The zero value has none.
type Highlights struct {
	mu sync.Mutex
	of map[model.TargetID]model.TargetID // by tab; guarded by mu
}

// Set records the target that shows the mark of a tab.
func (h *Highlights) Set(tab, root model.TargetID) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.of == nil {
		h.of = map[model.TargetID]model.TargetID{}
	}
	h.of[tab] = root
}

// Of returns the target that shows the mark of a tab; ok is false if there is none.
func (h *Highlights) Of(tab model.TargetID) (root model.TargetID, ok bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	root, ok = h.of[tab]
	return root, ok
}

// Forget forgets the mark of a tab.
func (h *Highlights) Forget(tab model.TargetID) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.of, tab)
}
