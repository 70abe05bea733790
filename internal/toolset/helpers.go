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

// Helper is a [Source] whose program must be started before use.
type Helper interface {
	Source
	// Ready starts the program and waits until it can be used. It returns the error of starting it, or of the context.
	Ready(context.Context) error
	// Known reports whether its tools are known, from this run or an earlier one.
	Known() bool
	// Close ends the program and waits.
	Close()
}

// Spec specifies a helper.
type Spec struct {
	// Conf is its configuration. The helper is kept as long as Conf stays deeply equal.
	Conf any
	// New returns the helper without starting it. The helper calls changed after each change of its tools or its state.
	New func(changed func()) Helper
}

// Helpers are the helpers of one usher process, which all its clients share. It is safe for concurrent use.
type Helpers struct {
	changing sync.Mutex // serialises Change

	mu         sync.Mutex
	all        []configuredHelper // guarded by mu
	subs       map[int]func()     // guarded by mu
	lastID     int                // guarded by mu
	closed     bool               // guarded by mu
	background sync.WaitGroup     // goroutines that end and start helpers after a change
	ctx        context.Context
	cancel     context.CancelFunc // ends life
}

// configuredHelper is a helper with the specification it was made from.
type configuredHelper struct {
	Helper
	conf any
}

// NewHelpers returns the helpers of a configuration without starting them.
func NewHelpers(specs []Spec) *Helpers {
	h := &Helpers{subs: map[int]func(){}}
	h.ctx, h.cancel = context.WithCancel(context.Background())
	for _, s := range specs {
		h.all = append(h.all, configuredHelper{s.New(h.Notify), s.Conf})
	}
	return h
}

// Change replaces the configuration. Helpers that both configurations have continue to run. New ones for which atOnce
// is true are started, and Change waits up to startWait for them. Then accept decides: if it returns an error, nothing
// changes; otherwise removed helpers are ended, and new ones for which wanted is true are started. After Close, Change
// returns [ErrClosed] and starts nothing.
func (h *Helpers) Change(specs []Spec, atOnce func(Source) bool, accept func([]Source) (wanted func(Source) bool, err error)) error {
	h.changing.Lock()
	defer h.changing.Unlock()
	if h.ctx.Err() != nil {
		return ErrClosed
	}
	before := h.list()
	var all, fresh []configuredHelper
	for _, s := range specs {
		i := slices.IndexFunc(before, func(m configuredHelper) bool { return reflect.DeepEqual(m.conf, s.Conf) })
		if i >= 0 {
			all = append(all, before[i])
			before = slices.Delete(before, i, i+1)
			continue
		}
		m := configuredHelper{s.New(h.Notify), s.Conf}
		all, fresh = append(all, m), append(fresh, m)
	}
	prepare(h.ctx, fresh, atOnce)
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
	h.background.Go(func() {
		end(before)
		if len(fresh)+len(before) > 0 {
			h.Notify()
		}
		prepare(h.ctx, all, wanted)
	})
	h.mu.Unlock()
	return nil
}

// ErrClosed is the error of a change during or after Close.
var ErrClosed = errors.New("usher is ending its helper programs")

func (h *Helpers) list() []configuredHelper {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.all)
}

func sources(all []configuredHelper) (out []Source) {
	for _, m := range all {
		out = append(out, m.Helper)
	}
	return out
}

// end closes helpers concurrently, and waits.
func end(all []configuredHelper) {
	var ending sync.WaitGroup
	for _, m := range all {
		ending.Go(m.Close)
	}
	ending.Wait()
}

// Sources returns the helpers as sources.
func (h *Helpers) Sources() []Source { return sources(h.list()) }

// startWait is how long the first list of tools waits for helpers whose tools are not known. Tools that come later are
// announced as a change.
const startWait = 3 * time.Second

// Prepare starts the wanted helpers whose tools are not known, and waits up to startWait for them.
func (h *Helpers) Prepare(ctx context.Context, wanted func(Source) bool) {
	prepare(ctx, h.list(), wanted)
}

func prepare(ctx context.Context, all []configuredHelper, wanted func(Source) bool) {
	ctx, cancel := context.WithTimeout(ctx, startWait)
	defer cancel()
	var starting sync.WaitGroup
	for _, m := range all {
		if !m.Known() && wanted(m.Helper) {
			// An error is also the helper's Problem.
			starting.Go(func() { _ = m.Ready(ctx) })
		}
	}
	starting.Wait()
}

// Find returns the helper of a toolset or tool, or nil if there is none of that name.
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

// Subscribe calls changed after each change, until stop is called.
func (h *Helpers) Subscribe(changed func()) (stop func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.lastID++
	id := h.lastID
	h.subs[id] = changed
	return func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		delete(h.subs, id)
	}
}

// Notify calls the functions of all subscribers.
func (h *Helpers) Notify() {
	h.mu.Lock()
	subs := slices.Collect(maps.Values(h.subs))
	h.mu.Unlock()
	for _, f := range subs {
		f()
	}
}

// Close ends all helpers, including those of a running Change, and waits.
func (h *Helpers) Close() {
	h.mu.Lock()
	all := h.all
	h.all, h.closed = nil, true
	h.mu.Unlock()
	h.cancel()
	end(all)
	h.changing.Lock()
	defer h.changing.Unlock()
	h.background.Wait()
}

func toolNames(s Source) (names []string) {
	for _, t := range s.Tools() {
		names = append(names, t.Name)
	}
	return names
}
