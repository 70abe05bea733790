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
	told := &logged{Messages: []consoleMessage{}, Errors: []consoleError{}, TotalMessages: len(console.Messages), TotalErrors: len(thrown.Errors)}
	for _, m := range console.Messages[max(0, len(console.Messages)-maxConsole):] {
		told.Messages = append(told.Messages, consoleMessage{m.Type, cut(m.Text, maxConsoleText), "console"})
	}
	for _, e := range thrown.Errors[max(0, len(thrown.Errors)-maxConsole):] {
		where := "exception"
		if e.URL != "" {
			where = e.URL + ":" + strconv.Itoa(e.Line)
		}
		told.Errors = append(told.Errors, consoleError{cut(e.Text, maxConsoleText), where})
	}
	if a.Bool("clear") {
		for _, what := range []string{"console", "errors"} {
			if _, err := h.run(ctx, what, given("clear", true)); err != nil {
				return nil, err
			}
		}
	}
	return &Result{Value: consoleResult{success: succeeded, Logged: told}}, nil
}

// Bounds of a console result: the newest maxConsole entries, each cut to maxConsoleText. The totals are reported.
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
	if kind == "string" { // a string that is a JSON object or array is returned decoded
		if inner := jsontext.Value(textOf(result)); inner.IsValid() && (inner.Kind() == '{' || inner.Kind() == '[') {
			result, kind = inner, kindOf(inner)
		}
	}
	if len(result) > maxResult {
		short, err := h.Bounded("result", string(result))
		if err != nil {
			return nil, err
		}
		result = encoded(short)
	}
	return &Result{Value: consoleResult{success: succeeded, Value: &evaluation{result, kind}}}, nil
}

// kindOf returns the type name of a JSON value: string, number, boolean, array, object or null.
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
	if len(answer.Result) > maxResult {
		if answer.Artifact, err = h.Keep("cdp-result", ".json", answer.Result); err != nil {
			return nil, err
		}
		answer.Result = encoded(tooLong{true, len(answer.Result)})
	}
	return &Result{Value: cdpResult{succeeded, a.Str("method"), answer.Result, answer.Artifact, answer.TargetID, answer.FrameID, warning}}, nil
}

// closedDialog is the part of the data of commands that answer a dialog that browser_dialog uses.
type closedDialog struct {
	ID       string `json:"id"`
	Type     string `json:"type"`
	Message  string `json:"message"`
	Accepted bool   `json:"accepted"`
	// The members below are of the [api.Outcome]; those above are of the dialog.
	Changes   *api.Changes   `json:"changes"`
	Opened    []api.Tab      `json:"opened"`
	Downloads []api.Download `json:"downloads"`
	Invalid   []api.Invalid  `json:"invalid"`
	Unsettled string         `json:"unsettled"`
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
	res := &dialogResult{success: succeeded, Action: a.Str("action"), Dialog: answeredDialog{closed.ID, closed.Type, closed.Message, closed.Accepted}}
	after := api.Outcome{Changes: closed.Changes, Opened: closed.Opened, Downloads: closed.Downloads, Invalid: closed.Invalid, Unsettled: closed.Unsettled}
	return h.outcome(a.Str("action")+"ed the dialog", res, &after, warning)
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
	analysis, images, err := h.look(ctx, a.Str("question"), image)
	if err != nil {
		res, told := unseen(err, picture.Path)
		told.Screenshot, told.Annotations, told.Warning = picture.Path, picture.Marks, warning
		return res, nil
	}
	return &Result{Value: visionResult{succeeded, analysis, picture.Path, picture.Marks, warning}, Images: images}, nil
}

// tallestShown is the greatest page height, in CSS pixels, at which browser_vision shows the whole page. Models scale
// images down to a longer side of about 1,568 pixels, so text of a longer page would be unreadable.
const tallestShown = 1600

// milliseconds formats seconds as a duration flag, such as "1500ms".
func milliseconds(seconds float64) string { return strconv.Itoa(int(seconds*1000)) + "ms" }
