package sequence

import (
	"context"
	"testing"
	"testing/synctest"
	"time"
)

// TestOrder: an operation begins when those before it that hold it up have passed.
func TestOrder(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var l Line
		var began []string
		start := func(name, method string) *Turn {
			turn := l.Take("tab", method)
			go func() {
				turn.Wait(t.Context())
				began = append(began, name)
			}()
			synctest.Wait()
			return turn
		}
		expect := func(what string, n int) {
			t.Helper()
			synctest.Wait()
			if len(began) != n {
				t.Errorf("%s: %v began, not %d", what, began, n)
			}
		}
		key := start("key", "press")
		evaluation := start("evaluation", "page.evaluate")
		click := start("click", "click")
		after := start("after", "set headers")
		start("answer", "dialog accept")
		expect("a key is pressed", 2) // and the answer
		key.End()
		expect("it was pressed", 3)
		evaluation.Sent()
		expect("the script was sent", 4)
		click.End()
		expect("it was clicked", 5)
		last := start("last", "page.load")
		expect("the setting has not ended", 5)
		after.Sent() // it was sent, and holds up until it has ended
		expect("the setting was sent", 5)
		after.End()
		expect("the setting has ended", 6)
		last.End()
		if other := l.Take("other", "press"); other.before != nil {
			t.Error("another tab waits")
		}
	})
}

// TestPatience: what does not end holds up an operation for a time, and not at all one whose run has ended.
func TestPatience(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var l Line
		for method, limit := range map[string]time.Duration{"mouse down": Patience, "click": Brief} {
			first, second := l.Take("tab", method), l.Take("tab", "mouse up")
			began := time.Now()
			go func() {
				time.Sleep(time.Minute) // what is before the first holds it up
				first.Wait(t.Context())
			}()
			second.Wait(t.Context())
			if took := time.Since(began); took != time.Minute+limit {
				t.Errorf("%s: waited for %s", method, took)
			}
			second.End()
		}
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		began := time.Now()
		l.Take("tab", "mouse down")
		l.Take("tab", "mouse up").Wait(ended)
		if took := time.Since(began); took != 0 {
			t.Errorf("waited for %s after the end", took)
		}
	})
}

func TestKinds(t *testing.T) {
	t.Parallel()
	for method, want := range map[string]Kind{"dialog accept": Free, "wait": Free, "click": Acting, "get text": Waiting, "page.load": Waiting, "page.evaluate": Sending, "mouse down": Whole, "keyboard type": Whole, "set headers": Whole, "network unroute": Whole, "press": Whole} {
		if got := KindOf(method); got != want {
			t.Errorf("%s: %d, want %d", method, got, want)
		}
	}
}
