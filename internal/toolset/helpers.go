package toolset

import (
	"context"
	"errors"
	"maps"
	"reflect"
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

// Spec is a helper as a configuration has it.
type Spec struct {
	// Conf is all that it is made of: it stays as it is for as long as that stays deeply equal.
	Conf any
	// New prepares it and starts nothing. It is to call changed after every change of what it has, or of how it is.
	New func(changed func()) Helper
}

// Helpers are those of one process of usher: whoever is served there shares them.
type Helpers struct {
	changing sync.Mutex // one change of the configuration at a time

	mu     sync.Mutex
	all    []made         // guarded by mu
	subs   map[int]func() // guarded by mu
	last   int            // guarded by mu
	closed bool           // guarded by mu
	after  sync.WaitGroup // what changes leave to do: helpers end, others start
	life   context.Context
	die    context.CancelFunc // ends life
}

// made is a helper and what it was made of.
type made struct {
	Helper
	conf any
}

// NewHelpers prepares the helpers of a configuration and starts none.
func NewHelpers(specs []Spec) *Helpers {
	h := &Helpers{subs: map[int]func(){}}
	h.life, h.die = context.WithCancel(context.Background())
	for _, s := range specs {
		h.all = append(h.all, made{s.New(h.Tell), s.Conf})
	}
	return h
}

// Change goes over to another configuration. Those helpers that are in both stay as they are, new ones that are wanted at
// once are started and given a moment, and then accept sees what there is to be and says what of it is wanted; if it returns an
// error, nothing changes. Those left over are ended. After Close it is [ErrClosed], and nothing is started.
func (h *Helpers) Change(specs []Spec, atOnce func(Source) bool, accept func([]Source) (wanted func(Source) bool, err error)) error {
	h.changing.Lock()
	defer h.changing.Unlock()
	if h.life.Err() != nil {
		return ErrClosed
	}
	before := h.list()
	var all, fresh []made
	for _, s := range specs {
		i := slices.IndexFunc(before, func(m made) bool { return reflect.DeepEqual(m.conf, s.Conf) })
		if i >= 0 {
			all = append(all, before[i])
			before = slices.Delete(before, i, i+1)
			continue
		}
		m := made{s.New(h.Tell), s.Conf}
		all, fresh = append(all, m), append(fresh, m)
	}
	prepare(h.life, fresh, atOnce)
	wanted, err := accept(sources(all))
	if err != nil {
		end(fresh)
		return err
	}
	h.mu.Lock()
	if h.closed {
		h.mu.Unlock()
		end(fresh)
		return ErrClosed
	}
	h.all = all
	h.after.Go(func() {
		end(before)
		if len(fresh)+len(before) > 0 {
			h.Tell()
		}
		prepare(h.life, all, wanted)
	})
	h.mu.Unlock()
	return nil
}

// ErrClosed is the error of a change that comes after the end, or during it.
var ErrClosed = errors.New("usher is ending its helper programs")

func (h *Helpers) list() []made {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.all)
}

func sources(all []made) (out []Source) {
	for _, m := range all {
		out = append(out, m.Helper)
	}
	return out
}

// end ends helpers, and waits.
func end(all []made) {
	var ending sync.WaitGroup
	for _, m := range all {
		ending.Go(m.Close)
	}
	ending.Wait()
}

// Sources are the helpers as toolsets.
func (h *Helpers) Sources() []Source { return sources(h.list()) }

// firstWait is how long the first list of tools waits for helpers of which nothing is
// known. What comes later comes as a change.
const firstWait = 3 * time.Second

// Prepare starts those helpers of which nothing is known yet that are wanted, and gives
// them a moment.
func (h *Helpers) Prepare(ctx context.Context, wanted func(Source) bool) {
	prepare(ctx, h.list(), wanted)
}

func prepare(ctx context.Context, all []made, wanted func(Source) bool) {
	ctx, cancel := context.WithTimeout(ctx, firstWait)
	defer cancel()
	var starting sync.WaitGroup
	for _, m := range all {
		if !m.Known() && wanted(m.Helper) {
			// What keeps it from starting is its Problem.
			starting.Go(func() { _ = m.Ready(ctx) })
		}
	}
	starting.Wait()
}

// Find is the helper of a toolset, or of a tool; nil when no helper has that name.
func (h *Helpers) Find(name string) Helper {
	for _, helper := range h.list() {
		set := helper.Set().Name
		server := strings.TrimPrefix(set, ServerPrefix)
		if name == set || name == server || strings.HasPrefix(name, ToolPrefix+server+"__") ||
			slices.ContainsFunc(toolNames(helper), func(t string) bool { return t == name }) {
			return helper.Helper
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

// Tell has everybody who subscribed look again.
func (h *Helpers) Tell() {
	h.mu.Lock()
	subs := slices.Collect(maps.Values(h.subs))
	h.mu.Unlock()
	for _, f := range subs {
		f()
	}
}

// Close ends every helper, those of a change under way included, and waits.
func (h *Helpers) Close() {
	h.mu.Lock()
	all := h.all
	h.all, h.closed = nil, true
	h.mu.Unlock()
	h.die()
	end(all)
	h.changing.Lock()
	defer h.changing.Unlock()
	h.after.Wait()
}

func toolNames(s Source) (names []string) {
	for _, t := range s.Tools() {
		names = append(names, t.Name)
	}
	return names
}
