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

// floor is one layer: rooms that stand side by side, and why what is below them does not know them.
type floor struct {
	rooms []string
	why   string
}

// layers are the rooms from the bottom up. A room imports rooms of lower layers only. The linter's table is made of them, and of
// the lists below: TestLinterTable.
var layers = []floor{
	{[]string{"files", "fault", "wire", "verb", "api", "plain", "policy", "config"}, "front doors need nothing else of data and transport than what they know"},
	{[]string{"cdp", "chrome"}, "the engine and the launching of a browser stand above data and transport"},
	{[]string{"supervisor", "browserhost", "world", "journal", "view", "element", "media", "reader", "websearch"}, "what knows a page is built on the engine, never used by it"},
	{[]string{"command", "session", "replay"}, "commands and sessions stand above everything that knows one browser"},
	{[]string{"daemon"}, "the daemon hosts sessions; front doors reach it through api only"},
	{[]string{"cli", "local", "tool", "toolset", "mcp"}, "front doors translate; nothing depends on them"},
	{[]string{"program"}, "it puts everything together"},
}

// neighbours are the imports inside a layer that are meant, and why.
var neighbours = map[string]string{
	"verb policy":            "a flag that is a rule is checked where rules are read",
	"api plain":              "what a terminal is shown of errors is made harmless",
	"verb api":               "the parser's errors carry codes of the one table",
	"config files":           "a configuration file may be a named pipe, and is read as everything is whose path another chose",
	"config verb":            "settings are the global flags of the verb table; there is no second list",
	"world supervisor":       "in-page scripts run in frames the model knows",
	"browserhost supervisor": "whoever dials a browser again tells why it failed in the words of the one that keeps it connected",
	"journal supervisor":     "the journal is written from what the model is fed",
	"view supervisor":        "a page is read frame by frame of the model",
	"element supervisor":     "an element lives in a frame of the model",
	"media supervisor":       "a picture is taken of a tab of the model",
	"view world":             "pages are read by our script inside them",
	"element world":          "elements are found and judged by our script inside the page",
	"media world":            "an annotated picture asks our script for boxes",
	"session command":        "a session carries commands out",
	"replay command":         "a recording is told in the words of the commands",
	"mcp toolset":            "an MCP server serves a bundle of tools",
	"mcp tool":               "a call and its result are translated from one protocol to the other",
	"toolset tool":           "a bundle is made of tools",
}

// behind are the rooms that only these others may know, so that what they do can be done in another way, too.
var behind = map[string][]string{
	"chrome": {"browserhost", "local"}, // a browser may come from elsewhere than from this machine
}

// inside are the packages of room supervisor from the bottom up. A package imports lower levels only, and other rooms none of fold.
var inside = [][]string{
	{"supervisor/model", "supervisor/timers"},
	{"supervisor/fold/core"},
	{"supervisor/fold/interrupts"},
	{"supervisor/fold/liveness", "supervisor/fold/logins", "supervisor/fold/downloads"},
	{"supervisor/fold/dialogs"},
	{"supervisor/fold/bridge"},
	{"supervisor/fold/permissions"},
	{"supervisor/fold/targets"},
	{"supervisor/fold"},
	{"supervisor/recording", "supervisor/stream", "supervisor/guard", "supervisor/link"},
	{"supervisor"},
}

// doors translate between a caller and the local protocol, and decide nothing: they may know only these rooms and
// the neighbours above.
var doors = []string{"cli", "tool", "toolset", "mcp"}
var doorsKnow = []string{"verb", "api", "config", "plain", "files", "fault"}

// workshop is what local may know: it tries the browser and the local protocol themselves, with as little as possible
// between, because it has to work where nothing else does. A recording needs none of these to be running.
// What a page can notice depends on how the supervisor watches it and the journal listens: doctor --stealth examines that.
var workshop = []string{"files", "fault", "wire", "verb", "api", "config", "cdp", "chrome", "replay", "supervisor", "journal", "plain"}

// everywhere are the modules that any room may use; every other module lives in one room. golang.org/x/net holds packages that have
// nothing to do with each other: reader has its HTML, policy its list of public suffixes.
var everywhere = []string{"github.com/chromedp/cdproto", "github.com/go-json-experiment/json", "golang.org/x/net", "golang.org/x/sys"}

type pkg struct {
	ImportPath string
	Module     struct{ Path string }
	Standard   bool
	Imports    []string
}

