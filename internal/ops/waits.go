package ops

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/element"
	"github.com/usher-browser/usher/internal/journal"
	"github.com/usher-browser/usher/internal/supervisor/model"
	"github.com/usher-browser/usher/internal/verb"
)

func waitVerbs() map[string]Func { return map[string]Func{"wait": wait} }

func wait(ctx context.Context, e *Env, c *verb.Call) (Result, error) {
	switch c.Form {
	case "time":
		return e.waitTime(ctx, c.Dur("target"))
	case "selector":
		return e.waitElement(ctx, c)
	case "url":
		return e.waitURL(ctx, c.Str("url"))
	case "load":
		return e.waitLoad(ctx, c.Str("load"))
	case "fn":
		return e.waitScript(ctx, c.Str("fn"))
	case "text":
		return e.waitText(ctx, c.Str("text"))
	case "download":
		return waitDownload(ctx, e, c)
	}
	return Result{}, api.Errorf(api.MissingArgument, "wait: nothing to wait for")
}

// waitTime lets time pass. A dialog does not end it: nothing is asked of the page.
func (e *Env) waitTime(ctx context.Context, d time.Duration) (Result, error) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return Result{Data: obj{"waited": "timeout", "ms": d.Milliseconds()}, Text: done}, nil
	case <-ctx.Done():
		return Result{}, api.Errorf(api.Cancelled, "wait: cancelled")
	case <-e.Browser.Done():
		return Result{}, e.explain(&model.BlockedError{Closed: e.Browser.State().Closed}, "wait")
	}
}

func (e *Env) waitElement(ctx context.Context, c *verb.Call) (Result, error) {
	state, err := element.ParseState(c.Str("state"))
	if err != nil {
		return Result{}, err
	}
	t, err := e.targetOf(c.Target("target"), c.Str("target"))
	if err != nil {
		return Result{}, err
	}
	err = e.act(ctx, "wait "+c.Str("target"), func(ctx context.Context, a *element.Actor) error { return a.Wait(ctx, t, state) })
	if err != nil {
		return Result{}, e.waitError(err, "wait "+c.Str("target"))
	}
	return Result{Data: obj{"waited": "selector", "selector": c.Str("target")}, Text: done}, nil
}

func (e *Env) waitText(ctx context.Context, text string) (Result, error) {
	t := element.Target{By: element.ByText, Value: text, Frame: e.Scope(e.Tab), Timeout: e.Limit}
	err := e.act(ctx, "wait --text", func(ctx context.Context, a *element.Actor) error { return a.Wait(ctx, t, element.Visible) })
	if err != nil {
		return Result{}, e.waitError(err, "wait --text "+quote(text))
	}
	return Result{Data: obj{"waited": "text", "text": text}, Text: text}, nil
}

// waitError says first how long was waited, in the words other tools look for.
func (e *Env) waitError(err error, doing string) error {
	var known *api.Error
	if errors.As(err, &known) && known.Code != api.Timeout {
		return err
	}
	if !errors.As(err, &known) && !errors.Is(err, errLimit) {
		return e.explain(err, doing)
	}
	out := api.Errorf(api.Timeout, "Wait timed out after %dms: %s", e.Limit.Milliseconds(), doing)
	if known != nil {
		out = api.Errorf(api.Timeout, "Wait timed out after %dms: %s", e.Limit.Milliseconds(), known.Message)
	}
	if t := e.Browser.State().Tabs[e.Tab]; t != nil {
		out.With("url", t.URL)
	}
	return out
}

func (e *Env) waitURL(ctx context.Context, pattern string) (Result, error) {
	ctx, stop := e.guard(ctx)
	defer stop()
	var url string
	err := e.Browser.Wait(ctx, func(s *model.State) (bool, error) {
		if f := e.waited(s); f != nil {
			url = f.URL
		}
		return matchURL(pattern, url), lost(s, e.Tab)
	})
	if err != nil {
		if errors.Is(err, errLimit) {
			return Result{}, api.Errorf(api.Timeout, "Wait timed out after %dms: wait --url %s; the address is %s", e.Limit.Milliseconds(), pattern, url).With("url", url)
		}
		return Result{}, e.explain(err, "wait --url")
	}
	return Result{Data: obj{"url": url}, Text: url}, nil
}

