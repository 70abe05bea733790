// Package browserhost is where sessions get their browsers.
//
// A [Host] launches a browser, or connects to one that runs, and gives a [Browser]: its connection, its address, its files and its
// end. Sessions know browsers by these two interfaces. The hosts are
//
//	launcher   launches a browser on this machine and ends it
//	attacher   connects to a browser that runs already and leaves it running
package browserhost

import (
	"context"
	"time"

	"github.com/usher-browser/usher/internal/chrome"
	"github.com/usher-browser/usher/internal/wire"
)

// Options say which browser is wanted.
type Options struct {
	// Options are for a browser that is launched.
	chrome.Options
	// CDP is the address of a browser that runs already, as [chrome.Resolve] takes it; AutoConnect looks for one. With either none is
	// launched.
	CDP         string
	AutoConnect bool
}

// New returns the host of the browser that is wanted.
func New(o Options) Host {
	if o.CDP != "" || o.AutoConnect {
		return &attacher{options: o}
	}
	return &launcher{options: o}
}

// Host provides browsers.
type Host interface {
	// Traits are what is known of a browser of this host before there is one.
	Traits() Traits
	// Connect launches a browser, or finds one, and connects to it. The caller owns the browser and closes it. Errors have a code of
	// package api.
	Connect(ctx context.Context) (Browser, error)
}

// Traits are what a session has to know of a browser to live in it.
type Traits struct {
	// Attached reports whether the browser is somebody else's: it ran before, a person may work in it, and it is not ours to end.
	Attached bool
	// Headed reports whether it was asked to show its windows.
	Headed bool
	// Profile reports whether it keeps a profile of the user's, which has one cookie jar.
	Profile bool
	// DebugPort reports whether it is launched with a debugging port.
	DebugPort bool
	// Remote reports whether it runs on another machine, so that what is internal to it is not internal to the caller.
	Remote bool
	// Proxied reports whether a proxy looks names up for it.
	Proxied bool
}

// Browser is a browser that a host has connected to.
type Browser interface {
	// Conn is the connection that Connect made, which the caller closes.
	Conn() wire.Conn
	// Redial returns what connects to the same browser once more. Its errors wrap [link.ErrNobody] or [model.ErrOtherBrowser] where
	// that is known. It is nil where the end of the connection is the end of the browser.
	Redial() func(context.Context) (wire.Conn, error)
	// DebugURL returns the address at which other programs can reach the browser now. The error is an api.NoDebugPort where
	// none can.
	DebugURL(ctx context.Context) (string, error)
	// Address is the same without asking, as it was when the browser was connected to; empty where no program can reach it.
	Address() string
	// Process is the browser's process; the zero value where the host does not know it.
	Process() Process
	// Files is how files get to the browser and from it.
	Files() Files
	// Exit says how the browser's process ended, and waits for the end that long. It is false where it has not ended, or where the
	// host does not know.
	Exit(wait time.Duration) (Exit, bool)
	// Close ends the browser with all that belongs to it, unless it is somebody else's. Send Browser.close first where pages
	// should get their unload events.
	Close(ctx context.Context) error
}

// Process is the main process of a browser.
type Process struct {
	PID                 int
	Product, Executable string
}

// Exit is how a browser ended.
type Exit struct {
	How string
	// Stderr is the end of what it wrote to standard error, if it failed.
	Stderr string
}

// Files passes files between this machine and the one of the browser.
type Files interface {
	// Upload returns the paths by which the browser can read files and directories of this machine, in their order.
	Upload(ctx context.Context, paths []string) ([]string, error)
	// Downloads returns the directory in which the browser is to keep the downloads that belong into a directory of this machine. They
	// come to lie in that, under the names that the browser gives them.
	Downloads(ctx context.Context, dir string) (string, error)
}

// SharedFiles are the Files of a browser that finds the files of this machine under the same paths.
type SharedFiles struct{}

// Upload returns the paths as they are.
func (SharedFiles) Upload(_ context.Context, paths []string) ([]string, error) { return paths, nil }

// Downloads returns the directory itself.
func (SharedFiles) Downloads(_ context.Context, dir string) (string, error) { return dir, nil }

// Display is the display that an environment leads to, for Options.Display.
func Display(env func(name string) (string, bool)) []string {
	display := []string{}
	for _, name := range chrome.DisplayVariables() {
		if value, ok := env(name); ok && value != "" {
			display = append(display, name+"="+value)
		}
	}
	return display
}
