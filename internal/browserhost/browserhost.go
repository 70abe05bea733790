// Package browserhost connects sessions to browsers.
//
// A [Connector] launches a browser, or connects to a running one, and returns a [Browser]: its connection, its address, its
// files and its exit. Sessions use browsers through these two interfaces only. The hosts are
//
//	launcher   launches a browser on this machine and ends it
//	lightpanda the same with Lightpanda, which is no Chromium
//	attacher   connects to a running browser and leaves it running
//	brokerage  gets a browser from a plugin, and has the plugin end it
//	renter     starts a browser at a provider, and has the provider end it
//	mine       connects to the user's own Chrome, through the relay and the extension
//	trial      launches a Chromium with the extension, to show how mine works, and ends it
package browserhost

import (
	"context"
	"time"

	"github.com/usher-browser/usher/internal/chrome"
	"github.com/usher-browser/usher/internal/provider"
	"github.com/usher-browser/usher/internal/wire"
)

// DefaultViewport is the size of a page in a launched browser whose window has no size of its own.
var DefaultViewport = chrome.DefaultViewport

// Options select a browser.
type Options struct {
	// Options are for a browser that is launched.
	chrome.Options
	// CDP is the address of a running browser, as [chrome.Resolve] takes it; AutoConnect searches for one. Without
	// either, a browser is launched.
	CDP         string
	AutoConnect bool
	// Access is for the address of CDP.
	Access wire.Access
	// Engine is the kind of program that is launched: chrome (also if empty) or lightpanda.
	Engine string
	// Provider names a service where a browser is rented, with what that needs; without a name none is.
	Provider provider.Options
	// Mine chooses the user's own Chrome, behind its extension; RelayPort is where the relay listens, and Relay returns the relay,
	// which the caller of Connect must have set.
	Mine      bool
	RelayPort int
	Relay     func() (Relay, error)
	// Try chooses a Chromium that is launched with usher's extension and reached through it; Version is usher's, for that relay.
	Try     bool
	Version string
	// Broker is a plugin that provides the browser; nil for none.
	Broker *Broker
}

// New returns the host for the options.
func New(o Options) Connector {
	switch {
	case o.Mine:
		return &mine{relay: o.Relay}
	case o.Try:
		return &trial{options: o}
	case o.Broker != nil:
		return &brokerage{broker: o.Broker}
	case o.Provider.Name != "":
		return &renter{options: o}
	case o.CDP != "" || o.AutoConnect:
		return &attacher{options: o}
	}
	if o.Engine == Lightpanda {
		return &lightpanda{options: o}
	}
	return &launcher{options: o}
}

// Lightpanda is the engine of that name.
const Lightpanda = "lightpanda"

// Connector provides browsers.
type Connector interface {
	// Traits returns the properties of a browser of this host. They are known before there is one.
	Traits() Traits
	// Connect launches or finds a browser and connects to it. The caller closes the browser. The error is an *api.Error.
	Connect(ctx context.Context) (Browser, error)
}

// Traits are the properties of a browser that decide how sessions use it.
type Traits struct {
	// Attached reports whether the browser ran before: a person may work in it, and it is not closed with its sessions.
	// [wire.Capabilities] describe what its connection can do.
	Attached bool
	// Headed reports whether --headed was given.
	Headed bool
	// Profile reports whether sessions use the browser's own profile, which has one cookie jar: the user's, or a temporary
	// one with extensions, which do not run in other browser contexts.
	Profile bool
	// DebugPort reports whether it is launched with a debugging port.
	DebugPort bool
	// Remote reports whether it runs on another machine, with other internal networks than the caller's.
	Remote bool
	// Proxied reports whether a proxy resolves host names for it.
	Proxied bool
	// Rented reports whether a provider runs it for this session alone, for money.
	Rented bool
}

// Browser is a connected browser.
type Browser interface {
	// Conn returns the connection that Connect made. The caller closes it.
	Conn() wire.Conn
	// Redial connects to the same browser again, if the capabilities of its connection say that it outlives one. Errors
	// wrap [link.ErrNobody] if nothing listens, [model.ErrOtherBrowser] if the browser is gone.
	Redial(ctx context.Context) (wire.Conn, error)
	// Address returns the WebSocket address of the browser as it was at Connect; empty if other programs cannot connect.
	Address() string
	// Process describes the browser's process; the zero value if it is unknown.
	Process() Process
	// Rental returns the provider and its id of a rented browser; the zero value for others.
	Rental() Rental
	// Files translates paths between this machine and the browser's.
	Files() Files
	// Exit waits up to wait for the browser's process to end, and returns how it ended. ok is false if it still runs, or
	// if that is unknown.
	Exit(wait time.Duration) (exit Exit, ok bool)
	// Close ends a launched browser and removes its processes and temporary files. An attached browser keeps running. Send
	// Browser.close first if pages are to get their unload events.
	Close(ctx context.Context) error
}

// Process is the main process of a browser.
type Process struct {
	PID                 int
	Product, Executable string
}

// Rental is a session at a provider.
type Rental struct{ Provider, ID string }

// Exit describes how a browser's process ended.
type Exit struct {
	How string
	// Stderr is the end of its standard error; empty if it exited with code 0.
	Stderr string
}

// Files translates paths between this machine and the browser's.
type Files interface {
	// Upload returns the paths at which the browser can read files and directories of this machine, in the same order.
	Upload(ctx context.Context, paths []string) ([]string, error)
	// Downloads returns the path at which the browser writes downloads for a directory of this machine. The host makes them
	// available in that directory, under the names that the browser generates.
	Downloads(ctx context.Context, dir string) (string, error)
}

// SharedFiles is for a browser with the file system of this machine.
type SharedFiles struct{}

// Upload returns the paths as they are.
func (SharedFiles) Upload(_ context.Context, paths []string) ([]string, error) { return paths, nil }

// Downloads returns the directory itself.
func (SharedFiles) Downloads(_ context.Context, dir string) (string, error) { return dir, nil }

// Display returns the variables of an environment that select the display, for Options.Display.
func Display(env func(name string) (string, bool)) []string {
	display := []string{}
	for _, name := range chrome.DisplayVariables() {
		if value, ok := env(name); ok && value != "" {
			display = append(display, name+"="+value)
		}
	}
	return display
}
