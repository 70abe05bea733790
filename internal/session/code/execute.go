package code

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/command/run"
	"github.com/usher-browser/usher/internal/config"
	"github.com/usher-browser/usher/internal/script"
	"github.com/usher-browser/usher/internal/session/code/permit"
	"github.com/usher-browser/usher/internal/verb"
)

// Ran is the result of `run`. It is also the data of its errors.
type Ran struct {
	// Value is the returned value; null for undefined, and a text for a value that has no JSON.
	Value jsontext.Value `json:"value"`
	// Text is a returned object or array as it is printed: in JSON, with the members in their order, which value has sorted.
	Text string `json:"text,omitzero"`
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

// maxCode is the greatest size of code, in bytes.
const maxCode = 4 << 20

// Read returns the order of a call: the code and its time.
func Read(c *verb.Call, set *config.Settings, stdin io.Reader, cwd string) (Order, error) {
	o := Order{Name: "run.js", Cwd: cwd, Timeout: defaultTimeout * time.Second, Playwright: c.Bool("playwright"), State: c.Str("keep"), Intent: permit.Intent(c.Str("intent"))}
	if set.From("timeout") == config.Flags && (set.Dur("timeout") <= 0 || set.Dur("timeout") > maxTimeout*time.Second) {
		return Order{}, api.Errorf(api.InvalidArgument, "run: --timeout %s is not between 1 and %d s", set.Str("timeout"), maxTimeout).
			WithHint("Split what takes longer over several runs: the tab and its page stay.")
	}
	if set.Given("timeout") {
		least := minTimeout * time.Second
		if o.Playwright {
			least = minPlaywright
		}
		o.Timeout = min(max(set.Dur("timeout"), least), maxTimeout*time.Second)
	}
	text, err := source(c, stdin, cwd, &o)
	if err != nil {
		return Order{}, err
	}
	if len(text) > maxCode {
		return Order{}, api.Errorf(api.TooLarge, "run: the code has more than %d MB", maxCode>>20)
	}
	o.Code = strings.TrimPrefix(string(text), "\ufeff")
	if strings.HasPrefix(o.Code, "#!") {
		o.Code = "//" + o.Code // the line for a shell, so that the others keep their numbers
	}
	if strings.TrimSpace(o.Code) == "" {
		return Order{}, api.Errorf(api.MissingArgument, "run: the code is empty").WithHint("Give a file, `-` for standard input, or --code.")
	}
	return o, nil
}

func source(c *verb.Call, stdin io.Reader, cwd string, o *Order) ([]byte, error) {
	if c.Has("code") {
		return []byte(c.Str("code")), nil
	}
	file := c.Str("file")
	if file == "-" {
		text, err := io.ReadAll(io.LimitReader(stdin, maxCode+1))
		if err != nil {
			return nil, api.Errorf(api.InvalidArgument, "run: read the code from standard input: %w", err)
		}
		return text, nil
	}
	path := file
	if !filepath.IsAbs(path) {
		path = filepath.Join(cwd, path)
	}
	o.Name = filepath.Base(path)
	f, err := os.Open(path)
	if err != nil {
		err := api.Errorf(api.FileNotFound, "run: %w", err)
		if errors.Is(err, fs.ErrNotExist) && strings.ContainsAny(file, " ;(){}\n") {
			err.WithHint("To run a text as code, give it with --code, or on standard input with `run -`.")
		}
		return nil, err
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && !info.Mode().IsRegular() && info.IsDir() {
		return nil, api.Errorf(api.InvalidArgument, "run: %s is a directory", file)
	}
	text, err := io.ReadAll(io.LimitReader(f, maxCode+1))
	if err != nil {
		return nil, api.Errorf(api.FileNotFound, "run: %w", err)
	}
	return text, nil
}

// Reset carries out `run --reset`.
func Reset(r *Runs, name string) run.Result {
	out := &Ran{Value: jsontext.Value("null"), Undefined: true, Display: []Displayed{}, Console: []Line{}, Reset: r.Reset(name)}
	text := "✓ The state " + name + " was reset"
	if !out.Reset {
		text = "✓ There was no state " + name
	}
	return run.Result{Data: out, Text: text}
}

// Execute runs code as the command `run`. emit, if not nil, prints what the code displays and logs as it comes.
func Execute(ctx context.Context, r *Runs, s Session, o Order, emit func([]byte) error) (run.Result, error) {
	if emit != nil {
		o.Output = func(out script.Output) {
			if text := textOf(out); text != "" {
				_ = emit([]byte(text + "\n")) // the caller may have left: its context ends the run
			}
		}
	}
	res, err := r.Run(ctx, s, o)
	if err != nil {
		return run.Result{}, err
	}
	data := ranOf(res)
	if work := s.Work(); work != nil {
		if t := work.Browser.State().Tabs[o.Tab]; t != nil {
			data.URL = t.URL
		}
	}
	data.News = res.News
	if res.Err != nil {
		return run.Result{}, failure(res, data)
	}
	var lines []string
	if emit == nil {
		for _, out := range res.Outputs {
			lines = append(lines, textOf(out))
		}
	}
	if res.Text != "" {
		lines = append(lines, res.Text)
	}
	text := strings.Join(lines, "\n")
	if text == "" && len(res.Outputs) == 0 {
		text = "✓ Ran " + o.Name
	}
	return run.Result{Data: data, Text: text, Warning: api.JoinWarnings(unawaited(res), strings.Join(res.News, "; ")), Streamed: emit != nil && text == ""}, nil
}

// unawaited names the calls that code did not await, and which were cancelled.
func unawaited(res Result) string {
	if len(res.Waiting) == 0 {
		return ""
	}
	return fmt.Sprintf("%d calls had no result yet when the code returned, and were cancelled: `await` is missing before them, such as %s", len(res.Waiting), res.Waiting[0].Method)
}

func ranOf(res Result) *Ran {
	data := &Ran{Value: res.Value, Undefined: len(res.Value) == 0, Display: []Displayed{}, Console: []Line{}, Screenshots: res.Screenshots}
	if kind := res.Value.Kind(); kind == '{' || kind == '[' {
		data.Text = res.Text
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

// textOf returns an output as text.
func textOf(out script.Output) string {
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

// failure returns the error of code as that of the command. An operation's error keeps its code and hint.
func failure(res Result, data *Ran) error {
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
