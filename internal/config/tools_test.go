package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/usher-browser/usher/internal/verb"
)

// toolsOf reads tools from a user file of that text.
func toolsOf(t *testing.T, name, text string) (*Tools, error) {
	t.Helper()
	home := t.TempDir()
	if err := os.WriteFile(filepath.Join(home, name), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return LoadTools(Source{Cwd: t.TempDir(), Env: func(name string) (string, bool) {
		v, ok := map[string]string{"USHER_HOME": home, "HOME": home, "TOKEN": "t0ken"}[name]
		return v, ok
	}})
}

func TestLoadTools(t *testing.T) {
	t.Parallel()
	got, err := toolsOf(t, "config.yaml", `
timeout: 10s
toolsets: [browser, 123]
platform_toolsets:
  acp: hermes-acp
  telegram: []
  cli: null
custom_toolsets:
  data-science: [file, web]
  alone: vision
disabled_toolsets: [rl]
tools: {browser_cdp: off}
platform_tools:
  acp: {browser_cdp: true}
mcp_servers:
  github:
    command: npx
    args: [-y, "server-${TOKEN}"]
    env: {KEY: "${TOKEN}", NUMBER: 5}
    timeout: 30
    connect_timeout: 500ms
    tools: {include: [get_*], exclude: get_secret}
    provides: {read_file: read_text_file}
    comand: x
  far: {url: "https://example.com/mcp", headers: {Authorization: "Bearer ${MISSING}"}, enabled: false, provides: [file]}
confirm_tools: [browser_cdp, mcp_github__*]
vision_model: {url: "http://localhost:11434/v1/", model: looker, key: "${TOKEN}", timeout: 5}
`)
	if err != nil {
		t.Fatal(err)
	}
	path := got.Path
	want := &Tools{
		Path: path, Toolsets: []string{"browser", "123"},
		Platforms: map[string][]string{"acp": {"hermes-acp"}, "telegram": {}},
		Custom:    []CustomToolset{{"data-science", []string{"file", "web"}, 9}, {"alone", []string{"vision"}, 10}},
		Disabled:  []string{"rl"}, Switches: map[string]bool{"browser_cdp": false},
		PlatformSwitches: map[string]map[string]bool{"acp": {"browser_cdp": true}},
		Servers: []Server{
			{Name: "github", Command: "npx", Args: []string{"-y", "server-t0ken"}, Env: map[string]string{"KEY": "t0ken", "NUMBER": "5"},
				Include: []string{"get_*"}, Exclude: []string{"get_secret"}, Provides: map[string]string{"read_file": "read_text_file"},
				Timeout: 30 * time.Second, StartTimeout: 500 * time.Millisecond, Line: 16},
			{Name: "far", URL: "https://example.com/mcp", Headers: map[string]string{"Authorization": "Bearer "}, Off: true,
				Provides: map[string]string{"file": "file"}, Timeout: callTimeout, StartTimeout: startTimeout, Line: 25},
		},
		Confirm: []string{"browser_cdp", "mcp_github__*"},
		Vision:  &VisionModel{URL: "http://localhost:11434/v1", Model: "looker", Key: "t0ken", Timeout: 5 * time.Second},
		Warnings: []string{
			`unknown key "comand" of mcp_servers.github in ` + path + `:24; did you mean command?`,
			"mcp_servers.far.headers.Authorization needs the environment variable MISSING, which is not set",
		},
	}
	for i := range got.Servers { // see TestDefinition
		got.Servers[i].Digest, got.Servers[i].Written = "", nil
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if on := got.SwitchesOf("acp")["browser_cdp"]; !on {
		t.Error("the switch of a platform does not win over that of all")
	}
	same, err := toolsOf(t, "config.json", `{"toolsets": ["browser"], "mcp_servers": {"x": {"command": "y"}}, "timeout": "10s"}`)
	if err != nil || len(same.Servers) != 1 || same.Servers[0].Command != "y" || same.Toolsets[0] != "browser" {
		t.Errorf("JSON: %+v, %v", same, err)
	}
	none, err := toolsOf(t, "other.txt", "")
	if err != nil || filepath.Base(none.Path) != "config.yaml" || none.Toolsets != nil {
		t.Errorf("no file: %+v, %v", none, err)
	}
}

// TestBadTools: what cannot be meant is refused with its line.
func TestBadTools(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"toolsets: {a: b}":                                   "config.yaml:1: toolsets should be a list of plain words",
		"\nplatform_toolsets: [a]":                           "config.yaml:2: platform_toolsets should be a list of names",
		"tools:\n  web_search: maybe":                        "config.yaml:2: tools.web_search should be true or false",
		"mcp_servers:\n  a b: {command: x}":                  `"a b" cannot be the name of a server`,
		"mcp_servers:\n  a__b: {command: x}":                 `"a__b" cannot be the name of a server`,
		"confirm_tools: ['[']":                               "confirm_tools: [ is no pattern",
		"confirm_tools: {a: b}":                              "confirm_tools should be a list",
		"vision_model: {url: http://x}":                      "vision_model needs a url and a model",
		"vision_model: {url: x, model: y}":                   "vision_model.url should be an address",
		"mcp_servers:\n  a: {}":                              "mcp_servers.a needs either a command or a url",
		"mcp_servers:\n  a: {command: x, url: y}":            "mcp_servers.a.url should be an address",
		"mcp_servers:\n  a: {command: '${x'}":                "has a ${ without",
		"mcp_servers:\n  a: {command: x, timeout: no}":       "mcp_servers.a.timeout should be a time",
		"mcp_servers:\n  a: {command: x}\n  a: {command: y}": "a",
		"toolsets: [":                                        "this is not YAML",
	} {
		_, err := toolsOf(t, "config.yaml", text)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

// TestToolsAreNoSettings: the other keys are read as ever beside them, and a project
// may not set them.
func TestToolsAreNoSettings(t *testing.T) {
	t.Parallel()
	home, project := t.TempDir(), t.TempDir()
	text := "$schema: usher.schema.json\nmcp_servers: {x: {command: y}}\ntoolsets: [web]\ntool: {}\ntimeout: 7s\n"
	for _, path := range []string{filepath.Join(home, "config.yaml"), filepath.Join(project, "usher.yaml")} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s, err := Load(Source{Mode: verb.Usher, Cwd: project, Env: func(name string) (string, bool) {
		return map[string]string{"USHER_HOME": home}[name], name == "USHER_HOME"
	}})
	if err != nil || s.Dur("timeout") != 7*time.Second {
		t.Fatalf("%v, %v", s, err)
	}
	said := strings.Join(s.Warnings, "\n")
	if !strings.Contains(said, `unknown setting "tool"`) || !strings.Contains(said, "did you mean tools?") ||
		!strings.Contains(said, "ignored mcp_servers, toolsets") || strings.Count(said, "unknown") != 2 {
		t.Errorf("the warnings are\n%s", said)
	}
}

func TestApply(t *testing.T) {
	t.Parallel()
	const file = `# mine
timeout: 10s   # patient

# what agents get
platform_toolsets:
  # at home
  mcp: [browser, mcp-github]  # not much
  acp:
    - hermes-acp   # all of it
    - notes

# the end
future_key: {a: 1}
`
	for _, c := range []struct {
		name, ending, before, after string
		edits                       []Edit
	}{
		{name: "no file", after: "toolsets: [browser, web]\n", edits: []Edit{{[]string{"toolsets"}, []string{"browser", "web"}}}},
		{name: "a list in a mapping", before: file, edits: []Edit{{[]string{"platform_toolsets", "mcp"}, []string{"browser", "mcp-github", "web"}}},
			after: strings.NewReplacer("[browser, mcp-github]  #", "[browser, mcp-github, web] #", "hermes-acp   #", "hermes-acp #").Replace(file)},
		{name: "an item goes, the others keep their comments", before: file, edits: []Edit{{[]string{"platform_toolsets", "acp"}, []string{"hermes-acp"}}},
			after: strings.NewReplacer("    - notes\n", "", "hermes-acp   #", "hermes-acp #", "]  #", "] #").Replace(file)},
		{name: "a new key goes to the end", before: file, edits: []Edit{{[]string{"platform_tools", "mcp", "browser_cdp"}, false}},
			after: file + "platform_tools:\n  mcp:\n    browser_cdp: false\n"},
		{name: "a key goes", before: file, edits: []Edit{{[]string{"platform_toolsets"}, nil}},
			after: "# mine\ntimeout: 10s   # patient\n\n# what agents get\n\n# the end\nfuture_key: {a: 1}\n"},
		{name: "the last entry takes its mapping along", before: "tools:\n  x: true\ntimeout: 1s\n", after: "timeout: 1s\n",
			edits: []Edit{{[]string{"tools", "x"}, nil}}},
		{name: "a key is found however it is spelled", before: "platform-tools: {mcp: {x: true}}\n", after: "platform-tools: {mcp: {x: false}}\n",
			edits: []Edit{{[]string{"platform_tools", "mcp", "x"}, false}}},
		{name: "nothing to do", before: file, after: file, edits: []Edit{{[]string{"tools", "x"}, nil}, {[]string{"platform_toolsets", "acp"}, []string{"hermes-acp", "notes"}}}},
		{name: "no line end at the end", before: "timeout: 1s", after: "timeout: 1s\ntools:\n  x: true\n", edits: []Edit{{[]string{"tools", "x"}, true}}},
		{name: "null becomes a mapping", before: "tools:\ntimeout: 1s\n", after: "tools:\n  x: true\ntimeout: 1s\n", edits: []Edit{{[]string{"tools", "x"}, true}}},
		{name: "JSON stays JSON", ending: ".json", before: `{"timeout": "1s", "n": 5, "toolsets": ["a"]}`,
			after: "{\n  \"timeout\": \"1s\",\n  \"n\": 5,\n  \"toolsets\": [\n    \"a\",\n    \"on\"\n  ]\n}\n", edits: []Edit{{[]string{"toolsets"}, []string{"a", "on"}}}},
		{name: "JSON in a YAML file", before: `{timeout: 1s, toolsets: [a]}` + "\n", after: "{timeout: 1s, toolsets: [b]}\n",
			edits: []Edit{{[]string{"toolsets"}, []string{"b"}}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if c.ending == "" {
				c.ending = ".yaml"
			}
			path := filepath.Join(t.TempDir(), "new", "config"+c.ending)
			if c.before != "" {
				if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, []byte(c.before), 0o640); err != nil {
					t.Fatal(err)
				}
			}
			if err := Apply(path, c.edits); err != nil {
				t.Fatal(err)
			}
			got, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(c.after, string(got)); d != "" {
				t.Error(d)
			}
			if left, err := os.ReadDir(filepath.Dir(path)); err != nil || len(left) != 1 {
				t.Errorf("there lies %v, %v", left, err)
			}
		})
	}
}

// TestApplyKeeps: a link stays a link, and a file that cannot be read is not written over.
func TestApplyKeeps(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	real, link := filepath.Join(dir, "real.yaml"), filepath.Join(dir, "config.yaml")
	if err := os.WriteFile(real, []byte("timeout: 1s\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(real, link); err != nil {
		t.Skip("no links here:", err)
	}
	if err := Apply(link, []Edit{{[]string{"tools", "x"}, true}}); err != nil {
		t.Fatal(err)
	}
	if target, err := os.Readlink(link); err != nil || target != real {
		t.Errorf("the link is %q, %v", target, err)
	}
	if err := os.WriteFile(real, []byte("a: [\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	err := Apply(link, []Edit{{[]string{"tools", "x"}, false}})
	if text, _ := os.ReadFile(real); err == nil || !strings.Contains(err.Error(), "not YAML") || string(text) != "a: [\n" {
		t.Errorf("%v, and the file is %q", err, text)
	}
}
