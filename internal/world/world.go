// Package world runs usher's own script inside pages without the page being able to detect it.
//
// The script (of package pagescript) lives in an isolated world of each frame: it has access to the page's
// document but shares no JavaScript object with it. It is installed at the first call in a document and is gone with
// it.
package world

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	protocol "github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/fault"
	"github.com/usher-browser/usher/internal/pagescript"
	"github.com/usher-browser/usher/internal/supervisor"
	"github.com/usher-browser/usher/internal/supervisor/model"
)

// name of the isolated world; pages cannot see it.
const name = model.WorldName

// ErrNoFrame is wrapped when the frame does not exist (any more).
var ErrNoFrame = errors.New("frame does not exist")

// ScriptError is an exception thrown by the page script: a bug in it, or an invalid selector or expression in the call.
type ScriptError struct {
	Func    string
	Message string
}

func (e *ScriptError) Error() string { return fmt.Sprintf("in-page %s: %s", e.Func, e.Message) }

// Worlds is the table of the isolated worlds of one browser.
type Worlds struct {
	browser *supervisor.Browser

	preparing sync.WaitGroup     // installations without a waiting caller; added to under mu while not closed
	ctx       context.Context    // of those
	cancel    context.CancelFunc // ends life

	noConsole atomic.Bool // the browser's console API was asked for and is not there

	mu     sync.Mutex
	known  map[model.FrameID]*world // guarded by mu
	prune  int                      // guarded by mu: the number of worlds at which those of removed frames are searched
	closed bool                     // guarded by mu
}

// world is the script in one document. ready is closed once the rest is set.
type world struct {
	session, loader string
	ready           chan struct{}
	context         runtime.ExecutionContextID
	installed       atomic.Bool  // the script was seen there
	main            atomic.Int64 // the page's own context, once it was looked for
	dollars         atomic.Int32 // whether the page has a $$ of its own, once that was read
	heard           listenersOf
	err             error
	abandoned       bool // err is the end of the installing caller's context, which concerns no other caller
}

// New returns the worlds of a browser.
func New(b *supervisor.Browser) *Worlds {
	w := &Worlds{browser: b, known: map[model.FrameID]*world{}, prune: pruneThreshold}
	w.ctx, w.cancel = context.WithCancel(context.Background())
	return w
}

// Close ends what [Worlds.Prepare] began, and waits.
func (w *Worlds) Close() {
	w.mu.Lock()
	w.closed = true
	w.mu.Unlock()
	w.cancel()
	w.preparing.Wait()
}

// Browser returns the supervisor of the worlds.
func (w *Worlds) Browser() *supervisor.Browser { return w.browser }

// Document identifies one document in one frame: element ids of the script are valid while it is the same.
type Document struct {
	Frame  model.FrameID
	Loader string
}

// Call calls the function fn of the page script in a frame with one JSON argument, awaits a promise, and decodes the
// result into result, nil to ignore it. If the document is replaced during the call, it is repeated once. The caller
// guards ctx against a blocked tab. Errors: ErrNoFrame, *ScriptError, and those of cdp.Session.Call.
func (w *Worlds) Call(ctx context.Context, frame model.FrameID, fn string, args, result any) error {
	_, err := w.CallIn(ctx, frame, fn, args, result)
	return err
}

// CallIn is Call that also returns the document that answered.
func (w *Worlds) CallIn(ctx context.Context, frame model.FrameID, fn string, args, result any) (Document, error) {
	return w.CallThen(ctx, frame, fn, args, result, nil)
}

// Sent is a call that has been sent.
type Sent = cdp.Pending[runtime.EvaluateResult]

// CallThen is CallIn that calls sent whenever the call has been sent, and before it waits for the reply.
func (w *Worlds) CallThen(ctx context.Context, frame model.FrameID, fn string, args, result any, sent func(*Sent)) (Document, error) {
	obj, doc, err := w.evaluate(ctx, frame, fn, args, true, sent)
	if err != nil || result == nil {
		return doc, err
	}
	return doc, decode(fn, obj, result)
}

// Handle calls fn like Call and returns the object it returned, such as an element, for other protocol calls on the
// same CDP session. The page cannot access it; Release it when done.
func (w *Worlds) Handle(ctx context.Context, frame model.FrameID, fn string, args any) (*Handle, error) {
	obj, _, err := w.evaluate(ctx, frame, fn, args, false, nil)
	if err != nil {
		return nil, err
	}
	f := w.browser.State().Frame(frame)
	if f == nil {
		return nil, fmt.Errorf("%s in frame %s: %w", fn, frame, ErrNoFrame)
	}
	return &Handle{Session: w.browser.Session(f.Session), Object: obj}, nil
}

// Handle is a remote object in a page.
type Handle struct {
	Session *cdp.Session
	Object  runtime.RemoteObject
}

