package capture_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/cdptest"
	"github.com/usher-browser/usher/internal/cdptest/commandtest"
)

// TestHighlight: a highlighted element differs in a screenshot until --off, also in a frame of another process, and the
// document is not changed.
func TestHighlight(t *testing.T) {
	site := cdptest.NewSite(t)
	s := commandtest.New(t)
	s.Run(t, "open", site.URL("/small"))
	s.Run(t, "eval", "new Promise(done => { const f = document.body.appendChild(document.createElement('iframe')); f.name = 'inner'; f.onload = () => done(1); f.src = '"+site.Cross("/small")+"' })")
	s.Run(t, "eval", "window.changes = 0; new MutationObserver(() => changes++).observe(document, { subtree: true, childList: true, attributes: true }), 0")
	picture := func() []byte {
		s.Run(t, "screenshot", "page.png")
		b, err := os.ReadFile(filepath.Join(s.Dir, "page.png"))
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	plain := picture()
	for last := []byte(nil); !bytes.Equal(plain, last); { // the frame's process may draw it after its load
		last, plain = plain, picture()
	}
	for _, line := range [][]string{{"highlight", "button"}, {"highlight", "button", "--frame", "inner"}} {
		s.Run(t, line...)
		if bytes.Equal(picture(), plain) {
			t.Errorf("%q changed nothing", line)
		}
		s.Run(t, "highlight", "--off")
		if !bytes.Equal(picture(), plain) {
			t.Errorf("after %q the picture is not what it was", line)
		}
	}
	s.Run(t, "highlight", "button")
	marked := picture()
	if _, err := s.Try(t, "highlight", "#none"); err == nil {
		t.Error("an element that does not exist was highlighted")
	}
	if !bytes.Equal(picture(), marked) {
		t.Error("a highlight that failed took the earlier one away")
	}
	if got := s.Eval(t, "changes"); got != "0" {
		t.Errorf("the document was changed %s times", got)
	}
	s.Run(t, "highlight", "button", "--frame", "inner")
	inner := picture()
	s.Run(t, "highlight", "--off")
	s.Run(t, "highlight", "button", "--frame", "inner")
	if !bytes.Equal(picture(), inner) {
		t.Error("the mark of the page stayed when an element of the frame was highlighted")
	}
	s.Run(t, "highlight", "--off")
	s.Run(t, "eval", "setTimeout(() => document.body.append(Object.assign(document.createElement('b'), { textContent: 'late' })), 300), 0")
	s.Run(t, "highlight", "b")
	late := picture()
	s.Run(t, "highlight", "--off")
	if bytes.Equal(picture(), late) {
		t.Error("an element that came later was not highlighted")
	}
}

// TestHighlightNothing: without --timeout it waits for an element as long as an action does, not as long as a page load.
func TestHighlightNothing(t *testing.T) {
	s := commandtest.New(t)
	s.Run(t, "open", cdptest.NewSite(t).URL("/small"))
	began := time.Now()
	if _, err := s.Try(t, "highlight", "#nothing"); api.CodeOf(err) != api.ElementNotFound {
		t.Error(err)
	}
	if took := time.Since(began); took > 12*time.Second {
		t.Errorf("it waited for %s", took)
	}
}
