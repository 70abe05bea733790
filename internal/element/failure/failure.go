// Package failure has the errors of actions on elements: what the page script refuses, and what keeps a tab from answering.
package failure

import (
	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/element/locate"
)

// RefusedError is the error for an element that is not there or cannot be acted on, with what a caller needs to say it
// in other words.
type RefusedError struct {
	Err    error // an *api.Error, a *StrictError, a *StaleError, a *NamedError or an *InsteadError
	Code   api.Code
	Target locate.Target
	// Seen is what there was instead: names, texts, options. Others is the number of elements with the wanted role and
	// other names.
	Seen    []string
	Others  int
	Blocker string // what covers the element
	// Closers are controls inside of what covers the element that may close it, by their names.
	Closers []locate.Element
}

func (e *RefusedError) Error() string { return e.Err.Error() }

// Unwrap returns Err.
func (e *RefusedError) Unwrap() error { return e.Err }

// InsteadError is the error for an element that cannot be hit, with the clickable element around it.
type InsteadError struct {
	Err     *api.Error
	Instead locate.Element
	Opens   bool // Instead opens the list that the element is in
}

func (e *InsteadError) Error() string { return e.Err.Error() }

// Unwrap returns the *api.Error.
func (e *InsteadError) Unwrap() error { return e.Err }

// StrictError is the error for a strict target that matches several elements, with the first of them.
type StrictError struct {
	Err      *api.Error
	Elements []locate.Element
	Matched  int
}

func (e *StrictError) Error() string { return e.Err.Error() }

// Unwrap returns the *api.Error.
func (e *StrictError) Unwrap() error { return e.Err }

// StaleError is an [api.StaleRef] with a likely successor: the one element of the present page with the same role and
// name. The caller may assign a ref to it; no action was performed on it.
type StaleError struct {
	Err       *api.Error
	Successor *locate.Element
}

func (e *StaleError) Error() string { return e.Err.Error() }

// Unwrap returns the *api.Error.
func (e *StaleError) Unwrap() error { return e.Err }

// NamedError is the error for a text that nothing shows, with an element that has it for its name. No action was performed on that.
type NamedError struct {
	Err     *api.Error
	Element locate.Element
}

func (e *NamedError) Error() string { return e.Err.Error() }

// Unwrap returns the *api.Error.
func (e *NamedError) Unwrap() error { return e.Err }
