package toolset

import "reflect"

// Changed is the result of `tools enable` and `tools disable`.
type Changed struct {
	Changed  bool     `json:"changed"` // false if the configuration said so already
	File     string   `json:"file"`    // the configuration
	Platform string   `json:"platform"`
	Enabled  []string `json:"enabled"` // the toolsets that are on
	Served   []string `json:"served"`  // the tools that agents get
	Tokens   int      `json:"tokens"`  // of their list, about
	Notes    []string `json:"notes"`   // what to know besides
}

// ShownToolset is the result of `tools show`: a toolset with its tools, or one tool.
type ShownToolset struct {
	Toolset *Group   `json:"toolset,omitzero"`
	Tools   []*Entry `json:"tools,omitzero"`
	Tool    *Entry   `json:"tool,omitzero"`
}

// ResultTypes are the types of the data of the commands about tools, by name.
func ResultTypes() map[string]reflect.Type {
	return map[string]reflect.Type{
		"tools list": reflect.TypeFor[*Report](), "tools show": reflect.TypeFor[ShownToolset](),
		"tools enable": reflect.TypeFor[Changed](), "tools disable": reflect.TypeFor[Changed](),
	}
}
