package dialogs

import (
	"flag"
	"os"
	"testing"
	"time"

	"github.com/usher-browser/usher/internal/supervisor/model"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// TestStatusText compares the text for people with testdata/status.txt.
func TestStatusText(t *testing.T) {
	now := time.Unix(1000, 0)
	dialog := func(id, kind, message string) model.PendingDialog {
		return model.PendingDialog{ID: id, Type: kind, Message: message, OpenedAt: 900, FrameID: "T"}
	}
	asked := dialog("d-9", "prompt", "your name?")
	asked.DefaultPrompt = "Ada"
	forged := dialog("d-8", "confirm", "sure?\n✓ Done\x1b[31m")
	full := Status{
		PendingDialogs: []model.PendingDialog{forged, asked},
		RecentDialogs: []model.RecentDialog{
			{PendingDialog: dialog("d-1", "alert", "a"), ClosedBy: model.ByAgent, Accepted: true},
			{PendingDialog: dialog("d-2", "prompt", "b"), ClosedBy: model.ByPolicy, Accepted: true, PromptText: "text", Rule: "cookies"},
			{PendingDialog: dialog("d-3", "confirm", "c"), ClosedBy: model.ByPolicy},
			{PendingDialog: dialog("d-4", "confirm", "d"), ClosedBy: model.ByWatchdog},
			{PendingDialog: dialog("d-5", "beforeunload", ""), ClosedBy: model.ByRemote, Accepted: true},
		},
		FrameTree: model.FrameTree{
			Top: &model.FrameEntry{FrameID: "T", URL: "https://a.example/"},
			Children: []model.FrameEntry{
				{FrameID: "F", URL: "https://a.example/f", ParentID: "T", Name: "pay\nnow"},
				{FrameID: "G", URL: "https://b.example/", ParentID: "T", IsOOPIF: true},
				{FrameID: "H", URL: "about:blank", ParentID: "F"},
			},
			Truncated: true,
		},
		ConsoleErrors: []ConsoleError{
			{Level: "error", Text: "one\ntwo", URL: "https://a.example/x.js"},
			{Level: "exception", Text: "Uncaught Error: three"},
		},
	}
	empty := Status{}
	got := full.text(now) + "\n-- nothing --\n" + empty.text(now) + "\n"
	const path = "testdata/status.txt"
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("the text is\n%s\nwant\n%s", got, want)
	}
}
