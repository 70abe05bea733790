// Package observed lists what can be acted on in a page, for tab.observe.
package observed

import (
	"slices"
	"strconv"
	"strings"

	"github.com/usher-browser/usher/internal/view"
)

// Of returns the elements of a snapshot that was taken with States: all with a ref, or those that can be acted on or have a state;
// of these, if inView is not nil, those in it, which is by the number of the ref.
func Of(shot *view.Snapshot, all bool, inView map[int]bool) []Element {
	list := []Element{}
	for i := range shot.Refs {
		r := &shot.Refs[i]
		states := states(r.States)
		if inView != nil && !inView[r.Number] || !all && !kept(r, states) {
			continue
		}
		list = append(list, Element{ID: len(list) + 1, Role: r.Role, Name: r.Name, Value: r.Value, States: states, Ref: "@e" + strconv.Itoa(r.Number)})
	}
	return list
}

// Element is an element. Its number counts from 1 in each observation.
type Element struct {
	ID     int      `json:"id"`
	Role   string   `json:"role"`
	Name   string   `json:"name,omitzero"`
	Value  string   `json:"value,omitzero"`
	States []string `json:"states"`
	Ref    string   `json:"ref"`
}

// controls are the roles of elements that an observation has, whatever their state.
var controls = []string{"button", "link", "textbox", "combobox", "listbox", "option", "checkbox", "radio", "switch", "tab", "menuitem",
	"menuitemcheckbox", "menuitemradio", "slider", "spinbutton", "searchbox", "treeitem"}

// stateOrder is the order of states, of which those with = have a value.
var stateOrder = []string{"disabled", "checked=", "pressed=", "selected=", "expanded=", "required", "readonly", "multiselectable", "multiline", "modal", "focused"}

// states writes the states of an outline's line in the order and form of observations.
func states(list []string) []string {
	out := []string{}
	for _, name := range stateOrder {
		word, valued := strings.CutSuffix(name, "=")
		for _, state := range list {
			switch key, value, found := strings.Cut(state, "="); {
			case key != word && (word != "focused" || key != "active"):
			case valued && !found:
				out = append(out, word+"=true")
			case valued:
				out = append(out, word+"="+value)
			default:
				out = append(out, word)
			}
		}
	}
	return out
}

// kept reports whether an element is in an observation that is not of everything.
func kept(r *view.Shown, states []string) bool {
	return r.Clickable || slices.Contains(controls, r.Role) || slices.ContainsFunc(states, func(s string) bool {
		return s == "focused" || strings.HasPrefix(s, "checked=") || strings.HasPrefix(s, "pressed=") || strings.HasPrefix(s, "selected=") || strings.HasPrefix(s, "expanded=")
	})
}
