package network

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	jsonv2 "github.com/go-json-experiment/json"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/command/run"
	"github.com/usher-browser/usher/internal/journal"
	"github.com/usher-browser/usher/internal/supervisor/model"
	"github.com/usher-browser/usher/internal/verb"
)

// Console is the result of `console`: Messages, or Cleared with --clear.
type Console struct {
	Messages []journal.Message `json:"messages,omitzero"` // oldest first
	Dropped  int               `json:"dropped,omitzero"`  // older ones that were dropped
	Cleared  bool              `json:"cleared,omitzero"`
}

// Errors is the result of `errors`: Errors, or Cleared with --clear.
type Errors struct {
	Errors  []journal.Error `json:"errors,omitzero"`  // oldest first
	Dropped int             `json:"dropped,omitzero"` // older ones that were dropped
	Cleared bool            `json:"cleared,omitzero"`
}

// Requests is the result of `network requests`: Requests, or Cleared with --clear.
type Requests struct {
	Requests []journal.Request `json:"requests,omitzero"` // oldest first
	Dropped  int               `json:"dropped,omitzero"`  // older ones that were dropped
	Cleared  bool              `json:"cleared,omitzero"`
}

func console(ctx context.Context, e *run.Env, c *verb.Call) (run.Reply[*Console], error) {
	tabs := e.Journal.Tabs(e.Context)
	if c.Bool("clear") {
		e.Journal.ClearConsole(tabs...)
		return run.Reply[*Console]{Data: &Console{Cleared: true}, Text: cleared(e, "Console log")}, nil
	}
	tabs, err := ofTab(e, c, tabs)
	if err != nil {
		return run.Reply[*Console]{}, err
	}
	messages, dropped := e.Journal.Console(tabs...)
	if c.Bool("page") {
		messages = slices.DeleteFunc(messages, func(m journal.Message) bool { return m.Earlier })
	}
	messages = run.FilterReported(ctx, e, messages, func(m *journal.Message) (model.FrameID, string) { return m.Frame, m.URL })
	if messages == nil {
		messages = []journal.Message{}
	}
	lines := make([]string, 0, len(messages))
	for i := range messages {
		m := &messages[i]
		m.Earlier = m.Earlier && !e.Settings.Compatible
		lines = append(lines, "["+m.Type+"] "+run.Printable(m.Text)+earlierPage(m.Earlier, m.URL))
	}
	if len(lines) == 0 && !e.Settings.Compatible {
		lines = []string{"No console messages"}
	}
	return bounded(&Console{Messages: messages, Dropped: dropped}, lines, dropped), nil
}

func pageErrors(ctx context.Context, e *run.Env, c *verb.Call) (run.Reply[*Errors], error) {
	tabs := e.Journal.Tabs(e.Context)
	if c.Bool("clear") {
		e.Journal.ClearErrors(tabs...)
		return run.Reply[*Errors]{Data: &Errors{Cleared: true}, Text: cleared(e, "Page errors")}, nil
	}
	tabs, err := ofTab(e, c, tabs)
	if err != nil {
		return run.Reply[*Errors]{}, err
	}
	list, dropped := e.Journal.Errors(tabs...)
	if c.Bool("page") {
		list = slices.DeleteFunc(list, func(p journal.Error) bool { return p.Earlier })
	}
	list = run.FilterReported(ctx, e, list, func(p *journal.Error) (model.FrameID, string) { return p.Frame, p.URL })
	if list == nil {
		list = []journal.Error{}
	}
	lines := make([]string, 0, len(list))
	for i := range list {
		p := &list[i]
		p.Earlier = p.Earlier && !e.Settings.Compatible
		line := "✗ " + run.Printable(p.Text)
		if p.URL != "" {
			line += fmt.Sprintf(" (%s:%d:%d)", p.URL, p.Line, p.Column)
		}
		lines = append(lines, line+earlierPage(p.Earlier, ""))
	}
	if len(lines) == 0 && !e.Settings.Compatible {
		lines = []string{"No page errors"}
	}
	return bounded(&Errors{Errors: list, Dropped: dropped}, lines, dropped), nil
}

// ofTab returns the active tab alone with --page, else all tabs of the session.
func ofTab(e *run.Env, c *verb.Call, all []model.TargetID) ([]model.TargetID, error) {
	if !c.Bool("page") {
		return all, nil
	}
	t, err := e.CurrentTab()
	if err != nil {
		return nil, err
	}
	return []model.TargetID{t.ID}, nil
}

// earlierPage marks a line that is not of the present document of its tab.
func earlierPage(earlier bool, url string) string {
	switch {
	case !earlier:
		return ""
	case url == "":
		return " (on an earlier page)"
	}
	return " (on an earlier page: " + run.OneLine(url) + ")"
}

// cleared is the text of a call with --clear. agent-browser names what it cleared; it prints nothing for an empty console or
// no errors, which scripts test for.
func cleared(e *run.Env, what string) string {
	if e.Settings.Compatible {
		return "✓ " + what + " cleared"
	}
	return run.Done
}

