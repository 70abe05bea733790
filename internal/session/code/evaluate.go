package code

import (
	"context"
	"errors"
	"strconv"
	"strings"

	"github.com/chromedp/cdproto/runtime"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/command/read"
	"github.com/usher-browser/usher/internal/command/run"
	"github.com/usher-browser/usher/internal/session/code/handle"
	"github.com/usher-browser/usher/internal/session/code/known"
	"github.com/usher-browser/usher/internal/supervisor/guard"
	"github.com/usher-browser/usher/internal/supervisor/model"
)

// evaluateParams are the parameters of page.evaluate.
type evaluateParams struct {
	// Tab is the tab; empty for that of the run.
	Tab model.TargetID `json:"tab"`
	// Frame is the frame to evaluate in; empty for that of the first handle, else the main frame.
	Frame string `json:"frame"`
	// Source is an expression, or the text of a function if Function is set.
	Source   string `json:"source"`
	Function bool   `json:"function"`
	// Args is the JavaScript text of the arguments, in which $n stands for the nth handle: "[1,$0,undefined]".
	Args string `json:"args"`
	// Handles are the handles among the arguments.
	Handles []argument `json:"handles"`
	// Handle asks for a handle of the result in place of its value.
	Handle bool `json:"handle"`
	// started is the evaluation that has begun already: see [driver.direct].
	started *cdp.Pending[runtime.EvaluateResult]
}

// argument is a handle that code passes to the page: an object of an earlier evaluation, or an element by its ref.
type argument struct {
	ID  int    `json:"id"`
	Ref string `json:"ref"`
}

// evaluated is the result of page.evaluate.
type evaluated struct {
	Value jsontext.Value `json:"value,omitzero"`
	// Special is a value that JSON has no text for: undefined, NaN, Infinity, -0 or 12n.
	Special string     `json:"special,omitzero"`
	Handle  *object    `json:"handle,omitzero"`
	Page    known.Page `json:"page"`
}

// object describes an object of a page that code has a handle of.
type object struct {
	ID          int    `json:"id"`
	Type        string `json:"type"`
	Subtype     string `json:"subtype,omitzero"`
	ClassName   string `json:"className,omitzero"`
	Description string `json:"description,omitzero"`
	// Ref is the ref of an element.
	Ref string `json:"ref,omitzero"`
}

// dispose releases handles before the run ends.
func (o operation) dispose(_ context.Context, params jsontext.Value) (any, error) {
	var p struct {
		IDs []int `json:"ids"`
	}
	if err := json.Unmarshal(params, &p); err != nil {
		return nil, api.Errorf(api.InvalidArgument, "dispose: %w", err)
	}
	for _, id := range p.IDs {
		o.handles.Drop(id)
	}
	return nil, nil
}

// evaluate evaluates an expression or calls a function in a frame's own context.
func (o operation) evaluate(ctx context.Context, params jsontext.Value) (any, error) {
	var p evaluateParams
	if err := json.Unmarshal(params, &p); err != nil {
		return nil, api.Errorf(api.InvalidArgument, "evaluate: %w", err)
	}
	return o.evaluateWith(ctx, p)
}

func (o operation) evaluateWith(ctx context.Context, p evaluateParams) (any, error) {
	var out evaluated
	err := o.inTab(ctx, func(ctx context.Context, e *run.Env) (err error) {
		out, err = o.evaluateIn(ctx, e, p)
		return err
	})
	out.Page = o.page()
	return out, err
}

// evaluateIn evaluates. A document that replaces the frame's before the script comes there gets it, as with Playwright.
func (o operation) evaluateIn(ctx context.Context, e *run.Env, p evaluateParams) (evaluated, error) {
	for try := 1; ; try++ {
		out, err := o.evaluateOnce(ctx, e, p)
		if len(p.Handles) > 0 || try == read.MaxTries || !read.NeverRan(err) {
			return out, err
		}
		p.started = nil
	}
}

func (o operation) evaluateOnce(ctx context.Context, e *run.Env, p evaluateParams) (evaluated, error) {
	args, err := o.objects(ctx, e, p.Handles)
	if err != nil {
		return evaluated{}, err
	}
	frame, err := frameOf(ctx, e, p, args)
	if err != nil {
		return evaluated{}, err
	}
	if err := e.MayEnter(ctx, frame.ID); err != nil {
		return evaluated{}, err
	}
	if err := mayRun(frame, p); err != nil {
		return evaluated{}, err
	}
	if err := answers(e, frame); err != nil {
		return evaluated{}, err
	}
	session := e.Browser.Session(frame.Session)
	found := o.found(e, frame, session, p)
	result, err := o.inPage(ctx, e, frame, session, p, args)
	if refused := e.MayEnter(context.WithoutCancel(ctx), frame.ID); refused != nil {
		return evaluated{}, refused
	}
	if err != nil {
		return evaluated{}, err
	}
	if found != nil {
		o.checked.Store(found)
	}
	return o.result(ctx, e, frame, session, result, p.Handle)
}

