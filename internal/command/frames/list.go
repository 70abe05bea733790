package frames

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/usher-browser/usher/internal/command/run"
	"github.com/usher-browser/usher/internal/supervisor/model"
	"github.com/usher-browser/usher/internal/verb"
)

// List is the result of `frame list`.
type List struct {
	Frames []run.Frame `json:"frames"` // in the order of the document, each before its descendants
	TabID  string      `json:"tabId"`
}

// listFrames returns the frames of the model; it does not call the page, so that it works whatever blocks the page.
func listFrames(_ context.Context, e *run.Env, _ *verb.Call) (run.Reply[List], error) {
	t, err := e.CurrentTab()
	if err != nil {
		return run.Reply[List]{}, err
	}
	var frames []*model.Frame
	var lines []string
	for f, depth := range t.InOrder() {
		frames = append(frames, f)
		lines = append(lines, frameLine(e, t, f, depth))
	}
	return run.Reply[List]{Data: List{Frames: e.FrameRows(frames), TabID: run.TabID(t)}, Text: strings.Join(lines, "\n")}, nil
}

func frameLine(e *run.Env, t *model.Tab, f *model.Frame, depth int) string {
	mark := "  "
	if f.ID == e.Scope(t.ID) {
		mark = "→ "
	}
	line := mark + strings.Repeat("  ", depth) + "[" + string(f.ID) + "] "
	if f.ID == t.Main {
		line += "main "
	} else if f.Name != "" {
		line += strconv.Quote(f.Name) + " "
	}
	line += run.OneLine(f.URL)
	switch {
	case f.Crash != nil:
		line += fmt.Sprintf(" (crashed: %s)", f.Crash.Status)
	case f.OOPIF:
		line += " (own process)"
	}
	return line
}
