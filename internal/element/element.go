// Package element finds elements and acts on them as a person would: it checks
// before it acts, sends real input, and reports what the browser saw.
//
// One action is three short conversations:
//
//	check    one in-page call: find, attached, visible, still, enabled, not
//	         covered; gives a point and arms a witness        (check.ts)
//	input    mouse or key events through the browser, sent together
//	testify  one in-page call: what reached the element        (witness.ts)
//
// The page's own script may move things between check and input. The witness
// then holds the press back before the page hears of it, and the action starts
// over, until the target's time is up: a press never lands on another element.
//
// Elements in frames are found in their own frame; the place of a frame in its
// tab comes from the boxes of the elements that hold it (place.go), because
// input goes to the tab as a whole.
package element

import (
	"time"

	protocol "github.com/chromedp/cdproto/cdp"

	"github.com/usher-browser/usher/internal/supervisor"
	"github.com/usher-browser/usher/internal/supervisor/model"
	"github.com/usher-browser/usher/internal/world"
)

// DefaultTimeout is how long an action waits for its element to be ready.
const DefaultTimeout = 5 * time.Second

// Actor acts in one tab: it remembers where the mouse is and which buttons and
// keys are down. One action runs at a time; a caller that comes second waits.
type Actor struct {
	worlds  *world.Worlds
	browser *supervisor.Browser
	tab     model.TargetID

	// Busy reports whether the tab waits for something from the network; nil for never. Set before the first action.
	Busy func() bool

	turn   chan struct{}                            // holds a token while an action runs
	mouse  mouse                                    // guarded by turn
	keys   keyboard                                 // guarded by turn
	signed time.Time                                // guarded by turn: when the page was last reported alive
	owners map[model.FrameID]protocol.BackendNodeID // guarded by turn: the element that holds a frame
}

// New returns an actor for a tab.
func New(w *world.Worlds, tab model.TargetID) *Actor {
	return &Actor{
		worlds: w, browser: w.Browser(), tab: tab, turn: make(chan struct{}, 1),
		owners: map[model.FrameID]protocol.BackendNodeID{},
	}
}

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
	ByFocus       By = "focused" // the element with the keyboard focus
)

// Target says which element is meant.
type Target struct {
	By    By
	Value string // selector, text, role, …; for ByRef the ref as written, "@e7"
	Name  string // for ByRole: the accessible name; for ByRef: the name it had
	Role  string // for ByRef: the role it had
	Exact bool   // the whole text or name, in the same letter case
	Nth   *int   // 0-based among all matches, negative from the end; nil for the best

	// Frame is the frame to look in; empty is the tab's main frame. A selector
	// that matches nothing there is looked for in the frames below it.
	Frame model.FrameID
	// ID and Loader are the element of a ref: its id in its document.
	ID     int
	Loader string

	// Timeout is how long to wait for the element to be ready: 0 is
	// DefaultTimeout, negative tries once.
	Timeout time.Duration
	// Early allows to give up before that: when the element is disabled, covered or not visible, nothing in the page
	// changes, and nothing that it asked for is under way (see [Actor.Busy]).
	Early bool
}

// Ref is the number of a ref target that has not been resolved, 0 for others.
func (t Target) Ref() int {
	if t.By != ByRef || t.Frame != "" {
		return 0
	}
	return refNumber(t.Value)
}

// String is the target as a person would write it.
func (t Target) String() string {
	switch t.By {
	case ByRef, ByCSS:
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
	// Loader and ID name it for as long as its document lives.
	Loader string
	ID     int
	Role   string
	Name   string
	Tag    string
}

// Target returns a target that means this very element.
func (e Element) Target() Target {
	return Target{By: ByRef, Value: "<" + e.Tag + ">", Role: e.Role, Name: e.Name, Frame: e.Frame, Loader: e.Loader, ID: e.ID}
}

// Point is a place in CSS pixels from the top left of a viewport.
type Point struct {
	X float64 `json:"x"`
	Y float64 `json:"y"`
}
