//go:build unix

package session_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/usher-browser/usher/internal/browserhost"
	"github.com/usher-browser/usher/internal/cdptest"
)

// otherPaths is a browser that sees the files of this machine below another path, which does not exist on this machine.
type otherPaths struct {
	browserhost.Browser
	root string // a link to /
	// downloads is the directory in which the browser was told to save downloads.
	downloads *string
}

func (b otherPaths) Files() browserhost.Files { return b }

func (b otherPaths) Upload(_ context.Context, paths []string) ([]string, error) {
	var there []string
	for _, p := range paths {
		if strings.Contains(p, "refused") {
			return nil, errors.New("the file cannot be sent")
		}
		copied := filepath.Join(filepath.Dir(p), "sent-"+filepath.Base(p))
		if err := os.Link(p, copied); err != nil {
			return nil, err
		}
		there = append(there, b.root+copied)
	}
	return there, nil
}

func (b otherPaths) Downloads(_ context.Context, dir string) (string, error) {
	other, err := os.MkdirTemp(filepath.Dir(dir), "other")
	if err != nil {
		return "", err
	}
	*b.downloads = other
	return b.root + other, errors.Join(os.Remove(dir), os.Symlink(other, dir)) // what is there is here
}

// TestFilesOfTheBrowser: a browser with other paths than this machine gets its own paths, for uploads into a field and
// into a file chooser, and for downloads.
func TestFilesOfTheBrowser(t *testing.T) {
	site := cdptest.NewSite(t)
	c := connect(t)
	root := filepath.Join(t.TempDir(), "root")
	if err := os.Symlink("/", root); err != nil {
		t.Fatal(err)
	}
	var downloads string
	c.registry.Wrap(func(b browserhost.Browser) browserhost.Browser { return otherPaths{b, root, &downloads} })
	dir := t.TempDir()
	for _, name := range []string{"one.txt", "two.txt", "refused.txt"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(name), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	c.must(t, "open "+site.URL("/download"))
	c.must(t, `eval document.body.insertAdjacentHTML("beforeend","<input/id='f'/type='file'><button/id='b'/onclick='f.click()'>choose</button>"),1`)
	named := `eval f.files[0].name`
	c.must(t, "upload #f "+filepath.Join(dir, "one.txt"))
	if got := c.must(t, named).Text; !strings.Contains(got, "sent-one.txt") {
		t.Errorf("the field has %s", got)
	}
	c.must(t, "upload #b "+filepath.Join(dir, "two.txt"))
	if got := c.must(t, named).Text; !strings.Contains(got, "sent-two.txt") {
		t.Errorf("by the file chooser the field has %s", got)
	}
	for _, field := range []string{"#f", "#b"} {
		if _, err := c.run(t.Context(), "upload "+field+" "+filepath.Join(dir, "refused.txt")); err == nil || !strings.Contains(err.Error(), "the file cannot be sent") {
			t.Errorf("%s: a file that the host cannot send: %v", field, err)
		}
	}
	if downloads == "" {
		t.Fatal("nothing was asked about downloads")
	}
	c.must(t, `eval document.querySelector("#attachment").click(),1`)
	if got := c.must(t, "wait --download").Text; !strings.Contains(got, "saved") {
		t.Errorf("a download without a path: %s", got)
	}
	if kept, err := os.ReadDir(downloads); err != nil || len(kept) != 1 {
		t.Errorf("the browser keeps %v there: %v", kept, err)
	}
	path := filepath.Join(dir, "got.csv")
	c.must(t, "download #attachment "+path)
	if info, err := os.Stat(path); err != nil || info.Size() == 0 {
		t.Errorf("the download: %v, %v", info, err)
	}
}
