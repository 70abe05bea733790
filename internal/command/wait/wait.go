package wait

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/command/download"
	"github.com/usher-browser/usher/internal/command/read"
	"github.com/usher-browser/usher/internal/command/run"
	"github.com/usher-browser/usher/internal/command/run/glob"
	"github.com/usher-browser/usher/internal/element"
	"github.com/usher-browser/usher/internal/element/locate"
	"github.com/usher-browser/usher/internal/journal"
	"github.com/usher-browser/usher/internal/supervisor/model"
	"github.com/usher-browser/usher/internal/verb"
)

func wait(ctx context.Context, e *run.Env, c *verb.Call) (run.Reply[*Waited], error) {
	switch c.Form {
	case "time":
		return waitTime(ctx, e, c.Dur("target"), c.Globals.Has("timeout"))
	case "selector":
		return waitElement(ctx, e, c)
	case "url":
		return waitURL(ctx, e, c.Str("url"))
	case "load":
		return waitLoad(ctx, e, c.Str("load"))
	case "fn":
		return waitScript(ctx, e, c.Str("fn"))
	case "text":
		if c.Bool("wide") {
			return waitWide(ctx, e, c.Str("text"))
		}
		return waitText(ctx, e, c.Str("text"))
	case "download":
		return waitDownload(ctx, e, c)
	}
	return run.Reply[*Waited]{}, api.Errorf(api.MissingArgument, "wait: nothing to wait for")
}

// Waited is the result of `wait`. The members that are set depend on the condition.
type Waited struct {
	Waited   string `json:"waited,omitzero"` // timeout, selector or text
	MS       *int64 `json:"ms,omitzero"`     // how long, in milliseconds, for a time
	Selector string `json:"selector,omitzero"`
	Text     string `json:"text,omitzero"`
	State    string `json:"state,omitzero"` // the load state
	// Result is the value of the expression, as JSON.
	Result jsontext.Value `json:"result,omitzero"`
	// URL is the address that matched, or that of the download; Path, SuggestedFilename and Bytes are of the download.
	URL               string `json:"url,omitzero"`
	Path              string `json:"path,omitzero"`
	SuggestedFilename string `json:"suggestedFilename,omitzero"`
	Bytes             *int64 `json:"bytes,omitzero"`
	api.Outcome
}

// waitDownload waits for a download that something else set off.
func waitDownload(ctx context.Context, e *run.Env, c *verb.Call) (run.Reply[*Waited], error) {
	res, err := download.WaitDownload(ctx, e, c)
	if err != nil {
		return run.Reply[*Waited]{}, err
	}
	d := res.Data
	return run.Reply[*Waited]{Data: &Waited{URL: d.URL, Path: d.Path, SuggestedFilename: d.SuggestedFilename, Bytes: &d.Bytes},
		Text: res.Text, Warning: res.Warning}, nil
}

// waitTime waits for a time; limited bounds it by the limit of the command. A dialog does not end it: it makes no call to the page.
func waitTime(ctx context.Context, e *run.Env, d time.Duration, limited bool) (run.Reply[*Waited], error) {
	bound := d
	if limited {
		bound = min(d, e.Limit)
	}
	t := time.NewTimer(bound)
	defer t.Stop()
	select {
	case <-t.C:
		if bound < d {
			return run.Reply[*Waited]{}, api.Errorf(api.Timeout, "wait: %s were not over within %s", d, e.Limit).
				WithHint("Wait for a shorter time, or with a longer --timeout.")
		}
		return run.Reply[*Waited]{Data: &Waited{Waited: "timeout", MS: new(d.Milliseconds())}, Text: run.Done}, nil
	case <-ctx.Done():
		return run.Reply[*Waited]{}, e.Explain(context.Cause(ctx), "wait")
	case <-e.Browser.Done():
		return run.Reply[*Waited]{}, e.Explain(&model.BlockedError{Closed: e.Browser.State().Closed}, "wait")
	}
}

func waitElement(ctx context.Context, e *run.Env, c *verb.Call) (run.Reply[*Waited], error) {
	state, err := element.ParseState(c.Str("state"))
	if err != nil {
		return run.Reply[*Waited]{}, err
	}
	t, err := e.TargetOf(c.Target("target"), c.Str("target"))
	if err != nil {
		return run.Reply[*Waited]{}, err
	}
	err = e.Act(ctx, "wait "+c.Str("target"), func(ctx context.Context, a *element.Actor) error { return a.Wait(ctx, t, state) })
	if err != nil {
		return run.Reply[*Waited]{}, waitError(ctx, e, err, "wait "+c.Str("target"))
	}
	return run.Reply[*Waited]{Data: &Waited{Waited: "selector", Selector: c.Str("target")}, Text: run.Done}, nil
}

func waitText(ctx context.Context, e *run.Env, text string) (run.Reply[*Waited], error) {
	if err := lookForText(ctx, e, text, e.Limit); err != nil {
		return run.Reply[*Waited]{}, err
	}
	return shown(text), nil
}

// shown is the result for a text that the page shows.
func shown(text string) run.Reply[*Waited] {
	return run.Reply[*Waited]{Data: &Waited{Waited: "text", Text: text}, Text: text}
}

// lookForText waits until the page shows a text, at most for limit.
func lookForText(ctx context.Context, e *run.Env, text string, limit time.Duration) error {
	t := locate.Target{By: locate.ByText, Value: text, Frame: e.Scope(e.Tab), Timeout: limit}
	err := e.Act(ctx, "wait --text", func(ctx context.Context, a *element.Actor) error { return a.Wait(ctx, t, element.Visible) })
	if err != nil {
		return waitError(ctx, e, err, "wait --text "+run.Quote(text))
	}
	return nil
}

