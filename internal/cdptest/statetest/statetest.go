// Package statetest has what several packages need to test states of a browser.
package statetest

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	json "github.com/go-json-experiment/json/v1"

	"github.com/usher-browser/usher/internal/supervisor/fold/dialogs"
	"github.com/usher-browser/usher/internal/supervisor/fold/interrupts"
	"github.com/usher-browser/usher/internal/supervisor/model"
)

// Recordings lists the files of the corpus, internal/supervisor/testdata/recordings.
func Recordings(t testing.TB) []string {
	t.Helper()
	_, here, _, _ := runtime.Caller(0)
	dir := filepath.Join(filepath.Dir(here), "../../supervisor/testdata/recordings")
	files, err := filepath.Glob(filepath.Join(dir, "*.jsonl.gz"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no recordings in %s: %v; make recordings makes them", dir, err)
	}
	return files
}

// Open opens a file of the corpus.
func Open(t testing.TB, path string) io.Reader {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	in, err := gzip.NewReader(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	return in
}

// Text returns a state as text, including what its JSON form leaves out.
func Text(t testing.TB, s *model.State) string {
	t.Helper()
	c := *s
	c.Closed = nil
	raw, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range s.Dialogs {
		raw = append(raw, d.Answering...)
	}
	if s.Closed != nil {
		raw = append(raw, s.Closed.Error()...)
	}
	for _, i := range s.Interrupts {
		raw = fmt.Appendf(raw, "%v%s%s", i.Claimed, i.Loader, i.PendingURL)
	}
	return string(raw)
}

// Check finds what must never be in a State.
func Check(s *model.State) error {
	if len(s.Order) != len(s.Tabs) {
		return fmt.Errorf("order has %v, tabs are %d", s.Order, len(s.Tabs))
	}
	for _, id := range s.Order {
		if err := checkTab(id, s.Tabs[id]); err != nil {
			return err
		}
	}
	for _, d := range s.Dialogs {
		if s.Tabs[d.Tab] == nil || !d.ClosedAt.IsZero() || d.Bridge && s.Frame(d.Frame) == nil {
			return fmt.Errorf("open dialog %+v of tab %s", d, d.Tab)
		}
	}
	for _, d := range s.RecentDialogs {
		if d.ClosedBy == "" || d.ClosedAt.IsZero() {
			return fmt.Errorf("closed dialog %+v", d)
		}
	}
	if err := checkInterruptions(s); err != nil {
		return err
	}
	contexts := map[model.ContextID]int{}
	for _, d := range s.RecentDialogs {
		if contexts[d.Context]++; contexts[d.Context] > dialogs.MaxRecentOfContext {
			return fmt.Errorf("%d closed dialogs of %s are kept", contexts[d.Context], d.Context)
		}
	}
	if len(s.Gone) > 32 || len(s.RecentDialogs) > dialogs.MaxRecent || len(s.Downloads) > 100 {
		return errors.New("a list is over its bound")
	}
	return nil
}

// checkTab finds what cannot be in a tab.
func checkTab(id model.TargetID, t *model.Tab) error {
	if t == nil || t.ID != id {
		return fmt.Errorf("order names %s, which is %+v", id, t)
	}
	if t.Frames[t.Main] == nil {
		return fmt.Errorf("tab %s has no main frame", id)
	}
	for fid, f := range t.Frames {
		if f.ID != fid || f.Tab != id {
			return fmt.Errorf("frame %s of tab %s is %+v", fid, id, f)
		}
		at := f
		for steps := 0; at.ID != t.Main; steps++ {
			next := t.Frames[at.Parent]
			if next == nil || steps > len(t.Frames) {
				return fmt.Errorf("frame %s of tab %s hangs on %q and does not reach the top", fid, id, at.Parent)
			}
			at = next
		}
	}
	if u := t.Unresponsive; u != nil && (t.Frames[u.Frame] == nil || t.Frames[u.Frame].Unresponsive != u) {
		return fmt.Errorf("tab %s is said not to answer for frame %s, which is %+v", id, u.Frame, t.Frames[u.Frame])
	}
	for fid, f := range t.Frames {
		if f.Unresponsive != nil && t.Unresponsive == nil {
			return fmt.Errorf("frame %s does not answer and its tab %s knows nothing of it", fid, id)
		}
	}
	if m := t.MainFrame(); m.Parent != "" {
		return fmt.Errorf("the main frame of %s has the parent %s", id, m.Parent)
	}
	return nil
}

// checkInterruptions finds what cannot be in the queue.
func checkInterruptions(s *model.State) error {
	if len(s.Interrupts) > interrupts.MaxOpen || len(s.RecentInterrupts) > interrupts.MaxRecent {
		return errors.New("the queue is over its bound")
	}
	seen := map[string]bool{}
	last := 0
	for _, i := range s.Interrupts {
		switch {
		case i.Number <= last || i.ID != fmt.Sprintf("i-%d", i.Number) || !i.ClosedAt.IsZero():
			return fmt.Errorf("open interruption %+v behind number %d", i, last)
		case i.Kind != model.KindDownload && s.Tabs[i.Tab] == nil:
			return fmt.Errorf("interruption %+v is of no tab", i)
		case i.Frame != "" && s.Tabs[i.Tab].Frames[i.Frame] == nil:
			return fmt.Errorf("interruption %+v is of no frame", i)
		}
		last = i.Number
		seen[i.ID] = true
	}
	for _, i := range s.RecentInterrupts {
		if seen[i.ID] || i.ClosedBy == "" || i.ClosedAt.IsZero() || i.Outcome == "" {
			return fmt.Errorf("interruption %+v is not over", i)
		}
		seen[i.ID] = true
	}
	return nil
}
