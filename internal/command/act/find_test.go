package act_test

import (
	"strings"
	"testing"
	"time"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/cdptest"
	"github.com/usher-browser/usher/internal/cdptest/commandtest"
)

// TestFindFailsAsTheCommands: what is found and cannot be acted on fails as early with find as with the command itself, and names
// the way to wait longer; what is no place for the focus fails at once.
func TestFindFailsAsTheCommands(t *testing.T) {
	s := commandtest.New(t)
	s.Run(t, "open", cdptest.NewSite(t).URL("/small"))
	s.Run(t, "eval", `document.body.innerHTML = '<h1>Title</h1><button style="display:none">Hidden</button><input id=field>'; 0`)
	for _, c := range []struct {
		argv  []string
		code  api.Code
		limit time.Duration
	}{
		{[]string{"find", "text", "Hidden", "click"}, api.ElementNotVisible, 3 * time.Second},
		{[]string{"find", "first", "button", "click"}, api.ElementNotVisible, 3 * time.Second},
		{[]string{"type", "h1", "x"}, api.ElementUnsuitable, time.Second},
	} {
		s.Run(t, "focus", "#field")
		began := time.Now()
		_, err := s.Try(t, c.argv...)
		if took := time.Since(began); api.CodeOf(err) != c.code || took > c.limit {
			t.Errorf("%s: %v after %v", strings.Join(c.argv, " "), err, took)
		}
	}
}

// TestFindTellsWhatTheFieldHolds: find warns as fill does.
func TestFindTellsWhatTheFieldHolds(t *testing.T) {
	s := commandtest.New(t)
	s.Run(t, "open", cdptest.NewSite(t).URL("/small"))
	s.Run(t, "eval", `document.body.innerHTML = '<label>Code <input maxlength=3></label>'; 0`)
	for _, action := range []string{"fill", "type"} {
		if res := s.Run(t, "find", "label", "Code", action, "123456"); !strings.Contains(res.Warning, `"123"`) {
			t.Errorf("%s: warning %q", action, res.Warning)
		}
	}
}
