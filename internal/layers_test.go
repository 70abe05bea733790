package internal_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

const module = "github.com/usher-browser/usher"

// floor is one layer: packages side by side, and why lower packages do not import them.
type floor struct {
	packages []string
	why      string
}

// layers are the packages below internal from the bottom up. A package imports packages of lower layers only. The linter's table is
// generated from them, and from the lists below: TestLinterTable.
var layers = []floor{
	{[]string{"files", "fault", "loadavg", "pipe", "wire", "verb", "api", "plain", "policy", "device", "config", "sealed", "skills", "children", "pagescript", "extension"}, "frontends need nothing else of data and transport than what they import"},
	{[]string{"cdp", "chrome", "har", "proxy", "gate", "plugin", "provider", "endpoint", "relay"}, "the engine, the launching of a browser and the files about it stand above data and transport"},
	{[]string{"supervisor", "browserhost", "world", "journal", "view", "element", "media", "reader", "websearch", "axe", "devtools", "codegen", "script", "source"}, "what knows a page is built on the engine, never used by it"},
	{[]string{"command", "session", "replay"}, "commands and sessions stand above everything that knows one browser"},
	{[]string{"daemon"}, "the daemon hosts sessions; frontends reach it through api only"},
	{[]string{"cli", "local", "tool", "toolset", "mcp"}, "frontends translate; nothing depends on them"},
	{[]string{"program"}, "it puts everything together"},
}

// neighbours are the intended imports within a layer, and why.
var neighbours = map[string]string{
	"wire pipe":              "the browser's pipe is written to without waiting where that is possible",
	"verb policy":            "a flag that is a rule is checked where rules are read",
	"verb device":            "the name of a device is checked where devices are listed",
	"config device":          "a device stands for several settings",
	"api plain":              "what a terminal is shown of errors is made harmless",
	"sealed api":             "a wrong key is an error with a code",
	"verb plain":             "a word of the user's is quoted in a message",
	"verb api":               "the parser's errors carry codes of the one table",
	"config files":           "a configuration file may be a named pipe, and is read as everything is whose path another chose",
	"config verb":            "settings are the global flags of the verb table; there is no second list",
	"extension pagescript":   "the extension carries the rules by which it knows usher's reading calls",
	"relay cdp":              "the extension's errors are CDP's",
	"relay endpoint":         "the relay is a browser that the endpoint serves",
	"browserhost supervisor": "a failed reconnect is reported in the errors of the supervisor's reconnection",
	"world supervisor":       "in-page scripts run in frames the model knows",
	"journal supervisor":     "the journal is written from what the model is fed",
	"view supervisor":        "a page is read frame by frame of the model",
	"element supervisor":     "an element lives in a frame of the model",
	"media supervisor":       "a picture is taken of a tab of the model",
	"codegen supervisor":     "what is done in the tabs of the model is recorded",
	"codegen element":        "an action has the locator of an element",
	"devtools supervisor":    "DevTools is served the tabs of the model",
	"view world":             "pages are read by our script inside them",
	"element world":          "elements are found and judged by our script inside the page",
	"media world":            "an annotated picture asks our script for boxes",
	"session command":        "a session carries commands out",
	"replay command":         "a recording is defined in the words of the commands",
	"mcp toolset":            "an MCP server serves a bundle of tools",
	"mcp tool":               "a call and its result are translated from one protocol to the other",
	"toolset tool":           "a bundle is made of tools",
}

// importers are the packages that only these others may import, so that each can have alternatives.
var importers = map[string][]string{
	"chrome": {"browserhost", "local"}, // browsers may come from another place than this machine
}

// inside are the packages below supervisor from the bottom up. A package imports lower levels only; packages outside of supervisor
// import none of fold.
var inside = [][]string{
	{"supervisor/model", "supervisor/timers"},
	{"supervisor/fold/core"},
	{"supervisor/fold/interrupts", "supervisor/fold/debugger", "supervisor/fold/fetch"},
	{"supervisor/fold/liveness", "supervisor/fold/headers", "supervisor/fold/logins", "supervisor/fold/routes", "supervisor/fold/permissions", "supervisor/fold/conditions", "supervisor/fold/scripts", "supervisor/fold/downloads"},
	{"supervisor/fold/dialogs"},
	{"supervisor/fold/bridge"},
	{"supervisor/fold/targets"},
	{"supervisor/fold"},
	{"supervisor/recording", "supervisor/stream", "supervisor/guard", "supervisor/link"},
	{"supervisor"},
}

// frontends translate between a caller and the local protocol, and decide nothing: they may import only frontendImports and the
// neighbours above.
var frontends = []string{"cli", "tool", "toolset", "mcp"}
var frontendImports = []string{"verb", "api", "config", "plain", "files", "fault", "children", "skills"}

