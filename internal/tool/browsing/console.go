package browsing

import (
	"context"
	"net/http"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/files"
	"github.com/usher-browser/usher/internal/tool"
)

var (
	consoleQuery = tool.NewQuery[struct {
		Messages []struct {
			Type string `json:"type"`
			Text string `json:"text"`
		} `json:"messages"`
	}]("console")
	errorsQuery = tool.NewQuery[struct {
		Errors []struct {
			Text string `json:"text"`
			URL  string `json:"url"`
			Line int    `json:"line"`
		} `json:"errors"`
	}]("errors")
)

func browserConsole(ctx context.Context, h *tool.Host, a tool.Args) (*tool.Result, error) {
	if a.Has("expression") {
		return evaluateExpression(ctx, h, a.Str("expression"))
	}
	console, _, err := consoleQuery.Run(ctx, h, nil)
	if err != nil {
		return nil, err
	}
	uncaught, _, err := errorsQuery.Run(ctx, h, nil)
	if err != nil {
		return nil, err
	}
	log := &logged{Messages: []consoleMessage{}, Errors: []consoleError{}, TotalMessages: len(console.Messages), TotalErrors: len(uncaught.Errors)}
	for _, m := range console.Messages[max(0, len(console.Messages)-maxConsole):] {
		log.Messages = append(log.Messages, consoleMessage{m.Type, tool.Cut(m.Text, maxConsoleText), "console"})
	}
	for _, e := range uncaught.Errors[max(0, len(uncaught.Errors)-maxConsole):] {
		where := "exception"
		if e.URL != "" {
			where = e.URL + ":" + strconv.Itoa(e.Line)
		}
		log.Errors = append(log.Errors, consoleError{tool.Cut(e.Text, maxConsoleText), where})
	}
	if a.Bool("clear") {
		for _, what := range []string{"console", "errors"} {
			if _, err := h.Run(ctx, what, tool.Values("clear", true)); err != nil {
				return nil, err
			}
		}
	}
	return &tool.Result{Value: consoleResult{Success: tool.Succeeded, Logged: log}}, nil
}

// Bounds of a console result: the newest maxConsole entries, each cut to maxConsoleText. The totals are reported.
const (
	maxConsole     = 50
	maxConsoleText = 1000 // bytes
)

