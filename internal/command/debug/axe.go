package debug

import (
	"context"
	"errors"
	"fmt"
	"strings"

	protocol "github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/axe"
	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/command/run"
	"github.com/usher-browser/usher/internal/supervisor/model"
	"github.com/usher-browser/usher/internal/world"
)

// axe-core runs in each frame by itself, in an isolated world that the page cannot see, and the partial results are joined in
// the main frame. The frames do not talk to each other: usher passes on what axe-core would post as messages.
//
//	frame: axe.utils.getFrameContexts, axe.runPartial --> frames inside it --> ... --> main frame: axe.finishRun

// axeWorld is the name of the isolated world with axe-core.
const axeWorld = "usher-a11y"

// auditor is one audit.
type auditor struct {
	env     *run.Env
	options auditOptions
	missing []string // frames that were not examined, and why
}

// realm is axe-core in one document.
type realm struct {
	frame   model.FrameID
	session *cdp.Session
	context runtime.ExecutionContextID
}

// enter makes axe-core available in a frame.
func (a *auditor) enter(ctx context.Context, frame model.FrameID) (realm, error) {
	if err := a.env.MayEnter(ctx, frame); err != nil {
		return realm{}, err
	}
	f := a.env.Browser.State().Frame(frame)
	if f == nil || f.Session == "" {
		return realm{}, fmt.Errorf("frame %s: %w", frame, world.ErrNoFrame)
	}
	r := realm{frame: frame, session: a.env.Browser.Session(f.Session)}
	made, err := cdp.Do(ctx, r.session, page.CreateIsolatedWorld, page.CreateIsolatedWorldParams{FrameID: protocol.FrameID(frame), WorldName: axeWorld})
	if err != nil {
		return r, err
	}
	r.context = made.ExecutionContextID
	var there bool
	if err := r.eval(ctx, "typeof axe === 'object'", &there); err != nil || there {
		return r, err
	}
	script, err := axe.Source()
	if err != nil {
		return r, err
	}
	return r, r.eval(ctx, script+"\n;0", nil)
}

// object evaluates an expression, and awaits a promise.
func (r realm) object(ctx context.Context, expression string, byValue bool) (*runtime.RemoteObject, error) {
	res, err := cdp.Do(ctx, r.session, runtime.Evaluate, runtime.EvaluateParams{
		Expression: expression, ContextID: r.context, ReturnByValue: new(byValue), AwaitPromise: new(true), Silent: new(true),
	})
	switch {
	case err != nil:
		return nil, err
	case res.ExceptionDetails != nil:
		text := res.ExceptionDetails.Text
		if x := res.ExceptionDetails.Exception; x != nil && x.Description != "" {
			text, _, _ = strings.Cut(x.Description, "\n")
		}
		return nil, &world.ScriptError{Func: "axe", Message: text}
	case res.Result == nil:
		return nil, errors.New("the browser sent no result")
	}
	return res.Result, nil
}

func (r realm) eval(ctx context.Context, expression string, result any) error {
	object, err := r.object(ctx, expression, true)
	if err != nil || result == nil {
		return err
	}
	if err := jsonv2.Unmarshal([]byte(object.Value), result, jsontext.AllowInvalidUTF8(true)); err != nil {
		return fmt.Errorf("decode a result of axe-core: %w", err)
	}
	return nil
}

// literal is a value as JavaScript.
func literal(v any) (string, error) {
	b, err := jsonv2.Marshal(v, jsontext.AllowInvalidUTF8(true))
	if err != nil {
		return "", fmt.Errorf("encode an argument of axe-core: %w", err)
	}
	return string(b), nil
}

// checkTags returns an error for tags that no rule has.
func (a *auditor) checkTags(ctx context.Context, r realm, tags []string) error {
	var known []string
	if err := r.eval(ctx, "[...new Set(axe.getRules().flatMap(rule => rule.tags))].sort()", &known); err != nil {
		return a.env.Explain(err, "a11y")
	}
	has := map[string]bool{}
	for _, tag := range known {
		has[tag] = true
	}
	for _, tag := range tags {
		if !has[tag] {
			return api.Errorf(api.InvalidArgument, "a11y --tags: no rule has the tag %q", tag).
				WithHint("Tags are wcag2a, wcag2aa, wcag21aa, wcag22aa, best-practice, section508, cat.color and others: those of a finding are in its `tags` with --json.")
		}
	}
	return nil
}

