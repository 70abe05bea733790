package code

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/usher-browser/usher/internal/api"
)

// hars are the HARs that the code replays. They end with the run, as routes do. The zero value has none.
type hars struct {
	mu    sync.Mutex
	paths map[string]bool // guarded by mu
}

func (h *hars) add(path string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.paths == nil {
		h.paths = map[string]bool{}
	}
	h.paths[path] = true
}

// harsEnd is how long the end of a run waits until a HAR is not replayed any more.
const harsEnd = 5 * time.Second

// end ends the replay, and returns what of it could not be ended. Without a browser, or after unrouteAll, there is none.
func (h *hars) end(d *driver) (left []string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	ctx, cancel := context.WithTimeout(context.Background(), harsEnd)
	defer cancel()
	for path := range h.paths {
		_, err := operation{driver: d, tab: d.order.Tab}.run(ctx, "network unroute", commandParams{Values: map[string]any{"url": path}})
		if code := api.CodeOf(err); err != nil && code != api.BrowserNotRunning && code != api.BrowserCrashed {
			left = append(left, fmt.Sprintf("%s is still replayed: %v; end it with network unroute", path, err))
		}
	}
	return left
}
