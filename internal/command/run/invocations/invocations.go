// Package invocations keeps a session's calls of tools that pages offer (WebMCP), from the call to the answer of the tool.
package invocations

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	protocol "github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/webmcp"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/fault"
	"github.com/usher-browser/usher/internal/supervisor"
	"github.com/usher-browser/usher/internal/supervisor/model"
)

// Status of an invocation; see [Invocation.Outcome].
type Status string

// The statuses.
const (
	Pending   Status = "pending"
	Completed Status = "completed"
	Failed    Status = "failed"   // the tool threw or was rejected, or its document has gone
	Cancelled Status = "canceled" // by [Invocation.Cancel], or by the page
	TimedOut  Status = "timed_out"
)

// Outcome is what is known of an invocation.
type Outcome struct {
	Status Status
	// Raw is the status as the browser reported it; empty if the browser reported none.
	Raw webmcp.InvocationStatus
	// Output is what the tool returned, as JSON. The page wrote it.
	Output jsontext.Value
	// Error says why it failed. The page wrote it if Raw is not empty.
	Error string
	Took  time.Duration
}

// Call is a call of a tool.
type Call struct {
	// Target is the page or the out-of-process frame that Frame is in.
	Target model.TargetID
	Frame  model.FrameID
	// Loader is the document that has the tool, Origin its origin.
	Loader, Origin string
	Tool           string
	Input          jsontext.Value // a JSON object
	// Limit is how long the tool may take; then it is cancelled.
	Limit time.Duration
}

// Invocation is one call of a tool. It has a CDP session of its own while the tool has not answered, because the browser
// forgets a call with the session that made it.
type Invocation struct {
	Call
	// ID is the browser's.
	ID string
	// Began is when the tool was called.
	Began time.Time

	browser *supervisor.Browser
	done    chan struct{} // closed when there is an outcome

	mu      sync.Mutex
	early   []webmcp.EventToolResponded // guarded by mu: answers that came before ID was known
	session *supervisor.ClientSession   // guarded by mu: nil after the end
	outcome Outcome                     // guarded by mu
	timer   *time.Timer                 // guarded by mu
}

// Session has the invocations of a session.
type Session struct {
	mu    sync.Mutex
	list  []*Invocation // guarded by mu: the oldest first
	ended bool          // guarded by mu
}

// The limits of what is kept.
const (
	mostKept    = 100 // invocations with an outcome
	mostPending = 20
	mostEarly   = 20 // answers to others
)

// TooManyError is the error of one invocation more than may be pending.
type TooManyError struct{ Pending int }

func (e *TooManyError) Error() string {
	return fmt.Sprintf("%d calls of tools are pending in this session", e.Pending)
}

// Begin calls a tool. Errors: *TooManyError, and those of the browser.
func (s *Session) Begin(ctx context.Context, b *supervisor.Browser, c Call) (*Invocation, error) {
	if n := s.pending(); n >= mostPending {
		return nil, &TooManyError{n}
	}
	i := &Invocation{Call: c, Began: time.Now(), browser: b, done: make(chan struct{}), outcome: Outcome{Status: Pending}}
	session, err := b.ClientSession(ctx, c.Target, i.event)
	if err != nil {
		return nil, err
	}
	if err := i.start(ctx, session); err != nil {
		session.Detach()
		return nil, err
	}
	s.mu.Lock()
	s.list = append(s.list, i)
	if len(s.list) > mostKept+mostPending {
		if old := slices.IndexFunc(s.list, func(i *Invocation) bool { return i.Outcome().Status != Pending }); old >= 0 {
			s.list = slices.Delete(s.list, old, old+1)
		}
	}
	ended := s.ended
	s.mu.Unlock()
	if ended {
		i.finish(Outcome{Status: Failed, Error: "the session is ending"})
	}
	return i, nil
}

// start makes the call. Its answer is taken by event, perhaps before the reply of the call.
func (i *Invocation) start(ctx context.Context, session *supervisor.ClientSession) error {
	own := session.Session("")
	if _, err := cdp.Do(ctx, own, webmcp.Enable, protocol.Empty{}); err != nil {
		return err
	}
	made, err := cdp.Do(ctx, own, webmcp.InvokeTool, webmcp.InvokeToolParams{FrameID: protocol.FrameID(i.Frame), ToolName: i.Tool, Input: i.Input})
	if err != nil {
		return err
	}
	i.mu.Lock()
	i.ID, i.session = made.InvocationID, session
	i.timer = time.AfterFunc(i.Limit, func() {
		defer fault.Recover(func(*fault.Error) {})
		i.expire()
	})
	early := i.early
	i.early = nil
	i.mu.Unlock()
	for k := range early {
		i.answered(&early[k])
	}
	return nil
}

