package config

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/usher-browser/usher/internal/verb"
)

// fixture is a home directory and a working directory with files in them.
type fixture struct {
	t         *testing.T
	home, cwd string
	env       map[string]string
	mode      verb.Mode
}

func newFixture(t *testing.T, mode verb.Mode) *fixture {
	p := &fixture{t: t, home: t.TempDir(), cwd: t.TempDir(), env: map[string]string{}, mode: mode}
	p.env[homeVariable()] = p.home
	return p
}

func (p *fixture) write(path, text string) string {
	p.t.Helper()
	if !filepath.IsAbs(path) {
		path = filepath.Join(p.cwd, path)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		p.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		p.t.Fatal(err)
	}
	return path
}

func (p *fixture) user(text string) string {
	if p.mode == verb.AgentBrowser {
		return p.write(filepath.Join(p.home, ".agent-browser", "config.json"), text)
	}
	return p.write(filepath.Join(p.home, ".usher", "config.yaml"), text)
}

// load reads the settings for a command line that ends in "back".
func (p *fixture) load(flags ...string) (*Settings, error) {
	p.t.Helper()
	call, err := commands().Parse(append(flags, "back"), p.mode)
	if err != nil {
		p.t.Fatal(err)
	}
	return Load(Source{Mode: p.mode, Cwd: p.cwd, Flags: call.Globals, Env: func(name string) (string, bool) { v, ok := p.env[name]; return v, ok }})
}

func (p *fixture) must(flags ...string) *Settings {
	p.t.Helper()
	s, err := p.load(flags...)
	if err != nil {
		p.t.Fatal(err)
	}
	return s
}

// refused loads and wants an error of the code that mentions every word.
func (p *fixture) refused(code string, words ...string) *Error {
	p.t.Helper()
	_, err := p.load()
	var e *Error
	if !errors.As(err, &e) || e.Code != code {
		p.t.Fatalf("%v, want an error with code %s", err, code)
	}
	for _, w := range words {
		if !strings.Contains(e.Error(), w) {
			p.t.Errorf("%q does not mention %q", e.Error(), w)
		}
	}
	return e
}

func TestMissingOptionMeansKeep(t *testing.T) {
	s := newFixture(t, verb.Usher).must()
	for _, f := range verb.GlobalFlags() {
		if s.Given(f.Name) || s.From(f.Name) != Default {
			t.Errorf("%s counts as given", f.Name)
		}
	}
	if s.Str("session") != "default" || !s.Bool("hide-scrollbars") || s.Bool("headed") || s.Dur("idle-timeout").Hours() != 1 || s.Int("screenshot-quality") != 0 {
		t.Error("the defaults of the table do not hold")
	}
	if len(s.All()) != 0 || len(s.InScope(verb.AtLaunch)) != 0 || len(s.Warnings) != 0 {
		t.Errorf("%v %v", s.All(), s.Warnings)
	}
}

func TestLaterLayersWin(t *testing.T) {
	p := newFixture(t, verb.Usher)
	check := func(want string, from Layer, where string, flags ...string) {
		t.Helper()
		v := p.must(flags...).Value("color-scheme")
		if v.Words[0] != want || v.From != from || !strings.HasSuffix(v.Where, where) {
			t.Errorf("%+v, want %s from the %s at %s", v, want, from, where)
		}
	}
	p.user("# mine\ncolor-scheme: dark\n")
	check("dark", UserFile, "config.yaml:2")
	p.write("usher.yaml", "colorScheme: light\n")
	check("light", ProjectFile, "usher.yaml:1")
	p.env["USHER_COLOR_SCHEME"] = "no-preference"
	check("no-preference", Environment, "USHER_COLOR_SCHEME")
	check("dark", Flags, "--color-scheme", "--color-scheme", "dark")
	p.env["USHER_COLOR_SCHEME"] = ""
	check("light", ProjectFile, "usher.yaml:1")

	named := p.write("other.yaml", "headed: true\n")
	s := p.must("--config", "other.yaml")
	if s.Given("color-scheme") || s.From("headed") != NamedFile {
		t.Errorf("a named file does not replace the others: %+v", s.All())
	}
	p.env["USHER_CONFIG"] = named
	if s := p.must(); s.Given("color-scheme") || !s.Bool("headed") {
		t.Errorf("a file named by the environment does not replace the others: %+v", s.All())
	}
}

