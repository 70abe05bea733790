package toolset

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"
)

// Helper is a source that has to be started to be of use.
type Helper interface {
	Source
	// Ready starts it and waits until it can be used.
	Ready(context.Context) error
	// Known says whether its tools are known, from this run or an earlier one.
	Known() bool
	// Close ends it and waits.
	Close()
}

// Helpers are those of one process of usher: whoever is served there shares them.
type Helpers struct {
	all []Helper

	mu   sync.Mutex
	subs map[int]func() // guarded by mu
	last int            // guarded by mu
}

// NewHelpers has helpers prepared, each of which is to call changed after every change
// of what it has, or of how it is.
func NewHelpers(prepare func(changed func()) []Helper) *Helpers {
	h := &Helpers{subs: map[int]func(){}}
	h.all = prepare(h.tell)
	return h
}

// Sources are the helpers as toolsets.
func (h *Helpers) Sources() (out []Source) {
	for _, helper := range h.all {
		out = append(out, helper)
	}
	return out
}

// firstWait is how long the first list of tools waits for helpers of which nothing is
// known. What comes later comes as a change.
const firstWait = 3 * time.Second

// Prepare starts those helpers of which nothing is known yet that are wanted, and gives
// them a moment.
func (h *Helpers) Prepare(ctx context.Context, wanted func(Source) bool) {
	ctx, cancel := context.WithTimeout(ctx, firstWait)
	defer cancel()
	var starting sync.WaitGroup
	for _, helper := range h.all {
		if !helper.Known() && wanted(helper) {
			// What keeps it from starting is its Problem.
			starting.Go(func() { _ = helper.Ready(ctx) })
		}
	}
	starting.Wait()
}

// Find is the helper of a toolset, or of a tool; nil when no helper has that name.
func (h *Helpers) Find(name string) Helper {
	for _, helper := range h.all {
		set := helper.Set().Name
		server := strings.TrimPrefix(set, ServerPrefix)
		if name == set || name == server || strings.HasPrefix(name, ToolPrefix+server+"__") ||
			slices.ContainsFunc(toolNames(helper), func(t string) bool { return t == name }) {
			return helper
		}
	}
	return nil
}

// Subscribe has changed called after every change, until stop is called.
func (h *Helpers) Subscribe(changed func()) (stop func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.last++
	id := h.last
	h.subs[id] = changed
	return func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		delete(h.subs, id)
	}
}

func (h *Helpers) tell() {
	h.mu.Lock()
	var subs []func()
	for _, f := range h.subs {
		subs = append(subs, f)
	}
	h.mu.Unlock()
	for _, f := range subs {
		f()
	}
}

// Close ends every helper, and waits.
func (h *Helpers) Close() {
	var ending sync.WaitGroup
	for _, helper := range h.all {
		ending.Go(helper.Close)
	}
	ending.Wait()
}

func toolNames(s Source) (names []string) {
	for _, t := range s.Tools() {
		names = append(names, t.Name)
	}
	return names
}
