package turns_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/usher-browser/usher/internal/command"
	"github.com/usher-browser/usher/internal/command/run"
	"github.com/usher-browser/usher/internal/session"
	"github.com/usher-browser/usher/internal/session/turns"
	"github.com/usher-browser/usher/internal/supervisor/model"
	"github.com/usher-browser/usher/internal/verb"
)

// table has all commands that work in a session.
func table() *verb.Table { return verb.NewTable(append(command.Grammar(), session.Grammar())...) }

// allOpen returns queues that forget no tabs.
func allOpen() *turns.Queues {
	return turns.New(func() map[model.TargetID]*model.Tab { return nil })
}

// wait waits for the turn of a command at a tab.
func wait(ctx context.Context, at *turns.Queues, tab model.TargetID, name string) (end func(), err error) {
	turn, err := at.Wait(ctx, &run.Env{Tab: tab}, table().Find(name))
	if err != nil {
		return nil, err
	}
	return turn.Leave, nil
}

func TestOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		at, ctx := allOpen(), context.Background()
		pass := func(tab model.TargetID, name string) func() {
			end, err := wait(ctx, at, tab, name)
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
	at := allOpen()
	first, err := wait(t.Context(), at, "A", "get text")
	if err != nil {
		t.Fatal(err)
	}
	second, err := wait(t.Context(), at, "A", "get html")
	if err != nil {
		t.Fatal(err)
	}
	first()
	second()
}

// A caller that stops waiting does not block the others.
func TestCancelledWaitDoesNotBlockOthers(t *testing.T) {
	at := allOpen()
	end, err := wait(t.Context(), at, "A", "click")
	if err != nil {
		t.Fatal(err)
	}
	reason := errors.New("no more time")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(reason)
	if _, err := wait(ctx, at, "A", "fill"); !errors.Is(err, reason) {
		t.Errorf("gave up with %v", err)
	}
	end()
	end, err = wait(t.Context(), at, "A", "fill")
	if err != nil {
		t.Fatal(err)
	}
	end()
}

// A command that leaves its turn lets those that wait go first.
func TestLeftTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		at, ctx := allOpen(), context.Background()
		first, err := at.Wait(ctx, &run.Env{Tab: "A"}, table().Find("click"))
		if err != nil {
			t.Fatal(err)
		}
		ran := false
		go func() {
			end, err := wait(ctx, at, "A", "fill")
			if err != nil {
				t.Error(err)
				return
			}
			ran = true
			end()
		}()
		synctest.Wait()
		if ran {
			t.Fatal("a fill ran beside a click")
		}
		first.Leave()
		if err := first.Take(ctx); err != nil || !ran {
			t.Errorf("the turn was back before the other command had its own (%v)", err)
		}
		first.Leave()
		first.Leave() // ends it, as it has been left already
		end, err := wait(ctx, at, "A", "fill")
		if err != nil {
			t.Fatal(err)
		}
		end()
	})
}

// A command without any time, --timeout 0, takes a turn that is free: no other command is to blame for what it fails with.
func TestNoTime(t *testing.T) {
	at := allOpen()
	env := &run.Env{Tab: "A", Limited: true}
	turn, err := at.Wait(t.Context(), env, table().Find("click"))
	if err != nil {
		t.Fatal(err)
	}
	defer turn.Leave()
	if _, err := at.Wait(t.Context(), env, table().Find("click")); err == nil {
		t.Error("a turn that another command has was taken")
	}
}
