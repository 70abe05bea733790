package read

import (
	"context"
	"encoding/base64"
	"errors"
	"io"
	"strings"
	"time"

	"github.com/chromedp/cdproto/runtime"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/command/run"
	"github.com/usher-browser/usher/internal/command/run/script"
	"github.com/usher-browser/usher/internal/supervisor/guard"
	"github.com/usher-browser/usher/internal/supervisor/model"
	"github.com/usher-browser/usher/internal/verb"
)

func eval(ctx context.Context, e *run.Env, c *verb.Call) (run.Reply[Evaluated], error) {
	script, err := scriptOf(e, c)
	if err != nil {
		return run.Reply[Evaluated]{}, err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, e.Limit, run.ErrLimit)
	defer cancel()
	tab, err := e.CurrentTab()
	if err != nil {
		return run.Reply[Evaluated]{}, err
	}
	frame := tab.Frames[e.Scope(e.Tab)]
	value, err := Evaluate(ctx, e, frame, script)
	if err != nil {
		return run.Reply[Evaluated]{}, err
	}
	data := Evaluated{Origin: frame.URL, Result: jsontext.Value("null")}
	if len(value.Value) > 0 {
		// The browser escapes all that is not ASCII; people read it better as it is.
		if err := value.Value.Format(jsontext.AllowInvalidUTF8(true)); err != nil {
			return run.Reply[Evaluated]{}, api.Errorf(api.ProtocolError, "eval: the browser returned no JSON: %w", err)
		}
		data.Result = value.Value
	}
	switch {
	case value.UnserializableValue != "":
		data.Unserializable = string(value.UnserializableValue)
		return run.Reply[Evaluated]{Data: data, Text: string(value.UnserializableValue)}, nil
	case value.Type == runtime.RemoteObjectTypeUndefined:
		data.Unserializable = "undefined"
		return run.Reply[Evaluated]{Data: data, Text: "undefined"}, nil
	case len(value.Value) == 0:
		// A function, symbol or node has no value of its own; return a description.
		data.Unserializable = value.Description
		return run.Reply[Evaluated]{Data: data, Text: value.Description}, nil
	}
	pretty := value.Value.Clone()
	if err := pretty.Indent(jsontext.WithIndent("  ")); err != nil {
		return run.Reply[Evaluated]{}, api.Errorf(api.ProtocolError, "eval: the browser returned no JSON: %w", err)
	}
	return run.Reply[Evaluated]{Data: data, Text: string(pretty)}, nil
}

// scriptOf returns the script in whichever way it was given.
func scriptOf(e *run.Env, c *verb.Call) (string, error) {
	switch c.Form {
	case "base64":
		b, err := base64.StdEncoding.DecodeString(strings.TrimSpace(c.Str("base64")))
		if err != nil {
			return "", api.Errorf(api.InvalidArgument, "eval: the script is not valid base64: %w", err)
		}
		return string(b), nil
	case "stdin":
		b, err := io.ReadAll(e.Stdin)
		if err != nil {
			return "", api.Errorf(api.InvalidArgument, "eval: read the script from standard input: %w", err)
		}
		return string(b), nil
	}
	return c.Str("script"), nil
}

// Evaluate runs JavaScript in the frame's own context. Names declared at the top level stay and may be declared again,
// as in a console. A document that replaces the frame's before the script comes there gets it.
func Evaluate(ctx context.Context, e *run.Env, frame *model.Frame, script string) (*runtime.RemoteObject, error) {
	if frame == nil {
		return nil, api.Errorf(api.FrameDetached, "eval: the frame is gone from the page")
	}
	id := frame.ID
	for try := 1; ; try++ {
		if err := e.MayEnter(ctx, id); err != nil {
			return nil, err
		}
		value, err := evaluateIn(ctx, e, frame, script)
		// The script may have run in the document that replaced the one that was judged.
		if refused := e.MayEnter(context.WithoutCancel(ctx), id); refused != nil {
			return nil, refused
		}
		if !NeverRan(err) || try == MaxTries {
			return value, err
		}
		if frame = e.Browser.State().Frame(id); frame == nil {
			return nil, err
		}
	}
}

// MaxTries is how often a script or a call is sent whose document was gone before it ran.
const MaxTries = 5