// localImports are the packages that local may import: it tests the browser and the local protocol directly, with as little as
// possible between, because it has to work where nothing else does. A recording needs none of these to be running. What a page can
// detect depends on the events that supervisor and journal enable: doctor --stealth examines that.
var localImports = []string{"skills", "files", "fault", "wire", "verb", "api", "config", "cdp", "chrome", "replay", "supervisor", "journal", "device", "plain", "extension"}

// everywhere are the modules that any package may use; every other module is used by one package. golang.org/x/net has packages that
// are not related: reader uses its HTML parser, policy its list of public suffixes. nlnwa/whatwg-url is how browsers read addresses: that of
// the guards of policy, and of the URL that scripts have.
var everywhere = []string{"github.com/chromedp/cdproto", "github.com/go-json-experiment/json", "github.com/nlnwa/whatwg-url", "golang.org/x/net", "golang.org/x/sys"}

type pkg struct {
	ImportPath string
	Module     struct{ Path string }
	Standard   bool
	Imports    []string
}

// TestLayers checks that packages import lower layers only. Tests may import anything, so only the imports of the product count.
func TestLayers(t *testing.T) {
	t.Parallel()
	seen := 0
	used := map[string]bool{}
	for _, p := range list(t, "./...") {
		from := packageOf(p.ImportPath)
		if from == "" || from == "cdptest" {
			continue
		}
		seen++
		for _, path := range p.Imports {
			to := packageOf(path)
			if to == "" || to == from {
				continue
			}
			used[from+" "+to] = true
			if complaint := forbidden(from, to); complaint != "" {
				t.Errorf("%s imports %s: %s", p.ImportPath, path, complaint)
			}
		}
	}
	if seen < 5 {
		t.Fatalf("only %d packages were looked at", seen)
	}
	for pair := range neighbours {
		if !used[pair] {
			t.Errorf("no import %q: take it from neighbours", pair)
		}
	}
}

// TestPackagesExist compares the lists with the directories.
func TestPackagesExist(t *testing.T) {
	t.Parallel()
	var listed []string
	for _, f := range layers {
		listed = append(listed, f.packages...)
	}
	for _, list := range [][]string{listed, frontends, frontendImports, localImports, importers["chrome"]} {
		for _, name := range list {
			if info, err := os.Stat(name); err != nil || !info.IsDir() {
				t.Errorf("there is no package %s: %v", name, err)
			}
		}
	}
}

// TestLayersInside checks the imports below supervisor, which has layers of its own.
func TestLayersInside(t *testing.T) {
	t.Parallel()
	seen := 0
	for _, p := range list(t, "./...") {
		for _, path := range p.Imports {
			from, to := below(p.ImportPath), below(path)
			if packageOf(path) != "supervisor" || from == "" || strings.HasPrefix(from, "cdptest/") {
				continue
			}
			seen++
			if complaint := forbiddenInside(from, to); complaint != "" {
				t.Errorf("%s imports %s: %s", p.ImportPath, path, complaint)
			}
		}
	}
	if seen < 20 {
		t.Fatalf("only %d imports were looked at", seen)
	}
	for pair, want := range map[string]string{
		"supervisor/model supervisor/fold/core":           "level 0 must not import level 1",
		"supervisor/fold/logins supervisor/fold/liveness": "both stand in level 3",
		"supervisor/fold/targets supervisor/fold/core":    "",
		"ops supervisor/fold/core":                        "only package supervisor imports the fold",
		"ops supervisor/model":                            "",
		"supervisor supervisor/cellar":                    "stands in no level",
	} {
		from, to, _ := strings.Cut(pair, " ")
		if got := forbiddenInside(from, to); !strings.Contains(got, want) || (want == "") != (got == "") {
			t.Errorf("%s: %q, want %q", pair, got, want)
		}
	}
}

// below returns a path relative to internal; empty for other paths.
func below(path string) string {
	rest, _ := strings.CutPrefix(path, module+"/internal/")
	if rest == path {
		return ""
	}
	return rest
}

func forbiddenInside(from, to string) string {
	level := func(pkg string) int {
		return slices.IndexFunc(inside, func(level []string) bool { return slices.Contains(level, pkg) })
	}
	above, under := level(from), level(to)
	switch {
	case under < 0:
		return fmt.Sprintf("package %s stands in no level; add it to inside in internal/layers_test.go", to)
	case above < 0 && strings.HasPrefix(from, "supervisor"):
		return fmt.Sprintf("package %s stands in no level; add it to inside in internal/layers_test.go", from)
	case above < 0 && strings.HasPrefix(to, "supervisor/fold"):
		return "only package supervisor imports the fold"
	case above < 0:
		return ""
	case under == above:
		return fmt.Sprintf("both stand in level %d", above)
	case under > above:
		return fmt.Sprintf("level %d must not import level %d", above, under)
	}
	return ""
}

