package mcp

import "reflect"

// Listening is the result of `mcp http`.
type Listening struct {
	Listening bool   `json:"listening"`
	URL       string `json:"url,omitzero"`   // where agents connect
	Token     string `json:"token,omitzero"` // what they send as Authorization: Bearer
}

// Installed is the result of `mcp install`.
type Installed struct {
	Client  string `json:"client"`
	Path    string `json:"path"`          // the client's configuration
	Written bool   `json:"written"`       // false if usher was there already, or with --print
	Text    string `json:"text,omitzero"` // with --print, the configuration as it would be
}

// Agreement is the result of `tools trust`: what was agreed to, or without names what needs agreement.
type Agreement struct {
	Agreed  []Definition `json:"agreed,omitzero"`
	Waiting []Definition `json:"waiting,omitzero"`
}

// Definition is a server or plugin as a configuration defines it.
type Definition struct {
	Name       string              `json:"name"`
	Kind       string              `json:"kind"` // server or plugin
	File       string              `json:"file"` // the configuration
	Line       int                 `json:"line"`
	ID         string              `json:"id"`     // for `tools trust`: the name and the beginning of the digest
	Digest     string              `json:"digest"` // of the definition; agreement is to that
	Definition map[string][]string `json:"definition"`
}

// ResultTypes are the types of the data of the commands about agents' servers, by name.
func ResultTypes() map[string]reflect.Type {
	return map[string]reflect.Type{
		"mcp http": reflect.TypeFor[Listening](), "mcp install": reflect.TypeFor[Installed](), "tools trust": reflect.TypeFor[Agreement](),
	}
}
