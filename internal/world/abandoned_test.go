package world_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/usher-browser/usher/internal/supervisor"
	"github.com/usher-browser/usher/internal/wire"
	"github.com/usher-browser/usher/internal/world"
)

// TestInstallerGoesAway: two callers enter a document, and the one that installs
// the script gives up while the page is slow. The other installs it then.
func TestInstallerGoesAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ours, theirs := wire.Memory()
		say := func(format string, args ...any) { _ = theirs.Write(fmt.Appendf(nil, format, args...)) }
		asked := 0
		done := make(chan struct{})
		go func() { // a browser that never answers the first wish for a world
			defer close(done)
			for {
				msg, err := theirs.Read()
				if err != nil {
					return
				}
				var c struct {
					ID        int64  `json:"id"`
					Method    string `json:"method"`
					SessionID string `json:"sessionId"`
				}
				if err := json.Unmarshal(msg, &c); err != nil {
					t.Error(err)
				}
				result := "{}"
				switch c.Method {
				case "Page.createIsolatedWorld":
					if asked++; asked == 1 {
						continue
					}
					result = `{"executionContextId":7}`
				case "Runtime.evaluate":
					result = `{"result":{"type":"object","value":{}}}`
				}
				if c.SessionID != "" {
					say(`{"id":%d,"result":%s,"sessionId":%q}`, c.ID, result, c.SessionID)
				} else {
					say(`{"id":%d,"result":%s}`, c.ID, result)
				}
			}
		}()
		b := supervisor.New(ours, supervisor.Options{})
		say(`{"method":"Target.attachedToTarget","params":{"sessionId":"P","targetInfo":{"targetId":"T","type":"page"}}}`)
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
		_ = theirs.Close()
		<-done
	})
}
