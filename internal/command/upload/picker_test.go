package upload_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/cdptest"
	"github.com/usher-browser/usher/internal/cdptest/commandtest"
)

// TestUploadThroughAFilePicker: a page that asks for files with the File System Access API gets none, and the error says how it takes
// them: where the page does without that API.
func TestUploadThroughAFilePicker(t *testing.T) {
	site := cdptest.NewSite(t)
	s := commandtest.New(t)
	if err := os.WriteFile(filepath.Join(s.Dir, "a.txt"), []byte("one"), 0o600); err != nil {
		t.Fatal(err)
	}
	const draw = `document.body.innerHTML = '<button id=b>Import</button><input id=f type=file hidden>';
b.onclick = () => window.showOpenFilePicker ? showOpenFilePicker().catch(e => document.title = e.name) : f.click(); 0`
	s.Run(t, "open", site.URL("/small"))
	s.Run(t, "eval", draw)
	_, err := s.Try(t, "upload", "#b", "a.txt")
	var refused *api.Error
	if !errors.As(err, &refused) || refused.Code != api.Unsupported || !strings.Contains(refused.Hint, "delete window.showOpenFilePicker") {
		t.Errorf("error %v, want one that says what to do without the API", err)
	}
	s.Run(t, "addinitscript", "delete", "window.showOpenFilePicker")
	s.Run(t, "reload")
	s.Run(t, "eval", draw)
	s.Run(t, "upload", "#b", "a.txt")
	if got := s.Eval(t, "f.files[0]?.name"); got != `"a.txt"` {
		t.Errorf("the field got %s", got)
	}
}
