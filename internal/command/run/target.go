package run

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strconv"
	"strings"
	"time"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/command/run/compatible"
	"github.com/usher-browser/usher/internal/element"
	"github.com/usher-browser/usher/internal/element/failure"
	"github.com/usher-browser/usher/internal/element/locate"
	"github.com/usher-browser/usher/internal/journal"
	"github.com/usher-browser/usher/internal/plain"
	"github.com/usher-browser/usher/internal/supervisor/model"
	"github.com/usher-browser/usher/internal/verb"
	"github.com/usher-browser/usher/internal/verb/chain"
)

// Actor returns the actor of a tab.
func (w *BrowserContext) Actor(tab model.TargetID) *element.Actor {
	w.mu.Lock()
	defer w.mu.Unlock()
	a := w.actors[tab]
	if a == nil {
		tabs := w.Browser.State().Tabs
		maps.DeleteFunc(w.actors, func(id model.TargetID, _ *element.Actor) bool { return tabs[id] == nil })
		a = element.New(w.Worlds, tab)
		a.Busy = func() bool { return !w.Journal.Idle(tab, journal.Quiet) }
		a.Readable = w.Files.Upload
		w.actors[tab] = a
	}
	return a
}

// Target parses a selector argument for package element. The error is api.UnknownRef or api.StaleRef.
func (e *Env) Target(c *verb.Call, arg string) (locate.Target, error) {
	t, err := e.TargetOf(c.Target(arg), c.Str(arg))
	t.Command = c.Typed()
	return t, err
}

// Wanted returns a target of the tab with all but what it names.
func (e *Env) Wanted() locate.Target {
	return locate.Target{Frame: e.Scope(e.Tab), Strict: e.Settings.Strict, Timeout: e.Limit, FailEarly: !e.Limited && !e.Patient, Aim: e.Settings.Aim}
}

func (e *Env) TargetOf(t verb.Target, written string) (locate.Target, error) {
	out := e.Wanted()
	out.Value = t.Value
	switch t.Kind {
	case verb.Ref:
		target, err := e.refTarget(t.Ref, written)
		if err == nil {
			err = e.checkRefFrame(written, target)
		}
		return target, err
	case verb.Chain:
		return e.chainTarget(out)
	case verb.XPath:
		out.By = locate.ByXPath
	case verb.ByText:
		out.By = locate.ByText
		out.Value, out.Exact = locate.Unquote(t.Value)
	default:
		if number := strings.TrimPrefix(t.Value, "@"); !e.Settings.Compatible && isNumber(number) {
			return out, api.Errorf(api.InvalidSelector, "%q is no ref and no selector", written).WithHint("A ref is written as in the snapshot, with @ and e: @e%s.", number)
		}
		out.By = locate.ByCSS
	}
	return out, nil
}

func isNumber(text string) bool { return text != "" && strings.Trim(text, "0123456789") == "" }

// refTarget resolves a ref. One that was handed out for another document is
// stale; one never handed out is unknown.
func (e *Env) refTarget(n int, written string) (locate.Target, error) {
	e.Refs.Sync(e.Browser.State())
	ref, ok := e.Refs.Lookup(n)
	if !ok {
		return locate.Target{}, api.Errorf(api.UnknownRef, "Unknown ref: %s", strings.TrimPrefix(written, "@"))
	}
	if ref.Document.Frame == "" {
		err := api.Errorf(api.StaleRef, "%s belongs to a document that no longer exists", written)
		if e.Settings.Compatible { // agent-browser forgets the refs of a page with the page
			err.Message = "Unknown ref: " + strings.TrimPrefix(written, "@") + ". " + err.Message
		}
		return locate.Target{}, err
	}
	if err := e.checkRefTab(ref.Document.Frame, written); err != nil {
		return locate.Target{}, err
	}
	return locate.Target{
		By: locate.ByRef, Value: "@e" + strconv.Itoa(n), Role: ref.Role, Name: ref.Name,
		Frame: ref.Document.Frame, Loader: ref.Document.Loader, ID: int(ref.ID), Timeout: e.Limit, FailEarly: !e.Limited && !e.Patient, Aim: e.Settings.Aim,
	}, nil
}

// checkRefTab refuses a ref of another tab than the command's. The browser sends input to the tab in front only, and a command that
// reads the one and acts on the other would mix two pages.
func (e *Env) checkRefTab(frame model.FrameID, written string) error {
	active := e.Browser.State().Tabs[e.Tab]
	if active == nil || active.Frames[frame] != nil {
		return nil
	}
	for _, t := range e.Tabs() {
		if t.Frames[frame] == nil {
			continue
		}
		err := api.Errorf(api.UnknownRef, "%s is in tab %s, not in the active one, %s", written, TabID(t), TabID(active))
		if e.Settings.Compatible { // agent-browser forgets the refs of a tab that another one replaces
			err.Message = "Unknown ref: " + strings.TrimPrefix(written, "@") + ". " + err.Message
		}
		return err.With("tabId", TabID(t)).WithHint("Switch to it with `tab %s`, or run `snapshot -i` for the refs of this one.", TabID(t))
	}
	return nil
}