// event takes the events of the call's CDP session.
func (i *Invocation) event(ev cdp.Event) {
	switch {
	case ev.Method == "WebMCP.toolResponded":
		var p webmcp.EventToolResponded
		if json.Unmarshal(ev.Params, &p, jsontext.AllowInvalidUTF8(true)) != nil {
			return
		}
		i.mu.Lock()
		early := i.ID == ""
		if early && len(i.early) < mostEarly {
			i.early = append(i.early, p)
		}
		i.mu.Unlock()
		if !early {
			i.answered(&p)
		}
	case ev.Method == "Target.detachedFromTarget" && ev.Params == nil:
		i.finish(gone)
	}
}

var gone = Outcome{Status: Failed, Error: "webmcp_context_changed: the page changed before the tool answered"}

// answered takes the answer of a tool; answers to other calls are ignored.
func (i *Invocation) answered(p *webmcp.EventToolResponded) {
	if p.InvocationID != i.ID {
		return
	}
	out := Outcome{Status: Failed, Raw: p.Status, Output: p.Output, Error: p.ErrorText}
	switch p.Status {
	case webmcp.InvocationStatusCompleted:
		out.Status = Completed
	case webmcp.InvocationStatusCanceled:
		out.Status = Cancelled
	default:
		if out.Error == "" && p.Exception != nil {
			out.Error = p.Exception.Description
		}
	}
	i.finish(out)
}

// finish records the first outcome, and ends the CDP session.
func (i *Invocation) finish(o Outcome) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.outcome.Status != Pending {
		return
	}
	o.Took = time.Since(i.Began)
	i.outcome = o
	if i.timer != nil {
		i.timer.Stop()
	}
	if i.session != nil {
		i.session.Detach()
		i.session = nil
	}
	close(i.done)
}

// expire cancels a tool that has taken too long.
func (i *Invocation) expire() {
	i.post()
	i.finish(Outcome{Status: TimedOut, Error: "the tool did not answer within " + i.Limit.String()})
}

// post asks the browser to cancel the tool: its AbortSignal is aborted.
func (i *Invocation) post() {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.session != nil {
		i.session.Session("").Post(webmcp.CommandCancelInvocation, webmcp.CancelInvocationParams{InvocationID: i.ID}, nil)
	}
}

// Outcome returns what is known now. A tool whose document has gone has failed.
func (i *Invocation) Outcome() Outcome {
	if f := i.browser.State().Frame(i.Frame); f == nil || f.Loader != i.Loader {
		i.finish(gone)
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	out := i.outcome
	if out.Status == Pending {
		out.Took = time.Since(i.Began)
	}
	return out
}

// Wait waits for the outcome. If ctx ends first, it returns ctx's cause, and the tool goes on.
func (i *Invocation) Wait(ctx context.Context) (Outcome, error) {
	for {
		s := i.browser.State()
		if out := i.Outcome(); out.Status != Pending {
			return out, nil
		}
		select {
		case <-i.done:
		case <-s.Changed():
		case <-ctx.Done():
			if out := i.Outcome(); out.Status != Pending {
				return out, nil
			}
			return Outcome{}, context.Cause(ctx)
		}
	}
}

// Cancel cancels the tool and waits until the browser confirms it. The outcome may be another one that came first.
func (i *Invocation) Cancel(ctx context.Context) (Outcome, error) {
	i.post()
	return i.Wait(ctx)
}

// Expire ends the wait for a tool now.
func (i *Invocation) Expire() { i.expire() }

// Find returns the invocation of an id; nil if it is unknown or was forgotten.
func (s *Session) Find(id string) *Invocation {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, i := range s.list {
		if i.ID == id {
			return i
		}
	}
	return nil
}

func (s *Session) pending() (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, i := range s.list {
		if i.Outcome().Status == Pending {
			n++
		}
	}
	return n
}

// End ends the wait for all tools: the session ends.
func (s *Session) End() {
	s.mu.Lock()
	list := s.list
	s.list, s.ended = nil, true
	s.mu.Unlock()
	for _, i := range list {
		i.finish(Outcome{Status: Failed, Error: "the session ended"})
	}
}
