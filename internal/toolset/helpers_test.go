package toolset

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/usher-browser/usher/internal/tool"
)

// counted is a helper that counts its starts and ends.
type counted struct {
	name string

	mu             sync.Mutex
	started, ended int // guarded by mu
}

func (c *counted) Set() Set           { return Set{Name: c.name, Kind: Server} }
func (c *counted) Tools() []tool.Tool { return nil }
func (c *counted) Problem() string    { return "" }
func (c *counted) Known() bool        { return false }
func (c *counted) count() (s, e int)  { c.mu.Lock(); defer c.mu.Unlock(); return c.started, c.ended }
func (c *counted) Close()             { c.mu.Lock(); defer c.mu.Unlock(); c.ended++ }
func (c *counted) Ready(context.Context) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.started++
	return nil
}

// TestHelpersChange: helpers that stay in the configuration keep running, new ones are started if wanted, removed ones
// are ended, and a rejected change has no effect.
func TestHelpersChange(t *testing.T) {
	t.Parallel()
	made := map[string][]*counted{}
	specs := func(names ...string) (list []Spec) {
		for _, name := range names {
			list = append(list, Spec{Conf: name, New: func(func()) Helper {
				c := &counted{name: name}
				made[name] = append(made[name], c)
				return c
			}})
		}
		return list
	}
	h := NewHelpers(specs("a", "b"))
	told := make(chan struct{}, 10)
	h.Subscribe(func() { told <- struct{}{} })
	names := func(list []Source) string {
		var out []string
		for _, s := range list {
			out = append(out, s.Set().Name)
		}
		return strings.Join(out, " ")
	}
	want := func(names ...string) func(Source) bool {
		return func(s Source) bool { return slices.Contains(names, s.Set().Name) }
	}

	refused := errors.New("no")
	err := h.Change(specs("a", "x"), want("x"), func(list []Source) (func(Source) bool, error) {
		if got := names(list); got != "a x" {
			t.Errorf("to be accepted are %s", got)
		}
		if s, _ := made["x"][0].count(); s != 1 {
			t.Error("a helper for which atOnce is true was not started before accept")
		}
		return nil, refused
	})
	if !errors.Is(err, refused) || names(h.Sources()) != "a b" {
		t.Errorf("refused: %v, and there are %s", err, names(h.Sources()))
	}
	if _, e := made["x"][0].count(); e != 1 {
		t.Error("a refused helper was not ended")
	}

	if err := h.Change(specs("c", "d", "a"), want(), func([]Source) (func(Source) bool, error) { return want("c", "a"), nil }); err != nil {
		t.Fatal(err)
	}
	<-told
	if got := names(h.Sources()); got != "c d a" || len(made["a"]) != 1 {
		t.Errorf("there are %s, and a was made %d times", got, len(made["a"]))
	}
	h.Close()
	for name, counts := range map[string][2]int{"a": {1, 1}, "b": {0, 1}, "c": {1, 1}, "d": {0, 1}} {
		if s, e := made[name][0].count(); s != counts[0] || e != counts[1] {
			t.Errorf("%s was started %d times and ended %d times", name, s, e)
		}
	}
	accept := func([]Source) (func(Source) bool, error) { return want("late"), nil }
	if err := h.Change(specs("late"), want("late"), accept); !errors.Is(err, ErrClosed) || len(made["late"]) != 0 {
		t.Errorf("after the end: %v, and one was made %d times", err, len(made["late"]))
	}
}

// TestHelpersCloseDuringChange: Close waits for a running Change, and ends its helpers.
func TestHelpersCloseDuringChange(t *testing.T) {
	t.Parallel()
	h, fresh := NewHelpers(nil), &counted{name: "fresh"}
	specs := []Spec{{Conf: "fresh", New: func(func()) Helper { return fresh }}}
	inside, goOn, changed := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	go func() {
		changed <- h.Change(specs, func(Source) bool { return true }, func([]Source) (func(Source) bool, error) {
			close(inside)
			<-goOn
			return func(Source) bool { return true }, nil
		})
	}()
	<-inside
	closed := make(chan struct{})
	go func() {
		defer close(closed)
		h.Close()
		if _, ended := fresh.count(); ended != 1 {
			t.Errorf("when Close returned the helper had been ended %d times", ended)
		}
	}()
	<-h.ctx.Done() // Close has begun
	close(goOn)
	<-closed
	if err := <-changed; !errors.Is(err, ErrClosed) {
		t.Errorf("the change ended with %v", err)
	}
}