// answers returns the error for a page that a script is known to block, where no script can be ended: what is evaluated there would wait for as long as the code
// runs. Elsewhere the script is ended when the code is stopped.
func answers(e *run.Env, frame *model.Frame) error {
	t := e.Browser.State().Tabs[e.Tab]
	if t == nil || !e.Browser.Capabilities().Untrusted || t.UnresponsiveFor(frame.ID) == nil {
		return nil
	}
	return e.Unresponsive("evaluate")
}

// ofError reports whether a frame shows what the browser shows in place of a page that failed.
func ofError(frame *model.Frame) bool { return strings.HasPrefix(frame.URL, "chrome-error:") }

// mayRun refuses what would end the browser: Chromium 156 stops with all its sessions, by a check of its own, where the page that
// it shows in place of one that failed gets a frame with srcdoc. Only the text is looked at: what builds the word is not found.
func mayRun(frame *model.Frame, p evaluateParams) error {
	if !ofError(frame) || !strings.Contains(strings.ToLower(p.Source+p.Args), "srcdoc") {
		return nil
	}
	return api.Errorf(api.Unsupported, "evaluate: the tab shows the browser's page of an error, and a frame with srcdoc in it would end the browser").
		WithHint("Go to another page first, such as page.goto('about:blank').")
}

// frameOf returns the frame to evaluate in.
func frameOf(ctx context.Context, e *run.Env, p evaluateParams, args []handle.Handle) (*model.Frame, error) {
	tab, err := e.CurrentTab()
	if err != nil {
		return nil, err
	}
	id := tab.Main
	switch {
	case p.Frame != "":
		id = model.FrameID(p.Frame)
	case len(args) > 0:
		id = args[0].Frame
	}
	frame := tab.Frames[id]
	if frame == nil && len(args) == 0 {
		frame = e.ReturnedFrame(ctx, id)
	}
	if frame == nil {
		return nil, api.Errorf(api.FrameDetached, "evaluate: the frame is gone from the page")
	}
	return frame, nil
}

// objects returns the objects of handles in the page's own context.
func (o operation) objects(ctx context.Context, e *run.Env, list []argument) ([]handle.Handle, error) {
	var out []handle.Handle
	for _, a := range list {
		object, ok := o.handles.Get(a.ID)
		if a.Ref != "" {
			var err error
			if object, err = handle.OfRef(ctx, e, a.Ref); err != nil {
				return nil, err
			}
			ok = true
			o.handles.Add(object) // released with the run
		}
		if !ok {
			return nil, api.Errorf(api.StaleRef, "evaluate: the handle was disposed, or its page is gone")
		}
		out = append(out, object)
	}
	return out, nil
}

// inPage evaluates in a frame.
func (o operation) inPage(ctx context.Context, e *run.Env, frame *model.Frame, session *cdp.Session, p evaluateParams, args []handle.Handle) (*runtime.RemoteObject, error) {
	byValue := !p.Handle
	if len(args) > 0 {
		return o.callWith(ctx, e, frame, session, p, args)
	}
	params := runtime.EvaluateParams{Expression: expression(p), AwaitPromise: new(true), UserGesture: new(true), ReturnByValue: &byValue}
	if p.started == nil && read.InProcess(frame) {
		in, err := read.WithContext(ctx, e, frame)
		if err != nil {
			return nil, err
		}
		params.UniqueContextID = in.MainContext
		if in.MainContext == "" {
			params.ContextID = runtime.ExecutionContextID(in.ContextNumber)
		}
	}
	started := p.started
	if started == nil {
		started = cdp.Start(session, runtime.Evaluate, params)
	}
	o.turn.Sent()
	res, err := await(ctx, o, e, frame, started)
	if err != nil {
		return read.EvaluationResult(e, nil, nil, err)
	}
	return evaluation(e, res.Result, res.ExceptionDetails)
}

// await waits for the result of a script in the page. A dialog that the script opens ends the wait, unless the code handles
// dialogs: the script goes on when the dialog is closed.
func await[R any](ctx context.Context, o operation, e *run.Env, frame *model.Frame, call *cdp.Pending[R]) (R, error) {
	for {
		guarded, stop := e.Browser.GuardFrame(guard.WithUnresponsiveTimeout(ctx, guard.UnresponsiveTimeout{Ignore: true}), e.Tab, frame.ID)
		select {
		case <-call.Done():
		case <-guarded.Done():
		}
		var blocked *model.BlockedError
		if !errors.As(context.Cause(guarded), &blocked) || blocked.Dialog == nil || !o.changes.wants(model.DialogOpened) {
			res, err := call.Wait(guarded)
			stop()
			return res, err
		}
		stop()
		if err := o.awaitClosed(ctx, e.Browser, answerLimit); err != nil {
			var none R
			if context.Cause(ctx) == nil {
				err = blocked // the code leaves the dialog open
			}
			return none, err
		}
	}
}

