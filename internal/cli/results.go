package cli

import "reflect"

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

// ResultTypes returns the types of the data of the program's own commands, by name.
func ResultTypes() map[string]reflect.Type {
	return map[string]reflect.Type{
		"version": reflect.TypeFor[Version](), "completion": reflect.TypeFor[Completion](), "help": reflect.TypeFor[Help](),
	}
}
