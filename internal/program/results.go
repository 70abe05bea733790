package program

import (
	"reflect"

	"github.com/usher-browser/usher/internal/cli"
	"github.com/usher-browser/usher/internal/command"
	"github.com/usher-browser/usher/internal/local"
	"github.com/usher-browser/usher/internal/mcp"
	"github.com/usher-browser/usher/internal/session/apps"
	"github.com/usher-browser/usher/internal/session/results"
	"github.com/usher-browser/usher/internal/toolset"
)

// Result returns the type of the data of a command's results: what --json prints as data. It is nil for `mcp serve` alone,
// which prints the messages of MCP.
func Result(name string) reflect.Type {
	if t := command.Result(name); t != nil {
		return t
	}
	for _, types := range []map[string]reflect.Type{results.Types(), apps.ResultTypes(), local.ResultTypes(), cli.ResultTypes(), mcp.ResultTypes(), toolset.ResultTypes()} {
		if t := types[name]; t != nil {
			return t
		}
	}
	return nil
}
