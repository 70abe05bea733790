package tool

import (
	"context"
	"strconv"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/api"
)

func browserConsole(ctx context.Context, h *Host, a Args) (*Result, error) {
	if a.Has("expression") {
		return evaluateExpression(ctx, h, a.Str("expression"))
	}
	var console struct {
		Messages []struct {
			Type string `json:"type"`
			Text string `json:"text"`
		} `json:"messages"`
	}
	var thrown struct {
		Errors []struct {
			Text string `json:"text"`
			URL  string `json:"url"`
			Line int    `json:"line"`
		} `json:"errors"`
	}
	if _, err := h.into(ctx, &console, "console", nil); err != nil {
		return nil, err
	}
	if _, err := h.into(ctx, &thrown, "errors", nil); err != nil {
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
			if _, err := h.run(ctx, what, []string{"--clear"}); err != nil {
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

func browserCDP(ctx context.Context, h *Host, a Args) (*Result, error) {
	args := []string{a.Str("method")}
	if params := a.JSON("params"); params != nil {
		args = append(args, string(params))
	}
	flags := []string{"--timeout=" + strconv.Itoa(int(a.Num("timeout")*1000)) + "ms"}
	switch {
	case a.Str("frame_id") != "" && a.Str("target_id") != "":
		return nil, api.Errorf(api.InvalidArgument, "browser_cdp: give frame_id or target_id, not both")
	case a.Str("frame_id") != "":
		flags = append(flags, "--frame="+a.Str("frame_id"))
	case a.Str("target_id") != "":
		flags = append(flags, "--tab="+a.Str("target_id"))
	}
	var answer struct {
		Result   jsontext.Value `json:"result"`
		Artifact string         `json:"artifact"`
		TargetID string         `json:"targetId"`
		FrameID  string         `json:"frameId"`
	}
	warning, err := h.into(ctx, &answer, "cdp", flags, args...)
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

func browserDialog(ctx context.Context, h *Host, a Args) (*Result, error) {
	verb, args := "dialog "+a.Str("action"), []string{}
	if id := a.Str("dialog_id"); id != "" {
		verb, args = "interrupt answer", []string{id, a.Str("action")}
	}
	if text := a.Str("prompt_text"); text != "" && a.Str("action") == "accept" {
		args = append(args, text)
	}
	var flags []string
	if mode := a.Str("changes"); mode != "" && mode != "none" {
		flags = append(flags, "--changes="+mode, "--reader="+h.Reader)
	}
	var raw jsontext.Value
	warning, err := h.into(ctx, &raw, verb, flags, args...)
	if err != nil {
		return nil, err
	}
	var closed struct {
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
	if err := json.Unmarshal(raw, &closed, jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true)); err != nil {
		return nil, api.Errorf(api.InvalidRequest, "what the daemon answered cannot be read: %w", err)
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

func browserVision(ctx context.Context, h *Host, a Args) (*Result, error) {
	flags := []string{"--full", "--tallest=" + strconv.Itoa(tallestShown)}
	if a.Bool("annotate") {
		flags = append(flags, "--annotate")
	}
	var picture struct {
		Path  string         `json:"path"`
		Marks jsontext.Value `json:"annotations"`
	}
	warning, err := h.into(ctx, &picture, "screenshot", flags)
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
