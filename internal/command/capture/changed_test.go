package capture_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/cdptest/commandtest"
	"github.com/usher-browser/usher/internal/command/capture"
)

// TestScreenshotReportsNoComparison: without --if-changed the result has no member about a comparison.
func TestScreenshotReportsNoComparison(t *testing.T) {
	s := commandtest.New(t)
	s.Run(t, "open", serve(t, coloured))
	got, err := api.AppendJSON(nil, s.Run(t, "screenshot", "plain.png").Data)
	if err != nil || strings.Contains(string(got), "revision") || strings.Contains(string(got), "changed") {
		t.Errorf("%s, %v", got, err)
	}
}

func TestScreenshotIfChanged(t *testing.T) {
	s := commandtest.New(t)
	s.Run(t, "open", serve(t, coloured))
	for _, step := range []struct {
		change   string // script that changes the page before
		words    string
		changed  bool
		revision int
		format   string // of what was saved
	}{
		{"", "--if-changed 1.png", true, 1, "png"},
		{"", "--if-changed 2.png", false, 2, ""},
		{"", "#red --if-changed 3.png", true, 1, "png"},
		{"document.getElementById('red').style.background = 'lime'", "--threshold 0.5 4.png", false, 3, ""},
		{"", "--if-changed 5.jpg", true, 4, "jpeg"}, // compared with the picture that was saved
		{"", "#red --if-changed 6.webp", true, 2, "webp"},
		{"", "#red --if-changed 7.webp", false, 3, ""},
		{"", "--if-changed --full 8.png", true, 1, "png"},
	} {
		if step.change != "" {
			s.Run(t, "eval", step.change)
		}
		words := strings.Fields(step.words)
		name := words[len(words)-1]
		res := s.Run(t, append([]string{"screenshot"}, words...)...)
		got := commandtest.Data[capture.Screenshot](t, res)
		if got.Changed == nil || *got.Changed != step.changed || got.Revision != step.revision || (got.Path != "") != step.changed {
			t.Errorf("%s: %+v, %v", step.words, got, res.Text)
			continue
		}
		if step.changed {
			picture(t, s, name, step.format)
		} else if _, err := os.Stat(filepath.Join(s.Dir, name)); err == nil {
			t.Errorf("%s: an unchanged picture was saved", step.words)
		}
		if !step.changed && !strings.HasPrefix(res.Text, "✓ Screenshot unchanged (revision ") {
			t.Errorf("%s: %s", step.words, res.Text)
		}
	}
}