func expression(p evaluateParams) string {
	if !p.Function {
		return p.Source
	}
	return "(" + p.Source + "\n)(..." + p.Args + ")"
}

// callWith calls a function with handles among its arguments.
func (o operation) callWith(ctx context.Context, e *run.Env, frame *model.Frame, session *cdp.Session, p evaluateParams, args []handle.Handle) (*runtime.RemoteObject, error) {
	names := make([]string, len(args))
	objects := make([]*runtime.CallArgument, len(args))
	for i, a := range args {
		switch {
		case a.Session != session && a.Frame == frame.ID:
			return nil, api.Errorf(api.StaleRef, "evaluate: the element is gone: its frame moved to another process")
		case a.Session != session:
			return nil, api.Errorf(api.InvalidArgument, "evaluate: the handles are of frames in different processes").
				WithHint("Evaluate in the frame of the handle.")
		}
		names[i] = "$" + strconv.Itoa(i)
		objects[i] = &runtime.CallArgument{ObjectID: a.Object}
	}
	text := "function(" + strings.Join(names, ",") + "){return (" + p.Source + "\n)(..." + p.Args + ")}"
	started := cdp.Start(session, runtime.CallFunctionOn, runtime.CallFunctionOnParams{
		FunctionDeclaration: text, ObjectID: args[0].Object, Arguments: objects,
		ReturnByValue: new(!p.Handle), AwaitPromise: new(true), UserGesture: new(true),
	})
	o.turn.Sent()
	res, err := await(ctx, o, e, frame, started)
	if err != nil {
		return read.EvaluationResult(e, nil, nil, err)
	}
	return evaluation(e, res.Result, res.ExceptionDetails)
}

// result converts what the page returned.
func (o operation) result(ctx context.Context, e *run.Env, frame *model.Frame, session *cdp.Session, got *runtime.RemoteObject, asHandle bool) (evaluated, error) {
	out := evaluated{Value: got.Value}
	switch {
	case got.UnserializableValue != "":
		out.Special = string(got.UnserializableValue)
	case got.Type == runtime.RemoteObjectTypeUndefined:
		out.Special = "undefined"
	}
	if !asHandle {
		if len(out.Value) == 0 && out.Special == "" { // a function or a symbol
			out.Special = "undefined"
		}
		return out, nil
	}
	if got.ObjectID == "" {
		return out, nil
	}
	made := &object{Type: string(got.Type), Subtype: string(got.Subtype), ClassName: got.ClassName, Description: got.Description}
	made.ID = o.handles.Add(handle.Handle{Session: session, Frame: frame.ID, Object: got.ObjectID})
	if got.Subtype == runtime.RemoteObjectSubtypeNode {
		var err error
		if made.Ref, err = handle.Ref(ctx, e, frame, session, got.ObjectID); err != nil {
			return evaluated{}, err
		}
	}
	out.Handle = made
	return out, nil
}

// thrown is what a script threw.
type thrown struct {
	Type      string         `json:"type"`
	ClassName string         `json:"className,omitzero"`
	Value     jsontext.Value `json:"value,omitzero"`
	Special   string         `json:"special,omitzero"`
}

// evaluation returns the value of an evaluation, or an error that has what was thrown.
func evaluation(e *run.Env, value *runtime.RemoteObject, failed *runtime.ExceptionDetails) (*runtime.RemoteObject, error) {
	got, err := read.EvaluationResult(e, value, failed, nil)
	var known *api.Error
	if failed == nil || failed.Exception == nil || !errors.As(err, &known) {
		return got, err
	}
	x := failed.Exception
	out := thrown{Type: string(x.Type), ClassName: x.ClassName, Value: x.Value, Special: string(x.UnserializableValue)}
	if x.Type == runtime.RemoteObjectTypeUndefined {
		out.Special = "undefined"
	}
	if x.Subtype == runtime.RemoteObjectSubtypeNull {
		out.Value = jsontext.Value("null")
	}
	return nil, known.With("thrown", out)
}

func objectID(id string) runtime.RemoteObjectID { return runtime.RemoteObjectID(id) }

func frameByID(t *model.Tab, id string) *model.Frame { return t.Frames[model.FrameID(id)] }