// TestOnePackagePerModule checks that one package wraps each third-party module, so that it can be replaced there.
func TestOnePackagePerModule(t *testing.T) {
	t.Parallel()
	owner := map[string]string{} // import path to module
	packages := list(t, "-deps", "./...")
	for _, p := range packages {
		owner[p.ImportPath] = p.Module.Path
	}
	users := map[string][]string{}
	for _, p := range packages {
		from := packageOf(p.ImportPath)
		if from == "" || from == "cdptest" {
			continue
		}
		for _, path := range p.Imports {
			if of := owner[path]; of != "" && of != module && !slices.Contains(everywhere, of) && !slices.Contains(users[of], from) {
				users[of] = append(users[of], from)
			}
		}
	}
	if len(users) == 0 {
		t.Fatal("no package uses any module, which cannot be")
	}
	for of, by := range users {
		if len(by) > 1 {
			t.Errorf("%s is used by %s; one package should wrap it for the others", of, strings.Join(by, ", "))
		}
	}
}

// TestFixturesStayOut checks that page fixtures, and package testing with its flags, are not linked into the program.
func TestFixturesStayOut(t *testing.T) {
	t.Parallel()
	for _, p := range list(t, "-deps", "./cmd/...") {
		if packageOf(p.ImportPath) == "cdptest" || p.ImportPath == "testing" {
			t.Errorf("the program is linked with %s", p.ImportPath)
		}
	}
}

// TestRules checks that the rules can fail.
func TestRules(t *testing.T) {
	t.Parallel()
	for pair, want := range map[string]string{
		"wire cdp":        "layer 0 must not import layer 1",
		"cdp supervisor":  "layer 1 must not import layer 2",
		"view element":    "no neighbour allows",
		"command session": "no neighbour allows",
		"cli session":     "a frontend imports only",
		"local session":   "without a daemon imports only",
		"local chrome":    "",
		"session chrome":  "only browserhost, local import",
		"cellar wire":     "stands in no layer",
		"session command": "",
		"daemon session":  "",
		"cli api":         "",
		"supervisor wire": "",
	} {
		from, to, _ := strings.Cut(pair, " ")
		if got := forbidden(from, to); !strings.Contains(got, want) || (want == "") != (got == "") {
			t.Errorf("%s: %q, want %q", pair, got, want)
		}
	}
}

func forbidden(from, to string) string {
	below, above := layer(to), layer(from)
	switch {
	case to == "cdptest":
		return "" // TestFixturesStayOut: what is not linked into the program may use them
	case above < 0:
		return fmt.Sprintf("package %s stands in no layer; add it to layers in internal/layers_test.go", from)
	case below < 0:
		return fmt.Sprintf("package %s stands in no layer; add it to layers in internal/layers_test.go", to)
	case neighbours[from+" "+to] != "":
		return ""
	case slices.Contains(frontends, from) && !slices.Contains(frontendImports, to):
		return "a frontend imports only " + strings.Join(frontendImports, ", ")
	case from == "local" && !slices.Contains(localImports, to):
		return "what runs without a daemon imports only " + strings.Join(localImports, ", ")
	case importers[to] != nil && !slices.Contains(importers[to], from):
		return fmt.Sprintf("only %s import %s", strings.Join(importers[to], ", "), to)
	case below == above:
		return fmt.Sprintf("both stand in layer %d and no neighbour allows the import", above)
	case below > above:
		return fmt.Sprintf("layer %d must not import layer %d", above, below)
	}
	return ""
}

// packageOf returns the first element of a path below internal; empty for other paths.
func packageOf(path string) string {
	rest, found := strings.CutPrefix(path, module+"/internal/")
	if !found {
		return ""
	}
	name, _, _ := strings.Cut(rest, "/")
	return name
}

func layer(name string) int {
	return slices.IndexFunc(layers, func(f floor) bool { return slices.Contains(f.packages, name) })
}

func list(t *testing.T, args ...string) []pkg {
	t.Helper()
	command := exec.CommandContext(t.Context(), "go", append([]string{"list", "-e", "-json=ImportPath,Module,Standard,Imports"}, args...)...)
	command.Dir = ".."
	var complaints bytes.Buffer
	command.Stderr = &complaints
	out, err := command.Output()
	if err != nil {
		t.Fatalf("list packages: %v: %s", err, complaints.String())
	}
	var packages []pkg
	for reader := jsontext.NewDecoder(bytes.NewReader(out)); reader.PeekKind() == '{'; {
		var p pkg
		if err := json.UnmarshalDecode(reader, &p); err != nil {
			t.Fatalf("read the list of packages: %v", err)
		}
		packages = append(packages, p)
	}
	return packages
}
