package run

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/element"
)

// verify is how agent-browser ends the error for an element that is not there. Programs match it together with the
// beginning.
const verify = "Verify the selector, role, or name is correct and the element exists in the DOM"

// theirWords puts agent-browser's words for a refusal in front of ours, because programs written for that tool match
// them. out is the error for the caller, err the one of package element that it was made from.
func theirWords(out, err error) error {
	var refused *element.RefusedError
	if !errors.As(err, &refused) || api.CodeOf(out) != refused.Code {
		return out // such as the end of a wait, which has words of its own
	}
	words := refusalWords(refused)
	if words == "" {
		return out
	}
	known := *api.AsError(out)
	known.Message = words + ". " + known.Message
	return &known
}

// refusalWords returns agent-browser's words for a refusal, without a full stop; "" if it has none.
func refusalWords(r *element.RefusedError) string {
	t := r.Target
	switch r.Code {
	case api.ElementNotFound:
		return missingWords(r)
	case api.ElementDisabled:
		return fmt.Sprintf("Element '%s' is disabled", t)
	case api.ElementNotVisible:
		return fmt.Sprintf("Element '%s' is not visible", t)
	case api.ElementCovered:
		return fmt.Sprintf("Element '%s' is covered by %s", t, r.Blocker)
	case api.OptionNotFound:
		return "No option matched. Available options: " + strings.Join(r.Seen, ", ")
	case api.StaleRef:
		return "Stale ref: " + strings.TrimPrefix(t.Value, "@")
	}
	return ""
}

// missingWords are the words for an element that is not there.
func missingWords(r *element.RefusedError) string {
	t := r.Target
	switch {
	case t.By == element.ByFocus:
		return ""
	case t.Nth != nil:
		return fmt.Sprintf("No element at index %d for selector '%s'. %s", *t.Nth, t.Value, verify)
	case t.By == element.ByRole && t.Name != "" && r.Others > 0:
		names := make([]string, len(r.Seen))
		for i, name := range r.Seen {
			names[i] = strconv.Quote(name)
		}
		return fmt.Sprintf("%s have role %q, but none match name %q. Names seen: %s", elements(r.Others), t.Value, t.Name, strings.Join(names, ", "))
	case t.By == element.ByRole:
		return fmt.Sprintf("No element found: getByRole('%s'). %s", t.Value, verify)
	case t.By == element.ByAlt:
		return fmt.Sprintf("No element found by alttext '%s'. %s", t.Value, verify)
	case t.By == element.ByCSS, t.By == element.ByXPath:
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
