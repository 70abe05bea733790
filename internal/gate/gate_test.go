package gate_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/usher-browser/usher/internal/gate"
	"github.com/usher-browser/usher/internal/verb"
)

// table is a small grammar with the categories that the tests need.
func table() *verb.Table {
	url := verb.Arg{Name: "url", Kind: verb.URL}
	action := verb.Arg{Name: "action", Choices: []string{"click", "fill", "text"}}
	v := func(name string, c verb.Category, marks verb.Marks, args ...verb.Arg) verb.Verb {
		return verb.Verb{Name: name, Category: c, Marks: marks, Args: args, Group: verb.GroupAct}
	}
	open := v("open", verb.CatNavigate, verb.Starts, url)
	open.Synonyms = []string{"goto"}
	wait := v("wait", verb.CatWait, 0)
	wait.Flags = []verb.Flag{{Name: "fn", Kind: verb.String, Runs: "eval"}, {Name: "text", Kind: verb.String}}
	return verb.NewTable(verb.Set{Families: []verb.Family{{Name: "get"}, {Name: "tab"}, {Name: "find"}, {Name: "diff"}, {Name: "set"}}, Verbs: []verb.Verb{
		v("set credentials", verb.CatSession, verb.Starts|verb.ChangesPage), v("set media", verb.CatSession, verb.Starts|verb.ChangesPage),
		open, wait, v("click", verb.CatClick, 0), v("dblclick", verb.CatClick, 0), v("fill", verb.CatFill, 0), v("eval", verb.CatEval, 0),
		v("get text", verb.CatGet, 0), v("get html", verb.CatGet, 0), v("tab new", verb.CatTab, verb.Starts, url), v("tab list", verb.CatTab, 0),
		v("diff url", verb.CatNavigate, verb.Starts, verb.Arg{Name: "url1", Kind: verb.URL}, verb.Arg{Name: "url2", Kind: verb.URL}),
		v("find text", verb.CatInteract, 0, action), v("close", verb.CatSession, 0), v("help", verb.CatTool, 0),
	}})
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	later := time.Now().Add(time.Hour) // a change within the clock's resolution is a change of size here
	_ = os.Chtimes(path, later, later.Add(time.Duration(len(text))*time.Second))
}

