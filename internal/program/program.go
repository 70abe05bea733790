// Package program puts together what there is to ask for.
package program

import (
	"sync"

	"github.com/usher-browser/usher/internal/cli"
	"github.com/usher-browser/usher/internal/command"
	"github.com/usher-browser/usher/internal/local"
	"github.com/usher-browser/usher/internal/mcp"
	"github.com/usher-browser/usher/internal/session"
	"github.com/usher-browser/usher/internal/toolset"
	"github.com/usher-browser/usher/internal/verb"
)

// Table is every command. It is made on first use.
var Table = sync.OnceValue(func() *verb.Table {
	return verb.NewTable(append(command.Grammar(), session.Grammar(), local.Grammar(), cli.Grammar(), mcp.Grammar(), toolset.Grammar())...)
})
