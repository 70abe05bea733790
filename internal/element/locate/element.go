package locate

import (
	"github.com/usher-browser/usher/internal/supervisor/model"
	"github.com/usher-browser/usher/internal/world"
)

// Element is an element that was found.
type Element struct {
	Frame model.FrameID
	// Loader and ID identify it for the lifetime of its document.
	Loader string
	ID     int
	Role   string
	Name   string
	Tag    string
	// Alike is how many elements matched what was sought as well as this one did, itself included; zero if no other did.
	Alike int
}

// Target returns a target that identifies this very element.
func (e Element) Target() Target {
	return Target{By: ByRef, Value: "<" + e.Tag + ">", Role: e.Role, Name: e.Name, Frame: e.Frame, Loader: e.Loader, ID: e.ID}
}

// Found is the element of an answer of the page script, as locate.ts gives it.
type Found struct {
	ID    int    `json:"id"`
	Role  string `json:"role"`
	Name  string `json:"name"`
	Tag   string `json:"tag"`
	Alike int    `json:"alike"`
}

// In returns the element in the document that answered.
func (f Found) In(doc world.Document) Element {
	return Element{Frame: doc.Frame, Loader: doc.Loader, ID: f.ID, Role: f.Role, Name: f.Name, Tag: f.Tag, Alike: f.Alike}
}
