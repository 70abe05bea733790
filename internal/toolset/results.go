package toolset

import "reflect"

// Changed is the result of `tools enable` and `tools disable`.
type Changed struct {
	Changed  bool     `json:"changed"` // false if the configuration had this already
	File     string   `json:"file"`    // the configuration file
	Platform string   `json:"platform"`
	Enabled  []string `json:"enabled"` // the enabled toolsets
	Served   []string `json:"served"`  // the tools that agents are offered
	Tokens   int      `json:"tokens"`  // about what their list costs
	Notes    []string `json:"notes"`   // remarks, such as tools that stay on or off
}

// ShownToolset is the result of `tools show`: a toolset with its tools, or one tool.
type ShownToolset struct {
	Toolset *Group   `json:"toolset,omitzero"`
	Tools   []*Entry `json:"tools,omitzero"`
	Tool    *Entry   `json:"tool,omitzero"`
}

// ResultTypes returns the types of the data of this package's commands, by name.
func ResultTypes() map[string]reflect.Type {
	return map[string]reflect.Type{
		"tools list": reflect.TypeFor[*Report](), "tools show": reflect.TypeFor[ShownToolset](),
		"tools enable": reflect.TypeFor[Changed](), "tools disable": reflect.TypeFor[Changed](),
	}
}
