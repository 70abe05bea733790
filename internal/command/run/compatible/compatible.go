// Package compatible words errors, and what is told of sessions, as agent-browser does.
package compatible

import (
	"cmp"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/element/failure"
	"github.com/usher-browser/usher/internal/element/locate"
	"github.com/usher-browser/usher/internal/supervisor/model"
)

// verify is how agent-browser ends the error for an element that is not there. Programs match it together with the
// beginning.
const verify = "Verify the selector, role, or name is correct and the element exists in the DOM"

// Words puts agent-browser's words for a refusal in front of ours, because programs written for that tool match
// them. out is the error for the caller, err the one of package element that it was made from.
func Words(out, err error) error {
	var refused *failure.RefusedError
	var blocked *model.BlockedError
	switch code := api.CodeOf(out); {
	case code == api.DialogOpen && errors.As(err, &blocked) && blocked.Dialog != nil:
		return inFront(out, Dialog(blocked.Dialog))
	case errors.As(err, &refused) && code == refused.Code: // and not the end of a wait, which has words of its own
		return inFront(out, refusalWords(refused))
	}
	return out
}

// inFront puts words in front of the message of an error.
func inFront(err error, words string) error {
	if words == "" {
		return err
	}
	known := *api.AsError(err)
	known.Message = words + ". " + known.Message
	return &known
}

// Dialog returns the words for a dialog that keeps a command from running.
func Dialog(d *model.Dialog) string {
	return fmt.Sprintf("A JavaScript %s dialog is blocking the page: %q", d.Type, d.Message)
}

// refusalWords returns agent-browser's words for a refusal, without a full stop; "" if it has none.
func refusalWords(r *failure.RefusedError) string {
	t := r.Target
	doing := cmp.Or(t.Command, "action")
	if doing == "dblclick" {
		doing = "click"
	}
	lost := ", so the " + doing + " would not reach it"
	switch r.Code {
	case api.ElementNotFound:
		return missingWords(r)
	case api.ElementDisabled:
		return fmt.Sprintf("Element '%s' is disabled%s", t, lost)
	case api.ElementNotVisible:
		return fmt.Sprintf("Element '%s' is not visible%s", t, lost)
	case api.ElementCovered:
		if r.Blocker == "" {
			return ""
		}
		return fmt.Sprintf("Element '%s' is covered by %s", t, r.Blocker)
	case api.OptionNotFound:
		return "No option matched. Available options: " + strings.Join(r.Seen, ", ")
	case api.StaleRef:
		return "Stale ref: " + strings.TrimPrefix(t.Value, "@")
	}
	return ""
}

// missingWords are the words for an element that is not there.
func missingWords(r *failure.RefusedError) string {
	t := r.Target
	switch {
	case t.By == locate.ByFocus:
		return ""
	case t.Nth != nil:
		return fmt.Sprintf("No element at index %d for selector '%s'. %s", *t.Nth, t.Value, verify)
	case t.By == locate.ByRole && t.Name != "" && r.Others > 0:
		names := make([]string, len(r.Seen))
		for i, name := range r.Seen {
			names[i] = strconv.Quote(name)
		}
		return fmt.Sprintf("%s have role %q, but none match name %q. Names seen: %s", elements(r.Others), t.Value, t.Name, strings.Join(names, ", "))
	case t.By == locate.ByRole:
		return fmt.Sprintf("No element found: getByRole('%s'). %s", t.Value, verify)
	case t.By == locate.ByAlt:
		return fmt.Sprintf("No element found by alttext '%s'. %s", t.Value, verify)
	case t.By == locate.ByCSS, t.By == locate.ByXPath, t.By == locate.ByChain:
		return "Element not found: " + t.String() + ". " + verify
	}
	return fmt.Sprintf("No element found by %s '%s'. %s", t.By, t.Value, verify)
}

func elements(n int) string {
	if n == 1 {
		return "1 element"
	}
	return strconv.Itoa(n) + " elements"
}
