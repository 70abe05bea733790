package cli

import (
	"reflect"

	"github.com/go-json-experiment/json/jsontext"
)

// Version is the result of `version`.
type Version struct {
	Version string `json:"version"`
}

// Completion is the result of `completion`.
type Completion struct {
	Completion string `json:"completion"` // the script for the shell
}

// Help is the result of `help`.
type Help struct {
	Help string `json:"help"`
}

// Schema is the result of `config schema`.
type Schema struct {
	Schema jsontext.Value `json:"schema"` // a JSON schema, draft 7
}

// ResultTypes returns the types of the data of the program's own commands, by name.
func ResultTypes() map[string]reflect.Type {
	return map[string]reflect.Type{
		"version": reflect.TypeFor[Version](), "completion": reflect.TypeFor[Completion](), "help": reflect.TypeFor[Help](),
		"config schema": reflect.TypeFor[Schema](),
	}
}
