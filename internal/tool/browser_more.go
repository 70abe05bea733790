package tool

import (
	"context"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/api"
)

var (
	consoles = reading[struct {
		Messages []struct {
			Type string `json:"type"`
			Text string `json:"text"`
		} `json:"messages"`
	}]("console")
	pageErrors = reading[struct {
		Errors []struct {
			Text string `json:"text"`
			URL  string `json:"url"`
			Line int    `json:"line"`
		} `json:"errors"`
	}]("errors")
)

func browserConsole(ctx context.Context, h *Host, a Args) (*Result, error) {
	if a.Has("expression") {
		return evaluateExpression(ctx, h, a.Str("expression"))
	}
	console, _, err := consoles.ask(ctx, h, nil)
	if err != nil {
		return nil, err
	}
	thrown, _, err := pageErrors.ask(ctx, h, nil)
	if err != nil {
		return nil, err
	}
	messages, failures := []Object{}, []Object{}
	for _, m := range console.Messages[max(0, len(console.Messages)-maxConsole):] {
		messages = append(messages, Object{{"type", m.Type}, {"text", cut(m.Text, maxConsoleText)}, {"source", "console"}})
	}
	for _, e := range thrown.Errors[max(0, len(thrown.Errors)-maxConsole):] {
		where := "exception"
		if e.URL != "" {
			where = e.URL + ":" + strconv.Itoa(e.Line)
		}
		failures = append(failures, Object{{"message", cut(e.Text, maxConsoleText)}, {"source", where}})
	}
	data := success()
	data.Set("console_messages", messages)
	data.Set("js_errors", failures)
	data.Set("total_messages", len(console.Messages))
	data.Set("total_errors", len(thrown.Errors))
	if a.Bool("clear") {
		for _, what := range []string{"console", "errors"} {
			if _, err := h.run(ctx, what, given("clear", true)); err != nil {
				return nil, err
			}
		}
	}
	return &Result{Data: data}, nil
}

// How much of the console a result holds; the total is told.
const (
	maxConsole     = 50
	maxConsoleText = 1000 // bytes
)

func evaluateExpression(ctx context.Context, h *Host, expression string) (*Result, error) {
	value, err := h.eval(ctx, expression)
	if err != nil {
		return nil, err
	}
	result, kind := value.Result, kindOf(value.Result)
	if value.Unserializable != "" {
		result, kind = encoded(value.Unserializable), "unserializable"
	}
	if kind == "string" { // text that is JSON is meant as JSON
		if inner := jsontext.Value(textOf(result)); inner.IsValid() && (inner.Kind() == '{' || inner.Kind() == '[') {
			result, kind = inner, kindOf(inner)
		}
	}
	data := success()
	if len(result) > maxResult {
		short, err := h.Bounded("result", string(result))
		if err != nil {
			return nil, err
		}
		result = encoded(short)
	}
	data.Set("result", result)
	data.Set("result_type", kind)
	return &Result{Data: data}, nil
}

// kindOf names the type of a JSON value as models know it.
func kindOf(v jsontext.Value) string {
	switch v.Kind() {
	case '"':
		return "string"
	case '0':
		return "number"
	case 't', 'f':
		return "boolean"
	case '[':
		return "array"
	case '{':
		return "object"
	}
	return "null"
}

var rawCall = reading[struct {
	Result   jsontext.Value `json:"result"`
	Artifact string         `json:"artifact"`
	TargetID string         `json:"targetId"`
	FrameID  string         `json:"frameId"`
}]("cdp")

