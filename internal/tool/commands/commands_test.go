package commands_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/cdptest/golden"
	"github.com/usher-browser/usher/internal/program"
	"github.com/usher-browser/usher/internal/tool"
	"github.com/usher-browser/usher/internal/tool/commands"
	"github.com/usher-browser/usher/internal/verb"
)

//go:generate go test -run TestFields -update

func options() commands.Options {
	return commands.Options{Table: program.Table(), Mode: verb.AgentBrowser}
}

// TestFields: the names of the tools and of their fields are an interface.
func TestFields(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	for _, profile := range commands.Profiles() {
		tools := commands.Tools(options(), []string{profile})
		fmt.Fprintf(&b, "%s: %d tools\n", profile, len(tools))
		if profile != commands.All {
			for i := range tools {
				fmt.Fprintf(&b, "  %s\n", tools[i].Name)
			}
		}
	}
	for _, tool := range commands.Tools(options(), []string{commands.All}) {
		fmt.Fprintf(&b, "\n%s", tool.Name)
		if tool.Hidden {
			b.WriteString(" (in no list)")
		}
		fmt.Fprintf(&b, "\n  %s\n", tool.Doc)
		for _, p := range tool.Params[:max(0, len(tool.Params)-4)] { // without those of every tool
			required := ""
			if p.Required {
				required = ", required"
			}
			fmt.Fprintf(&b, "  %s: %s%s %s\n", p.Name, kind(p), required, strings.Join(p.Enum, "|"))
		}
	}
	golden.Check(t, filepath.Join("testdata", "fields.txt"), b.String(), "go generate ./internal/tool/commands")
}

func kind(p tool.Param) string {
	return [...]string{"string", "boolean", "integer", "number", "strings", "array", "object", "any"}[p.Kind]
}

// TestEveryFieldParses: with its required fields, and each of the others, every tool is a command that the table accepts.
func TestEveryFieldParses(t *testing.T) {
	t.Parallel()
	for _, tool := range commands.Tools(options(), []string{commands.All}) {
		if len(tool.Params) == 0 { // agent_browser_tools_profiles is no command
			continue
		}
		var required []string
		for _, p := range tool.Params {
			if p.Required {
				required = append(required, member(p))
			}
		}
		for _, p := range tool.Params {
			with := slices.Clone(required)
			if !p.Required && p.Name != "extraArgs" {
				with = append(with, member(p))
			}
			name := strings.TrimPrefix(tool.Name, commands.Prefix)
			for _, key := range []string{name, name + " " + p.Name} {
				if need := needs[key]; need != "" && p.Name != "all" {
					with = append(with, need)
				}
			}
			raw := "{" + strings.Join(with, ",") + "}"
			args, err := tool.Parse(jsontext.Value(raw))
			if err != nil {
				t.Fatalf("%s %s: %v", tool.Name, raw, err)
			}
			call, err := commands.CallOf(options(), tool.Name, args)
			sessions := name == "close" && p.Name == "all" // those of the person and of other agents
			if (tool.Hidden || sessions) && api.CodeOf(err) == api.GuardRefused {
				continue
			}
			if err != nil {
				t.Errorf("%s %s: %v", tool.Name, raw, err)
			} else if _, err := options().Table.Parse(call.Argv(), options().Mode); err != nil {
				t.Errorf("%s %s: %q: %v", tool.Name, raw, call.Argv(), err)
			}
		}
	}
}

// needs are fields that rules of commands ask for, by the tool, or by the tool and a field of it.
var needs = map[string]string{
	"state_clear": `"name":"a"`, "skills_get": `"names":["a"]`, "network_route allowOrigin": `"body":"a"`, "find index": `"locator":"nth"`,
}

