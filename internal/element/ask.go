package element

import (
	"context"
	"errors"
	"time"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/element/failure"
	"github.com/usher-browser/usher/internal/element/geometry"
	"github.com/usher-browser/usher/internal/element/locate"
	"github.com/usher-browser/usher/internal/element/verify"
	"github.com/usher-browser/usher/internal/supervisor/model"
	"github.com/usher-browser/usher/internal/verb/chain"
	"github.com/usher-browser/usher/internal/world"
)

// slice is how long one in-page call may wait: long enough to catch a change the
// moment it happens, short enough to look at the other frames in between.
const slice = 250 * time.Millisecond

// pause is the time between attempts that could not wait in the page.
const pause = 30 * time.Millisecond

// reply is the in-page half's answer; result types embed it.
type reply struct {
	OK      bool             `json:"ok"`
	Refusal *failure.Refusal `json:"refusal"`
}

func (r *reply) base() *reply { return r }

// answer is a result type with an embedded reply.
type answer interface{ base() *reply }

// args are the fields of an in-page argument besides target and wait.
type args map[string]any

// action is the state of one running action: its actor, target and deadline.
type action struct {
	actor      *Actor
	turn       *turn
	others     *verify.Others // observers of other frames that cancel a misdirected press
	keyed      bool           // the text of fill was entered by keys
	insertOnly bool           // keys did not enter it
	input      string         // whether input was sent to the page, for messages; empty if unknown
	verb       string         // for messages: "click"
	target     sought
	end        time.Time
	once       bool
	hovered    bool              // the mouse was moved onto what covers the target
	frame      model.FrameID     // where the target is looked for now
	top        model.FrameID     // where path begins
	path       [][]chain.Part    // frame elements on the way to the target, each in the document of the one before it
	loader     string            // of the document at the beginning of path, if the chain has refs
	session    string            // of the tab
	sent       func(*world.Sent) // called whenever an in-page call of ask has been sent; nil for nothing
}

// begin starts an action when the previous one has ended. It holds the actor's turn until done is called; the returned
// context ends when the tab is blocked.
func (a *Actor) begin(ctx context.Context, verb string, t locate.Target) (guarded context.Context, e *action, done func(), err error) {
	ctx, stop := a.browser.Guard(ctx, a.tab)
	e = newAction(ctx, a, verb, t, true)
	done = func() {
		e.turn.release()
		stop()
	}
	err = e.begins(ctx)
	if err == nil {
		err = e.open(ctx, t)
	}
	if err == nil {
		err = e.apiErrorOrNil(a.input.LetGo(ctx, e.session))
	}
	if err != nil {
		done()
		return nil, nil, nil, err
	}
	return ctx, e, done, nil
}

// look starts what only looks at an element. It needs no turn, for it uses neither mouse nor keyboard.
func (a *Actor) look(ctx context.Context, verb string, t locate.Target) (guarded context.Context, e *action, done func(), err error) {
	ctx, stop := a.browser.Guard(ctx, a.tab)
	e = newAction(ctx, a, verb, t, false)
	if err := e.open(ctx, t); err != nil {
		stop()
		return nil, nil, nil, err
	}
	return ctx, e, stop, nil
}

func newAction(ctx context.Context, a *Actor, verb string, t locate.Target, acts bool) *action {
	if t.Command != "" {
		verb = t.Command
	}
	return &action{actor: a, turn: newTurn(ctx, a, acts), verb: verb, target: sought{Target: t}}
}

// open sets the target in the tab, if the tab is there.
func (e *action) open(ctx context.Context, t locate.Target) error {
	tab := e.actor.browser.State().Tabs[e.actor.tab]
	if err := context.Cause(ctx); err != nil {
		return e.apiError(err)
	}
	if tab == nil {
		return e.apiError(&model.BlockedError{Tab: e.actor.tab, Gone: true})
	}
	return e.setTarget(tab, t)
}

// setTarget sets the target of an action and starts its clock.
func (e *action) setTarget(tab *model.Tab, t locate.Target) error {
	e.target, e.session, e.frame = sought{Target: t}, tab.Session, t.Frame
	if e.frame == "" {
		e.frame = tab.Main
	}
	if t.By == locate.ByChain {
		e.setChain()
	}
	if t.By == locate.ByRef && (t.Frame == "" || t.ID == 0) {
		return api.Errorf(api.UnknownRef, "%s %s: the ref is not of this session", e.verb, t)
	}
	timeout := t.Timeout
	if timeout == 0 {
		timeout = DefaultTimeout
	}
	e.once = timeout < 0
	e.end = time.Now().Add(max(timeout, 0))
	return nil
}

// grace is what an in-page call gets on top of its slice and of the time its action has, until a page that is slow and not
// found unresponsive is given up: a search through some 100,000 elements takes seconds.
const grace = 10 * time.Second

