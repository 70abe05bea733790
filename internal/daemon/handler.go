package daemon

import (
	"context"
	"time"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/verb"
)

// Handler is what the daemon serves: the open sessions. All methods are called from many goroutines at once; the
// handler orders the commands.
type Handler interface {
	// Handle runs one parsed command, writes its result to io, and returns the exit status. ctx ends when the client is
	// interrupted or disconnects, and when the daemon stops; the command then returns soon and leaves its session as it
	// is.
	//
	// Writes block while the client does not read (a terminal stopped with Ctrl-S), so hold no lock that other commands
	// need during a large write.
	Handle(ctx context.Context, req *api.Request, call *verb.Call, io *Streams) (exit int)

	// Sessions returns the names of the open sessions. A daemon with none ends for a client of another build.
	Sessions() []string

	// IdleTimeout is how long the daemon may be without a command before it closes everything and ends. Zero means for
	// ever: while a browser is headed or attached.
	IdleTimeout() time.Duration

	// Close ends every session and waits until its browser is gone. It is called once, after the last command has
	// returned.
	Close(ctx context.Context) error
}

// DefaultIdleTimeout is the idle timeout of a handler without another setting.
const DefaultIdleTimeout = time.Hour
