package toolset

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/usher-browser/usher/internal/api"
)

// registry returns the built-in toolsets, a server, and custom toolsets that include each other.
func registry(t *testing.T) *Registry {
	t.Helper()
	r := NewRegistry()
	for _, s := range []Set{
		{Name: "mcp-github", Kind: Server, Tools: []string{"mcp__github__issue", "mcp__github__search"}},
		{Name: "mcp-web", Kind: Server, Tools: []string{"mcp__web__get"}},
		{Name: "notes", Kind: Plugin, Tools: []string{"note_add"}},
		{Name: "data-science", Kind: Custom, Includes: []string{"file", "terminal", "code_execution", "web", "vision"}},
		{Name: "loop", Kind: Custom, Includes: []string{"todo", "loop"}},
		{Name: "ping", Kind: Custom, Includes: []string{"pong", "memory"}},
		{Name: "pong", Kind: Custom, Includes: []string{"ping", "todo"}},
		{Name: "left", Kind: Custom, Includes: []string{"todo"}},
		{Name: "right", Kind: Custom, Includes: []string{"todo", "memory"}},
		{Name: "diamond", Kind: Custom, Includes: []string{"left", "right"}},
		{Name: "single", Kind: Custom, Includes: []string{"read_file", "todo"}},
		{Name: "123", Kind: Custom, Includes: []string{"tts"}},
		{Name: "empty", Kind: Custom},
	} {
		if err := r.Add(s); err != nil {
			t.Fatal(err)
		}
	}
	return r
}

func TestResolve(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		names string
		want  string
		err   string // a part of the error, with its hint
	}{
		{name: "a core toolset", names: "file", want: "patch read_file search_files write_file"},
		{name: "nothing", names: "", want: ""},
		{name: "one without tools", names: "empty", want: ""},
		{name: "a composite follows its includes", names: "debugging",
			want: "patch process read_file search_files terminal web_extract web_search write_file"},
		{name: "safe", names: "safe", want: "image_generate vision_analyze web_extract web_search"},
		{name: "two that share a tool", names: "web search", want: "web_extract web_search"},
		{name: "the same twice", names: "todo todo", want: "todo"},
		{name: "a tool by its own name", names: "web_extract todo", want: "todo web_extract"},
		{name: "custom_toolsets of the reference", names: "data-science",
			want: "execute_code patch process read_file search_files terminal vision_analyze web_extract web_search write_file"},
		{name: "custom, with a single tool", names: "single", want: "read_file todo"},
		{name: "a custom name that is a number", names: "123", want: "text_to_speech"},
		{name: "includes itself", names: "loop", want: "todo"},
		{name: "a cycle of two", names: "ping", want: "memory todo"},
		{name: "the same cycle from the other side", names: "pong", want: "memory todo"},
		{name: "a diamond", names: "diamond", want: "memory todo"},
		{name: "a server", names: "mcp-github", want: "mcp__github__issue mcp__github__search"},
		{name: "a server by its bare name", names: "github", want: "mcp__github__issue mcp__github__search"},
		{name: "a bare name that is taken stays what it was", names: "web", want: "web_extract web_search"},
		{name: "a plugin", names: "notes", want: "note_add"},
		{name: "a tool of a server that was not asked yet", names: "mcp__github__later", want: "mcp__github__later"},
		{name: "unknown: the nearest toolset", names: "brwoser", err: `no toolset or tool "brwoser". Did you mean browser?`},
		{name: "unknown: the nearest tool", names: "web_serch", err: "Did you mean web_search?"},
		{name: "unknown beside known is not passed over", names: "web fiel todo", err: "Did you mean file?"},
		{name: "unknown and like nothing", names: "zzzzzzzzz", err: "usher tools list --all"},
		{name: "a tool of a server that is not there", names: "mcp__gitlab__x", err: `"mcp__gitlab__x"`},
		{name: "names mean what they are written as", names: "File", err: "Did you mean file?"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got, err := registry(t).Resolve(strings.Fields(c.names)...)
			check(t, got, err, c.want, c.err)
		})
	}
}