func TestUserFile(t *testing.T) {
	p := newFixture(t, verb.Usher)
	p.user(`
headed: true
args: [--no-sandbox, "--window-size=800,600"]
userAgent: "-odd agent"
headers: {X-A: b, X-N: 1}
idle_timeout: 30s
timeout: 5000
screenshot-dir: shots
download-path: ~/dl
proxy: null
session: work
`)
	s := p.must()
	if len(s.Warnings) != 0 {
		t.Errorf("warnings: %q", s.Warnings)
	}
	if !s.Bool("headed") || s.Str("user-agent") != "-odd agent" || s.Dur("idle-timeout").Seconds() != 30 || s.Dur("timeout").Seconds() != 5 ||
		s.Str("session") != "work" || s.Given("proxy") {
		t.Errorf("%+v", s.All())
	}
	if want := []string{"--no-sandbox", "--window-size=800,600"}; !slices.Equal(s.List("args"), want) {
		t.Errorf("args %q, want %q", s.List("args"), want)
	}
	if s.Str("headers") != `{"X-A":"b","X-N":"1"}` {
		t.Errorf("headers %s", s.Str("headers"))
	}
	if s.Str("screenshot-dir") != filepath.Join(p.home, ".usher", "shots") || s.Str("download-path") != filepath.Join(p.home, "dl") {
		t.Errorf("paths %s and %s", s.Str("screenshot-dir"), s.Str("download-path"))
	}
	var launch []string
	for _, v := range s.InScope(verb.AtLaunch) {
		launch = append(launch, v.Name)
	}
	if want := []string{"headed", "args"}; !slices.Equal(launch, want) {
		t.Errorf("fixed at launch: %q, want %q", launch, want)
	}
}

func TestUnknownKeyIsWarnedAbout(t *testing.T) {
	p := newFixture(t, verb.Usher)
	p.user("json: true\nheadded: true\n")
	s := p.must()
	if len(s.Warnings) != 1 || !strings.Contains(s.Warnings[0], "config.yaml:2; did you mean headed?") || !s.Bool("json") {
		t.Errorf("%q", s.Warnings)
	}
}

func TestProjectFileIsLimited(t *testing.T) {
	p := newFixture(t, verb.Usher)
	p.write(".usher.yaml", "headed: true\nexecutable-path: /tmp/evil\nargs: --load-extension=x\nsession: mine\nproxy: http://evil\ncdp: 9222\n")
	s := p.must()
	if !s.Bool("headed") || s.Given("executable-path") || s.Given("args") || s.Given("session") || s.Given("proxy") || s.Given("cdp") {
		t.Errorf("%+v", s.All())
	}
	if len(s.Warnings) != 1 || !strings.Contains(s.Warnings[0], "executable-path, args, session, proxy, cdp") {
		t.Errorf("%q", s.Warnings)
	}
	if s := p.must("--config", ".usher.yaml"); s.Str("session") != "mine" {
		t.Error("a file that was named is not trusted")
	}
	// What a project may set can neither reach other data nor weaken a protection, so the list changes only on purpose.
	var projectKeys []string
	for _, f := range verb.GlobalFlags() {
		if f.ProjectMaySet {
			projectKeys = append(projectKeys, f.Name)
		}
	}
	want := []string{"json", "timeout", "headed", "user-agent", "strict", "color-scheme", "reduced-motion", "forced-colors", "contrast", "media", "timezone", "locale",
		"viewport", "device", "screen", "mobile", "touch", "hide-scrollbars", "no-webmcp", "screenshot-format",
		"screenshot-quality", "annotate", "max-output", "stealth", "idle-timeout", "debug"}
	if !slices.Equal(projectKeys, want) {
		t.Errorf("a project may set %q, want %q", projectKeys, want)
	}
}

