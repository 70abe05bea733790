package clipboard_test

import (
	"testing"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/cdptest"
	"github.com/usher-browser/usher/internal/cdptest/commandtest"
)

// TestClipboard: text is written and read, copied from and pasted into the page, and the page itself may not read it.
func TestClipboard(t *testing.T) {
	site := cdptest.NewSite(t)
	s := commandtest.New(t)
	s.Run(t, "open", site.URL("/small"))
	s.Run(t, "eval", "document.body.innerHTML = '<input id=from value=copied><input id=to>', 0")
	for _, text := range []string{"héllo wörld 🌍", "two\nlines"} {
		s.Run(t, "clipboard", "write", text)
		if got := s.Run(t, "clipboard", "read").Text; got != text {
			t.Errorf("read %q, want %q", got, text)
		}
	}
	s.Run(t, "focus", "#from")
	s.Run(t, "press", "Control+a")
	s.Run(t, "clipboard", "copy")
	if got := s.Run(t, "clipboard").Text; got != "copied" {
		t.Errorf("copied %q", got)
	}
	s.Run(t, "clipboard", "write", "pasted")
	s.Run(t, "focus", "#to")
	s.Run(t, "clipboard", "paste")
	if got := s.Run(t, "get", "value", "#to").Text; got != "pasted" {
		t.Errorf("pasted %q", got)
	}
	if got := s.Eval(t, "navigator.clipboard.readText().catch(e => e.name)"); got != `"NotAllowedError"` {
		t.Errorf("the page read %s", got)
	}
	s.Run(t, "open", "data:text/html,<p>insecure")
	if _, err := s.Try(t, "clipboard", "read"); api.CodeOf(err) != api.InvalidArgument {
		t.Errorf("in an insecure page: %v", err)
	}
}