// matchURL holds an address against a glob, in which * stands for anything;
// without a * the pattern need only be contained.
func matchURL(pattern, url string) bool {
	parts := strings.Split(pattern, "*")
	if len(parts) == 1 {
		return strings.Contains(url, pattern)
	}
	if !strings.HasPrefix(url, parts[0]) {
		return false
	}
	url = url[len(parts[0]):]
	last := parts[len(parts)-1]
	for _, p := range parts[1 : len(parts)-1] {
		i := strings.Index(url, p)
		if i < 0 {
			return false
		}
		url = url[i+len(p):]
	}
	return strings.HasSuffix(url, last)
}

func (e *Env) waitLoad(ctx context.Context, state string) (Result, error) {
	ctx, stop := e.guard(ctx)
	defer stop()
	err := e.Browser.Wait(ctx, func(s *model.State) (bool, error) {
		f := e.waited(s)
		return f != nil && (f.Loaded || state == "domcontentloaded" && f.DOMReady) &&
			(state != "networkidle" || e.frame == "" || f.NetworkIdle), lost(s, e.Tab)
	})
	if err == nil && state == "networkidle" && e.frame == "" {
		err = e.Journal.WaitIdle(ctx, e.Tab, journal.Quiet)
	}
	if err != nil {
		if errors.Is(err, errLimit) {
			return Result{}, api.Errorf(api.Timeout, "Timed out after %dms waiting for load state '%s'", e.Limit.Milliseconds(), state)
		}
		return Result{}, e.explain(err, "wait --load "+state)
	}
	return Result{Data: obj{"state": state}, Text: done}, nil
}

// waited is the frame whose address and loading are waited for: the one of --frame, else the page. nil while it is not there.
func (e *Env) waited(s *model.State) *model.Frame {
	if t := s.Tabs[e.Tab]; t != nil && e.frame != "" {
		return t.Frames[e.frame]
	}
	return mainFrame(s, e.Tab)
}

// scriptPause is the time between two tries of a script that is not true yet.
const scriptPause = 50 * time.Millisecond

// waitScript evaluates an expression until it is true. One that is no JavaScript
// is told at once; one that throws may only be early (what it asks for does not
// exist yet), so the last exception is told when time is up.
func (e *Env) waitScript(ctx context.Context, script string) (Result, error) {
	ctx, stop := e.guard(ctx)
	defer stop()
	never := "it never became true"
	for {
		tab, err := e.tab()
		if err != nil {
			return Result{}, err
		}
		value, err := e.evaluate(ctx, tab.Frames[e.Scope(e.Tab)], script)
		switch {
		case err != nil && api.CodeOf(err) == api.Timeout:
			return Result{}, api.Errorf(api.Timeout, "Wait timed out after %dms: wait --fn: %s", e.Limit.Milliseconds(), never)
		case err != nil && api.CodeOf(err) == api.EvaluationFailed && !strings.Contains(err.Error(), "SyntaxError"):
			never = "it throws: " + err.Error()
		case err != nil && api.CodeOf(err) != api.FrameDetached && api.CodeOf(err) != api.FrameNotFound:
			return Result{}, err
		case err == nil && truthy(value.Value, string(value.UnserializableValue), string(value.Type)):
			data := obj{"result": jsontext.Value("null")}
			if len(value.Value) > 0 {
				data["result"] = value.Value
			}
			return Result{Data: data, Text: string(value.Value)}, nil
		}
		select {
		case <-time.After(scriptPause):
		case <-ctx.Done():
			return Result{}, e.waitError(context.Cause(ctx), "wait --fn: "+never)
		}
	}
}

// truthy is JavaScript's idea of truth for a value as the protocol gives it.
func truthy(value []byte, special, kind string) bool {
	switch string(value) {
	case "false", "null", "0", "-0", `""`:
		return false
	case "":
		return kind != "undefined" && special != "NaN" && special != "-0" && special != "0n"
	}
	return true
}
