package element

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/fault"
	"github.com/usher-browser/usher/internal/supervisor"
	"github.com/usher-browser/usher/internal/world"
)

// slice is how long one in-page call may wait: long enough to catch a change the
// moment it happens, short enough to look at the other frames in between.
const slice = 250 * time.Millisecond

// pause is the time between attempts that could not wait in the page.
const pause = 30 * time.Millisecond

// refusal is the in-page half's reason not to act (tell.ts).
type refusal struct {
	Code    string   `json:"code"`
	Detail  string   `json:"detail"`
	Retry   bool     `json:"retry"`
	Blocker string   `json:"blocker"`
	Over    *Point   `json:"over"` // where the mouse may make what covers the target give it room
	Instead *found   `json:"instead"`
	Opens   bool     `json:"opens"` // Instead opens the list that the element is in
	Seen    []string `json:"seen"`
	Matched int      `json:"matched"`
	Still   float64  `json:"still"` // ms for which nothing in the page has changed
}

// hopeless says that waiting longer for a target that may be given up early makes no sense: nothing in the page has
// changed for a while, and nothing is on its way.
func (e *errand) hopeless(r *refusal) bool {
	if !e.target.Early || time.Duration(r.Still*float64(time.Millisecond)) < stillness {
		return false
	}
	switch api.Code(r.Code) {
	case api.ElementDisabled, api.ElementCovered, api.ElementNotVisible, api.OptionNotFound:
		return e.actor.Busy == nil || !e.actor.Busy()
	}
	return false
}

// stillness is how long a page must not change until what it shows is taken for its last word: the half second after
// which a network counts as idle, and for which pages commonly wait behind a key before they look at a field.
const stillness = 500 * time.Millisecond

// reply is the in-page half's answer; result types embed it.
type reply struct {
	OK      bool     `json:"ok"`
	Refusal *refusal `json:"refusal"`
}

func (r *reply) base() *reply { return r }

// answer is a result type with an embedded reply.
type answer interface{ base() *reply }

// found is the element of an answer, as locate.ts gives it.
type found struct {
	ID   int    `json:"id"`
	Role string `json:"role"`
	Name string `json:"name"`
	Tag  string `json:"tag"`
}

func (f found) in(doc world.Document) Element {
	return Element{Frame: doc.Frame, Loader: doc.Loader, ID: f.ID, Role: f.Role, Name: f.Name, Tag: f.Tag}
}

// args are the fields of an in-page argument besides target and wait.
type args map[string]any

