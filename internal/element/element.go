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
package element

import (
	"context"
	"time"

	"github.com/usher-browser/usher/internal/element/geometry"
	"github.com/usher-browser/usher/internal/element/input"
	"github.com/usher-browser/usher/internal/supervisor"
	"github.com/usher-browser/usher/internal/supervisor/model"
	"github.com/usher-browser/usher/internal/verb/chain"
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

// By is a way to name an element.
type By string

// Ways to name an element.
const (
	ByRef         By = "ref" // resolved by the caller into Frame, Loader and ID
	ByCSS         By = "css"
	ByXPath       By = "xpath"
	ByText        By = "text"
	ByRole        By = "role"
	ByLabel       By = "label"
	ByPlaceholder By = "placeholder"
	ByAlt         By = "alt"
	ByTitle       By = "title"
	ByTestID      By = "testid"
	ByChain       By = "chain"
	ByFocus       By = "focused" // the element with the keyboard focus
)

// Target identifies an element.
type Target struct {
	By    By
	Value string       // selector, text, role, …; for ByRef the ref as written, "@e7"
	Name  string       // for ByRole: the accessible name; for ByRef: the name it had
	Role  string       // for ByRef: the role it had
	Exact bool         // the whole text or name, in the same letter case
	Parts []chain.Part // for ByChain, whose Value is the chain as written; refs are resolved
	Nth   *int         // 0-based among all matches, negative from the end; nil for the best

	// Frame is the frame to search; empty is the tab's main frame. A selector that matches nothing there is searched in
	// the frames below it.
	Frame model.FrameID
	// ID and Loader are the element of a ref: its id in its document. A chain with refs has the Loader of their document.
	ID     int
	Loader string

	// Strict refuses a target that matches several elements: the error is a [StrictError].
	Strict bool

	// Command is the command that names the target, for messages; empty for the action's own name. A screenshot of an
	// element scrolls it into view, and its errors are the screenshot's.
	Command string
	// Timeout is how long to wait until the element is actionable: 0 is DefaultTimeout, negative tries once.
	Timeout time.Duration
	// FailEarly allows the action to fail before Timeout: when the element is disabled, covered or not visible, nothing in
	// the page changes, and no request of the page is in flight (see [Actor.Busy]).
	FailEarly bool

	// keep identifies the action of a chain; kept is set when the chain was found in it. The action then goes on with that
	// element while it is in its document: what the action does may change what the chain matches.
	keep int64
	kept bool
}

// longestChain is how many characters of a chain messages have.
const longestChain = 200

// String returns the target in the notation of the command line.
func (t Target) String() string {
	switch t.By {
	case ByRef, ByCSS:
		return t.Value
	case ByChain:
		if cut := []rune(t.Value); len(cut) > longestChain {
			return string(cut[:longestChain]) + "…"
		}
		return t.Value
	case ByXPath:
		return "xpath=" + t.Value
	case ByFocus:
		return "the focused element"
	case ByRole:
		if t.Name != "" {
			return "role " + t.Value + " " + quote(t.Name)
		}
		return "role " + t.Value
	}
	return string(t.By) + " " + quote(t.Value)
}

// Element is an element that was found.
type Element struct {
	Frame model.FrameID
	// Loader and ID identify it for the lifetime of its document.
	Loader string
	ID     int
	Role   string
	Name   string
	Tag    string
}

// Target returns a target that identifies this very element.
func (e Element) Target() Target {
	return Target{By: ByRef, Value: "<" + e.Tag + ">", Role: e.Role, Name: e.Name, Frame: e.Frame, Loader: e.Loader, ID: e.ID}
}
