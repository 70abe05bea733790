package source

import (
	"cmp"
	"context"
	"fmt"
	neturl "net/url"
	"slices"
	"strings"

	"github.com/usher-browser/usher/internal/command/run"
	"github.com/usher-browser/usher/internal/journal"
	"github.com/usher-browser/usher/internal/source"
	"github.com/usher-browser/usher/internal/verb"
)

// NetworkSource is the result of `network source`. No value of a query is in it.
type NetworkSource struct {
	// Status is failed-requests-found, no-failed-requests (those that match did not fail) or no-candidates (none matches, or the site
	// guard hides those that failed).
	Status         string          `json:"status"`
	FailedRequests []FailedRequest `json:"failedRequests"`
	Candidates     []Candidate     `json:"candidates"`
	Limitations    []string        `json:"limitations"`
	Summary        string          `json:"summary"`
	WorkspaceRoot  string          `json:"workspaceRoot,omitzero"`
}

// FailedRequest is a request that failed, or was answered with a status of 400 or more.
type FailedRequest struct {
	RequestID string `json:"requestId"`
	URL       string `json:"url"`
	Status    int    `json:"status,omitzero"`
	Method    string `json:"method,omitzero"`
	Error     string `json:"error,omitzero"` // the browser's, such as net::ERR_FAILED
}

const (
	maxFailed  = 20
	maxNeedles = 8
	maxHits    = 10
	// maxFollowed is how many frames of a stack are followed.
	maxFollowed = 5
)

func networkSource(ctx context.Context, e *run.Env, c *verb.Call) (run.Reply[*NetworkSource], error) {
	var none run.Reply[*NetworkSource]
	ctx, cancel := e.WithLimit(ctx, func() {})
	defer cancel()
	out := &NetworkSource{FailedRequests: []FailedRequest{}, Candidates: []Candidate{}, Limitations: []string{}}
	matched, dropped := e.Journal.Requests(journal.Filter{}, e.Journal.Tabs(e.Context)...)
	matched = slices.DeleteFunc(matched, func(r journal.Request) bool { return !matches(c, &r) })
	if dropped > 0 {
		out.Limitations = append(out.Limitations, fmt.Sprintf("%d older requests are no longer known", dropped))
	}
	failed := slices.Clone(matched)
	failed = slices.DeleteFunc(failed, func(r journal.Request) bool { return r.Status < 400 && r.Failed == "" && r.Blocked == "" })
	if len(failed) > maxFailed {
		out.Limitations = append(out.Limitations, fmt.Sprintf("only the newest %d of %d failed requests were looked at", maxFailed, len(failed)))
		failed = failed[len(failed)-maxFailed:]
	}
	hidden := 0
	if e.Sites != nil { // what the guard hides is not told here, either
		failed = slices.DeleteFunc(failed, func(r journal.Request) bool {
			refused := e.Sites.Loaded(ctx, r.URL)
			if refused != nil {
				hidden++
				if why := "the site guard hides requests to " + cmp.Or(refused.Host, refused.URL) + ": " + refused.Why; !slices.Contains(out.Limitations, why) {
					out.Limitations = append(out.Limitations, why)
				}
			}
			return refused != nil
		})
	}
	for i := range failed {
		r := &failed[i]
		out.FailedRequests = append(out.FailedRequests, FailedRequest{r.ID, source.RedactQuery(r.URL), r.Status, r.Method, r.Failed})
	}
	switch {
	case len(matched) == 0:
		out.Status, out.Summary = "no-candidates", "No request of this session matches"
		return reply(out), nil
	case len(failed) == 0 && hidden > 0:
		out.Status, out.Summary = "no-candidates", fmt.Sprintf("The site guard hides the %d failed requests that match", hidden)
		return reply(out), nil
	case len(failed) == 0:
		out.Status, out.Summary = "no-failed-requests", fmt.Sprintf("None of the %d requests that match has failed", len(matched))
		return reply(out), nil
	}
	out.Status = "failed-requests-found"
	space := openWorkspace(ctx, e, c, &out.Limitations)
	if space != nil {
		defer func() { _ = space.Close() }() // only read from
		out.WorkspaceRoot = space.Root
	}
	if err := initiators(ctx, e, space, failed, out); err != nil {
		return none, e.Explain(err, "find the code that made the requests")
	}
	if space != nil {
		literals, err := workspaceLiterals(ctx, space, failed)
		if err != nil {
			return none, e.Explain(err, "search the workspace")
		}
		out.Candidates = append(out.Candidates, literals...)
		out.Limitations = append(out.Limitations, space.Limitations...)
	}
	out.Summary = fmt.Sprintf("%d failed requests, %d candidates", len(failed), len(out.Candidates))
	return reply(out), nil
}

func reply(out *NetworkSource) run.Reply[*NetworkSource] {
	lines := []string{out.Summary}
	for _, f := range out.FailedRequests {
		lines = append(lines, run.OneLine(strings.Join(strings.Fields(fmt.Sprintf("✗ %s %s %s %d %s", f.RequestID, f.Method, f.URL, f.Status, f.Error)), " ")))
	}
	return run.Reply[*NetworkSource]{Data: out, Text: report(lines, out.Candidates, out.Limitations)}
}

