package session

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/usher-browser/usher/internal/supervisor/model"
)

// sessionWithTabLocks returns a session of which only the order is used.
func sessionWithTabLocks() *Session {
	return newSession(NewRegistry(Options{}), sessionKey{"", "test"})
}

func TestOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, ctx := sessionWithTabLocks(), context.Background()
		pass := func(tab model.TargetID, name string) func() {
			end, err := s.acquireTab(ctx, tab, table().Find(name))
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			return end
		}
		endClick := pass("A", "click")
		for _, free := range []string{"dialog status", "dialog accept", "console", "wait", "tab list", "session info"} {
			pass("A", free)()
		}
		pass("B", "click")() // another tab
		var mu sync.Mutex
		var done []string // guarded by mu: commands that only read run concurrently
		for _, name := range []string{"get text", "get html", "click", "get value"} {
			go func() {
				end := pass("A", name)
				mu.Lock()
				done = append(done, name)
				mu.Unlock()
				end()
			}()
			synctest.Wait() // so that they come in this order
		}
		if len(done) != 0 {
			t.Fatalf("%v ran beside a click", done)
		}
		endClick()
		synctest.Wait()
		if len(done) != 4 || done[2] != "click" || done[3] != "get value" {
			t.Errorf("ran in the order %v", done)
		}
	})
}

// Commands that only read run concurrently.
func TestReadersRunConcurrently(t *testing.T) {
	s := sessionWithTabLocks()
	first, err := s.acquireTab(t.Context(), "A", table().Find("get text"))
	if err != nil {
		t.Fatal(err)
	}
	second, err := s.acquireTab(t.Context(), "A", table().Find("get html"))
	if err != nil {
		t.Fatal(err)
	}
	first()
	second()
}

// A caller that stops waiting does not block the others.
func TestCancelledWaitDoesNotBlockOthers(t *testing.T) {
	s := sessionWithTabLocks()
	end, err := s.acquireTab(t.Context(), "A", table().Find("click"))
	if err != nil {
		t.Fatal(err)
	}
	reason := errors.New("no more time")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(reason)
	if _, err := s.acquireTab(ctx, "A", table().Find("fill")); !errors.Is(err, reason) {
		t.Errorf("gave up with %v", err)
	}
	end()
	end, err = s.acquireTab(t.Context(), "A", table().Find("fill"))
	if err != nil {
		t.Fatal(err)
	}
	end()
}