// Release lets the page free the object.
func (h *Handle) Release() {
	if h.Object.ObjectID != "" {
		h.Session.Post("Runtime.releaseObject", map[string]any{"objectId": h.Object.ObjectID}, nil)
	}
}

// Context returns the session and execution context of the isolated world in a frame, for callers that resolve protocol
// nodes into it.
func (w *Worlds) Context(ctx context.Context, frame model.FrameID) (*cdp.Session, runtime.ExecutionContextID, error) {
	f, wd, err := w.enter(ctx, frame)
	if err != nil {
		return nil, 0, err
	}
	return w.browser.Session(f.Session), wd.context, nil
}

// ScriptContext is Context with the script there, for callers that call its functions on objects.
func (w *Worlds) ScriptContext(ctx context.Context, frame model.FrameID) (*cdp.Session, runtime.ExecutionContextID, error) {
	f, wd, err := w.enterInstalled(ctx, frame)
	if err != nil {
		return nil, 0, err
	}
	return w.browser.Session(f.Session), wd.context, nil
}

func (w *Worlds) evaluate(ctx context.Context, frame model.FrameID, fn string, args any, byValue bool, sent func(*Sent)) (obj runtime.RemoteObject, doc Document, err error) {
	expr, err := pagescript.Call(fn, args)
	if err != nil {
		return obj, doc, err
	}
	for attempt := 0; ; attempt++ {
		f, wd, err := w.enter(ctx, frame)
		if err != nil {
			return obj, doc, err
		}
		installed := wd.installed.Load()
		res, err := cdp.DoThen(ctx, w.browser.Session(f.Session), runtime.Evaluate, runtime.EvaluateParams{
			Expression: expr, ContextID: wd.context, ReturnByValue: new(byValue), AwaitPromise: new(true), Silent: new(true),
		}, sent)
		switch {
		case err != nil && attempt == 0 && documentGone(err):
			w.leave(frame, wd)
			continue
		case err != nil:
			return obj, doc, err
		case res.ExceptionDetails != nil:
			return obj, doc, &ScriptError{Func: fn, Message: exceptionText(res.ExceptionDetails)}
		case res.Result == nil:
			return obj, doc, fmt.Errorf("in-page %s: the browser sent no result", fn)
		case installed || string(res.Result.Value) != `"`+pagescript.Absent+`"`: // a page may have that text, too
			wd.installed.Store(true)
			return *res.Result, Document{Frame: frame, Loader: wd.loader}, nil
		}
		if err := w.install(ctx, f, wd); err != nil && (attempt > 0 || !documentGone(err)) {
			return obj, doc, err
		}
	}
}

// enter returns the world of a frame's present document, making it if need be.
func (w *Worlds) enter(ctx context.Context, frame model.FrameID) (*model.Frame, *world, error) {
	for {
		f := w.browser.State().Frame(frame)
		if f == nil || f.Session == "" {
			return nil, nil, fmt.Errorf("frame %s: %w", frame, ErrNoFrame)
		}
		if err := passGate(ctx, f); err != nil {
			return nil, nil, err
		}
		wd, first := w.claim(f)
		if first {
			wd.context, wd.err = w.create(ctx, f)
			if wd.err != nil {
				wd.abandoned = ctx.Err() != nil
				w.leave(frame, wd)
			}
			close(wd.ready)
			return f, wd, wd.err
		}
		select {
		case <-wd.ready:
			if !wd.abandoned {
				return f, wd, wd.err
			}
		case <-ctx.Done():
			return nil, nil, fmt.Errorf("frame %s: %w", frame, context.Cause(ctx))
		}
	}
}

// prepareLimit bounds the installation in a document without a call.
const prepareLimit = 5 * time.Second

// Prepare begins to install the script in a frame's present document and does not wait: while a page loads, its
// renderer has time for it; after that it has to draw. The gate of ctx applies, its end does not. A failure is returned
// by the first call. Close waits for it.
func (w *Worlds) Prepare(ctx context.Context, frame model.FrameID) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), prepareLimit)
	stop := context.AfterFunc(w.ctx, cancel)
	w.preparing.Go(fault.Guarded(ctx, func() {
		defer cancel()
		defer stop()
		_, _, _ = w.enterInstalled(ctx, frame) //nolint:errcheck // see above
	}))
}

// enterInstalled is enter for callers that need the script to be installed.
func (w *Worlds) enterInstalled(ctx context.Context, frame model.FrameID) (*model.Frame, *world, error) {
	f, wd, err := w.enter(ctx, frame)
	if err != nil || wd.installed.Load() {
		return f, wd, err
	}
	made, err := evaluateIn(ctx, w.browser.Session(f.Session), wd.context, pagescript.Ensure)
	switch {
	case err != nil:
		err = fmt.Errorf("enter frame %s: %w", f.ID, err)
	case made == "true":
		wd.installed.Store(true)
	default:
		err = w.install(ctx, f, wd)
	}
	if documentGone(err) {
		w.leave(frame, wd)
	}
	return f, wd, err
}