// chainTarget resolves the refs of a chain. The ref that a chain begins with has the frame to search; others must be of
// the document that is searched.
func (e *Env) chainTarget(t locate.Target) (locate.Target, error) {
	parts, err := chain.Parse(t.Value)
	if err != nil {
		return t, api.Errorf(api.InvalidSelector, "%w", err)
	}
	t.By = locate.ByChain
	t.Parts, err = chain.Refs(parts, func(p chain.Part, first bool) (chain.Part, error) {
		ref, err := e.refTarget(p.Ref, p.Source)
		if err == nil && first {
			err = e.checkRefFrame(p.Source, ref)
			t.Frame = ref.Frame
		}
		if err != nil {
			return p, err
		}
		searched := t.Frame
		if tab := e.Browser.State().Tabs[e.Tab]; searched == "" && tab != nil {
			searched = tab.Main
		}
		if ref.Frame != searched || t.Loader != "" && ref.Loader != t.Loader {
			return p, api.Errorf(api.InvalidSelector, "%s: %s is in another frame than the one that is searched", t.Value, p.Source).
				WithHint("Begin the selector with the ref, or choose its frame with `frame`.")
		}
		t.Loader, p.ID = ref.Loader, ref.ID
		return p, nil
	})
	return t, err
}

// failed explains the failure of an action. A stale ref with a likely successor
// gets a ref for that one, to be used or not.
func (e *Env) failed(err error, doing string) error {
	out := e.explainRefusal(err, doing)
	if e.Settings.Compatible {
		return compatible.Words(out, err)
	}
	return out
}

func (e *Env) explainRefusal(err error, doing string) error {
	var stale *failure.StaleError
	if errors.As(err, &stale) {
		if stale.Successor == nil {
			return stale.Err
		}
		s := stale.Successor
		ref := fmt.Sprintf("@e%d", e.RefOf(*s))
		return stale.Err.With("successor", map[string]any{"ref": ref, "role": s.Role, "name": s.Name}).
			WithHint("Nothing was done. The page now has one %s %q, which is %s: use that if it is the same, or run `snapshot -i`.", s.Role, s.Name, ref)
	}
	var named *failure.NamedError
	if errors.As(err, &named) {
		el := named.Element
		ref := fmt.Sprintf("@e%d", e.RefOf(el))
		return named.Err.With("named", map[string]any{"ref": ref, "role": el.Role, "name": el.Name}).
			WithHint("It is no text on the page, but the name of the %s %s: use that.", el.Role, ref)
	}
	var several *failure.StrictError
	if errors.As(err, &several) {
		return e.nameMatches(several)
	}
	var refused *failure.RefusedError
	if errors.As(err, &refused) && len(refused.Closers) > 0 {
		e.nameClosers(refused)
	}
	var covered *failure.InsteadError
	if errors.As(err, &covered) {
		i := covered.Instead
		ref := fmt.Sprintf("@e%d", e.RefOf(i))
		refused := covered.Err.With("instead", map[string]any{"ref": ref, "role": i.Role, "name": i.Name})
		if covered.Opens {
			return refused.WithHint("Click %s, which opens the list, then click the option.", ref)
		}
		return refused.WithHint("Its clickable ancestor is %s, a <%s>: use that if it has the same effect.", ref, i.Tag)
	}
	return e.Explain(err, doing)
}

// longestCloser is the largest length of the name of a control in a hint, in characters.
const longestCloser = 60

// nameClosers adds refs of the controls that may close what covers an element, and says so.
func (e *Env) nameClosers(r *failure.RefusedError) {
	var err *api.Error
	if !errors.As(r.Err, &err) {
		return
	}
	closers := make([]map[string]any, 0, len(r.Closers))
	words := make([]string, 0, len(r.Closers))
	for _, el := range r.Closers {
		ref := fmt.Sprintf("@e%d", e.RefOf(el))
		closers = append(closers, map[string]any{"ref": ref, "role": el.Role, "name": el.Name})
		words = append(words, fmt.Sprintf("%s (%s %q)", ref, el.Role, plain.Cut(el.Name, longestCloser)))
	}
	_ = err.With("closers", closers).WithHint("What covers it has to be closed first, for example with %s.", strings.Join(words, " or "))
}

// nameMatches adds refs of the matches to the refusal of a strict selector.
func (e *Env) nameMatches(s *failure.StrictError) error {
	matches := make([]map[string]any, 0, len(s.Elements))
	lines := make([]string, 0, len(s.Elements)+1)
	for _, el := range s.Elements {
		ref := fmt.Sprintf("@e%d", e.RefOf(el))
		matches = append(matches, map[string]any{"ref": ref, "role": el.Role, "name": el.Name, "tag": el.Tag})
		lines = append(lines, fmt.Sprintf("%s <%s> %s %q", ref, el.Tag, el.Role, el.Name))
	}
	if more := s.Matched - len(s.Elements); more > 0 {
		lines = append(lines, fmt.Sprintf("and %d more", more))
	}
	s.Err.Message += ": " + strings.Join(lines, ", ")
	return s.Err.With("matched", s.Matched).With("matches", matches)
}

// actGrace is how much longer an action's calls may take than the element may take to be actionable: the refusal comes
// after the wait. With the quarter of a second that the explanation of a timeout may take (busyAfter/4) it stays below
// the two seconds in which a late command must return.
const actGrace = 1500 * time.Millisecond

// Act runs f with the actor of the verb's tab, bounded by the limit.
func (e *Env) Act(ctx context.Context, doing string, f func(context.Context, *element.Actor) error) error {
	ctx, stop := e.guardFor(ctx, e.Limit+actGrace)
	defer stop()
	if _, err := e.CurrentTab(); err != nil {
		return err
	}
	ctx = element.WithTurn(element.WithPointer(ctx, e.movement()), e.Turn)
	return e.failed(f(ctx, e.Actor(e.Tab)), doing)
}

// SetPointer sets how the mouse moves.
func (w *BrowserContext) SetPointer(p element.Pointer) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.pointer = p
}

// movement returns what SetPointer has set.
func (w *BrowserContext) movement() element.Pointer {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.pointer
}
