// Package element finds elements and performs actions on them with trusted input. It checks that the element is
// actionable, sends the input, and reports the events that the browser saw.
//
// An action makes three calls:
//
//	check             page script: find the element; check that it is attached,
//	                  visible, stable, enabled and receives events; return the
//	                  point to hit and start an event observer      (check.ts)
//	input             mouse or key events through CDP, sent together (package input)
//	takeEventReport   page script: the events that reached the target (observer.ts,
//	                  package verify)
//
// The page may move elements between check and input. The observer then cancels the press before the page's listeners
// run, and the action starts over, until its deadline: a press never reaches another element.
//
// Elements in frames are found in their own frame. The position of a frame in its tab comes from the boxes of its owner
// elements (package geometry), because input events take coordinates of the tab's viewport.
//
// Targets are named as in package locate; what the page script refuses is an error of package failure.
package element

import (
	"context"
	"time"

	"github.com/usher-browser/usher/internal/element/geometry"
	"github.com/usher-browser/usher/internal/element/input"
	"github.com/usher-browser/usher/internal/supervisor"
	"github.com/usher-browser/usher/internal/supervisor/model"
	"github.com/usher-browser/usher/internal/world"
)

// DefaultTimeout is how long an action waits until its element is actionable.
const DefaultTimeout = 5 * time.Second

// Actor performs actions in one tab. It keeps the state of its mouse and keyboard. One
// action runs at a time; concurrent callers wait.
type Actor struct {
	worlds  *world.Worlds
	browser *supervisor.Browser
	tab     model.TargetID

	// Busy reports whether the tab waits for something from the network; nil means never. Set it before the first
	// action.
	Busy func() bool
	// Readable returns the paths at which the browser can read files of this machine; nil means the same paths. Set it
	// before the first action.
	Readable func(ctx context.Context, paths []string) ([]string, error)

	token  chan struct{}    // holds a token while an action runs
	input  *input.Devices   // guarded by turn
	points *geometry.Mapper // guarded by turn
}

// New returns an actor for a tab.
func New(w *world.Worlds, tab model.TargetID) *Actor {
	return &Actor{
		worlds: w, browser: w.Browser(), tab: tab, token: make(chan struct{}, 1),
		input: input.New(w.Browser(), tab), points: geometry.NewMapper(w),
	}
}

// Pointer returns the state of the tab's mouse; nil if it was not used. It does not wait for the action that runs.
func (a *Actor) Pointer() *input.Pointer { return a.input.Pointer() }