// TestLayers keeps arrows pointing down. Tests may import what they like, so only the product's own imports count.
func TestLayers(t *testing.T) {
	t.Parallel()
	seen := 0
	used := map[string]bool{}
	for _, p := range list(t, "./...") {
		from := room(p.ImportPath)
		if from == "" || from == "cdptest" {
			continue
		}
		seen++
		for _, path := range p.Imports {
			to := room(path)
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

// TestRoomsAreThere holds the list against the directories.
func TestRoomsAreThere(t *testing.T) {
	t.Parallel()
	var listed []string
	for _, f := range layers {
		listed = append(listed, f.rooms...)
	}
	for _, list := range [][]string{listed, doors, doorsKnow, workshop, behind["chrome"]} {
		for _, room := range list {
			if info, err := os.Stat(room); err != nil || !info.IsDir() {
				t.Errorf("there is no room %s: %v", room, err)
			}
		}
	}
}

// TestLayersInside keeps arrows pointing down in the room that has layers of its own.
func TestLayersInside(t *testing.T) {
	t.Parallel()
	seen := 0
	for _, p := range list(t, "./...") {
		for _, path := range p.Imports {
			from, to := below(p.ImportPath), below(path)
			if room(path) != "supervisor" || from == "" || strings.HasPrefix(from, "cdptest/") {
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
		"supervisor/model supervisor/fold/core":           "level 0 must not know level 1",
		"supervisor/fold/logins supervisor/fold/liveness": "both stand in level 3",
		"supervisor/fold/targets supervisor/fold/core":    "",
		"ops supervisor/fold/core":                        "only room supervisor knows the fold",
		"ops supervisor/model":                            "",
		"supervisor supervisor/cellar":                    "stands in no level",
	} {
		from, to, _ := strings.Cut(pair, " ")
		if got := forbiddenInside(from, to); !strings.Contains(got, want) || (want == "") != (got == "") {
			t.Errorf("%s: %q, want %q", pair, got, want)
		}
	}
}

// below is a path below internal; empty for everything else.
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
		return "only room supervisor knows the fold"
	case above < 0:
		return ""
	case under == above:
		return fmt.Sprintf("both stand in level %d", above)
	case under > above:
		return fmt.Sprintf("level %d must not know level %d", above, under)
	}
	return ""
}

// TestOneRoomPerModule keeps each third-party module behind one room, so that it can be replaced there.
func TestOneRoomPerModule(t *testing.T) {
	t.Parallel()
	owner := map[string]string{} // import path to module
	packages := list(t, "-deps", "./...")
	for _, p := range packages {
		owner[p.ImportPath] = p.Module.Path
	}
	rooms := map[string][]string{}
	for _, p := range packages {
		from := room(p.ImportPath)
		if from == "" || from == "cdptest" {
			continue
		}
		for _, path := range p.Imports {
			if of := owner[path]; of != "" && of != module && !slices.Contains(everywhere, of) && !slices.Contains(rooms[of], from) {
				rooms[of] = append(rooms[of], from)
			}
		}
	}
	if len(rooms) == 0 {
		t.Fatal("no room uses any module, which cannot be")
	}
	for of, users := range rooms {
		if len(users) > 1 {
			t.Errorf("%s is used by %s; one room should own it and give the others what they need", of, strings.Join(users, ", "))
		}
	}
}

// TestFixturesStayOut keeps page fixtures, and package testing with its flags, out of the program.
func TestFixturesStayOut(t *testing.T) {
	t.Parallel()
	for _, p := range list(t, "-deps", "./cmd/...") {
		if room(p.ImportPath) == "cdptest" || p.ImportPath == "testing" {
			t.Errorf("the program is linked with %s", p.ImportPath)
		}
	}
}

// TestRules shows that the rules can say no.
func TestRules(t *testing.T) {
	t.Parallel()
	for pair, want := range map[string]string{
		"wire cdp":        "layer 0 must not know layer 1",
		"cdp supervisor":  "layer 1 must not know layer 2",
		"view element":    "nothing says why",
		"command session": "nothing says why",
		"cli session":     "a front door knows only",
		"local session":   "without a daemon knows only",
		"local chrome":    "",
		"session chrome":  "only browserhost, local know",
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
		return fmt.Sprintf("room %s stands in no layer; add it to layers in internal/layers_test.go", from)
	case below < 0:
		return fmt.Sprintf("room %s stands in no layer; add it to layers in internal/layers_test.go", to)
	case neighbours[from+" "+to] != "":
		return ""
	case slices.Contains(doors, from) && !slices.Contains(doorsKnow, to):
		return "a front door knows only " + strings.Join(doorsKnow, ", ")
	case from == "local" && !slices.Contains(workshop, to):
		return "what is done without a daemon knows only " + strings.Join(workshop, ", ")
	case behind[to] != nil && !slices.Contains(behind[to], from):
		return fmt.Sprintf("only %s know %s", strings.Join(behind[to], ", "), to)
	case below == above:
		return fmt.Sprintf("both stand in layer %d and nothing says why they should know each other", above)
	case below > above:
		return fmt.Sprintf("layer %d must not know layer %d", above, below)
	}
	return ""
}

// room is the first word of a path below internal; empty for everything else.
func room(path string) string {
	rest, found := strings.CutPrefix(path, module+"/internal/")
	if !found {
		return ""
	}
	name, _, _ := strings.Cut(rest, "/")
	return name
}

func layer(room string) int {
	return slices.IndexFunc(layers, func(f floor) bool { return slices.Contains(f.rooms, room) })
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