// bounded returns a note of how many older records were dropped.
func bounded[T any](data T, lines []string, dropped int) run.Reply[T] {
	if dropped > 0 {
		lines = append([]string{fmt.Sprintf("(%d older ones dropped)", dropped)}, lines...)
	}
	return run.Reply[T]{Data: data, Text: strings.Join(lines, "\n")}
}

func requests(_ context.Context, e *run.Env, c *verb.Call) (run.Reply[*Requests], error) {
	tabs := e.Journal.Tabs(e.Context)
	if c.Bool("clear") {
		e.Journal.ClearRequests(tabs...)
		return run.Reply[*Requests]{Data: &Requests{Cleared: true}, Text: cleared(e, "Request log")}, nil
	}
	filter, err := journal.ParseFilter(c.Str("filter"), strings.Join(c.List("type"), ","), c.Str("method"), c.Str("status"))
	if err != nil {
		return run.Reply[*Requests]{}, api.Errorf(api.InvalidArgument, "network requests: %w", err)
	}
	list, dropped, err := selected(e, c, filter, tabs)
	if err != nil {
		return run.Reply[*Requests]{}, err
	}
	if list == nil {
		list = []journal.Request{}
	}
	e.MarkRefused(list)
	lines := make([]string, 0, len(list))
	for i := range list {
		lines = append(lines, requestLine(&list[i]))
	}
	if len(lines) == 0 {
		lines = []string{"No requests captured"}
	}
	return bounded(&Requests{Requests: list, Dropped: dropped}, lines, dropped), nil
}

// selected returns the requests that match the flags of `network requests`, and how many older ones were dropped.
func selected(e *run.Env, c *verb.Call, filter journal.Filter, tabs []model.TargetID) (list []journal.Request, dropped int, err error) {
	if !c.Bool("page") && !c.Bool("origin") {
		list, dropped = e.Journal.Requests(filter, tabs...)
		return list, dropped, nil
	}
	t, err := e.CurrentTab()
	if err != nil {
		return nil, 0, err
	}
	if c.Bool("page") {
		tabs = []model.TargetID{t.ID}
	}
	list, dropped = e.Journal.Requests(journal.Filter{}, tabs...)
	if c.Bool("page") {
		list, dropped = ofPage(list, t.MainFrame(), dropped)
	}
	origin := model.Origin(t.URL)
	return slices.DeleteFunc(list, func(r journal.Request) bool {
		return !filter.Match(&r) || c.Bool("origin") && model.Origin(r.URL) != origin
	}), dropped, nil
}

// ofPage returns those of a tab's requests that its document in the frame main, and what it contains, have sent. The request of a
// document has its loader's id (measured on Chromium 156), and the tab's later requests are the page's, except for those that the
// document before still sent until the new one came. If it is not among the requests, those with the loader are returned, and the
// dropped ones may be the page's, too.
func ofPage(list []journal.Request, main *model.Frame, dropped int) (page []journal.Request, lost int) {
	i := slices.IndexFunc(list, func(r journal.Request) bool { return r.ID == main.Loader })
	if i < 0 {
		return slices.DeleteFunc(list, func(r journal.Request) bool { return r.Loader != main.Loader }), dropped
	}
	before := map[string]bool{}
	for _, r := range list[:i] {
		before[r.Loader] = true
	}
	return slices.DeleteFunc(list[i:], func(r journal.Request) bool {
		return r.Loader != "" && r.Loader != main.Loader && (before[r.Loader] || r.Frame == main.ID)
	}), 0
}

func requestLine(r *journal.Request) string {
	line := fmt.Sprintf("[%s] %s %s (%s)", r.ID, r.Method, r.URL, r.Type)
	switch {
	case r.Blocked != "":
		line += " blocked (" + r.Blocked + ")"
	case r.Failed != "":
		line += " " + r.Failed
	case r.Status != 0:
		line += fmt.Sprintf(" %d", r.Status)
	default:
		line += " pending"
	}
	return line
}

func request(ctx context.Context, e *run.Env, c *verb.Call) (run.Reply[*journal.Detail], error) {
	ctx, cancel := e.WithLimit(ctx, func() {})
	defer cancel()
	d, err := e.Journal.Detail(ctx, e.Browser, c.Str("id"), e.Journal.Tabs(e.Context)...)
	switch {
	case errors.Is(err, journal.ErrNoRequest):
		return run.Reply[*journal.Detail]{}, api.Errorf(api.RequestNotFound, "no request %s in this session", c.Str("id"))
	case err != nil:
		return run.Reply[*journal.Detail]{}, e.Explain(err, "read the request")
	}
	// The browser stores responses that the page itself was not allowed to read.
	if e.Sites != nil {
		if r := e.Sites.Loaded(ctx, d.URL); r != nil {
			return run.Reply[*journal.Detail]{}, run.RefusedSite("network request "+c.Str("id")+" to "+r.URL+" is", r)
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
	return run.Reply[*journal.Detail]{Data: d, Text: b.String()}, nil
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