func check(t *testing.T, got []string, err error, want, wantErr string) {
	t.Helper()
	if wantErr != "" {
		if e := api.AsError(err); err == nil || e.Code != api.UnknownToolset || !strings.Contains(e.Sentence(), wantErr) {
			t.Errorf("the error is %v, want %q", err, wantErr)
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	if strings.Join(got, " ") != want {
		t.Errorf("got  %s\nwant %s", strings.Join(got, " "), want)
	}
}

// TestUnknownNames: an unknown name is an error wherever it occurs.
func TestUnknownNames(t *testing.T) {
	t.Parallel()
	r := registry(t)
	if err := r.Add(Set{Name: "broken", Kind: Custom, Includes: []string{"todo", "fiel"}}); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"broken", "all"} {
		got, err := r.Resolve(name)
		check(t, got, err, "", "Did you mean file?")
	}
}

// TestAll: "all" and "*" mean every toolset, including those added later.
func TestAll(t *testing.T) {
	t.Parallel()
	r := NewRegistry()
	if err := r.Add(Set{Name: "mcp-late", Kind: Server, Tools: []string{"mcp__late__x"}}); err != nil {
		t.Fatal(err)
	}
	want := map[string]bool{}
	for _, s := range r.Sets() {
		for _, tool := range s.Tools {
			want[tool] = true
		}
	}
	for _, word := range []string{"all", "*"} {
		got, err := r.Resolve(word)
		if err != nil || !slices.Equal(got, slices.Sorted(maps.Keys(want))) || len(got) < 50 || !want["mcp__late__x"] {
			t.Errorf("%s: %v, %v", word, got, err)
		}
	}
}

// TestDisabledOverlap is the rule of docs/toolsets.md: disabling a toolset does not remove a tool that another enabled toolset
// owns.
func TestDisabledOverlap(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name     string
		enabled  string
		disabled string
		switches string // +on -off
		want     string
		err      string
	}{
		{name: "nothing disabled", enabled: "web", want: "web_extract web_search"},
		{name: "disabled removes", enabled: "web todo", disabled: "web", want: "todo"},
		{name: "another owner keeps its tool", enabled: "web search", disabled: "web", want: "web_search"},
		{name: "an owner that is not enabled does not", enabled: "web", disabled: "web", want: ""},
		{name: "the order of names does not matter", enabled: "search web", disabled: "web", want: "web_search"},
		{name: "both owners disabled", enabled: "web search", disabled: "search web", want: ""},
		{name: "a part of a composite", enabled: "debugging", disabled: "file", want: "process terminal web_extract web_search"},
		{name: "a composite is no owner of what it includes", enabled: "debugging", disabled: "web",
			want: "patch process read_file search_files terminal write_file"},
		{name: "a disabled composite closes its parts", enabled: "debugging todo", disabled: "debugging", want: "todo"},
		{name: "also where another way leads to them", enabled: "data-science", disabled: "debugging", want: "execute_code vision_analyze"},
		{name: "a part that is enabled by name stays", enabled: "debugging web", disabled: "debugging", want: "web_extract web_search"},
		{name: "disabled by its own name wins over enabled by its own name", enabled: "web", disabled: "web debugging", want: ""},
		{name: "a platform without one toolset", enabled: "mcp", disabled: "browser", want: "web_extract web_search"},
		{name: "disabling what is not enabled", enabled: "todo", disabled: "browser", want: "todo"},
		{name: "everything disabled", enabled: "todo web", disabled: "all", want: "todo web_extract web_search"},
		{name: "all but one", enabled: "notes safe", disabled: "web vision", want: "image_generate note_add"},
		{name: "a single tool disabled", enabled: "web", disabled: "web_search", want: "web_extract"},
		{name: "a switch removes from an enabled toolset", enabled: "web", switches: "-web_search", want: "web_extract"},
		{name: "a switch adds from a toolset that is off", enabled: "todo", switches: "+web_search", want: "todo web_search"},
		{name: "a switch has the last word", enabled: "web", disabled: "web", switches: "+web_extract", want: "web_extract"},
		{name: "cycles end here, too", enabled: "ping", disabled: "pong", want: ""},
		{name: "a cycle whose other part is disabled by name", enabled: "ping pong", disabled: "memory", want: "todo"},
		{name: "a server disabled by its bare name", enabled: "github todo", disabled: "mcp-github", want: "todo"},
		{name: "an unknown name that is disabled is told, not passed over", enabled: "todo", disabled: "browsr", err: "Did you mean browser?"},
		{name: "an unknown switch", enabled: "todo", switches: "-web_serch", err: "Did you mean web_search?"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			choice := Choice{Enabled: strings.Fields(c.enabled), Disabled: strings.Fields(c.disabled), Switches: map[string]bool{}}
			for _, s := range strings.Fields(c.switches) {
				choice.Switches[s[1:]] = s[0] == '+'
			}
			sel, err := registry(t).Select(choice)
			if err != nil {
				check(t, nil, err, c.want, c.err)
				return
			}
			check(t, sel.Tools, nil, c.want, c.err)
			for _, tool := range sel.Tools {
				if len(sel.On[tool]) == 0 || sel.Off[tool] != "" {
					t.Errorf("%s is on by %v and off because %q", tool, sel.On[tool], sel.Off[tool])
				}
			}
			reached, err := registry(t).Resolve(choice.Enabled...)
			if err != nil {
				t.Fatal(err)
			}
			for _, tool := range reached {
				if !slices.Contains(sel.Tools, tool) && sel.Off[tool] == "" {
					t.Errorf("nothing says why %s is off", tool)
				}
			}
		})
	}
}

