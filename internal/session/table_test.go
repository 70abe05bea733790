package session

import (
	"github.com/usher-browser/usher/internal/command"
	"github.com/usher-browser/usher/internal/verb"
)

// table returns every command that works in a session.
func table() *verb.Table { return verb.NewTable(append(command.Grammar(), Grammar())...) }