func TestBrokenProjectFileIsAWarning(t *testing.T) {
	p := newFixture(t, verb.Usher)
	p.write("usher.yaml", "headed: [\n")
	s := p.must()
	if len(s.Warnings) != 1 || !strings.Contains(s.Warnings[0], "usher.yaml") {
		t.Errorf("%q", s.Warnings)
	}
}

func TestRefusals(t *testing.T) {
	for _, c := range []struct {
		name, text string
		line       int
		says       []string
	}{
		{"syntax", "json: true\nheaded: [\n", 3, []string{"config.yaml:3: this is not YAML: did not find"}},
		{"syntax without a line", "json: \xff\n", 0, []string{"config.yaml: this is not YAML: invalid"}},
		{"no map", "- a\n", 1, []string{"name: value"}},
		{"value", "json: true\n\ntimeout: soon\n", 3, []string{`"soon"`, "30s"}},
		{"choice", "color-scheme: drak\n", 1, []string{"dark"}},
		{"bool", "headed: maybe\n", 1, []string{"true nor false"}},
		{"list", "user-agent: [a, b]\n", 1, []string{"one value"}},
		{"nested", "args: [[a]]\n", 1, []string{"plain values"}},
		{"twice", "user-agent: a\nuserAgent: b\n", 2, []string{"twice"}},
		{"range", "screenshot-quality: 0\n", 1, []string{"minimum is 1"}},
		{"session", "session: a b\n", 1, []string{"letters"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newFixture(t, verb.Usher)
			p.user(c.text)
			e := p.refused("invalid_config", append(c.says, "config.yaml")...)
			if c.line != 0 && e.Line != c.line {
				t.Errorf("line %d, want %d: %v", e.Line, c.line, e)
			}
		})
	}
	p := newFixture(t, verb.Usher)
	p.env["USHER_TIMEOUT"] = "soon"
	p.refused("invalid_config", "USHER_TIMEOUT", "30s")
	p.env = map[string]string{homeVariable(): p.home, "USHER_CONFIG": "gone.yaml"}
	p.refused("invalid_config", "gone.yaml", "--config")
	p.env["USHER_CONFIG"] = p.cwd
	p.refused("invalid_config", "regular file")
	p.env["USHER_CONFIG"] = p.write("big.yaml", strings.Repeat("#", maxFile+1))
	p.refused("invalid_config", "larger")
	if e := p.refused("invalid_config"); e.Path == "" {
		t.Error("the file is not named")
	}
}

func TestSyntaxErrorsNameTheLine(t *testing.T) {
	p := newFixture(t, verb.Usher)
	p.user("json: true\nheaded: true\n  bad: [1\n")
	if e := p.refused("invalid_config"); e.Line < 2 || e.Line > 4 {
		t.Errorf("line %d: %v", e.Line, e)
	}
	a := newFixture(t, verb.AgentBrowser)
	a.user("{\n  \"json\": true,\n  \"headed\": tru\n}\n")
	if e := a.refused("invalid_config", "not JSON"); e.Line != 3 {
		t.Errorf("line %d: %v", e.Line, e)
	}
}

func TestEnvironment(t *testing.T) {
	for text, want := range map[string]string{"1": "true", "yes": "true", "on": "true", "0": "false", "False": "false", "NO": "false", " ": "false"} {
		p := newFixture(t, verb.Usher)
		p.env["USHER_HEADED"] = text
		if got := p.must().Str("headed"); got != want {
			t.Errorf("USHER_HEADED=%q is %q, want %q", text, got, want)
		}
	}
	p := newFixture(t, verb.Usher)
	p.env["AGENT_BROWSER_HEADED"] = "1"
	p.env["AGENT_BROWSER_ALLOWED_DOMAINS"] = "x.org"
	p.env["HTTPS_PROXY"] = "http://p"
	if s := p.must(); len(s.All()) != 0 {
		t.Errorf("called usher, the other tool's variables count: %+v", s.All())
	}
	for _, name := range []string{"USHER_EXECUTABLE_PATH", "AGENT_BROWSER_IDLE_TIMEOUT_MS", "HTTPS_PROXY", "USHER_HOME", "AGENT_BROWSER_ALLOWED_DOMAINS", "HOME"} {
		if !slices.Contains(EnvNames(), name) {
			t.Errorf("a client would not send %s", name)
		}
	}
	if names := EnvNames(); len(names) != len(slices.Compact(slices.Sorted(slices.Values(names)))) {
		t.Error("EnvNames repeats itself")
	}
}

