// Package script recognises and ends scripts that keep a page busy.
package script

import (
	"context"
	"errors"
	"strings"
	"time"

	protocol "github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/runtime"

	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/loadavg"
)

// BusyAfter is how long a trivial call to a page may take until the page counts as stuck in a script, on a quiet machine.
const BusyAfter = time.Second

// Ping calls the page for a number. Its reply shows only that the page's main thread runs.
func Ping(s *cdp.Session) *cdp.Pending[runtime.EvaluateResult] {
	return cdp.Start(s, runtime.Evaluate, runtime.EvaluateParams{Expression: "0", Silent: new(true)})
}

// Responds reports whether the page answers within d, or what d is on a loaded machine ([loadavg.Scale]).
func Responds(ctx context.Context, s *cdp.Session, d time.Duration) bool {
	ctx, cancel := context.WithTimeout(ctx, loadavg.Scale(d))
	defer cancel()
	_, err := Ping(s).Wait(ctx)
	return err == nil || !errors.Is(err, context.DeadlineExceeded)
}

// Interrupting is how long the end of a script may take on a busy machine, and WaitingFor how long one of a renderer
// that seems to run none: most likely it waits for a synchronous request, which cannot be ended.
const (
	Interrupting = 4 * time.Second
	WaitingFor   = 300 * time.Millisecond
)

// Interrupt ends the script that keeps a page busy, and another that was waiting behind it, and reports whether the page
// answers again within the limit, which is scaled as that of [Responds].
func Interrupt(ctx context.Context, s *cdp.Session, limit time.Duration) bool {
	ctx, cancel := context.WithTimeout(ctx, loadavg.Scale(limit))
	defer cancel()
	for ctx.Err() == nil {
		if _, err := cdp.Do(ctx, s, runtime.TerminateExecution, protocol.Empty{}); err != nil {
			return false
		}
		if Responds(ctx, s, BusyAfter) {
			return true
		}
	}
	return false
}

// Refused reports whether the browser refuses to end scripts, as Chrome does to extensions: V8 says so to untrusted clients. It is for a connection through a
// relay, of which [wire.Capabilities] cannot tell.
func Refused(ctx context.Context, s *cdp.Session) bool {
	ctx, cancel := context.WithTimeout(ctx, loadavg.Scale(BusyAfter))
	defer cancel()
	_, err := cdp.Do(ctx, s, runtime.TerminateExecution, protocol.Empty{})
	return err != nil && strings.Contains(err.Error(), "untrusted clients")
}
