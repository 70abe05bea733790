package locate

import (
	"strconv"
	"time"

	"github.com/usher-browser/usher/internal/supervisor/model"
	"github.com/usher-browser/usher/internal/verb/chain"
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

	Aim

	// Strict refuses a target that matches several elements: the error is a failure.StrictError.
	Strict bool

	// Command is the command that names the target, for messages; empty for the action's own name. A screenshot of an
	// element scrolls it into view, and its errors are the screenshot's.
	Command string
	// Timeout is how long to wait until the element is actionable: 0 is the default of actions, negative tries once.
	Timeout time.Duration
	// FailEarly allows the action to fail before Timeout: when the element is disabled, covered or not visible, nothing in
	// the page changes, and no request of the page is in flight.
	FailEarly bool
}

// Aim is how an action with the mouse takes its target.
type Aim struct {
	// Force acts at the place of the element at once, although it may be hidden, moving, disabled or covered: the event then goes to what
	// is there. An element without a box is refused.
	Force bool
	// Trial does all but the action: it returns when the element could be hit.
	Trial bool
	// Padding counts a given place from the top left of the element's padding box, not of its border box.
	Padding bool
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
			return "role " + t.Value + " " + strconv.Quote(t.Name)
		}
		return "role " + t.Value
	}
	return string(t.By) + " " + strconv.Quote(t.Value)
}

// InPage returns the target as locate.ts reads it.
func (t Target) InPage() map[string]any {
	switch t.By {
	case ByRef:
		return map[string]any{"by": "id", "id": t.ID}
	case ByFocus:
		return map[string]any{"by": "focused"}
	}
	a := map[string]any{"by": string(t.By), "value": t.Value}
	if t.Strict {
		a["strict"] = true
	}
	if t.By == ByChain {
		a["parts"] = t.Parts
	}
	if t.By == ByRole && t.Name != "" {
		a["name"] = t.Name
	}
	if t.Exact {
		a["exact"] = true
	}
	if t.Nth != nil {
		a["nth"] = *t.Nth
	}
	return a
}

// OneDocument reports whether a chain counts or names elements of one document.
func (t Target) OneDocument() bool {
	if t.By != ByChain {
		return false
	}
	if t.Loader != "" {
		return true
	}
	for _, p := range t.Parts {
		if p.Kind == chain.Nth {
			return true
		}
	}
	return false
}
