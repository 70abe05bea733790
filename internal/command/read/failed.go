package read

import (
	"context"
	"fmt"

	"github.com/usher-browser/usher/internal/command/run"
	"github.com/usher-browser/usher/internal/journal"
	"github.com/usher-browser/usher/internal/supervisor/model"
	"github.com/usher-browser/usher/internal/view"
)

// failed returns a warning if a page shows nothing and one of its scripts has thrown: most likely the one that was to draw it.
func failed(ctx context.Context, e *run.Env, shot *view.Snapshot) string {
	if shot.Text != view.EmptyPage && shot.Text != view.NoInteractive {
		return ""
	}
	all, _ := e.Journal.Errors(e.Tab)
	all = run.FilterReported(ctx, e, all, func(p *journal.Error) (model.FrameID, string) { return p.Frame, p.URL })
	var first *journal.Error
	count := 0
	for i := range all {
		if p := &all[i]; !p.Earlier && !p.Handled && !p.Worker {
			count++
			if first == nil {
				first = p
			}
		}
	}
	if first == nil {
		return ""
	}
	text := "a script of the page failed: " + run.OneLine(first.Text)
	if first.URL != "" {
		text += fmt.Sprintf(" (%s:%d:%d)", run.OneLine(first.URL), first.Line, first.Column)
	}
	if count > 1 {
		text += fmt.Sprintf("; `errors` lists all %d", count)
	}
	return text
}