func TestAgentBrowserLayers(t *testing.T) {
	p := newFixture(t, verb.AgentBrowser)
	p.user(`{"headed": true, "args": "--a,--b", "someFutureKey": {"x": [1]}, "idleTimeout": 60000, "userAgent": "file", "engine": "chrome", "extensions": null}`)
	s := p.must()
	if !s.Bool("headed") || !slices.Equal(s.List("args"), []string{"--a", "--b"}) || s.Dur("idle-timeout").Minutes() != 1 || len(s.Warnings) != 0 {
		t.Errorf("%+v %q", s.All(), s.Warnings)
	}
	p.env["USHER_USER_AGENT"] = "own"
	if got := p.must().Str("user-agent"); got != "own" {
		t.Errorf("usher's variable is not above the file: %s", got)
	}
	p.env["AGENT_BROWSER_USER_AGENT"] = "theirs"
	p.env["AGENT_BROWSER_DEFAULT_TIMEOUT"] = "7000"
	p.env["AGENT_BROWSER_IDLE_TIMEOUT_MS"] = "0"
	s = p.must()
	if s.Str("user-agent") != "theirs" || s.Dur("timeout").Seconds() != 7 || s.Dur("idle-timeout") != 0 || !s.Given("idle-timeout") {
		t.Errorf("%+v", s.All())
	}
	p.env["ALL_PROXY"], p.env["http_proxy"] = "http://all", "http://plain"
	if got := p.must().Value("proxy"); got.Words[0] != "http://plain" || got.Where != "http_proxy" {
		t.Errorf("%+v", got)
	}
	p.env["AGENT_BROWSER_PROXY"] = "http://own"
	if got := p.must().Str("proxy"); got != "http://own" {
		t.Errorf("proxy %s", got)
	}
	p.write("agent-browser.json", `{"session": "x", "headed": false, "proxy": "http://evil"}`)
	s = p.must()
	if s.Given("session") || s.Bool("headed") || s.Str("proxy") != "http://own" || len(s.Warnings) != 1 || !strings.Contains(s.Warnings[0], "session, proxy") {
		t.Errorf("%+v %q", s.All(), s.Warnings)
	}
}

// An option that protects the user is never dropped in silence.
func TestProtectionsNotBuiltAreRefused(t *testing.T) {
	p := newFixture(t, verb.AgentBrowser)
	p.env["AGENT_BROWSER_POLICY"] = "p.json"
	p.refused("unsupported", "POLICY")
	p = newFixture(t, verb.AgentBrowser)
	p.env["AGENT_BROWSER_POLICY"], p.env["AGENT_BROWSER_CONFIRM_INTERACTIVE"], p.env["AGENT_BROWSER_ALLOWED_DOMAINS"] = "", "0", ""
	p.must()
}

func TestPathsOfFlags(t *testing.T) {
	p := newFixture(t, verb.Usher)
	abs := filepath.Join(p.home, "x", "..", "y")
	s := p.must("--download-path", "dl", "--screenshot-dir", "~/shots", "--executable-path", "chromium", "--profile", abs)
	for name, want := range map[string]string{"download-path": filepath.Join(p.cwd, "dl"), "screenshot-dir": filepath.Join(p.home, "shots"),
		"executable-path": "chromium", "profile": filepath.Join(p.home, "y")} {
		if got := s.Str(name); got != want {
			t.Errorf("%s is %s, want %s", name, got, want)
		}
	}
	if got := p.must("--executable-path", "./chromium").Str("executable-path"); got != filepath.Join(p.cwd, "chromium") {
		t.Errorf("executable-path %s", got)
	}
	for given, want := range map[string]string{"work": "work", "./work": filepath.Join(p.cwd, "work")} { // a name, a directory
		if got := p.must("--profile", given).Str("profile"); got != want {
			t.Errorf("profile %s is %s", given, got)
		}
	}
	delete(p.env, homeVariable())
	p.env["USHER_HOME"] = p.home
	if _, err := p.load("--download-path", "~/x"); err == nil || !strings.Contains(err.Error(), homeVariable()) {
		t.Errorf("%v", err)
	}
	if runtime.GOOS != "windows" {
		p.write(filepath.Join(p.home, "config.yaml"), "json: true\n")
		if !p.must().Bool("json") {
			t.Error("the file in USHER_HOME is not read")
		}
	}
}

