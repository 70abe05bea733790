package daemon

import (
	"context"
	"time"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/verb"
)

// Handler is what the daemon serves: the open sessions. All methods are called
// from many goroutines at once; order among commands is the handler's business.
type Handler interface {
	// Handle carries out one parsed command, writes its result to io, and
	// returns the exit status. ctx ends when the client is interrupted or goes
	// away, and when the daemon stops; the command then returns soon and leaves
	// its session as it is.
	//
	// Writes block while the client does not read (a terminal stopped with
	// Ctrl-S), so hold nothing that other commands need while writing much.
	Handle(ctx context.Context, req *api.Request, call *verb.Call, io *Streams) (exit int)

	// Sessions names the open sessions. A daemon with none makes room for one of
	// another build.
	Sessions() []string

	// IdleTimeout is how long the daemon may sit without a command before it
	// closes everything and ends. Zero means for ever: while a person looks at
	// a window, or a browser is attached that is not ours.
	IdleTimeout() time.Duration

	// Close ends every session and waits until its browser is gone. It is called
	// once, after the last command has returned.
	Close(ctx context.Context) error
}

// DefaultIdleTimeout is what a handler returns when nobody asked for anything
// else.
const DefaultIdleTimeout = time.Hour
