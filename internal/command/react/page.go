package react

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/runtime"
	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/command/read"
	"github.com/usher-browser/usher/internal/command/run"
	"github.com/usher-browser/usher/internal/command/run/script"
	"github.com/usher-browser/usher/internal/element/locate"
	"github.com/usher-browser/usher/internal/pagescript"
	"github.com/usher-browser/usher/internal/supervisor/guard"
	"github.com/usher-browser/usher/internal/supervisor/model"
	"github.com/usher-browser/usher/internal/verb"
	"github.com/usher-browser/usher/internal/world"
)

//go:embed react.js
var scriptFile string

// scriptSource is the script as an expression.
func scriptSource() string { return strings.TrimSuffix(strings.TrimSpace(scriptFile), ";") }

// HookScript returns the init script of --enable react-devtools.
func HookScript() string { return scriptSource() + ".install();" }

// recordScript returns the init script of `react renders start`.
func recordScript() string { return "{const r=" + scriptSource() + ";r.install();r.record()}" }

// longest is how long a command may take unless --timeout is given. Pages with 100,000 components need less than a second.
const longest = 8 * time.Second

// inspector is our script in the page's own context of one document, where React's data is.
type inspector struct {
	env     *run.Env
	doing   string
	frame   *model.Frame
	session *cdp.Session
	object  runtime.RemoteObjectID
}

// enter returns the inspector of the document in the command's frame. The returned context ends with the command's time;
// call done when finished.
func enter(ctx context.Context, e *run.Env, doing string) (_ context.Context, _ *inspector, done func(), err error) {
	tab, err := e.CurrentTab()
	if err != nil {
		return ctx, nil, nil, err
	}
	frame := tab.Frames[e.Scope(e.Tab)]
	if frame == nil {
		return ctx, nil, nil, api.Errorf(api.FrameDetached, "%s: the frame is gone from the page", doing)
	}
	if err := e.MayEnter(ctx, frame.ID); err != nil {
		return ctx, nil, nil, err
	}
	in := &inspector{env: e, doing: doing, frame: frame, session: e.Browser.Session(frame.Session)}
	limit := e.Limit
	if !e.Limited {
		limit = min(limit, longest)
	}
	ctx, cancel := context.WithTimeoutCause(ctx, limit, run.ErrLimit)
	if err := in.awaitPage(ctx); err != nil {
		cancel()
		return ctx, nil, nil, e.Explain(err, doing)
	}
	// From here on a renderer that does not answer is busy with our own script.
	ctx, stop := e.Browser.GuardFrame(guard.WithUnresponsiveTimeout(ctx, guard.UnresponsiveTimeout{Ignore: true}), e.Tab, frame.ID)
	done = func() { stop(); cancel() }
	if k, found := e.React.Of(frame); found {
		in.object = k.Object
		return ctx, in, done, nil
	}
	if err := in.install(ctx); err != nil {
		done()
		return ctx, nil, nil, err
	}
	return ctx, in, done, nil
}

// awaitPage waits until the page answers: a script that is sent to one that does not would run later.
func (in *inspector) awaitPage(ctx context.Context) error {
	ctx, stop := in.env.Browser.GuardFrame(ctx, in.env.Tab, in.frame.ID)
	defer stop()
	_, err := script.Ping(in.session).Wait(ctx)
	return err
}

// install makes the inspector in the document.
func (in *inspector) install(ctx context.Context) error {
	params := runtime.EvaluateParams{Expression: scriptSource(), Silent: new(true)}
	if read.InProcess(in.frame) {
		frame, err := read.WithContext(ctx, in.env, in.frame)
		if err != nil {
			return err
		}
		params.UniqueContextID = frame.MainContext
		if frame.MainContext == "" {
			params.ContextID = runtime.ExecutionContextID(frame.ContextNumber)
		}
	}
	res, err := cdp.Do(ctx, in.session, runtime.Evaluate, params)
	switch {
	case err != nil:
		return in.failed(ctx, err)
	case res.ExceptionDetails != nil, res.Result == nil || res.Result.ObjectID == "":
		return in.refused(res.ExceptionDetails)
	}
	in.object = res.Result.ObjectID
	in.env.React.Keep(in.frame, in.object, in.env.Browser.State())
	return in.call(ctx, nil, "startAt", in.env.React.Used(0))
}

// call calls a function of the inspector with one argument and decodes the result; nil ignores it.
func (in *inspector) call(ctx context.Context, result any, fn string, arg any) error {
	object, err := in.invoke(ctx, fn, arg, true)
	if err != nil || result == nil {
		return err
	}
	if err := decode(object, result); err != nil {
		return api.Errorf(api.PageScriptFailed, "%s: decode what the page's React data gave: %w", in.doing, err)
	}
	return nil
}

// decode decodes a value that was returned as JSON.
func decode(object *runtime.RemoteObject, result any) error {
	raw := []byte(object.Value)
	if len(raw) == 0 {
		raw = []byte("null") // undefined
	}
	return jsonv2.Unmarshal(raw, result, jsontext.AllowInvalidUTF8(true))
}

