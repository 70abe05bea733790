package view

import (
	"strings"
	"testing"
	"time"

	"github.com/usher-browser/usher/internal/supervisor/model"
	"github.com/usher-browser/usher/internal/world"
)

func TestMemory(t *testing.T) {
	state := &model.State{Tabs: map[model.TargetID]*model.Tab{
		"t": {ID: "t", Frames: map[model.FrameID]*model.Frame{"t": {ID: "t", Loader: "1"}}},
		"u": {ID: "u", Frames: map[model.FrameID]*model.Frame{"u": {ID: "u", Loader: "1"}}},
	}}
	var m reportedSnapshots
	start := time.Now()
	tell := func(tab model.TargetID, depth int, loader string, text string, after time.Duration) string {
		doc := world.Document{Frame: model.FrameID(tab), Loader: loader}
		return m.replace(keyOf(tab, Options{Depth: depth}), reportedSnapshot{doc: doc, text: text, at: start.Add(after)}, state).text
	}
	if got := tell("t", 0, "1", "first", 0); got != "" {
		t.Errorf("remembers %q before anything was told", got)
	}
	if got := tell("t", 0, "1", "second", 1); got != "first" {
		t.Errorf("remembers %q, want first", got)
	}
	if got := tell("t", 3, "1", "shallow", 2); got != "" {
		t.Errorf("remembers %q for other options", got)
	}
	if got := tell("u", 0, "1", "elsewhere", 3); got != "" {
		t.Errorf("remembers %q for another tab", got)
	}

	// Beyond the limit the oldest are removed.
	big := strings.Repeat("x", maxReportedBytes/2-300)
	tell("t", 4, "1", big, 4)
	tell("t", 5, "1", big, 5)
	if len(m.reported) != 2 {
		t.Errorf("%d outlines are remembered, want the two big ones", len(m.reported))
	}
	if got := tell("t", 5, "1", "small", 6); got != big {
		t.Error("the newest is forgotten")
	}
	if tell("t", 6, "1", big+big+big, 7); len(m.reported) != 0 {
		t.Errorf("%d outlines are remembered beside one that is too much", len(m.reported))
	}

	// The reports of a document are removed with it.
	tell("t", 0, "1", "of the old page", 8)
	tell("t", 1, "1", "of the old page", 9)
	tell("u", 0, "1", "of a tab", 10)
	state.Tabs["t"].Frames["t"].Loader = "2"
	delete(state.Tabs, "u")
	if got := tell("t", 0, "2", "of the new page", 11); got != "of the old page" {
		t.Errorf("got %q: that it was of another document is what is to be told", got)
	}
	if len(m.reported) != 1 {
		t.Errorf("%d outlines are remembered, want that of the new page", len(m.reported))
	}
}