// report is the text about candidates, for people.
func report(lines []string, candidates []Candidate, limitations []string) string {
	for i := range candidates {
		for _, line := range strings.Split(candidates[i].String(), "\n") {
			lines = append(lines, "  "+run.OneLine(line))
		}
	}
	for _, l := range limitations {
		lines = append(lines, "! "+run.OneLine(l))
	}
	return strings.Join(lines, "\n")
}

// matches reports whether a request is one that the caller means.
func matches(c *verb.Call, r *journal.Request) bool {
	if c.Has("id") && r.ID != c.Str("id") {
		return false
	}
	if filter := c.Str("filter"); filter != "" && !(&journal.Filter{URL: filter}).Match(r) {
		return false
	}
	// The caller may have the address from here, without the values of its query.
	url := c.Str("url")
	return url == "" || strings.Contains(r.URL, url) || strings.Contains(source.RedactQuery(r.URL), source.RedactQuery(url))
}

// openWorkspace opens the working directory. One that cannot be read is a limitation.
func openWorkspace(ctx context.Context, e *run.Env, c *verb.Call, limitations *[]string) *source.Workspace {
	space, err := source.OpenWorkspace(ctx, e.Cwd, c.Int("max-files"))
	if err != nil {
		*limitations = append(*limitations, "the workspace was not searched: "+err.Error())
		return nil
	}
	return space
}

// initiators adds the code that made the requests.
func initiators(ctx context.Context, e *run.Env, space *source.Workspace, failed []journal.Request, out *NetworkSource) error {
	tab, err := e.CurrentTab()
	if err != nil {
		return err
	}
	frame := tab.Frames[e.Scope(e.Tab)]
	if frame == nil {
		return nil
	}
	if err := e.MayEnter(ctx, frame.ID); err != nil {
		return err
	}
	t, err := trace(ctx, e, frame, space)
	if err != nil {
		return err
	}
	defer t.end()
	for i := range failed {
		r := &failed[i]
		followed := 0
		for _, f := range r.Stack {
			if followed == maxFollowed || len(out.Candidates) >= maxCandidates {
				break
			}
			url := f.URL.Value()
			if url == "" && f.ScriptID == "" {
				continue
			}
			followed++
			script, known := t.script(f.ScriptID)
			if !known || script.url != url {
				script, known = t.scriptAt(url)
			}
			if !known {
				script = code{url: url}
				if r.Initiator != "parser" {
					t.limit("%s is not in the page now, so its source map was not read", source.RedactQuery(url))
				}
			}
			p := t.original(ctx, script, f.Line, f.Column)
			if followed > 1 && strings.Contains(p.file, "/node_modules/") { // a library that called it
				continue
			}
			confidence := low
			switch {
			case strings.Contains(p.file, "/node_modules/"):
			case followed == 1 && known && (p.mapped || p.inWorkspace):
				confidence = high
			case p.mapped || p.inWorkspace || followed == 1:
				confidence = medium
			}
			how := "called by " + f.Function
			if f.Function == "" {
				how = "called from"
			}
			if r.Initiator == "parser" {
				how = "named in the document"
			}
			out.Candidates = append(out.Candidates, Candidate{Source: "initiator", Confidence: confidence, Evidence: []string{how + ", " + p.evidence},
				File: p.file, Line: p.line, Column: p.column, RequestURL: source.RedactQuery(r.URL), InWorkspace: p.inWorkspace})
		}
		if len(r.Stack) == 0 {
			t.limit("the browser did not say which code made %s (%s)", source.RedactQuery(r.URL), r.Initiator)
		}
	}
	out.Limitations = append(out.Limitations, t.limits...)
	return nil
}

// workspaceLiterals finds the addresses and paths of requests in the workspace.
func workspaceLiterals(ctx context.Context, space *source.Workspace, failed []journal.Request) ([]Candidate, error) {
	type needle struct {
		text, confidence string
		of               *journal.Request
	}
	var needles []needle
	add := func(text, confidence string, r *journal.Request) {
		known := slices.ContainsFunc(needles, func(n needle) bool { return n.text == text })
		if len(text) > 3 && !known && len(needles) < maxNeedles {
			needles = append(needles, needle{text, confidence, r})
		}
	}
	for i := range failed {
		r := &failed[i]
		u, err := neturl.Parse(r.URL)
		if err != nil || u.Host == "" {
			continue
		}
		add(u.Scheme+"://"+u.Host+u.EscapedPath(), high, r)
		add(u.EscapedPath(), medium, r)
	}
	for i := range failed { // templates end where a value begins: /api/orders/ of /api/orders/17
		if u, err := neturl.Parse(failed[i].URL); err == nil {
			if cut := strings.LastIndexByte(strings.TrimSuffix(u.EscapedPath(), "/"), '/'); cut > 0 {
				add(u.EscapedPath()[:cut+1], low, &failed[i])
			}
		}
	}
	texts := make([]string, 0, len(needles))
	for _, n := range needles {
		texts = append(texts, n.text)
	}
	hits, err := space.Literals(ctx, texts, maxHits)
	var out []Candidate
	for _, h := range hits {
		n := needles[h.Of]
		out = append(out, Candidate{Source: "workspace-search", Confidence: n.confidence, Evidence: []string{"the file contains " + n.text}, File: h.File, Line: h.Line, Column: h.Column,
			RequestURL: source.RedactQuery(n.of.URL), InWorkspace: true})
	}
	return out, err
}
