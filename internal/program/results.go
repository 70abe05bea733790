package program

import (
	"reflect"

	"github.com/usher-browser/usher/internal/command"
	"github.com/usher-browser/usher/internal/session"
)

// Result returns the type of the data of a command's results: what --json prints as data. It is nil for commands that
// run in the client.
func Result(name string) reflect.Type {
	if t := command.Result(name); t != nil {
		return t
	}
	return session.Results()[name]
}
