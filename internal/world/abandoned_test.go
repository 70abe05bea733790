package world_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/usher-browser/usher/internal/cdptest"
	"github.com/usher-browser/usher/internal/supervisor"
	"github.com/usher-browser/usher/internal/world"
)

// TestInstallerGoesAway: two callers enter a document, and the one that installs
// the script gives up while the page is slow. The other installs it then.
func TestInstallerGoesAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pending := 0
		fake := cdptest.NewFake(t, func(_ *cdptest.Fake, c cdptest.FakeCall) string { // it never answers the first wish for a world
			switch c.Method {
			case "Page.createIsolatedWorld":
				if pending++; pending == 1 {
					return ""
				}
				return `{"executionContextId":7}`
			case "Runtime.evaluate":
				return `{"result":{"type":"object","value":{}}}`
			}
			return "{}"
		})
		b := supervisor.New(fake.Wire, supervisor.Options{})
		fake.Say(`{"method":"Target.attachedToTarget","params":{"sessionId":"P","targetInfo":{"targetId":"T","type":"page"}}}`)
		synctest.Wait()
		worlds := world.New(b)
		first, giveUp := context.WithCancel(t.Context())
		failed, answered := make(chan error, 1), make(chan error, 1)
		go func() { failed <- worlds.Call(first, "T", "idle", nil, nil) }()
		synctest.Wait()
		go func() { answered <- worlds.Call(t.Context(), "T", "idle", nil, nil) }()
		synctest.Wait()
		giveUp()
		if err := <-failed; err == nil || !strings.Contains(err.Error(), context.Canceled.Error()) {
			t.Errorf("the first caller got %v", err)
		}
		if err := <-answered; err != nil {
			t.Errorf("the second caller got %v", err)
		}
		_ = b.Close()
		fake.Close()
	})
}
