package read_test

import (
	"strings"
	"testing"

	"github.com/usher-browser/usher/internal/cdptest"
	"github.com/usher-browser/usher/internal/cdptest/commandtest"
)

func TestPushState(t *testing.T) {
	s := commandtest.New(t)
	site := cdptest.NewSite(t)
	if _, err := s.Try(t, "pushstate", "/x"); err == nil || !strings.Contains(err.Error(), "/x is no address on about:blank: use open") {
		t.Errorf("on about:blank: %v", err)
	}
	s.Run(t, "open", site.URL("/small"))
	if got := s.Run(t, "pushstate", "/x?y").Text; got != site.URL("/x?y") {
		t.Errorf("at %s", got)
	}
	s.Eval(t, "for (let i = 0; i < 250; i++) history.pushState(0, '', '?' + i)")
	if res, err := s.Try(t, "pushstate", "/z"); err == nil || !strings.Contains(err.Error(), "the browser ignored it") {
		t.Errorf("ignored by the browser: %q, %v", res.Text, err)
	}
}