func browserCDP(ctx context.Context, h *Host, a Args) (*Result, error) {
	values := given("method", a.Str("method"), "timeout", milliseconds(a.Num("timeout")))
	if params := a.JSON("params"); params != nil {
		values.Set("params", string(params))
	}
	switch {
	case a.Str("frame_id") != "" && a.Str("target_id") != "":
		return nil, api.Errorf(api.InvalidArgument, "browser_cdp: give frame_id or target_id, not both")
	case a.Str("frame_id") != "":
		values.Set("frame", a.Str("frame_id"))
	case a.Str("target_id") != "":
		values.Set("tab", a.Str("target_id"))
	}
	answer, warning, err := rawCall.ask(ctx, h, values)
	if err != nil {
		return nil, err
	}
	data := append(success(), Member{"method", a.Str("method")})
	if len(answer.Result) > maxResult {
		if answer.Artifact, err = h.Keep("cdp-result", ".json", answer.Result); err != nil {
			return nil, err
		}
		answer.Result = encoded(Object{{"truncated", true}, {"bytes", len(answer.Result)}})
	}
	data.Set("result", answer.Result)
	data.SetIf("artifact", answer.Artifact)
	data.SetIf("target_id", answer.TargetID)
	data.SetIf("frame_id", answer.FrameID)
	data.SetIf("warning", warning)
	return &Result{Data: data}, nil
}

// closedDialog is what is read of an answer to a dialog.
type closedDialog struct {
	ID       string `json:"id"`
	Type     string `json:"type"`
	Message  string `json:"message"`
	Accepted bool   `json:"accepted"`
	// What came of it; the other members are of the dialog.
	Changes   jsontext.Value `json:"changes"`
	Opened    jsontext.Value `json:"opened"`
	Downloads jsontext.Value `json:"downloads"`
	Invalid   jsontext.Value `json:"invalid"`
	Unsettled jsontext.Value `json:"unsettled"`
}

var (
	acceptDialog    = reading[closedDialog]("dialog accept")
	dismissDialog   = reading[closedDialog]("dialog dismiss")
	answerInterrupt = reading[closedDialog]("interrupt answer")
)

func browserDialog(ctx context.Context, h *Host, a Args) (*Result, error) {
	answer, values := dismissDialog, given()
	accept, text := a.Str("action") == "accept", a.Str("prompt_text")
	if accept {
		answer = acceptDialog
		if text != "" {
			values.Set("text", text)
		}
	}
	if id := a.Str("dialog_id"); id != "" {
		words := []string{a.Str("action")}
		if accept && text != "" {
			words = append(words, text)
		}
		answer, values = answerInterrupt, given("id", id, "answer", words)
	}
	closed, warning, err := answer.ask(ctx, h, h.telling(a, values))
	if err != nil {
		return nil, err
	}
	data := append(success(), Member{"action", a.Str("action")},
		Member{"dialog", Object{{"id", closed.ID}, {"type", closed.Type}, {"message", closed.Message}, {"accepted", closed.Accepted}}})
	var after Object
	after.SetIf("changes", closed.Changes)
	after.SetIf("opened", closed.Opened)
	after.SetIf("downloads", closed.Downloads)
	after.SetIf("invalid", closed.Invalid)
	after.SetIf("unsettled", closed.Unsettled)
	return h.outcome(a.Str("action")+"ed the dialog", data, after.JSON(), warning)
}

var screenshots = reading[struct {
	Path  string         `json:"path"`
	Marks jsontext.Value `json:"annotations"`
}]("screenshot")

func browserVision(ctx context.Context, h *Host, a Args) (*Result, error) {
	picture, warning, err := screenshots.ask(ctx, h, given("full", true, "tallest", tallestShown, "annotate", a.Bool("annotate")))
	if err != nil {
		return nil, err
	}
	image, err := pictureOf(ctx, picture.Path)
	if err != nil {
		return nil, err
	}
	res, err := h.look(ctx, a.Str("question"), image, "screenshot_path", picture.Path)
	if err == nil {
		res.Data.SetIf("annotations", picture.Marks)
		res.Data.SetIf("warning", warning)
	}
	return res, err
}

// tallestShown is how high a page may be, in CSS pixels, to be shown whole: models see pictures with a longer side of about
// 1,568 pixels at most and have larger ones made smaller, so that a long page would be shown and could not be read.
const tallestShown = 1600

// milliseconds is a time in seconds as commands take it.
func milliseconds(seconds float64) string { return strconv.Itoa(int(seconds*1000)) + "ms" }
