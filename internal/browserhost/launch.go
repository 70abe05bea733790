package browserhost

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/chrome"
	"github.com/usher-browser/usher/internal/chrome/userprofile"
	"github.com/usher-browser/usher/internal/supervisor/link"
	"github.com/usher-browser/usher/internal/wire"
)

// launcher launches browsers on this machine.
type launcher struct{ options Options }

func (l *launcher) Traits() Traits {
	o := &l.options
	return Traits{Headed: o.Headed, Profile: o.ProfileDir != "" || o.Copy != nil || len(o.Extensions) > 0, DebugPort: o.WantsPort(), Proxied: proxied(o)}
}

// proxied reports whether a proxy resolves host names.
func proxied(o *Options) bool {
	found := o.Proxy != ""
	for _, a := range o.Args {
		found = found || strings.HasPrefix(a, "--proxy-server=") || strings.HasPrefix(a, "--proxy-pac-url=")
	}
	return found
}

func (l *launcher) Connect(ctx context.Context) (Browser, error) {
	p, err := chrome.Launch(ctx, l.options.Options)
	if err != nil {
		return nil, launchError(err)
	}
	r, w := p.Conn()
	return &launched{process: p, conn: wire.Pipe(r, w)}, nil
}

// launchError returns the error of a failed start with its code.
func launchError(err error) error {
	var missing *chrome.NotFoundError
	var used *chrome.ProfileInUseError
	var foreign *userprofile.ForeignError
	switch {
	case errors.As(err, &missing):
		return api.Errorf(api.BrowserNotFound, "%w", err)
	case errors.As(err, &used):
		return api.Errorf(api.LaunchConflict, "%w", err)
	case errors.As(err, &foreign):
		return api.Errorf(api.LaunchFailed, "%w", err).With("profile", foreign.Profile.Directory)
	case errors.Is(err, context.DeadlineExceeded):
		return api.Errorf(api.Timeout, "start the browser: %w", err)
	}
	return api.Errorf(api.LaunchFailed, "%w", err)
}

// launched is a browser that is connected by a pipe, and exits when the pipe is closed.
type launched struct {
	process *chrome.Process
	conn    wire.Conn
}

func (b *launched) Conn() wire.Conn                 { return b.conn }
func (b *launched) Rental() Rental                  { return Rental{} }
func (b *launched) Files() Files                    { return SharedFiles{} }
func (b *launched) Close(ctx context.Context) error { return b.process.Close(ctx) }

func (b *launched) Redial(context.Context) (wire.Conn, error) {
	return nil, fmt.Errorf("%w: the browser exits when its pipe is closed", link.ErrRefused)
}

func (b *launched) Address() string {
	url, err := b.process.DebugURL()
	if err != nil { // chrome.ErrNoPort
		return ""
	}
	return url
}

func (b *launched) Process() Process {
	return Process{PID: b.process.PID(), Product: b.process.Product(), Executable: b.process.Executable()}
}

func (b *launched) Exit(wait time.Duration) (Exit, bool) { return exitOf(b.process, wait) }

// exitOf returns how a process that usher started has ended; it waits a while for that.
func exitOf(p interface {
	Done() <-chan struct{}
	Exit() (chrome.Exit, bool)
}, wait time.Duration) (Exit, bool) {
	select {
	case <-p.Done():
	case <-time.After(wait):
	}
	exit, ended := p.Exit()
	if !ended {
		return Exit{}, false
	}
	out := Exit{How: exit.String()}
	if exit.Code != 0 {
		out.Stderr = exit.Stderr
	}
	return out, true
}

// RunsPrograms reports whether one of the switches for a launched browser lets other programs or extensions drive it, or makes it
// start another program.
func RunsPrograms(switches []string) bool { return slices.ContainsFunc(switches, chrome.RunsPrograms) }