// inPage is the target as locate.ts reads it.
func (t Target) inPage() args {
	switch t.By {
	case ByRef:
		return args{"by": "id", "id": t.ID}
	case ByFocus:
		return args{"by": "focused"}
	}
	a := args{"by": string(t.By), "value": t.Value}
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

// errand is one action on its way: whose, on what, until when.
type errand struct {
	guarded   []supervisor.FrameID // other frames that hold a stray press back
	excused   bool                 // the page was not given the time to testify: it was leaving, or held by a dialog
	actor     *Actor
	drawsText bool   // the target is an editor that draws its text elsewhere
	input     string // whether the page was sent any, for messages; empty where nothing can be said
	verb      string // for messages: "click"
	target    Target
	end       time.Time
	once      bool
	hovered   bool               // the mouse was moved onto what covers the target
	frame     supervisor.FrameID // where the target is looked for now
	session   string             // of the tab
}

// begin starts an errand when the one before it is done. It holds the actor until
// done is called, and its context ends when the tab is blocked.
func (a *Actor) begin(ctx context.Context, verb string, t Target) (context.Context, *errand, func(), error) {
	ctx, stop := a.browser.Guard(ctx, a.tab)
	e := &errand{actor: a, verb: verb, target: t}
	select {
	case a.turn <- struct{}{}:
	case <-ctx.Done():
		err := e.fault(context.Cause(ctx))
		stop()
		return nil, nil, nil, err
	}
	done := func() {
		<-a.turn
		stop()
	}
	tab := a.browser.State().Tabs[a.tab]
	if err := context.Cause(ctx); err != nil || tab == nil {
		if err == nil {
			err = &supervisor.BlockedError{Tab: a.tab, Gone: true}
		}
		err = e.fault(err)
		done()
		return nil, nil, nil, err
	}
	if err := e.aimAt(tab, t); err != nil {
		done()
		return nil, nil, nil, err
	}
	return ctx, e, done, nil
}

// aimAt sets the target of an errand and starts its clock.
func (e *errand) aimAt(tab *supervisor.Tab, t Target) error {
	e.target, e.session, e.frame = t, tab.Session, t.Frame
	if e.frame == "" {
		e.frame = tab.Main
	}
	if t.By == ByRef && (t.Frame == "" || t.ID == 0) {
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

// grace is what an in-page call gets on top of its slice and of the time its errand has, until a page that is slow and not
// found unresponsive is given up: a search through some 100,000 elements takes seconds.
const grace = 10 * time.Second

// ask calls an in-page function on the target until it does not refuse, the
// refusal cannot be mended by waiting, or time is up. It returns the document
// that answered.
func (e *errand) ask(ctx context.Context, fn string, more args, result answer) (world.Document, error) {
	for attempt := 0; ; attempt++ {
		left := time.Until(e.end)
		wait := max(0, min(left, slice))
		if attempt == 0 && e.canWander() {
			wait = 0 // look into the frames below before waiting here
		}
		began := time.Now()
		if err := e.arrived(ctx); err != nil {
			return world.Document{}, err
		}
		doc, err := e.askOnce(ctx, fn, more, wait, result)
		switch {
		case err != nil && world.DocumentGone(err) && left > 0 && !e.once && e.target.By != ByRef:
			// A navigation replaced the document: the next one is asked.
		case err != nil:
			return doc, e.fault(err)
		case result.base().OK:
			return doc, nil
		default:
			r := result.base().Refusal
			if r.Code == inFrame {
				if err := e.enterFrame(ctx, fn); err != nil {
					return doc, err
				}
				continue
			}
			if r.Code == askInternals {
				if _, err := e.actor.worlds.LearnInternals(ctx, e.frame); err != nil {
					return doc, e.fault(err)
				}
				continue // what was told serves one reading, so that this ends
			}
			if r.Code == string(api.ElementNotFound) && e.canWander() {
				moved, err := e.wander(ctx)
				if err != nil {
					return doc, err
				}
				if moved {
					continue
				}
			}
			if r.Over != nil && !e.hovered {
				if err := e.hoverOver(ctx, *r.Over); err != nil {
					return doc, err
				}
				continue
			}
			over := e.once || left <= 0 || !r.Retry || r.Code == string(api.StaleRef) && attempt > 0 || e.hopeless(r)
			if over {
				return doc, e.refuse(ctx, doc, r)
			}
		}
		if spent := time.Since(began); spent < pause {
			if err := sleep(ctx, min(pause-spent, max(left, 0))); err != nil {
				return doc, e.fault(err)
			}
		}
	}
}

// hoverOver moves the mouse, once in an errand, onto what holds a target that cannot be hit: some pages give it room only
// then.
func (e *errand) hoverOver(ctx context.Context, p Point) error {
	e.hovered = true
	a := e.actor
	if a.mouse.held != 0 {
		return nil
	}
	at, err := a.place(ctx, e.frame, p)
	if err == nil {
		err = a.arrive(e.session, at).wait(ctx)
	}
	return e.faultOrNil(err)
}

// going is the URL the frame's process is leaving for, empty if it stays. Chromium
// holds back every call to a process while its root frame waits for the server
// of its next document (measured on Chromium 156).
func (e *errand) going() string {
	s := e.actor.browser.State()
	f := s.Frame(e.frame)
	for f != nil {
		up := s.Frame(f.Parent)
		if f.Going != "" || up == nil || up.Session != f.Session {
			return f.Going
		}
		f = up
	}
	return ""
}

// arrived waits until the frame is not on its way to another document: a call
// held back would be carried out after it has been reported as failed. Whether
// the process is held is tried with a question that may come late.
func (e *errand) arrived(ctx context.Context) error {
	if e.going() == "" {
		return nil
	}
	wait, cancel := context.WithTimeout(ctx, max(slice, time.Until(e.end)))
	defer cancel()
	probe, err := e.actor.worlds.Start(wait, e.frame, "idle", nil)
	if err != nil && !world.DocumentGone(err) {
		return e.fault(err)
	}
	for e.going() != "" {
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
				return e.fault(err)
			}
			return api.Errorf(api.Timeout, "%s: the page is navigating to %s, whose server has not answered", e.what(), e.going()).
				WithHint("Wait for it, or `open` another page.")
		}
	}
	return nil
}

// askOnce is one in-page call with at most wait inside the page.
func (e *errand) askOnce(ctx context.Context, fn string, more args, wait time.Duration, result answer) (world.Document, error) {
	*result.base() = reply{}
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
	if e.target.By == ByRef {
		f := e.actor.browser.State().Frame(e.frame)
		if f == nil || e.target.Loader != "" && f.Loader != e.target.Loader {
			result.base().Refusal = &refusal{Code: string(api.StaleRef), Detail: "its document was replaced"}
			return world.Document{Frame: e.frame}, nil
		}
	}
	return e.actor.worlds.CallIn(ctx, e.frame, fn, arg, result)
}

// errSlow is the cause when a page took too long over a call although its renderer
// was not found unresponsive.
var errSlow = errors.New("the page did not answer in time")

// canWander says whether a target that is not in its frame may be looked for in
// the frames below: refs know their frame, and an index counts in one frame.
func (e *errand) canWander() bool {
	if e.target.By == ByRef || e.target.By == ByFocus || e.target.Nth != nil {
		return false
	}
	tab := e.actor.browser.State().Tabs[e.actor.tab]
	return tab != nil && len(tab.Frames) > 1 && len(tab.Children(e.frame)) > 0
}

// wander looks for the target in the frames below. One frame with a match
// becomes the errand's; several are refused, because to choose would be a guess.
func (e *errand) wander(ctx context.Context) (bool, error) {
	a := e.actor
	tab := a.browser.State().Tabs[a.tab]
	if tab == nil {
		return false, nil
	}
	frames := below(tab, e.frame)
	hits := make([]int, len(frames))
	done := make(chan struct{})
	for i, f := range frames {
		fault.Go(ctx, func() {
			defer func() { done <- struct{}{} }()
			var count struct {
				reply
				Count int `json:"count"`
			}
			ctx, cancel := context.WithTimeoutCause(ctx, slice, errSlow)
			defer cancel()
			// A frame that cannot answer now holds no match now.
			if a.worlds.Call(ctx, f.ID, "count", args{"target": e.target.inPage()}, &count) == nil && count.OK {
				hits[i] = count.Count
			}
		})
	}
	for range frames {
		<-done
	}
	var with []*supervisor.Frame
	for i, n := range hits {
		if n > 0 {
			with = append(with, frames[i])
		}
	}
	switch len(with) {
	case 0:
		return false, context.Cause(ctx)
	case 1:
		e.frame = with[0].ID
		return true, nil
	}
	urls := make([]string, 0, len(with))
	for _, f := range with {
		urls = append(urls, f.URL)
	}
	return false, api.Errorf(api.ElementNotFound, "%s %s: not in this frame, and %d frames below have a match: %s",
		e.verb, e.target, len(with), strings.Join(urls, ", ")).
		WithHint("Use a ref from `snapshot -i`, or choose the frame with `frame` first.")
}

// below lists the frames under a frame, parents before children.
func below(tab *supervisor.Tab, id supervisor.FrameID) []*supervisor.Frame {
	var list []*supervisor.Frame
	for _, f := range tab.Children(id) {
		if f.Session != "" && f.Crash == nil {
			list = append(list, f)
		}
		list = append(list, below(tab, f.ID)...)
	}
	return list
}

// fault puts an error of the layers below into the table.
func (e *errand) fault(err error) error {
	var known *api.Error
	if errors.As(err, &known) {
		return err
	}
	what := e.what()
	b := e.actor.browser
	if blocked := b.Blocked(err, e.actor.tab); blocked != nil && blocked.Unresponsive == nil {
		return blockedError(b, what, blocked)
	} else if blocked != nil {
		return e.unresponsive(what, blocked)
	}
	switch {
	case errors.Is(err, errSlow):
		if u := b.Probe(context.Background(), e.actor.tab, slice); u != nil {
			return e.unresponsive(what, &supervisor.BlockedError{Tab: e.actor.tab, Unresponsive: u, For: time.Since(u.Since)})
		}
		return api.Errorf(api.Timeout, "%s: %w", what, err)
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		return fmt.Errorf("%s: %w", what, err)
	case world.DocumentGone(err):
		return api.Errorf(api.FrameDetached, "%s: the page or frame was replaced meanwhile: %w", what, err)
	case errors.Is(err, errNoBox):
		return api.Errorf(api.ElementNotVisible, "%s: its frame is not visible: %w", what, err).
			WithHint("Make the frame visible first, for example by opening what contains it.")
	}
	return fmt.Errorf("%s: %w", what, err)
}

// Whether a page that does not answer was sent input: what was sent takes effect when it comes to it.
const (
	nothingSent = "nothing was sent to it"
	inputSent   = "the input was sent, and may take effect later"
)

// unresponsive is the error for a page that does not answer, with what is known of the input.
func (e *errand) unresponsive(what string, blocked *supervisor.BlockedError) error {
	err := Unresponsive(what, blocked)
	if e.input != "" {
		err.Message += "; " + e.input
		err = err.With("input_sent", e.input == inputSent)
	}
	return err
}

// what is the action in words: "click #buy".
func (e *errand) what() string {
	if e.target.By == "" {
		return e.verb
	}
	return e.verb + " " + e.target.String()
}

// blockedError says what keeps a tab from answering.
func blockedError(b *supervisor.Browser, what string, blocked *supervisor.BlockedError) error {
	switch {
	case blocked.Waits != nil:
		return blocked // the caller says how it is answered
	case blocked.Dialog != nil:
		d := blocked.Dialog
		return api.Errorf(api.DialogOpen, "%s: %w", what, blocked).
			With("dialog", d.ID).With("type", d.Type).With("message", d.Message)
	case blocked.Crash != nil:
		return api.Errorf(api.RendererCrashed, "%s: %w", what, blocked)
	case blocked.Unresponsive != nil:
		return Unresponsive(what, blocked)
	case blocked.Gone:
		err := api.Errorf(api.TabGone, "%s: %w", what, blocked).With("targetId", string(blocked.Tab))
		for _, g := range b.State().Gone {
			if g.ID == blocked.Tab {
				err = err.With("lastUrl", g.URL)
			}
		}
		return err
	}
	return api.Errorf(api.ConnectionLost, "%s: %w", what, blocked)
}

// Unresponsive is the error for a renderer, or browser, that does not answer. what
// may be empty.
func Unresponsive(what string, blocked *supervisor.BlockedError) *api.Error {
	u := blocked.Unresponsive
	code := api.RendererUnresponsive
	if u.Reason == supervisor.HeldByBrowser {
		code = api.BrowserUnresponsive
	}
	if what != "" {
		what += ": "
	}
	err := api.Errorf(code, "%s%w", what, blocked).With("reason", string(u.Reason)).
		With("frame", string(u.Frame)).With("since", u.Since.UTC().Format(time.RFC3339Nano))
	if u.Reason == supervisor.HeldWaiting {
		// Measured on Chromium 156: terminateExecution does not reach it, no navigation
		// ends it, and closing the tab does.
		err.WithHint("Nothing but the end of that or of the tab frees it: try again later, or with a longer --timeout, or `tab close` after `tab new`.")
	}
	return err
}

// sleep waits, or returns the cause of ctx's end.
func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