// NeverRan reports whether a script or a call had no effect because its context had gone with a document before it came there:
// the frame has another document now, or will have it in a moment.
func NeverRan(err error) bool {
	var refused *cdp.Error
	return errors.As(err, &refused) &&
		(strings.Contains(refused.Message, "uniqueContextId not found") || strings.Contains(refused.Message, "Cannot find context"))
}

func evaluateIn(ctx context.Context, e *run.Env, frame *model.Frame, script string) (*runtime.RemoteObject, error) {
	params := runtime.EvaluateParams{Expression: script, AwaitPromise: new(true), UserGesture: new(true), ReplMode: new(true)}
	if InProcess(frame) {
		in, err := WithContext(ctx, e, frame)
		if err != nil {
			return nil, err
		}
		frame, params.UniqueContextID = in, in.MainContext
		if in.MainContext == "" {
			params.ContextID = runtime.ExecutionContextID(in.ContextNumber)
		}
	}
	session := e.Browser.Session(frame.Session)
	if err := awaitResponsive(ctx, e, frame, session); err != nil {
		return nil, evaluateError(e, err)
	}
	// From here on a renderer that does not answer is busy with the caller's own script.
	caller := ctx
	ctx, stop := e.Browser.GuardFrame(guard.WithUnresponsiveTimeout(ctx, guard.UnresponsiveTimeout{Ignore: true}), e.Tab, frame.ID)
	defer stop()
	res, err := cdp.Do(ctx, session, runtime.Evaluate, params)
	if err != nil && ended(caller) {
		return nil, e.AfterScript(caller, session)
	}
	if err == nil && res.ExceptionDetails == nil && res.Result != nil && res.Result.ObjectID != "" {
		return valueOf(ctx, e, session, res.Result)
	}
	return EvaluationResult(e, res.Result, res.ExceptionDetails, err)
}

// InProcess reports whether a frame lives in the process of its parent.
func InProcess(f *model.Frame) bool { return f.ID != model.FrameID(f.Tab) && !f.OOPIF }

// ContextLimit is how long a frame may take to get the script context of its document, which is created a moment after
// it.
const ContextLimit = 2 * time.Second

// WithContext waits until the script context of a frame is known, and returns the frame as it is then.
// In a stealth browser only its ContextNumber is known.
func WithContext(ctx context.Context, e *run.Env, f *model.Frame) (*model.Frame, error) {
	if e.Browser.Stealth() {
		return AskContext(ctx, e, f)
	}
	wait, cancel := context.WithTimeoutCause(ctx, ContextLimit, ErrNoContext)
	defer cancel()
	id, url := f.ID, f.URL
	err := e.Browser.Wait(wait, func(s *model.State) (bool, error) {
		f = s.Frame(id)
		return f == nil || f.MainContext != "" || f.OOPIF, s.TabLost(e.Tab)
	})
	switch {
	case errors.Is(err, ErrNoContext):
		return nil, api.Errorf(api.FrameNotFound, "frame %s runs no scripts (it is sandboxed, or has not loaded)", url).
			With("frameId", string(id)).WithHint("Look at it with `snapshot --frame %s` or `get text body --frame %s`.", id, id)
	case err != nil:
		return nil, e.Explain(err, "enter frame "+url)
	case f == nil:
		return nil, api.Errorf(api.FrameDetached, "frame %s is gone from the page", url).With("frameId", string(id))
	}
	return f, nil
}

// AskContext reads the script context of a frame without an event for it.
func AskContext(ctx context.Context, e *run.Env, f *model.Frame) (*model.Frame, error) {
	ctx, stop := e.Browser.GuardFrame(ctx, e.Tab, f.ID)
	defer stop()
	number, err := e.Worlds.MainContext(ctx, f.ID)
	if err != nil {
		now := e.Browser.State().Frame(f.ID)
		if now != nil && now.OOPIF {
			return now, nil
		}
		return nil, e.Explain(err, "enter frame "+f.URL)
	}
	in := *f
	in.MainContext, in.ContextNumber = "", int64(number)
	return &in, nil
}

// ErrNoContext is the cause when a frame gets no script context.
var ErrNoContext = errors.New("no script context")