// member returns a field with a value.
func member(p tool.Param) string {
	value := [...]string{`"a"`, "true", "1", "0.5", `["a"]`, `[["get","url"]]`, `{"a":"b"}`, `"a"`}[p.Kind]
	switch {
	case len(p.Enum) > 0:
		value = `"` + p.Enum[0] + `"`
	case p.Name == "target":
		value = `"9222"`
	case strings.HasPrefix(p.Name, "url"), p.Name == "allowOrigin":
		value = `"https://example.com/"`
	case p.Name == "resourceType":
		value = `"xhr"`
	case p.Name == "device":
		value = `"iPhone 15"`
	case p.Name == "status":
		value = `"404"`
	case p.Name == "tab":
		value = `"t1"`
	}
	return `"` + p.Name + `":` + value
}

// TestCalls: fields become values, never flags, and extraArgs are flags that agents may give.
func TestCalls(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, args, want string }{
		{"fill", `{"selector":"#a","text":"--session=x"}`, `fill -- '#a' --session=x`},
		{"screenshot", `{"path":"a.png","fullPage":true}`, `screenshot --full=true a.png`},
		{"find", `{"locator":"nth","index":1,"value":"#a","action":"click"}`, `find nth 1 '#a' click`},
		{"read", `{"url":"https://example.com","outline":true}`, `read url --outline=true https://example.com`},
		{"read", `{}`, `read page`},
		{"open", `{"webmcp":false}`, `--no-webmcp=true open`},
		{"set_offline", `{"enabled":false}`, `set offline off`},
		{"set_media", `{"colorScheme":"dark","reducedMotion":"reduce"}`, `--color-scheme=dark --reduced-motion=reduce set media dark reduced-motion=reduce`},
		{"set_geo", `{"latitude":-8.5,"longitude":60}`, `--geolocation=-8.5,60 set geo -- -8.5 60`},
		{"batch", `{"commands":[["fill","#a","it's --x"],["get","url"]]}`, `batch 'fill '\''#a'\'' '\''it'\''\'\'''\''s --x'\''' 'get url'`},
		{"fill", `{"selector":"#a","text":"--x","extraArgs":["--frame","main","--timeout=5s"]}`, `--timeout=5s fill --frame=main -- '#a' --x`},
		{"get_url", `{"session":"b","timeoutMs":5}`, `--session=b get url`},
		{"fill", `{"selector":"#a","text":"x","extraArgs":["#b"]}`, "extraArgs: give flags of fill"},
		{"fill", `{"selector":"#a","text":"--executable-path=/x","extraArgs":["--frame"]}`, "--frame needs a value"},
		{"get_url", `{"extraArgs":["--config","/x"]}`, "--config: agents cannot set this flag"},
		{"get_url", `{"extraArgs":["--site-guard=false"]}`, "--site-guard: agents cannot set this flag"},
		{"set_geo", `{"latitude":1,"longitude":2,"extraArgs":["--proxy","x"]}`, "--proxy: agents cannot set this flag"},
		{"batch", `{"commands":[["get","url"],["--proxy","x","get","url"]]}`, "--proxy: agents cannot set this flag"},
		{"get_url", `{"extraArgs":["--allowed-domains","a.example"]}`, "--allowed-domains: agents cannot set this flag"},
		{"get_url", `{"extraArgs":["--confirm-actions","wait"]}`, "--confirm-actions: agents cannot set this flag"},
		{"get_url", `{"extraArgs":["--content-boundaries=false"]}`, "--content-boundaries: agents cannot set this flag"},
		{"batch", `{"commands":[["--action-policy","x","eval","1"]]}`, "--action-policy: agents cannot set this flag"},
		{"batch", `{"commands":[["get","url"],[]]}`, "commands: give an array of commands"},
		{"find", `{"locator":"text","value":"a","index":1}`, "index cannot be given with this"},
		{"confirm", `{"id":"1"}`, "a person confirms commands"},
	} {
		of := commands.Find(options(), commands.Prefix+c.name)
		args, err := of.Parse(jsontext.Value(c.args))
		if err != nil {
			t.Errorf("%s %s: %v", c.name, c.args, err)
			continue
		}
		call, err := commands.CallOf(options(), of.Name, args)
		if err != nil {
			if !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s %s: %v; want %s", c.name, c.args, err, c.want)
			}
		} else if got := call.String(); got != c.want {
			t.Errorf("%s %s: %s; want %s", c.name, c.args, got, c.want)
		}
	}
}
