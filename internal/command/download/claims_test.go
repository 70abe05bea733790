package download

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/usher-browser/usher/internal/command/run"
	"github.com/usher-browser/usher/internal/command/run/downloads"
	"github.com/usher-browser/usher/internal/supervisor/model"
)

// TestClaims: waiting for a download blocks on nothing but the model, least of all on the file system. A file is looked
// for once per change of its download.
func TestClaims(t *testing.T) {
	t.Parallel()
	w := run.NewBrowserContext(nil, nil, nil, nil, nil, "mine", t.TempDir())
	if err := os.WriteFile(filepath.Join(w.Downloads.Dir(), "g"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	s := &model.State{
		Tabs: map[model.TargetID]*model.Tab{"T": {ID: "T", Context: "mine"}, "U": {ID: "U", Context: "other"}},
		Gone: []model.GoneTab{{ID: "V", Context: "mine"}},
	}
	for tab, want := range map[model.TargetID]downloads.Ownership{"T": downloads.Owned, "U": downloads.NotOwned, "V": downloads.Owned, "W": downloads.OwnerUnknown} {
		if got := w.Downloads.Owner(s, &model.Download{GUID: "g", Tab: tab}); got != want {
			t.Errorf("a download of tab %s is %d, want %d", tab, got, want)
		}
	}
	popup := &model.Download{GUID: "g", Tab: "W", State: model.DownloadInProgress, Received: 5}
	if !w.Downloads.Owns(s, popup) || w.Downloads.Owns(s, &model.Download{GUID: "h", Tab: "W"}) {
		t.Error("whose a download is that no tab told of is not seen by its file")
	}
	s.Downloads = []*model.Download{popup}
	e := &run.Env{BrowserContext: w}
	looked := map[string]int64{}
	if got := candidates(e, s, w.Downloads.Owner, looked); len(got) != 1 {
		t.Errorf("a download to look for: %v", got)
	}
	looked["g"] = progressOf(popup)
	if got := candidates(e, s, w.Downloads.Owner, looked); len(got) != 0 {
		t.Errorf("it was looked for, and nothing has changed: %v", got)
	}
	popup.State = model.DownloadCompleted
	if got := candidates(e, s, w.Downloads.Owner, looked); len(got) != 1 {
		t.Errorf("it has ended meanwhile: %v", got)
	}
}
