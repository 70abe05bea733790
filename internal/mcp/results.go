package mcp

import "reflect"

// Listening is the result of `mcp http`.
type Listening struct {
	Listening bool   `json:"listening"`
	URL       string `json:"url,omitzero"`   // for clients to connect to
	Token     string `json:"token,omitzero"` // for the header Authorization: Bearer
}

// Installed is the result of `mcp install`.
type Installed struct {
	Client  string `json:"client"`
	Path    string `json:"path"`          // the client's configuration file
	Written bool   `json:"written"`       // false if the entry existed already, or with --print
	Text    string `json:"text,omitzero"` // with --print, the resulting configuration
}

// Agreement is the result of `tools trust`: what was agreed to, or without arguments what waits for agreement.
type Agreement struct {
	Agreed  []Definition `json:"agreed,omitzero"`
	Waiting []Definition `json:"waiting,omitzero"`
}

// Definition is a server or plugin as a configuration defines it.
type Definition struct {
	Name       string              `json:"name"`
	Kind       string              `json:"kind"` // "MCP server" or "plugin"
	File       string              `json:"file"` // the configuration file
	Line       int                 `json:"line"`
	ID         string              `json:"id"`     // argument for `tools trust`: the name and the first characters of the digest
	Digest     string              `json:"digest"` // of the definition; an agreement holds for this digest only
	Definition map[string][]string `json:"definition"`
}

// ResultTypes returns the types of the data of this package's commands, by name.
func ResultTypes() map[string]reflect.Type {
	return map[string]reflect.Type{
		"mcp call": reflect.TypeFor[Called](), "mcp http": reflect.TypeFor[Listening](), "mcp install": reflect.TypeFor[Installed](), "tools trust": reflect.TypeFor[Agreement](),
	}
}
