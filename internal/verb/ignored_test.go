package verb_test

import (
	"strings"
	"testing"

	"github.com/usher-browser/usher/internal/verb"
)

// TestIgnored: what agent-browser 0.41.2 ignores of a line is ignored under its name, and named; what it refuses, or takes
// for an argument, is refused; and under usher's own name all of it.
func TestIgnored(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ line, want, values string }{
		{"click #b --foo bar", "ignored: --foo, bar (unknown to click)", "click '#b'"},
		{"click #b extra", "ignored: extra (unknown to click)", "click '#b'"},
		{"goto https://a.example --foo=1", "ignored: --foo=1 (unknown to goto)", "open https://a.example"},
		{"open --foo a.example more", "ignored: --foo, more (unknown to open)", "open https://a.example"},
		{"vitals --foo", "ignored: --foo (unknown to vitals)", "vitals"},
		{"get title too many", "ignored: too, many (unknown to get title)", "get title"},
		{"click #b --sesion work", "ignored: --sesion, work (unknown to click); did you mean --session?", "click '#b'"},
		{"snapshot -i --foo bar", "ignored: --foo, bar (unknown to snapshot)", "snapshot --interactive=true"},
		{"scroll down --foo 10", "ignored: --foo, 10 (unknown to scroll)", "scroll down"},
		{"mouse wheel 1 --foo bar", "ignored: --foo, bar (unknown to mouse wheel)", "mouse wheel 1"},
		{"swipe up --foo bar", "ignored: --foo, bar (unknown to swipe)", "swipe up"},
		{"find role button click --foo x", "ignored: --foo x (unknown to find role)", "find role button click"},
		{"screenshot #b x.png --foo", "ignored: --foo (unknown to screenshot)", "screenshot '#b' x.png"},
		{"tab list --foo x", "ignored: --foo, x (unknown to tab list)", "tab list"},
		{"cookies --foo bar", "ignored: --foo, bar (unknown to cookies get)", "cookies get"},
		{"fill #t x --foo y", "", "fill '#t' 'x --foo y'"},
		{"type #t x --foo y", "", "type '#t' 'x --foo y'"},
	} {
		call, err := table.Parse(strings.Fields(c.line), verb.AgentBrowser)
		if err != nil {
			t.Errorf("%s: %v", c.line, err)
			continue
		}
		if got := call.Ignored(); got != c.want {
			t.Errorf("%s: %q, want %q", c.line, got, c.want)
		}
		if got := call.String(); got != c.values {
			t.Errorf("%s is read as %q, want %q", c.line, got, c.values)
		}
		if c.want != "" {
			if _, err := table.Parse(strings.Fields(c.line), verb.Usher); err == nil {
				t.Errorf("usher %s is accepted", c.line)
			}
		}
	}
	for _, line := range []string{
		"--foo click #b", "--sesion work click #b", "get --foo title", "click --foo #b", "get text --foo h1",
		"find text link --foo", "mouse move 1 1 --foo", "set viewport 800 600 --foo", "set offline --foo", "network unroute --foo",
		"cookies set a b --foo", "storage local get k --foo", "tab --foo", "tab new --foo", "tab close --foo", "record start a.webm --foo",
		"diff snapshot --foo", "a11y --foo", "read --foo", "auth save x --foo", "webmcp list --foo", "plugin --foo", "pdf --foo x.pdf",
		"screenshot --foo", "screenshot --foo x.png", "screenshot x.png --foo", "screenshot --foo #b x.png", "screenshot #b --foo x.png",
		"cookies nonsense", "set offline maybe",
	} {
		if call, err := table.Parse(strings.Fields(line), verb.AgentBrowser); err == nil {
			t.Errorf("%s is read as %s, ignored %q", line, call, call.Ignored())
		}
	}
}