// ask calls a function of the page script on the target until it succeeds, it refuses for a reason that waiting cannot
// change, or the deadline passes. It returns the document that answered.
func (e *action) ask(ctx context.Context, fn string, more args, result answer) (world.Document, error) {
	for attempt := 0; ; attempt++ {
		left := time.Until(e.end)
		wait := max(0, min(left, slice))
		if e.turn.leaves() || attempt == 0 && e.searchesSubframes() {
			wait = 0 // wait without the turn; or look into the frames below before waiting here
		}
		began := time.Now()
		if err := e.arrived(ctx); err != nil {
			return world.Document{}, err
		}
		doc, err := e.askOnce(ctx, fn, more, wait, result)
		var failed error // what to return if there is no other look
		switch {
		case err != nil && world.DocumentGone(err) && left > 0 && !e.once && e.target.By != locate.ByRef:
			failed = err // a navigation replaced the document: call the next one
		case err != nil:
			return doc, e.apiError(err)
		case result.base().OK:
			e.target.kept, e.turn.kept = true, true
			return doc, nil
		default:
			r := result.base().Refusal
			again, err := e.resolveRefusal(ctx, fn, r)
			if err != nil {
				return doc, err
			}
			if again {
				continue
			}
			over := e.once || left <= 0 || !e.mayChange(r) || r.Code == string(api.StaleRef) && attempt > 0
			r.GaveUp = !over && e.cannotSucceed(r)
			if over || r.GaveUp {
				return doc, e.refuse(ctx, doc, r)
			}
			failed = r.Err(e.verb, e.target.Target, doc)
		}
		again, err := e.wait(ctx, max(0, min(pause-time.Since(began), left)))
		switch {
		case err != nil:
			return doc, err
		case !again:
			return doc, e.apiError(failed)
		}
	}
}

// resolveRefusal does what a refusal calls for other than waiting. again reports whether it did something, so that the page
// script is to be called at once.
func (e *action) resolveRefusal(ctx context.Context, fn string, r *failure.Refusal) (again bool, err error) {
	switch {
	case r.Code == inFrame:
		err = e.enterFrame(ctx, fn)
		return err == nil, err
	case r.Code == askInternals:
		// The internals are sent for one call only, so this ends.
		_, err = e.actor.worlds.UpdateInternals(ctx, e.frame)
		return err == nil, e.apiErrorOrNil(err)
	case r.Code == string(api.ElementNotFound) && e.searchesSubframes():
		if again, err = e.searchSubframes(ctx); err != nil || again {
			return again, err
		}
	}
	if r.Over != nil && !e.hovered {
		err = e.hoverOver(ctx, *r.Over)
		return err == nil, err
	}
	return false, nil
}

// hoverOver moves the mouse, once in an action, onto what covers a target that cannot be hit: some pages uncover it
// only then.
func (e *action) hoverOver(ctx context.Context, p geometry.Point) error {
	e.hovered = true
	a := e.actor
	if _, held := a.input.Mouse(); held != 0 {
		return nil
	}
	at, err := a.points.ToTab(ctx, e.frame, p)
	if err == nil {
		err = a.input.MoveAndDeliver(e.session, at).Wait(ctx)
	}
	return e.apiErrorOrNil(err)
}

// pendingURL returns the URL that the frame's process is navigating to; see [verify.PendingURL].
func (e *action) pendingURL() string { return verify.PendingURL(e.actor.browser.State(), e.frame) }

// arrived waits until the frame has no pending navigation: a call that is held back would run after it was reported as
// failed. Whether the process is blocked is tested with a call that is safe to run late.
func (e *action) arrived(ctx context.Context) error {
	if e.pendingURL() == "" {
		return nil
	}
	wait, cancel := context.WithTimeout(ctx, max(slice, time.Until(e.end)))
	defer cancel()
	probe, err := e.actor.worlds.Start(wait, e.frame, "idle", nil)
	if err != nil && !world.DocumentGone(err) {
		return e.apiError(err)
	}
	for e.pendingURL() != "" {
		changed := e.actor.browser.State().Changed()
		var answered <-chan struct{}
		if probe != nil {
			answered = probe.Done()
		}
		select {
		case <-answered:
			return nil
		case <-changed:
		case <-wait.Done():
			if err := context.Cause(ctx); err != nil {
				return e.apiError(err)
			}
			if t := e.actor.browser.State().Tabs[e.actor.tab]; t != nil {
				if u := t.UnresponsiveFor(e.frame); u != nil { // a script blocks the page that is to be left
					return e.unresponsive(e.what(), &model.BlockedError{Tab: t.ID, Unresponsive: u, For: time.Since(u.Since)})
				}
			}
			return api.Errorf(api.Timeout, "%s: the page is navigating to %s, whose server has not responded", e.what(), e.pendingURL()).
				WithHint("Wait for it, or `open` another page.")
		}
	}
	return nil
}

// askOnce makes one in-page call with at most wait inside the page.
func (e *action) askOnce(ctx context.Context, fn string, more args, wait time.Duration, result answer) (world.Document, error) {
	*result.base() = reply{}
	if refused, err := e.enterPath(ctx); err != nil || refused != nil {
		result.base().Refusal = refused
		return world.Document{Frame: e.frame}, err
	}
	arg := args{"target": e.target.inPage(), "wait": wait.Milliseconds()}
	for k, v := range more {
		arg[k] = v
	}
	ctx, cancel := context.WithTimeoutCause(ctx, max(wait, time.Until(e.end))+grace, errSlow)
	defer cancel()
	if f := e.actor.browser.State().Frame(e.frame); f != nil && f.Session != e.session {
		var stop context.CancelFunc
		ctx, stop = e.actor.browser.GuardFrame(ctx, e.actor.tab, e.frame)
		defer stop()
	}
	if e.target.By == locate.ByRef || e.target.By == locate.ByChain && e.target.Loader != "" {
		f := e.actor.browser.State().Frame(e.frame)
		if f == nil || e.target.Loader != "" && f.Loader != e.target.Loader {
			result.base().Refusal = &failure.Refusal{Code: string(api.StaleRef), Detail: "its document was replaced"}
			return world.Document{Frame: e.frame}, nil
		}
	}
	return e.actor.worlds.CallThen(ctx, e.frame, fn, arg, result, e.sent)
}

// errSlow is the cause when a page took too long over a call although its renderer
// was not found unresponsive.
var errSlow = errors.New("the page did not answer in time")
