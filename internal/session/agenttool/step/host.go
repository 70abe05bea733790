package step

import (
	"context"

	"github.com/usher-browser/usher/internal/command/run"
	"github.com/usher-browser/usher/internal/verb"
)

// Host runs the commands of a call.
type Host interface {
	// Table is the table of all commands.
	Table() *verb.Table
	// Run runs a command in the session that its global flags name.
	Run(ctx context.Context, row Row) (run.Result, error)
	// Work returns a session's work in its browser; nil without a browser.
	Work(namespace, session string) *run.BrowserContext
	// Guarded reports whether the site guard is on. Flags that could loosen it, or choose another program as the browser, are then
	// refused.
	Guarded() bool
	// MayWrite returns an error for a file that agents must not write.
	MayWrite(path string) error
	// Artifacts is the directory of files without a path.
	Artifacts() string
}

// Row is a command with what it reads.
type Row struct {
	Call  *verb.Call
	Stdin string
}
