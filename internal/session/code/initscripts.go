package code

import (
	"context"
	"sync"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/command/run"
	"github.com/usher-browser/usher/internal/supervisor"
)

// initScripts are the init scripts that code added to a session. They outlive their run, so one that a later run adds again takes the
// place of the earlier one. The zero value has none.
type initScripts struct {
	mu      sync.Mutex
	runs    int                 // guarded by mu: how many runs there were
	browser *supervisor.Browser // guarded by mu: that has the scripts
	of      map[string]int      // guarded by mu: by the script's id, the number of the run that added it
}

// begin returns the number of a run.
func (s *initScripts) begin() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.runs++
	return s.runs
}

// added notes the script that a run has added last, and removes what earlier runs added with the same text.
func (s *initScripts) added(ctx context.Context, work *run.BrowserContext, number int) error {
	if work == nil {
		return nil
	}
	list := work.Browser.InitScripts(work.Context)
	if len(list) == 0 {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.browser != work.Browser {
		s.browser, s.of = work.Browser, map[string]int{}
	}
	fresh := list[len(list)-1]
	s.of[fresh.ID] = number
	for _, old := range list[:len(list)-1] {
		if by, ours := s.of[old.ID]; !ours || by == number || old.Source != fresh.Source {
			continue
		}
		if _, err := work.Browser.RemoveInitScript(ctx, work.Context, old.ID); err != nil {
			return api.Errorf(api.ProtocolError, "remove the init script of an earlier run: %w", err)
		}
		delete(s.of, old.ID)
	}
	return nil
}