// TestBuiltinToolsets compares the built-in toolsets with the Hermes reference.
func TestBuiltinToolsets(t *testing.T) {
	t.Parallel()
	r := NewRegistry()
	for _, s := range r.Sets() {
		if s.Doc == "" || s.Kind == "" || len(s.Tools)+len(s.Includes) == 0 {
			t.Errorf("%+v lacks something", s)
		}
		if _, err := r.Resolve(s.Name); err != nil {
			t.Errorf("%s: %v", s.Name, err)
		}
	}
	count := func(name string) int {
		tools, err := r.Resolve(name)
		if err != nil {
			t.Fatal(err)
		}
		return len(tools)
	}
	// 36 tools, the two that need CDP, and ten browser tools of usher.
	for name, want := range map[string]int{
		"browser": 23, "browser_basic": 12, "rl": 10, "hermes-cli": 48, "hermes-acp": 39, "hermes-api-server": 45, "hermes-telegram": 48, "hermes-weixin": 48,
		"hermes-homeassistant": 48, "hermes-gateway": 48, "mcp": 24,
	} {
		if got := count(name); got != want {
			t.Errorf("%s has %d tools, not %d", name, got, want)
		}
	}
	gateway, err := r.Resolve("hermes-gateway")
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range r.Sets() {
		if s.Kind != Platform {
			continue
		}
		tools, err := r.Resolve(s.Name)
		if err != nil {
			t.Fatal(err)
		}
		for _, tool := range tools {
			if !slices.Contains(gateway, tool) {
				t.Errorf("the gateway lacks %s of %s", tool, s.Name)
			}
		}
		if short, ok := strings.CutPrefix(s.Name, hermesPrefix); ok && r.sets[short] == nil {
			if p, err := r.OfPlatform(short); err != nil || p != s {
				t.Errorf("platform %s: %v, %v", short, p, err)
			}
		}
	}
	if _, err := r.OfPlatform("telgram"); err == nil || !strings.Contains(api.AsError(err).Sentence(), "telegram") {
		t.Errorf("a platform mistyped: %v", err)
	}
	if _, err := r.OfPlatform("browser"); err == nil {
		t.Error("a core toolset is taken for a platform")
	}
}

// TestAdd: a toolset cannot take a name that is in use.
func TestAdd(t *testing.T) {
	t.Parallel()
	r := registry(t)
	for _, name := range []string{"browser", "mcp-github", "all", "*", "", "a b", "web_search"} {
		err := r.Add(Set{Name: name, Kind: Custom, Includes: []string{"todo"}})
		var e *api.Error
		if !errors.As(err, &e) || e.Code != api.InvalidConfig {
			t.Errorf("a custom toolset %q: %v", name, err)
		}
	}
	r.SetTools("mcp-github", []string{"mcp__github__new"})
	got, err := r.Resolve("mcp-github")
	check(t, got, err, "mcp__github__new", "")
	if owners := r.Owners("mcp__github__issue"); len(owners) != 0 {
		t.Errorf("the owners of a tool that the server no longer has are %v", owners)
	}
}

// FuzzSelect: no configuration of includes causes a hang or violates the rules.
func FuzzSelect(f *testing.F) {
	f.Add("a", "b", "b a", "a", "todo")
	f.Fuzz(func(t *testing.T, one, two, includesOne, includesTwo, enabled string) {
		r := NewRegistry()
		if r.Add(Set{Name: one, Kind: Custom, Includes: strings.Fields(includesOne)}) != nil {
			return
		}
		if r.Add(Set{Name: two, Kind: Custom, Includes: strings.Fields(includesTwo)}) != nil {
			return
		}
		sel, err := r.Select(Choice{Enabled: append(strings.Fields(enabled), one), Disabled: []string{two}})
		if err != nil {
			return
		}
		if sel.Sets[two] {
			t.Errorf("%s is disabled and open", two)
		}
		for tool, owners := range sel.On {
			for _, owner := range owners {
				if owner == two || owner != tool && !sel.Sets[owner] {
					t.Errorf("%s is on by %s", tool, owner)
				}
			}
		}
	})
}