// invoke calls a function of the inspector and returns the value, or the object, that it returned.
func (in *inspector) invoke(ctx context.Context, fn string, arg any, byValue bool) (*runtime.RemoteObject, error) {
	text, err := jsonv2.Marshal(arg)
	if err != nil {
		return nil, fmt.Errorf("%s: encode an argument: %w", in.doing, err)
	}
	res, err := cdp.Do(ctx, in.session, runtime.CallFunctionOn, runtime.CallFunctionOnParams{
		FunctionDeclaration: "function(){return this." + fn + "(" + string(text) + ")}", ObjectID: in.object, ReturnByValue: new(byValue), Silent: new(true),
	})
	switch {
	case err != nil:
		return nil, in.failed(ctx, err)
	case res.ExceptionDetails != nil, res.Result == nil:
		return nil, in.refused(res.ExceptionDetails)
	}
	return res.Result, nil
}

// failed explains the failure of a call. If the time is up while the script still runs, it is ended, so that the page is
// usable: its data leads a script of any kind in circles.
func (in *inspector) failed(ctx context.Context, err error) error {
	var blocked *model.BlockedError
	cause := context.Cause(ctx)
	if cause == nil || errors.As(cause, &blocked) {
		return in.env.Explain(err, in.doing)
	}
	ctx = context.WithoutCancel(ctx)
	if script.Responds(ctx, in.session, script.BusyAfter/4) {
		return in.env.Explain(cause, in.doing)
	}
	ended := script.Interrupt(ctx, in.session, script.Interrupting)
	if !errors.Is(cause, run.ErrLimit) || !ended {
		return in.env.Explain(cause, in.doing)
	}
	return api.Errorf(api.Timeout, "%s: reading the page's React data did not end in time and was terminated", in.doing).
		WithHint("The page is usable. Objects of the page may keep any script that reads them busy.")
}

// refused is the error for an exception: the page has changed what scripts depend on.
func (in *inspector) refused(d *runtime.ExceptionDetails) error {
	text := "the browser sent no result"
	if d != nil {
		text = d.Text
		if d.Exception != nil && d.Exception.Description != "" {
			text, _, _ = strings.Cut(d.Exception.Description, "\n")
		}
	}
	return api.Errorf(api.PageScriptFailed, "%s: %w", in.doing, &world.ScriptError{Func: "react", Message: text}).
		WithHint("The page may have replaced functions of JavaScript that scripts depend on. `eval` can still read React's data.")
}

// numbered records which ids the page has given out, so that those of later documents are others.
func (in *inspector) numbered(ctx context.Context) error {
	var used int
	if err := in.call(ctx, &used, "used", nil); err != nil {
		return err
	}
	in.env.React.Used(used)
	return nil
}

// ref returns the ref of the first element of a component; "" if it has none.
func (in *inspector) ref(ctx context.Context, id int) (string, error) {
	object, err := in.invoke(ctx, "element", id, false)
	if err != nil || object.ObjectID == "" {
		return "", err
	}
	defer in.session.Post("Runtime.releaseObject", map[string]any{"objectId": object.ObjectID}, nil)
	node, err := cdp.Do(ctx, in.session, dom.DescribeNode, dom.DescribeNodeParams{ObjectID: object.ObjectID})
	if err != nil || node.Node == nil {
		return "", err
	}
	// The page's script context and ours share no objects, but the document.
	doc, err := in.env.Worlds.CallIn(ctx, in.frame.ID, "pixelRatio", nil, nil)
	if err != nil {
		return "", err
	}
	session, own, err := in.env.Worlds.Context(ctx, in.frame.ID)
	if err != nil {
		return "", err
	}
	resolved, err := cdp.Do(ctx, session, dom.ResolveNode, dom.ResolveNodeParams{BackendNodeID: node.Node.BackendNodeID, ExecutionContextID: own})
	if err != nil || resolved.Object == nil {
		return "", err
	}
	defer session.Post("Runtime.releaseObject", map[string]any{"objectId": resolved.Object.ObjectID}, nil)
	res, err := cdp.Do(ctx, session, runtime.CallFunctionOn, runtime.CallFunctionOnParams{
		FunctionDeclaration: pagescript.IDOf, ObjectID: resolved.Object.ObjectID, ReturnByValue: new(true), Silent: new(true),
	})
	if err != nil || res.ExceptionDetails != nil || res.Result == nil {
		return "", err
	}
	number, err := strconv.Atoi(string(res.Result.Value))
	if err != nil {
		return "", err
	}
	el, _, err := in.env.Actor(in.env.Tab).Find(ctx, locate.Target{By: locate.ByRef, Value: "the element", Frame: doc.Frame, Loader: doc.Loader, ID: number})
	if code := api.CodeOf(err); code == api.ElementDetached || code == api.StaleRef {
		return "", nil // it is not in the document, as in a part that is folded away
	}
	if err != nil {
		return "", err
	}
	return "@e" + strconv.Itoa(in.env.RefOf(el)), nil
}

func idOf(c *verb.Call) int {
	n, err := strconv.Atoi(c.Str("id"))
	if err != nil {
		return 0
	}
	return n
}
