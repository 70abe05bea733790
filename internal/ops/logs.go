package ops

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"

	jsonv2 "github.com/go-json-experiment/json"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/journal"
	"github.com/usher-browser/usher/internal/plain"
	"github.com/usher-browser/usher/internal/supervisor/model"
	"github.com/usher-browser/usher/internal/verb"
)

func logVerbs() map[string]Func {
	return map[string]Func{
		"console":          console,
		"errors":           pageErrors,
		"network requests": requests,
		"network request":  request,
	}
}

func console(ctx context.Context, e *Env, c *verb.Call) (Result, error) {
	tabs := e.Journal.Tabs(e.Context)
	if c.Bool("clear") {
		e.Journal.ClearConsole(tabs...)
		return Result{Data: obj{"cleared": true}, Text: done}, nil
	}
	messages, dropped := e.Journal.Console(tabs...)
	messages = told(ctx, e, messages, func(m *journal.Message) (model.FrameID, string) { return m.Frame, m.URL })
	if messages == nil {
		messages = []journal.Message{}
	}
	lines := make([]string, 0, len(messages))
	for _, m := range messages {
		lines = append(lines, "["+m.Type+"] "+harmless(m.Text))
	}
	if len(lines) == 0 {
		lines = []string{"No console messages"}
	}
	return bounded(obj{"messages": messages}, lines, dropped), nil
}

func pageErrors(ctx context.Context, e *Env, c *verb.Call) (Result, error) {
	tabs := e.Journal.Tabs(e.Context)
	if c.Bool("clear") {
		e.Journal.ClearErrors(tabs...)
		return Result{Data: obj{"cleared": true}, Text: done}, nil
	}
	list, dropped := e.Journal.Errors(tabs...)
	list = told(ctx, e, list, func(p *journal.Error) (model.FrameID, string) { return p.Frame, p.URL })
	if list == nil {
		list = []journal.Error{}
	}
	lines := make([]string, 0, len(list))
	for _, p := range list {
		line := "✗ " + harmless(p.Text)
		if p.URL != "" {
			line += fmt.Sprintf(" (%s:%d:%d)", p.URL, p.Line, p.Column)
		}
		lines = append(lines, line)
	}
	if len(lines) == 0 {
		lines = []string{"No page errors"}
	}
	return bounded(obj{"errors": list}, lines, dropped), nil
}

// bounded adds how many older records were dropped.
func bounded(data obj, lines []string, dropped int) Result {
	if dropped > 0 {
		data["dropped"] = dropped
		lines = append([]string{fmt.Sprintf("(%d older ones dropped)", dropped)}, lines...)
	}
	return Result{Data: data, Text: strings.Join(lines, "\n")}
}

// harmless keeps a page's words inside their entry: further lines are set in, and
// what would steer a terminal is spelled out.
func harmless(text string) string {
	var b strings.Builder
	for _, r := range text {
		switch {
		case r == '\n':
			b.WriteString("\n    ")
		case r == '\t' || unicode.IsPrint(r):
			b.WriteRune(r)
		default:
			fmt.Fprintf(&b, "\\u%04x", r)
		}
	}
	return b.String()
}

// oneLine is harmless for a text that has one line only, such as a title.
func oneLine(text string) string {
	return strings.Join(strings.Fields(harmless(plain.Cut(text, longestLine))), " ")
}

// longestLine is how many characters of one are told.
const longestLine = 1_000

// OneLine makes a page's words harmless and one line, for others that print them.
func OneLine(text string) string { return oneLine(text) }

func requests(_ context.Context, e *Env, c *verb.Call) (Result, error) {
	tabs := e.Journal.Tabs(e.Context)
	if c.Bool("clear") {
		e.Journal.ClearRequests(tabs...)
		return Result{Data: obj{"cleared": true}, Text: done}, nil
	}
	filter, err := journal.ParseFilter(c.Str("filter"), strings.Join(c.List("type"), ","), c.Str("method"), c.Str("status"))
	if err != nil {
		return Result{}, api.Errorf(api.InvalidArgument, "network requests: %w", err)
	}
	list, dropped := e.Journal.Requests(filter, tabs...)
	if list == nil {
		list = []journal.Request{}
	}
	lines := make([]string, 0, len(list))
	for i := range list {
		lines = append(lines, requestLine(&list[i]))
	}
	if len(lines) == 0 {
		lines = []string{"No requests captured"}
	}
	return bounded(obj{"requests": list}, lines, dropped), nil
}

func requestLine(r *journal.Request) string {
	line := fmt.Sprintf("[%s] %s %s (%s)", r.ID, r.Method, r.URL, r.Type)
	switch {
	case r.Failed != "":
		line += " " + r.Failed
	case r.Status != 0:
		line += fmt.Sprintf(" %d", r.Status)
	default:
		line += " pending"
	}
	return line
}

func request(ctx context.Context, e *Env, c *verb.Call) (Result, error) {
	ctx, cancel := e.limit(ctx, func() {})
	defer cancel()
	d, err := e.Journal.Detail(ctx, e.Browser, c.Str("id"), e.Journal.Tabs(e.Context)...)
	switch {
	case errors.Is(err, journal.ErrNoRequest):
		return Result{}, api.Errorf(api.RequestNotFound, "no request %s in this session", c.Str("id"))
	case err != nil:
		return Result{}, e.explain(err, "read the request")
	}
	// The browser keeps answers that the page itself was not allowed to read.
	if e.Sites != nil {
		if r := e.Sites.Show(ctx, d.URL); r != nil {
			return Result{}, refusedSite("network request "+c.Str("id")+" to "+r.URL+" is", r)
		}
	}
	var b strings.Builder
	b.WriteString(requestLine(&d.Request))
	section(&b, "Request headers", headerLines(d.Headers))
	section(&b, "Request body", d.PostData)
	section(&b, "Response headers", headerLines(d.ResponseHeaders))
	switch {
	case d.BodyError != "":
		section(&b, "Response body", "("+d.BodyError+")")
	case d.Base64:
		section(&b, "Response body (base64)", d.ResponseBody)
	default:
		section(&b, "Response body", d.ResponseBody)
	}
	return Result{Data: d, Text: b.String()}, nil
}

func section(b *strings.Builder, title, text string) {
	if text != "" {
		b.WriteString("\n" + title + ":\n" + text)
	}
}

// headerLines prints a JSON object of headers as HTTP does.
func headerLines(headers []byte) string {
	var m map[string]string
	if len(headers) == 0 || jsonv2.Unmarshal(headers, &m) != nil {
		return string(headers)
	}
	lines := make([]string, 0, len(m))
	for _, k := range slices.Sorted(maps.Keys(m)) {
		lines = append(lines, k+": "+m[k])
	}
	return strings.Join(lines, "\n")
}
