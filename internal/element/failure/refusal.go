package failure

import (
	"strconv"
	"strings"
	"time"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/element/geometry"
	"github.com/usher-browser/usher/internal/element/locate"
	"github.com/usher-browser/usher/internal/world"
)

// Refusal is the reason why the page script did not act (describe.ts).
type Refusal struct {
	Code    string          `json:"code"`
	Detail  string          `json:"detail"`
	Retry   bool            `json:"retry"`
	Blocker string          `json:"blocker"`
	Closers []locate.Found  `json:"closers"` // controls in what covers the target that may close it
	Through bool            `json:"through"` // nothing covers the target: it lets the pointer through
	Over    *geometry.Point `json:"over"`    // a point where moving the mouse may uncover the target
	Instead *locate.Found   `json:"instead"`
	Opens   bool            `json:"opens"`   // Instead opens the list that the element is in
	Several []locate.Found  `json:"several"` // the first matches of a strict target
	Seen    []string        `json:"seen"`
	Unseen  bool            `json:"unseen"` // all of Seen is hidden
	Matched int             `json:"matched"`
	Others  int             `json:"others"` // elements of the wanted role with other names
	Still   float64         `json:"still"`  // ms since the page last changed

	// What the action adds: whether it gave up before its deadline because the refusal is final, the likely successor of a stale ref,
	// and what has the text that was not found for its name.
	GaveUp    bool            `json:"-"`
	Successor *locate.Element `json:"-"`
	Named     *locate.Element `json:"-"`
}

// waitHint is the hint for a state that a page reaches later; tools replace it by their own.
const waitHint = "`--timeout 10s` waits that long for it"

// throughHint is the hint for an element that lets the pointer through.
const throughHint = "Wait until the page enables it, or close the menu or dialog for which it is disabled; the keyboard may work: `focus` it, then `press Enter`."

// Final reports whether waiting cannot help if the page awaits nothing from the network: nothing in it has changed for a while.
func (r *Refusal) Final() bool {
	if time.Duration(r.Still*float64(time.Millisecond)) < r.quietTime() {
		return false
	}
	switch api.Code(r.Code) {
	case api.ElementDisabled, api.ElementCovered, api.ElementNotVisible, api.OptionNotFound, api.InvalidArgument:
		return true
	}
	return false
}

// quietTime returns how long a page must be unchanged until its state counts as final: the half second after which a
// network counts as idle, and the usual debounce time of input fields. A disabled element may wait for a countdown
// ("Send again in 3 s"), which changes the page every second.
func (r *Refusal) quietTime() time.Duration {
	if api.Code(r.Code) == api.ElementDisabled {
		return 1200 * time.Millisecond
	}
	return 500 * time.Millisecond
}

// Err returns the error of an action on a target that was refused in a document.
func (r *Refusal) Err(verb string, t locate.Target, doc world.Document) *RefusedError {
	detail := r.Detail
	if len(r.Seen) > 0 {
		quoted := make([]string, len(r.Seen))
		for i, s := range r.Seen {
			quoted[i] = s
			if r.Code == string(api.ElementNotFound) && !strings.HasPrefix(s, "role ") {
				quoted[i] = strconv.Quote(s)
			}
		}
		there := "; there are: "
		if r.Unseen {
			there = "; there are only hidden ones: "
		}
		detail += there + strings.Join(quoted, ", ")
	}
	if r.GaveUp {
		detail += "; gave up because the page stopped changing: " + waitHint
	}
	err := api.Errorf(api.Code(r.Code), "%s %s: %s", verb, t, detail)
	if r.Blocker != "" {
		err = err.With("blocker", r.Blocker)
	}
	if r.Through {
		err = err.WithHint(throughHint)
	}
	if len(r.Seen) > 0 {
		err = err.With("seen", r.Seen)
	}
	refused := &RefusedError{Err: err, Code: err.Code, Target: t, Seen: r.Seen, Others: r.Others, Blocker: r.Blocker}
	for _, el := range r.Closers {
		refused.Closers = append(refused.Closers, el.In(doc))
	}
	if r.Successor != nil {
		refused.Err = &StaleError{Err: err, Successor: r.Successor}
		return refused
	}
	if r.Named != nil {
		refused.Err = &NamedError{Err: err, Element: *r.Named}
	}
	if len(r.Several) > 0 {
		strict := &StrictError{Err: err, Matched: r.Matched}
		for _, el := range r.Several {
			strict.Elements = append(strict.Elements, el.In(doc))
		}
		refused.Err = strict
	}
	if r.Instead != nil {
		refused.Err = &InsteadError{Err: err, Instead: r.Instead.In(doc), Opens: r.Opens}
	}
	return refused
}
