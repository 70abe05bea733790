package act_test

import (
	"strings"
	"testing"
	"time"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/cdptest"
	"github.com/usher-browser/usher/internal/cdptest/commandtest"
	"github.com/usher-browser/usher/internal/command/run"
)

// TestRefOfAnotherTab: a ref of a tab in the background is refused at once, with the tab to switch to, because the browser
// sends a background tab no input and the reader expects the page in front.
func TestRefOfAnotherTab(t *testing.T) {
	site := cdptest.NewSite(t)
	s := commandtest.New(t)
	s.Run(t, "open", site.URL("/small"))
	s.Run(t, "snapshot", "-i")
	s.Run(t, "tab", "new", site.URL("/small?second"))
	for _, line := range [][]string{{"click", "@e1"}, {"get", "text", "@e1"}, {"get", "count", "@e1 >> css=*"}, {"eval", "--frame", "@e1", "1"}} {
		_, err := s.Try(t, line...)
		if api.CodeOf(err) != api.UnknownRef || !strings.Contains(err.Error(), "@e1 is in tab t1, not in the active one, t2") {
			t.Errorf("%q: %v, want a refusal that names the tab", line, err)
		}
	}
	s.Run(t, "tab", "t1")
	s.Run(t, "click", "@e1")
}

// TestRefOfAnotherTabAsAgentBrowser: the message begins as that of agent-browser.
func TestRefOfAnotherTabAsAgentBrowser(t *testing.T) {
	site := cdptest.NewSite(t)
	s := commandtest.New(t)
	s.Settings.Compatible = true
	s.Run(t, "open", site.URL("/small"))
	s.Run(t, "snapshot", "-i")
	s.Run(t, "tab", "new")
	if _, err := s.Try(t, "click", "@e1"); err == nil || !strings.HasPrefix(err.Error(), "Unknown ref: e1. @e1 is in tab t1") {
		t.Errorf("click: %v", err)
	}
}

// TestWindowThatIsWritten: a document that a script writes and does not close never finishes loading. The click that opens it does
// not wait for that, nor do those that read it, and a wait for its load event ends with a warning.
func TestWindowThatIsWritten(t *testing.T) {
	site := cdptest.NewSite(t)
	s := commandtest.New(t)
	s.Run(t, "open", site.URL("/small"))
	s.Eval(t, `document.body.innerHTML = "<button id=b>Open</button>"; b.onclick = () => { const w = open("about:blank"); w.document.write("<h1>Written</h1>") }`)
	began := time.Now()
	if res := s.Run(t, "click", "#b"); !strings.Contains(res.Text, "opened tab [t2], now active: about:blank") {
		t.Errorf("the click says %q", res.Text)
	}
	if res := s.Run(t, "snapshot"); !strings.Contains(res.Text, "Written") {
		t.Errorf("the page is %q", res.Text)
	}
	if res := s.Run(t, "wait", "--load", "load"); !strings.Contains(res.Warning, "a script writes the document") {
		t.Errorf("the wait for the load event warns %q", res.Warning)
	}
	if took := time.Since(began); took > run.NavigationLimit {
		t.Errorf("all that took %s", took)
	}
	s.Eval(t, "document.close()")
	if res := s.Run(t, "wait", "--load", "load"); res.Warning != "" {
		t.Errorf("the wait for a document that is closed warns %q", res.Warning)
	}
}