func TestDecide(t *testing.T) {
	const none = `{}`
	for _, c := range []struct{ policy, confirm, line, want string }{
		{none, "", "click", "allow"},
		{`{"deny":["click"]}`, "", "dblclick", "deny"},
		{`{"deny":["dblclick"]}`, "", "click", "allow"},
		{`{"deny":["evaluate"]}`, "", "eval", "deny"},
		{`{"deny":["eval"]}`, "", "eval", "deny"},
		{`{"deny":["goto"]}`, "", "open x.org", "deny"},
		{`{"deny":["navigate"]}`, "", "tab new x.org", "deny"},
		{`{"deny":["navigate"]}`, "", "tab new", "allow"},
		{`{"deny":["eval"]}`, "", "open data:text/html,<script>1</script>", "deny"},
		{`{"deny":["eval"]}`, "", "tab new DATA:image/svg+xml;base64,PHN2Zy8+", "deny"},
		{`{"deny":["eval"]}`, "", "open data:,x", "allow"},
		{`{"deny":["eval"]}`, "", "open data:image/png;base64,AAAA", "allow"},
		{`{"deny":["eval"]}`, "", "open x.org", "allow"},
		{`{"deny":["tab_new"]}`, "", "tab new", "deny"},
		{`{"deny":["tab"]}`, "", "tab list", "deny"},
		{`{"deny":["gettext"]}`, "", "get text", "deny"},
		{`{"deny":["gettext"]}`, "", "get html", "allow"},
		{`{"deny":["click"]}`, "", "find text", "deny"},
		{`{"deny":["click"]}`, "", "find text fill", "allow"},
		{`{"deny":["get"]}`, "", "find text text", "deny"},
		{`{"deny":["stream_enable"]}`, "", "click", "allow"},
		{`{"default":"deny"}`, "", "click", "deny"},
		{`{"default":"deny","allow":["click"]}`, "", "find text click", "allow"},
		{`{"default":"deny","allow":["navigate"]}`, "", "tab new x.org", "deny"},
		{`{"default":"deny","allow":["navigate","tab"]}`, "", "tab new x.org", "allow"},
		{`{"default":"deny"}`, "", "close", "allow"},
		{`{"deny":["close"]}`, "", "close", "allow"},
		{`{"default":"deny"}`, "", "help", "allow"},
		{`{"default":"deny"}`, "", "open", "allow"},
		{`{"default":"deny"}`, "", "open x.org", "deny"},
		{`{"deny":["eval"]}`, "", "wait --fn 1", "deny"},
		{`{"deny":["evaluate"]}`, "", "wait --text 1", "allow"},
		{`{"default":"deny","allow":["wait"]}`, "", "wait --fn 1", "deny"},
		{none, "eval", "wait --fn 1", "confirm"},
		{`{"default":"deny"}`, "", "set media", "allow"},
		{`{"deny":["set credentials"]}`, "", "set credentials", "deny"},
		{`{"deny":["credentials"]}`, "", "set credentials", "deny"},
		{`{"deny":["set credentials"]}`, "", "set media", "allow"},
		{`{"deny":["set"]}`, "", "set media", "deny"},
		{`{"deny":["session"]}`, "", "set media", "allow"},
		{none, "set_media", "set media", "confirm"},
		{`{"default":"confirm"}`, "", "click", "confirm"},
		{`{"deny":["click"],"confirm":["click"]}`, "", "click", "deny"},
		{`{"allow":["click"],"confirm":["click"]}`, "", "click", "confirm"},
		{none, "click", "dblclick", "confirm"},
		{`{"deny":["click"]}`, "click", "click", "deny"},
	} {
		path := filepath.Join(t.TempDir(), "policy.json")
		write(t, path, c.policy)
		var g gate.Gate
		if _, err := g.Set(t.Context(), table(), path, verb.SplitCSV(c.confirm)); err != nil {
			t.Errorf("%s: %v", c.policy, err)
			continue
		}
		call, err := table().Parse(strings.Fields(c.line), verb.Usher)
		if err != nil {
			t.Fatal(err)
		}
		if got, rule := g.Decide(call); string(got) != c.want || (got == gate.Allow) != (rule == "") {
			t.Errorf("%s %s: %s is %s (%s), want %s", c.policy, c.confirm, c.line, got, rule, c.want)
		}
	}
}

// TestUses: a use of a plugin is judged also with a command that is never refused itself.
func TestUses(t *testing.T) {
	use := verb.Act{Category: verb.CatPlugin, Name: "plugin:Vault:credential.read"}
	for _, c := range []struct{ policy, confirm, line, want string }{
		{`{}`, "plugin:vault:credential.read", "open", "confirm"},
		{`{}`, "plugin:other:credential.read", "open", "allow"},
		{`{"deny":["plugin:Vault:credential.read"]}`, "", "click", "deny"},
		{`{"deny":["plugin"]}`, "", "open x.org", "deny"},
		{`{"default":"deny","allow":["navigate"]}`, "", "open x.org", "deny"},
		{`{"default":"deny","allow":["navigate","plugin"]}`, "", "open x.org", "allow"},
		{`{"default":"deny","allow":["plugin"]}`, "", "open", "allow"},
		{`{"default":"deny","allow":["plugin"]}`, "", "diff url x.org y.org", "deny"},
	} {
		path := filepath.Join(t.TempDir(), "policy.json")
		write(t, path, c.policy)
		var g gate.Gate
		if _, err := g.Set(t.Context(), table(), path, verb.SplitCSV(c.confirm)); err != nil {
			t.Fatal(err)
		}
		call, err := table().Parse(strings.Fields(c.line), verb.Usher)
		if err != nil {
			t.Fatal(err)
		}
		if got, rule := g.Decide(call, use); string(got) != c.want {
			t.Errorf("%s %s: %s is %s (%s), want %s", c.policy, c.confirm, c.line, got, rule, c.want)
		}
	}
}