// claim returns the world of the frame's document. The first caller has to install it.
func (w *Worlds) claim(f *model.Frame) (wd *world, first bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if wd = w.known[f.ID]; wd != nil && wd.in(f) {
		return wd, false
	}
	wd = &world{session: f.Session, loader: f.Loader, ready: make(chan struct{})}
	w.known[f.ID] = wd
	if len(w.known) > w.prune {
		w.forgetGone()
		w.prune = max(pruneThreshold, 2*len(w.known))
	}
	return wd, true
}

// in reports whether the world is that of the frame's present document. The CDP session may be another than the one
// that created it: after a lost connection the document still has the world, under the same number (measured on
// Chromium 156), and with it the ids of elements.
func (wd *world) in(f *model.Frame) bool {
	return wd.loader == f.Loader && (wd.session == f.Session || wd.loader != "")
}

// leave drops a world whose document is gone.
func (w *Worlds) leave(frame model.FrameID, wd *world) {
	w.mu.Lock()
	if w.known[frame] == wd {
		delete(w.known, frame)
	}
	w.mu.Unlock()
}

// pruneThreshold is how many worlds may be in the table without a search for those of removed frames.
const pruneThreshold = 64

// forgetGone drops the worlds of removed frames. The caller holds mu. A frame that was added a moment ago is in the
// state: it was found there.
func (w *Worlds) forgetGone() {
	s := w.browser.State()
	for id := range w.known {
		if s.Frame(id) == nil {
			delete(w.known, id)
		}
	}
}

// create makes our world in a document, or finds it there.
func (w *Worlds) create(ctx context.Context, f *model.Frame) (runtime.ExecutionContextID, error) {
	made, err := cdp.Do(ctx, w.browser.Session(f.Session), page.CreateIsolatedWorld, page.CreateIsolatedWorldParams{
		FrameID: protocol.FrameID(f.ID), WorldName: name,
	})
	if err != nil {
		return 0, fmt.Errorf("enter frame %s: %w", f.ID, err)
	}
	return made.ExecutionContextID, nil
}

// install sends the script to a world in which it is absent.
func (w *Worlds) install(ctx context.Context, f *model.Frame, wd *world) error {
	if _, err := evaluateIn(ctx, w.browser.Session(f.Session), wd.context, pagescript.Install()); err != nil {
		return fmt.Errorf("enter frame %s: %w", f.ID, err)
	}
	wd.installed.Store(true)
	return nil
}

// evaluateIn runs a part of the installation and yields its value as JSON.
func evaluateIn(ctx context.Context, s *cdp.Session, in runtime.ExecutionContextID, expr string) (value string, err error) {
	res, err := cdp.Do(ctx, s, runtime.Evaluate, runtime.EvaluateParams{Expression: expr, ContextID: in, Silent: new(true)})
	switch {
	case err != nil:
		return "", err
	case res.ExceptionDetails != nil:
		return "", &ScriptError{Func: "install", Message: exceptionText(res.ExceptionDetails)}
	case res.Result == nil:
		return "", nil
	}
	return string(res.Result.Value), nil
}

// documentGone recognises the answers Chromium gives when the execution context
// of a call has been replaced with its document.
func documentGone(err error) bool {
	var e *cdp.Error
	if errors.As(err, &e) {
		return strings.Contains(e.Message, "Cannot find context") ||
			strings.Contains(e.Message, "uniqueContextId not found") ||
			strings.Contains(e.Message, "Execution context was destroyed") ||
			strings.Contains(e.Message, "Inspected target navigated or closed") ||
			strings.Contains(e.Message, "No frame for given id")
	}
	return errors.Is(err, cdp.ErrDetached)
}

// DocumentGone reports whether a call failed because its document went away.
func DocumentGone(err error) bool { return documentGone(err) || errors.Is(err, ErrNoFrame) }

func decode(fn string, obj runtime.RemoteObject, result any) error {
	raw := []byte(obj.Value)
	if len(raw) == 0 {
		raw = []byte("null") // undefined
	}
	if err := jsonv2.Unmarshal(raw, result, jsontext.AllowInvalidUTF8(true)); err != nil {
		return fmt.Errorf("decode result of in-page %s: %w", fn, err)
	}
	return nil
}

func exceptionText(d *runtime.ExceptionDetails) string {
	if d.Exception != nil && d.Exception.Description != "" {
		first, _, _ := strings.Cut(d.Exception.Description, "\n")
		return first
	}
	return d.Text
}
