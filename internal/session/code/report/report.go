// Package report describes what came of code, as the command `run` reports it.
package report

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/script"
)

// Result is what came of code.
type Result struct {
	script.Result
	// Screenshots are the pictures that it took with tab.screenshot, in order.
	Screenshots []Screenshot
	// News is what the code should know of the session's tabs, and what of the run could not be ended.
	News []string
}

// Screenshot is a picture that the code took with tab.screenshot.
type Screenshot struct {
	// Dest is the file, in full size if the code or --screenshot-dir named the place; else what was displayed, in a temporary file.
	Dest     string `json:"dest"`
	MIMEType string `json:"mimeType"`
	Bytes    int    `json:"bytes"`
	Width    int    `json:"width"`
	Height   int    `json:"height"`
}

// Ran is the result of `run`. It is also the data of its errors.
type Ran struct {
	// Value is the returned value; null for undefined, and a text for a value that has no JSON.
	Value jsontext.Value `json:"value"`
	// Text is a returned object or array as it is printed: in JSON, with the members in their order, which value has sorted.
	Text string `json:"text,omitzero"`
	// Unserializable is NaN, Infinity or -Infinity, a returned number that JSON has no form for; value is then null.
	Unserializable string `json:"unserializable,omitzero"`
	// Undefined reports that nothing was returned, rather than null.
	Undefined bool `json:"undefined,omitzero"`
	// Display is what the code displayed, in order.
	Display []Displayed `json:"display"`
	// Console is what the code logged, in order.
	Console []Line `json:"console"`
	// Error is the error of the code; null for none.
	Error *Failure `json:"error"`
	// URL is the address of the tab when the code ended; empty if the tab was closed.
	URL string `json:"url,omitzero"`
	// Screenshots are the pictures that the code took with tab.screenshot, in order.
	Screenshots []Screenshot `json:"screenshots,omitzero"`
	// News is, with --playwright, what the code should know of the session's tabs: pages that opened or closed, dialogs that wait.
	// Without, too, it says what of the run could not be ended: a clock, a replayed HAR.
	News []string `json:"news,omitzero"`
	// Reset reports, of --reset, that there was something to end.
	Reset bool `json:"reset,omitzero"`
}

// Displayed is a value that code displayed.
type Displayed struct {
	Type     string `json:"type"` // text, json or image
	Text     string `json:"text,omitzero"`
	Data     []byte `json:"data,omitzero"` // of an image, in base64
	MIMEType string `json:"mimeType,omitzero"`
}

// Line is a line of the code's console.
type Line struct {
	Level string `json:"level"` // log, info, warn, error or debug
	Text  string `json:"text"`
	// After is how many values had been displayed before.
	After int `json:"after,omitzero"`
}

// Failure is the error that ended code.
type Failure struct {
	Name    string `json:"name"` // such as Error, TypeError, SyntaxError, TimeoutError
	Message string `json:"message"`
	// Line and Column are the place in the code, from 1; 0 where it is not known.
	Line   int    `json:"line,omitzero"`
	Column int    `json:"column,omitzero"`
	Stack  string `json:"stack,omitzero"`
	// Code is the error code of the operation that failed (docs/ERRORS.md).
	Code string `json:"code,omitzero"`
	Hint string `json:"hint,omitzero"`
}

// Unawaited names the calls that code did not await, and which were cancelled.
func Unawaited(res Result) string {
	if len(res.Waiting) == 0 {
		return ""
	}
	return fmt.Sprintf("%d calls had no result yet when the code returned, and were cancelled: `await` is missing before them, such as %s", len(res.Waiting), res.Waiting[0].Method)
}

// Of returns the result of the command.
func Of(res Result) *Ran {
	data := &Ran{Value: res.Value, Undefined: len(res.Value) == 0, Display: []Displayed{}, Console: []Line{}, Screenshots: res.Screenshots}
	if kind := res.Value.Kind(); kind == '{' || kind == '[' {
		data.Text = res.Text
	}
	if data.Value.Kind() == 'n' && res.Text != "null" {
		data.Unserializable = res.Text
	}
	if len(data.Value) == 0 {
		data.Value = jsontext.Value("null")
	}
	for _, out := range res.Outputs {
		if out.Kind == "console" {
			data.Console = append(data.Console, Line{out.Level, out.Text, len(data.Display)})
		} else {
			data.Display = append(data.Display, Displayed{Type: out.Kind, Text: out.Text, Data: out.Data, MIMEType: out.MIMEType})
		}
	}
	if e := res.Err; e != nil {
		data.Error = &Failure{Name: e.Name, Message: e.Message, Line: e.Line, Column: e.Column, Stack: e.Stack, Code: e.Code, Hint: e.Hint}
	}
	return data
}

// Text returns an output as text.
func Text(out script.Output) string {
	switch out.Kind {
	case "console":
		if out.Level == "log" || out.Level == "info" {
			return out.Text
		}
		return "[" + out.Level + "] " + out.Text
	case "image":
		return fmt.Sprintf("[%s, %d bytes]", out.MIMEType, len(out.Data))
	}
	return out.Text
}

// Failed returns the error of code as that of the command. An operation's error keeps its code and hint.
func Failed(res Result, data *Ran) error {
	e := res.Err
	code := api.EvaluationFailed
	switch {
	case res.TimedOut:
		code = api.Timeout
	case e.Code != "":
		code = api.Code(e.Code)
	}
	var text bytes.Buffer
	if !res.TimedOut && e.Code == "" && e.Name != "" && !strings.HasPrefix(e.Message, e.Name) {
		text.WriteString(e.Name + ": ")
	}
	text.WriteString(e.Message)
	if e.Line > 0 {
		fmt.Fprintf(&text, " (line %d, column %d)", e.Line, e.Column)
	}
	err := api.Errorf(code, "%s", text.String()).With("value", data.Value).With("display", data.Display).With("console", data.Console).With("error", data.Error).With("url", data.URL).With("news", data.News)
	if e.Hint != "" {
		err.WithHint("%s", e.Hint)
	}
	return err
}