// Mistakes are errors that name the line and the nearest word.
func TestMistakes(t *testing.T) {
	for text, want := range map[string]string{
		"":                              "is not a policy",
		"[]":                            "is not a policy",
		`{"deny": ["tab_neww"]}`:        `p.json:1: deny: "tab_neww" is neither a category nor a command; did you mean tab new?`,
		`{"deny": ["evl"]}`:             `p.json:1: deny: "evl" is neither a category nor a command; did you mean eval?`,
		"{\n\"allow\": [\"clikc\"]}":    `p.json:2: allow: "clikc" is neither`,
		`{"deni": []}`:                  `has no member "deni"; did you mean deny?`,
		`{"rules": []}`:                 `it has default, allow, deny, confirm`,
		`{"default": "no"}`:             `write allow, deny or confirm`,
		`{"deny": "eval"}`:              `deny is not a list`,
		`{"deny": [1]}`:                 `not a text`,
		`{"deny": ["eval"]`:             `p.json:1`,
		"{\"deny\": [],\n\"deny\": []}": `p.json:2`,
		`{} {}`:                         `text after the policy`,
		`{"deny": ["zzzzzzzz"]}`:        `the categories are navigate, `,
		`{"deny": ["plugin:vault"]}`:    `plugin:NAME:CAPABILITY`,
	} {
		_, err := gate.Parse(table(), "p.json", []byte(text))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

// A changed file applies at once. While it is invalid, the last valid version does.
func TestReload(t *testing.T) {
	path := filepath.Join(t.TempDir(), "policy.json")
	call, err := table().Parse([]string{"eval"}, verb.Usher)
	if err != nil {
		t.Fatal(err)
	}
	var g gate.Gate
	check := func(file, path string, want gate.Decision, warns, fails bool) {
		t.Helper()
		warning, err := g.Set(t.Context(), table(), file, nil)
		if (warning != "") != warns || (err != nil) != fails {
			t.Errorf("%s: warning %q, error %v", path, warning, err)
		}
		if got, _ := g.Decide(call); got != want {
			t.Errorf("%s: %s, want %s", path, got, want)
		}
	}
	write(t, path, `{"deny": ["eval"]}`)
	check(path, "first", gate.Deny, false, false)
	write(t, path, `{"confirm": ["eval"]}`)
	check("", "changed", gate.Confirm, false, false)
	write(t, path, `{"confirm": ["evaal"]}`)
	check("", "invalid", gate.Confirm, true, false)
	check(path, "invalid and named again", gate.Confirm, true, false)
	check(path+"x", "another, missing", gate.Confirm, false, true)
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	check("", "removed", gate.Confirm, true, false)
	write(t, path, `{}`)
	check("", "valid again", gate.Allow, false, false)
}

func TestPending(t *testing.T) {
	var p gate.Pending[int]
	any := func(int) bool { return true }
	one, two := p.Add(1), p.Add(2)
	if one == two || len(one) < 27 {
		t.Errorf("ids %s, %s", one, two)
	}
	if _, ok := p.Take(one, func(int) bool { return false }); ok {
		t.Error("a refused item was taken")
	}
	if got, ok := p.Take(one, any); !ok || got != 1 {
		t.Errorf("%d, %v", got, ok)
	}
	if _, ok := p.Take(one, any); ok {
		t.Error("an id is valid twice")
	}
	for i := range 200 {
		p.Add(i)
	}
	if _, ok := p.Take(two, any); ok {
		t.Error("the oldest was not dropped")
	}
}