// waitError returns an error that begins with the time waited, as other tools expect. If the caller's own time was up, which ctx has
// as its cause, that is the error.
func waitError(ctx context.Context, e *run.Env, err error, doing string) error {
	if cause := context.Cause(ctx); cause != nil {
		return e.Explain(cause, doing)
	}
	var known *api.Error
	if errors.As(err, &known) && known.Code != api.Timeout {
		return err
	}
	if !errors.As(err, &known) && !errors.Is(err, run.ErrLimit) {
		return e.Explain(err, doing)
	}
	out := api.Errorf(api.Timeout, "Wait timed out after %dms: %s", e.Waits(), doing)
	if known != nil {
		out = api.Errorf(api.Timeout, "Wait timed out after %dms: %s", e.Waits(), known.Message)
	}
	if t := e.Browser.State().Tabs[e.Tab]; t != nil {
		out.With("url", t.URL)
	}
	return out
}

func waitURL(ctx context.Context, e *run.Env, pattern string) (run.Reply[*Waited], error) {
	ctx, stop := e.Guard(ctx)
	defer stop()
	var url string
	err := e.Browser.Wait(ctx, func(s *model.State) (bool, error) {
		if f := waited(e, s); f != nil {
			url = f.URL
		}
		return glob.Match(pattern, url), s.TabLost(e.Tab)
	})
	if err != nil {
		if errors.Is(err, run.ErrLimit) {
			return run.Reply[*Waited]{}, api.Errorf(api.Timeout, "Wait timed out after %dms: wait --url %s; the address is %s", e.Waits(), pattern, url).With("url", url)
		}
		return run.Reply[*Waited]{}, e.Explain(err, "wait --url")
	}
	return run.Reply[*Waited]{Data: &Waited{URL: url}, Text: url}, nil
}

func waitLoad(ctx context.Context, e *run.Env, state string) (run.Reply[*Waited], error) {
	ctx, stop := e.Guard(ctx)
	defer stop()
	waiting, end := context.WithCancelCause(ctx)
	defer end(nil)
	stopped := e.Stopped(waiting, end)
	defer stopped.Rest()
	err := e.Browser.Wait(waiting, func(s *model.State) (bool, error) {
		f := waited(e, s)
		return f != nil && (stopped.Loaded(f) || state == "domcontentloaded" && f.Ready() && !f.Stopped) &&
			(state != "networkidle" || e.Frame == "" || f.NetworkIdle), s.TabLost(e.Tab)
	})
	note, err := e.StoppedLoading(err, "wait --load "+state)
	if err == nil && note == "" && state == "networkidle" && e.Frame == "" { // the browser does not report the end of a request that a page stopped
		err = e.Journal.WaitIdle(ctx, e.Tab, journal.Quiet)
	}
	if err != nil {
		if errors.Is(err, run.ErrLimit) {
			return run.Reply[*Waited]{}, api.Errorf(api.Timeout, "Timed out after %dms waiting for load state '%s'", e.Limit.Milliseconds(), state)
		}
		return run.Reply[*Waited]{}, e.Explain(err, "wait --load "+state)
	}
	return run.Reply[*Waited]{Data: &Waited{State: state}, Text: run.Done, Warning: note}, nil
}

// waited returns the frame whose address and loading are waited for: the one of --frame, else the page. It is nil while
// the frame is not there.
func waited(e *run.Env, s *model.State) *model.Frame {
	if t := s.Tabs[e.Tab]; t != nil && e.Frame != "" {
		return t.Frames[e.Frame]
	}
	return s.MainFrame(e.Tab)
}

// scriptPause is the time between two tries of a script that is not true yet.
const scriptPause = 50 * time.Millisecond

// waitScript evaluates an expression until it is true. A syntax error is returned at once; an exception may only be
// early (a variable does not exist yet), so the last one is returned at the timeout.
func waitScript(ctx context.Context, e *run.Env, script string) (run.Reply[*Waited], error) {
	outer := ctx
	ctx, stop := e.Guard(ctx)
	defer stop()
	never := "it never became true"
	for {
		tab, err := e.CurrentTab()
		if err != nil {
			return run.Reply[*Waited]{}, err
		}
		value, err := read.Evaluate(ctx, e, tab.Frames[e.Scope(e.Tab)], script)
		switch {
		case err != nil && api.CodeOf(err) == api.Timeout:
			return run.Reply[*Waited]{}, waitError(outer, e, run.ErrLimit, "wait --fn: "+never)
		case err != nil && api.CodeOf(err) == api.EvaluationFailed && !strings.Contains(err.Error(), "SyntaxError"):
			never = "it throws: " + err.Error()
		case err != nil && api.CodeOf(err) != api.FrameDetached && api.CodeOf(err) != api.FrameNotFound:
			return run.Reply[*Waited]{}, err
		case err == nil && truthy(value.Value, string(value.UnserializableValue), string(value.Type)):
			data := &Waited{Result: jsontext.Value("null")}
			if len(value.Value) > 0 {
				data.Result = value.Value
			}
			return run.Reply[*Waited]{Data: data, Text: string(value.Value)}, nil
		}
		select {
		case <-time.After(scriptPause):
		case <-ctx.Done():
			return run.Reply[*Waited]{}, waitError(outer, e, context.Cause(ctx), "wait --fn: "+never)
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
