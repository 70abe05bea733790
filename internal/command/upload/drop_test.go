package upload_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/cdptest"
	"github.com/usher-browser/usher/internal/cdptest/commandtest"
)

// TestDrop: a drop zone receives the files and can read them, a file field takes them, and an element that accepts none
// is an error that leaves the page.
func TestDrop(t *testing.T) {
	site := cdptest.NewSite(t)
	s := commandtest.New(t)
	for name, text := range map[string]string{"a.txt": "one", "b.txt": "two"} {
		if err := os.WriteFile(filepath.Join(s.Dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s.Run(t, "open", site.URL("/small"))
	s.Run(t, "eval", `document.body.innerHTML = '<div id=zone>here</div><div id=none>not here</div><input id=field type=file multiple>';
zone.ondragover = e => e.preventDefault();
zone.ondrop = e => { e.preventDefault(); window.got = Promise.all([...e.dataTransfer.files].map(async f => f.name + '=' + await f.text())) }; 0`)
	s.Run(t, "drop", "#zone", "a.txt", "b.txt")
	if got := s.Eval(t, "got.then(g => g.join())"); got != `"a.txt=one,b.txt=two"` {
		t.Errorf("the drop zone got %s", got)
	}
	s.Run(t, "drop", "#field", "a.txt")
	if got := s.Eval(t, "field.files[0]?.name"); got != `"a.txt"` {
		t.Errorf("the field got %s", got)
	}
	if _, err := s.Try(t, "drop", "#none", "a.txt"); api.CodeOf(err) != api.ActionNotDelivered {
		t.Errorf("nothing accepts it: %v", err)
	}
	if got := s.Run(t, "get", "url").Text; got != site.URL("/small") {
		t.Errorf("the page is %s now", got)
	}
	s.Run(t, "eval", "none.addEventListener('dragover', () => alert('no files here'), {once: true}); 0")
	if got := s.Run(t, "drop", "#none", "a.txt").Text; !strings.Contains(got, "no files here") {
		t.Errorf("a dialog opened: %s", got)
	}
	s.Run(t, "dialog", "accept")
	if got := s.Run(t, "tab", "list").Text; strings.Contains(got, "t2") {
		t.Errorf("the browser opened the file: %s", got)
	}
	for _, c := range []struct {
		file string
		code api.Code
	}{{"missing.txt", api.FileNotFound}, {"/etc/passwd", api.FileNotAllowed}, {".", api.InvalidArgument}} {
		if _, err := s.Try(t, "drop", "#zone", c.file); api.CodeOf(err) != c.code {
			t.Errorf("%s: %v, want %s", c.file, err, c.code)
		}
	}
}