func evaluateExpression(ctx context.Context, h *tool.Host, expression string) (*tool.Result, error) {
	value, err := evaluate(ctx, h, expression)
	if err != nil {
		return nil, err
	}
	result, kind := value.Result, kindOf(value.Result)
	if value.Unserializable != "" {
		result, kind = tool.Encode(value.Unserializable), "unserializable"
	}
	if kind == "string" { // a string that is a JSON object or array is returned decoded
		if inner := jsontext.Value(tool.DecodeString(result)); inner.IsValid() && (inner.Kind() == '{' || inner.Kind() == '[') {
			result, kind = inner, kindOf(inner)
		}
	}
	if len(result) > tool.MaxResult {
		short, err := h.Bounded("result", string(result))
		if err != nil {
			return nil, err
		}
		result = tool.Encode(short)
	}
	return &tool.Result{Value: consoleResult{Success: tool.Succeeded, Value: &evaluation{result, kind}}}, nil
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

var cdpQuery = tool.NewQuery[struct {
	Result   jsontext.Value `json:"result"`
	Artifact string         `json:"artifact"`
	TargetID string         `json:"targetId"`
	FrameID  string         `json:"frameId"`
}]("cdp")

func browserCDP(ctx context.Context, h *tool.Host, a tool.Args) (*tool.Result, error) {
	values := tool.Values("method", a.Str("method"), "timeout", milliseconds(a.Num("timeout")))
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
	answer, warning, err := cdpQuery.Run(ctx, h, values)
	if err != nil {
		return nil, err
	}
	if len(answer.Result) > tool.MaxResult {
		if answer.Artifact, err = h.Keep("cdp-result", ".json", answer.Result); err != nil {
			return nil, err
		}
		answer.Result = tool.Encode(tooLong{true, len(answer.Result)})
	}
	return &tool.Result{Value: cdpResult{tool.Succeeded, a.Str("method"), answer.Result, answer.Artifact, answer.TargetID, answer.FrameID, warning}}, nil
}

// dialogData is the part of the data of commands that answer a dialog that browser_dialog uses.
type dialogData struct {
	ID       string `json:"id"`
	Type     string `json:"type"`
	Message  string `json:"message"`
	Accepted bool   `json:"accepted"`
	// Outcome is what the page did then; often it opens the next dialog.
	api.Outcome
}

var (
	acceptQuery    = tool.NewQuery[dialogData]("dialog accept")
	dismissQuery   = tool.NewQuery[dialogData]("dialog dismiss")
	interruptQuery = tool.NewQuery[dialogData]("interrupt answer")
)

func browserDialog(ctx context.Context, h *tool.Host, a tool.Args) (*tool.Result, error) {
	answer, values := dismissQuery, tool.Values()
	accept, text := a.Str("action") == "accept", a.Str("prompt_text")
	if accept {
		answer = acceptQuery
		if text != "" {
			values.Set("text", text)
		}
	}
	if id := a.Str("dialog_id"); id != "" {
		words := []string{a.Str("action")}
		if accept && text != "" {
			words = append(words, text)
		}
		answer, values = interruptQuery, tool.Values("id", id, "answer", words)
	}
	closed, warning, err := answer.Run(ctx, h, requestChanges(h, a, values))
	if err != nil {
		return nil, err
	}
	res := &dialogResult{Success: tool.Succeeded, Action: a.Str("action"), Next: closed.Dialog,
		Dialog: answeredDialog{closed.ID, closed.Type, closed.Message, closed.Accepted}}
	return outcomeResult(h, a.Str("action")+"ed the dialog", res, &closed.Outcome, warning)
}

var screenshotQuery = tool.NewQuery[struct {
	Path  string         `json:"path"`
	Marks jsontext.Value `json:"annotations"`
}]("screenshot")

func browserVision(ctx context.Context, h *tool.Host, a tool.Args) (*tool.Result, error) {
	picture, warning, err := screenshotQuery.Run(ctx, h, tool.Values("full", true, "tallest", maxScreenshotHeight, "annotate", a.Bool("annotate")))
	if err != nil {
		return nil, err
	}
	image, err := readScreenshot(ctx, picture.Path)
	if err != nil {
		return nil, err
	}
	analysis, images, err := h.LookAt(ctx, a.Str("question"), image)
	if err != nil {
		res, failure := tool.ImageFailure(err, picture.Path)
		failure.Screenshot, failure.Annotations, failure.Warning = picture.Path, picture.Marks, warning
		return res, nil
	}
	return &tool.Result{Value: visionResult{tool.Succeeded, analysis, picture.Path, picture.Marks, warning}, Images: images}, nil
}

// maxScreenshotHeight is the greatest page height, in CSS pixels, at which browser_vision shows the whole page. Models
// scale images down to a longer side of about 1,568 pixels, so text of a longer page would be unreadable.
const maxScreenshotHeight = 1600

// milliseconds formats seconds as a duration flag, such as "1500ms".
func milliseconds(seconds float64) string { return strconv.Itoa(int(seconds*1000)) + "ms" }

// readScreenshot reads a screenshot file that a command wrote.
func readScreenshot(ctx context.Context, path string) (tool.Image, error) {
	raw, err := files.Read(ctx, path, tool.MaxImage)
	if err != nil {
		return tool.Image{}, api.Errorf(api.FileNotFound, "the screenshot cannot be read: %w", err)
	}
	return tool.Image{MIMEType: http.DetectContentType(raw), Bytes: raw}, nil
}