// awaitResponsive waits until a page answers. A script sent to one that does not would run
// later, after it was reported as failed, and in another document perhaps.
func awaitResponsive(ctx context.Context, e *run.Env, frame *model.Frame, session *cdp.Session) error {
	ctx, stop := e.Browser.GuardFrame(ctx, e.Tab, frame.ID)
	defer stop()
	if err := context.Cause(ctx); err != nil {
		return err
	}
	_, err := script.Ping(session).Wait(ctx)
	return err
}

// valueOf reads an object as JSON. A promise is awaited here, because a script that may declare names again (replMode)
// is not awaited by Runtime.evaluate.
func valueOf(ctx context.Context, e *run.Env, session *cdp.Session, object *runtime.RemoteObject) (*runtime.RemoteObject, error) {
	defer session.Post("Runtime.releaseObject", map[string]any{"objectId": object.ObjectID}, nil)
	if object.Type == runtime.RemoteObjectTypeFunction || object.Type == runtime.RemoteObjectTypeSymbol {
		return &runtime.RemoteObject{Type: object.Type, Description: object.Description}, nil
	}
	res, err := cdp.Do(ctx, session, runtime.CallFunctionOn, runtime.CallFunctionOnParams{
		FunctionDeclaration: "function(){return this}", ObjectID: object.ObjectID,
		ReturnByValue: new(true), AwaitPromise: new(true), UserGesture: new(true),
	})
	if err != nil && ended(ctx) {
		return nil, e.AfterScript(ctx, session)
	}
	if run.InternalError(err) && isThere(ctx, session, object) {
		return nil, api.Errorf(api.EvaluationFailed, "Evaluation error: the result cannot be converted to JSON: a getter of it threw an exception").
			WithHint("Return the parts you need.")
	}
	return EvaluationResult(e, res.Result, res.ExceptionDetails, err)
}

// isThere reports whether the document of an object is still there.
func isThere(ctx context.Context, session *cdp.Session, object *runtime.RemoteObject) bool {
	_, err := cdp.Do(ctx, session, runtime.CallFunctionOn, runtime.CallFunctionOnParams{FunctionDeclaration: "function(){}", ObjectID: object.ObjectID})
	return err == nil
}

// ended reports whether the time of a command is up, or its caller has gone. A tab that is blocked, as by a dialog that
// the script opened, is no such end: the script continues when that is answered.
func ended(ctx context.Context) bool {
	cause := context.Cause(ctx)
	var blocked *model.BlockedError
	return cause != nil && !errors.As(cause, &blocked)
}

// EvaluationResult returns the value of an evaluation, or the error that explains why there is none.
func EvaluationResult(e *run.Env, value *runtime.RemoteObject, thrown *runtime.ExceptionDetails, err error) (*runtime.RemoteObject, error) {
	switch {
	case err != nil:
		return nil, evaluateError(e, err)
	case thrown != nil:
		return nil, evaluationError(thrown)
	case value == nil:
		return nil, api.Errorf(api.ProtocolError, "eval: the browser sent no result")
	}
	return value, nil
}

func evaluateError(e *run.Env, err error) error {
	text := err.Error()
	switch {
	case strings.Contains(text, "Object reference chain is too long"):
		return api.Errorf(api.EvaluationFailed, "Evaluation error: the result refers to itself or is too deep to be returned").
			WithHint("Return the parts you need, for example with JSON.stringify or by picking fields.")
	case strings.Contains(text, "Object couldn't be returned by value"):
		return api.Errorf(api.EvaluationFailed, "Evaluation error: the result cannot be converted to JSON").
			WithHint("Return a string, number or plain object; of elements, return text or attributes.")
	}
	return e.Explain(err, "eval")
}

// maxException bounds the text of an exception, which may be a page's, in an error.
const maxException = 64 << 10

func evaluationError(d *runtime.ExceptionDetails) error {
	text := d.Text
	if d.Exception != nil {
		switch {
		case d.Exception.Description != "":
			text = d.Exception.Description
		case len(d.Exception.Value) > 0:
			text = "thrown " + string(d.Exception.Value)
		}
	}
	err := api.Errorf(api.EvaluationFailed, "Evaluation error: %s", model.Cut(text, maxException))
	return err.With("line", d.LineNumber+1).With("column", d.ColumnNumber+1)
}