// scope returns the context that restricts an audit to the elements of a selector, as JavaScript.
func (a *auditor) scope(ctx context.Context, r realm, selector string) (string, error) {
	quoted, err := literal(selector)
	if err != nil {
		return "", err
	}
	var n int
	err = r.eval(ctx, "document.querySelectorAll("+quoted+").length", &n)
	var script *world.ScriptError
	switch {
	case errors.As(err, &script):
		return "", api.Errorf(api.InvalidSelector, "a11y --selector %s: %s", selector, script.Message)
	case err != nil:
		return "", a.env.Explain(err, "a11y")
	case n == 0:
		return "", api.Errorf(api.ElementNotFound, "a11y --selector %s: no element of the page matches", selector)
	}
	return `{"include":[[` + quoted + `]]}`, nil
}

// run examines a frame and those inside it. The partial results are in the order that axe.finishRun expects: a frame
// before those inside it. One that cannot be examined is null.
func (a *auditor) run(ctx context.Context, r realm, within string) ([]jsontext.Value, error) {
	options, err := literal(a.options)
	if err != nil {
		return nil, err
	}
	var got struct {
		Frames []struct {
			Selector jsontext.Value `json:"frameSelector"`
			Context  jsontext.Value `json:"frameContext"`
		} `json:"frames"`
		Partial jsontext.Value `json:"partial"`
	}
	err = r.eval(ctx, "(async (within, options) => ({frames: axe.utils.getFrameContexts(within, options), partial: await axe.runPartial(within, options)}))("+
		within+","+options+")", &got)
	if err != nil {
		return nil, err
	}
	partials := []jsontext.Value{got.Partial}
	for _, f := range got.Frames {
		inner, err := a.runInside(ctx, r, f.Selector, f.Context)
		if err != nil {
			if ctx.Err() != nil {
				return nil, err
			}
			a.missing = append(a.missing, "frame "+strings.Join(selectors(f.Selector), " >>> ")+": "+a.env.Explain(err, "").Error())
			inner = []jsontext.Value{jsontext.Value("null")}
		}
		partials = append(partials, inner...)
	}
	return partials, nil
}

// runInside examines the frame of an element that axe-core names.
func (a *auditor) runInside(ctx context.Context, r realm, selector, within jsontext.Value) ([]jsontext.Value, error) {
	object, err := r.object(ctx, "axe.utils.shadowSelect("+string(selector)+")", false)
	if err != nil {
		return nil, err
	}
	if object.ObjectID == "" {
		return nil, world.ErrNoFrame
	}
	defer r.session.Post("Runtime.releaseObject", map[string]any{"objectId": object.ObjectID}, nil)
	node, err := cdp.Do(ctx, r.session, dom.DescribeNode, dom.DescribeNodeParams{ObjectID: object.ObjectID})
	if err != nil {
		return nil, err
	}
	if node.Node == nil || node.Node.FrameID == "" {
		return nil, world.ErrNoFrame
	}
	inner, err := a.enter(ctx, model.FrameID(node.Node.FrameID))
	if err != nil {
		return nil, err
	}
	partials, err := a.run(ctx, inner, string(within))
	if err != nil {
		return nil, err
	}
	// It may have become another document.
	return partials, a.env.MayEnter(context.WithoutCancel(ctx), inner.frame)
}

// shrink returns what of axe-core's result is reported.
const shrink = `((result) => {
	const cut = (text, most) => text.length > most ? text.slice(0, most) + "…" : text;
	const findings = (list) => list.map(({help, helpUrl, id, impact, nodes, tags}) => ({help, helpUrl, id, impact: impact ?? null, tags, nodeCount: nodes.length,
		nodes: nodes.slice(0, 10).map(({failureSummary, html, target}) => ({failureSummary: failureSummary ?? "", html: cut(html, 1000), target}))}));
	return {axeVersion: result.testEngine.version, url: "", violations: findings(result.violations), incomplete: findings(result.incomplete), counts: {
		inapplicable: result.inapplicable.length, incomplete: result.incomplete.length, passes: result.passes.length, violations: result.violations.length}};
})`

// finish joins the partial results.
func (a *auditor) finish(ctx context.Context, r realm, partials []jsontext.Value, res *Audit) error {
	all, err := literal(partials)
	if err != nil {
		return err
	}
	options, err := literal(a.options)
	if err != nil {
		return err
	}
	return r.eval(ctx, "axe.finishRun("+all+","+options+").then("+shrink+")", res)
}

// selectors returns the selectors of a part of a target: one, or a list for shadow roots.
func selectors(part jsontext.Value) []string {
	var one string
	if jsonv2.Unmarshal(part, &one) == nil {
		return []string{one}
	}
	var list []string
	if jsonv2.Unmarshal(part, &list) != nil {
		return []string{string(part)}
	}
	return list
}