func FuzzFiles(f *testing.F) {
	f.Add("headed: true\nargs: [a]\n")
	f.Add("{\"headed\": true, \"args\": [\"a\"], \"headers\": {\"a\": 1}}")
	f.Add("a: &x [*x]\n<<: {b: 1}\n")
	f.Add("? [a]\n: b\n")
	f.Add("\"0\r\r") // a carriage return alone ends a line of YAML
	f.Fuzz(func(t *testing.T, text string) {
		for _, parse := range []func([]byte) ([]entry, *Error){parseYAML, parseJSON} {
			entries, err := parse([]byte(text))
			if err != nil && (err.Code != "invalid_config" || err.Message == "" || err.Line > len(text)+1) {
				t.Fatalf("%q: %#v", text, err)
			}
			for _, e := range entries {
				if e.line < 1 {
					t.Fatalf("%q: the key %q has line %d", text, e.key, e.line)
				}
			}
		}
	})
}

func BenchmarkLoadWithoutFiles(b *testing.B) {
	home, cwd := b.TempDir(), b.TempDir()
	env := func(name string) (string, bool) {
		if name == homeVariable() {
			return home, true
		}
		return "", false
	}
	for b.Loop() {
		if _, err := Load(Source{Env: env, Cwd: cwd}); err != nil {
			b.Fatal(err)
		}
	}
}

// TestNoAutoDialog holds that agent-browser's switch turns its habit of answering alerts off, wherever it is given.
func TestNoAutoDialog(t *testing.T) {
	for _, c := range []struct {
		file, variable, policyVariable string
		flags                          []string
		want, where                    string
	}{
		{want: ""},
		{variable: "1", want: "must_respond", where: "AGENT_BROWSER_NO_AUTO_DIALOG"},
		{variable: "false", want: ""},
		{file: `{"noAutoDialog": true}`, want: "must_respond", where: "config.json:1"},
		{file: `{"noAutoDialog": true}`, variable: "0", want: ""},
		{flags: []string{"--no-auto-dialog"}, want: "must_respond", where: "--no-auto-dialog"},
		{variable: "1", flags: []string{"--dialog-policy", "auto_accept"}, want: "auto_accept", where: "--dialog-policy"},
		{variable: "1", policyVariable: "auto_dismiss", want: "auto_dismiss", where: "USHER_DIALOG_POLICY"},
		{policyVariable: "auto_dismiss", flags: []string{"--no-auto-dialog"}, want: "must_respond", where: "--no-auto-dialog"},
	} {
		p := newFixture(t, verb.AgentBrowser)
		if c.file != "" {
			p.user(c.file)
		}
		p.env["AGENT_BROWSER_NO_AUTO_DIALOG"], p.env["USHER_DIALOG_POLICY"] = c.variable, c.policyVariable
		s := p.must(c.flags...)
		v := s.Value("dialog-policy")
		if s.Str("dialog-policy") != c.want || s.Given("dialog-policy") != (c.want != "") || !strings.HasSuffix(v.Where, c.where) {
			t.Errorf("%+v: %q from %q", c, s.Str("dialog-policy"), v.Where)
		}
	}
}

// commands returns a table of as few commands as the tests need.
func commands() *verb.Table {
	return verb.NewTable(verb.Set{Verbs: []verb.Verb{{Name: "back", Group: verb.GroupNavigate},
		{Name: "open", Args: []verb.Arg{{Name: "url", Kind: verb.URL}}, Group: verb.GroupNavigate}}})
}
