package act_test

import (
	"strings"
	"testing"
	"time"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/cdptest"
	"github.com/usher-browser/usher/internal/cdptest/commandtest"
	"github.com/usher-browser/usher/internal/command/act"
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

// TestFindSelects: find selects an option as select does, by value or label, and warns as it does.
func TestFindSelects(t *testing.T) {
	s := commandtest.New(t)
	s.Run(t, "open", cdptest.NewSite(t).URL("/small"))
	s.Run(t, "eval", `document.body.innerHTML = '<label>Country <select><option>Spain<option value=fr>French Republic</select></label><label>Odd <select onchange="selectedIndex=0"><option>a<option>b</select></label>'; 0`)
	res := s.Run(t, "find", "label", "Country", "select", "French", "Republic")
	if found, ok := res.Data.(*act.Found); !ok || len(found.Selected) != 1 || found.Selected[0] != "fr" {
		t.Errorf("data %+v", res.Data)
	}
	if got := s.Eval(t, "document.querySelector('select').value"); got != `"fr"` {
		t.Errorf("selected: %s", got)
	}
	if res := s.Run(t, "find", "label", "Odd", "select", "b"); !strings.Contains(res.Warning, "the page changed the list to") {
		t.Errorf("warning %q", res.Warning)
	}
	if _, err := s.Try(t, "find", "label", "Country", "select", "Italy", "--timeout", "300"); api.AsError(err) == nil || api.AsError(err).Code != api.OptionNotFound {
		t.Errorf("an option that is not there: %v", err)
	}
}

// TestTextThatIsAName: what a snapshot shows as a name need not be a text of the page.
func TestTextThatIsAName(t *testing.T) {
	s := commandtest.New(t)
	s.Run(t, "open", cdptest.NewSite(t).URL("/small"))
	s.Run(t, "eval", `document.body.innerHTML = '<style>b::before{content:"Heading 1"}</style><button onclick="hit = 1"><b></b></button>'; window.hit = 0`)
	for _, argv := range [][]string{{"find", "text", "Heading 1", "click"}, {"click", "text=Heading 1"}} {
		_, err := s.Try(t, append(argv, "--timeout", "300")...)
		e := api.AsError(err)
		if e == nil || e.Code != api.ElementNotFound || !strings.Contains(e.Hint, "the name of the button @e") {
			t.Fatalf("%s: %v", strings.Join(argv, " "), err)
		}
		if named, _ := e.Data["named"].(map[string]any); named["name"] != "Heading 1" {
			t.Errorf("%s: data %v", strings.Join(argv, " "), e.Data)
		}
	}
	if got := s.Eval(t, "hit"); got != "0" {
		t.Error("the button was clicked")
	}
	if _, err := s.Try(t, "click", "text=Nothing", "--timeout", "300"); api.AsError(err).Hint != "" {
		t.Errorf("a text that is no name: %v", err)
	}
}
