package commands

import (
	"context"
	"fmt"
	"reflect"
	"strings"

	"github.com/usher-browser/usher/internal/tool"
)

// profilesName is the name of the tool that lists the profiles, without prefix.
const profilesName = "tools_profiles"

// profileList is the result of agent_browser_tools_profiles.
type profileList struct {
	Active   []string  `json:"activeProfiles"`
	Profiles []profile `json:"profiles"`
}

// profile is a group of tools.
type profile struct {
	Name  string `json:"name"`
	Doc   string `json:"description"`
	Tools int    `json:"toolCount"` // in its list
}

// profilesTool returns the tool that lists the profiles. It is in two of them.
func profilesTool(active []string) tool.Tool {
	return tool.Tool{Name: Prefix + profilesName, Doc: "List the profiles: groups of tools, which are chosen when the server starts.",
		Output: reflect.TypeFor[profileList](), Unlisted: true, Traits: tool.ReadOnly | tool.Idempotent,
		Run: func(context.Context, *tool.Host, tool.Args) (*tool.Result, error) {
			list := &profileList{Active: active}
			var text strings.Builder
			for _, name := range Profiles() {
				p := profile{Name: name, Doc: profileDocs[name]}
				if name == Default || name == All {
					p.Tools++ // this one
				}
				for _, r := range rows() {
					if r.isIn([]string{name}) && !r.unlisted {
						p.Tools++
					}
				}
				list.Profiles = append(list.Profiles, p)
				fmt.Fprintf(&text, "%s: %d tools: %s\n", p.Name, p.Tools, p.Doc)
			}
			return &tool.Result{Value: list, Text: "Active: " + strings.Join(active, ", ") + "\n" + text.String() +
				"The server is started with others by mcp --tools NAMES."}, nil
		}}
}
