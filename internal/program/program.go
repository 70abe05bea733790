// Package program joins the grammars of all commands.
package program

import (
	"sync"

	"github.com/usher-browser/usher/internal/cli"
	"github.com/usher-browser/usher/internal/command"
	"github.com/usher-browser/usher/internal/local"
	"github.com/usher-browser/usher/internal/mcp"
	"github.com/usher-browser/usher/internal/session"
	"github.com/usher-browser/usher/internal/session/agenttool"
	"github.com/usher-browser/usher/internal/session/apps"
	"github.com/usher-browser/usher/internal/session/code"
	"github.com/usher-browser/usher/internal/toolset"
	"github.com/usher-browser/usher/internal/verb"
)

// Table returns the table of all commands. It is built on first use.
var Table = sync.OnceValue(func() *verb.Table {
	return verb.NewTable(append(command.Grammar(), session.Grammar(), apps.Grammar(), code.Grammar(), agenttool.Grammar(), local.Grammar(), cli.Grammar(), mcp.Grammar(), toolset.Grammar())...)
})
