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
	"github.com/usher-browser/usher/internal/journal"
	"github.com/usher-browser/usher/internal/supervisor/model"
	"github.com/usher-browser/usher/internal/verb"
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
func (e *Env) Target(c *verb.Call, arg string) (element.Target, error) {
	t, err := e.TargetOf(c.Target(arg), c.Str(arg))
	t.Command = c.Typed()
	return t, err
}

func (e *Env) TargetOf(t verb.Target, written string) (element.Target, error) {
	out := element.Target{Value: t.Value, Frame: e.Scope(e.Tab), Timeout: e.Limit, FailEarly: !e.Limited}
	switch t.Kind {
	case verb.Ref:
		target, err := e.refTarget(t.Ref, written)
		if err == nil {
			err = e.checkRefFrame(written, target)
		}
		return target, err
	case verb.XPath:
		out.By = element.ByXPath
	case verb.ByText:
		out.By = element.ByText
		out.Value, out.Exact = element.Unquote(t.Value)
	default:
		out.By = element.ByCSS
	}
	return out, nil
}

// refTarget resolves a ref. One that was handed out for another document is
// stale; one never handed out is unknown.
func (e *Env) refTarget(n int, written string) (element.Target, error) {
	e.Refs.Sync(e.Browser.State())
	ref, ok := e.Refs.Lookup(n)
	if !ok {
		return element.Target{}, api.Errorf(api.UnknownRef, "Unknown ref: %s", strings.TrimPrefix(written, "@"))
	}
	if ref.Document.Frame == "" {
		err := api.Errorf(api.StaleRef, "%s belongs to a document that no longer exists", written)
		if e.Settings.Compatible { // agent-browser forgets the refs of a page with the page
			err.Message = "Unknown ref: " + strings.TrimPrefix(written, "@") + ". " + err.Message
		}
		return element.Target{}, err
	}
	return element.Target{
		By: element.ByRef, Value: "@e" + strconv.Itoa(n), Role: ref.Role, Name: ref.Name,
		Frame: ref.Document.Frame, Loader: ref.Document.Loader, ID: int(ref.ID), Timeout: e.Limit, FailEarly: !e.Limited,
	}, nil
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
	var stale *element.StaleError
	if errors.As(err, &stale) {
		if stale.Successor == nil {
			return stale.Err
		}
		s := stale.Successor
		ref := fmt.Sprintf("@e%d", e.RefOf(*s))
		return stale.Err.With("successor", map[string]any{"ref": ref, "role": s.Role, "name": s.Name}).
			WithHint("Nothing was done. The page now has one %s %q, which is %s: use that if it is the same, or run `snapshot -i`.", s.Role, s.Name, ref)
	}
	var covered *element.InsteadError
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
	return e.failed(f(element.WithPointer(ctx, e.movement()), e.Actor(e.Tab)), doing)
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
