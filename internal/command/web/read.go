package web

import (
	"cmp"
	"context"
	"errors"
	"strings"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/command/run"
	"github.com/usher-browser/usher/internal/policy"
	"github.com/usher-browser/usher/internal/reader"
	"github.com/usher-browser/usher/internal/verb"
)

// Reading is the result of `read`.
type Reading struct {
	Content     string `json:"content"`     // Markdown, text, or with --raw what the server sent
	ContentType string `json:"contentType"` // of the document that was read
	FinalURL    string `json:"finalUrl"`    // of the document that was read, after redirects
	// Source says where the content comes from: active-tab-html, active-tab-raw, accept-markdown, path-markdown, llms-link, html-fallback,
	// text, raw, llms-index or llms-full; with -outline or -filtered appended if only that part was asked for.
	Source    string `json:"source"`
	Status    int    `json:"status,omitzero"` // of the HTTP response
	Title     string `json:"title,omitzero"`
	Truncated bool   `json:"truncated"` // the document is larger than what was read
	URL       string `json:"url"`       // as asked for
}

// The sources of readings besides those of package reader.
const (
	fromTab   = "active-tab-html"
	fromRaw   = "raw"
	rawTab    = "active-tab-raw"
	fromIndex = "llms-index"
	fromFull  = "llms-full"
)

// readPage reads the document that the tab shows, as it is rendered.
func readPage(ctx context.Context, e *run.Env, c *verb.Call) (run.Reply[*Reading], error) {
	tab, err := e.CurrentTab()
	if err != nil {
		return run.Reply[*Reading]{}, err
	}
	if c.Has("llms") || c.Bool("require-md") { // these are about what the server has
		if e.Sites != nil { // it is this machine that sends the request, wherever the browser is
			sites := *e.Sites
			sites.Private = false
			e.Sites = &sites
		}
		return readAddress(ctx, e, c, tab.URL)
	}
	ctx, stop := e.Guard(ctx)
	defer stop()
	var doc struct {
		HTML  string `json:"html"`
		Title string `json:"title"`
		URL   string `json:"url"`
		Cut   bool   `json:"cut"`
	}
	fn := "markup"
	if c.Bool("raw") {
		fn = "source"
	}
	if err := e.Worlds.Call(ctx, e.Scope(e.Tab), fn, nil, &doc); err != nil {
		return run.Reply[*Reading]{}, e.Explain(err, "read")
	}
	out := &Reading{Content: doc.HTML, ContentType: "text/html", FinalURL: doc.URL, URL: doc.URL, Source: fromTab, Title: run.OneLine(doc.Title), Truncated: doc.Cut}
	if fn == "source" {
		out.Source = rawTab
		return run.Reply[*Reading]{Data: out, Text: out.Content}, nil
	}
	p, err := reader.Convert(ctx, doc.URL, doc.HTML)
	if err != nil {
		return run.Reply[*Reading]{}, api.Errorf(api.ExtractFailed, "read: convert the page to Markdown: %w", err).
			WithHint("Use `get text body`, or `snapshot`.")
	}
	out.Content = reader.WithTitle(p.Text, out.Title)
	return out.part(c), nil
}

// readURL reads an address by plain HTTP.
func readURL(ctx context.Context, e *run.Env, c *verb.Call) (run.Reply[*Reading], error) {
	return readAddress(ctx, e, c, c.Str("url"))
}

func readAddress(ctx context.Context, e *run.Env, c *verb.Call, address string) (run.Reply[*Reading], error) {
	r, err := newReader(e)
	if err != nil {
		return run.Reply[*Reading]{}, api.Errorf(api.InvalidArgument, "read: %w", err)
	}
	ctx, cancel := e.WithLimit(ctx, func() {})
	defer cancel()
	p, source, err := fetch(ctx, r, c, address)
	if err != nil {
		return run.Reply[*Reading]{}, readError(ctx, e, address, err)
	}
	if c.Bool("require-md") && p.Type != "text/markdown" && !strings.HasPrefix(source, "llms-") {
		return run.Reply[*Reading]{}, api.Errorf(api.ExtractFailed, "read %s: expected text/markdown, got %s", address, p.Type).
			With("contentType", p.Type).WithHint("Without --require-md it is converted to Markdown.")
	}
	if e.Sites != nil { // before it is cut, because half a key is not recognised as one
		p.Text = policy.Text(p.Text)
	}
	out := &Reading{Content: p.Text, ContentType: cmp.Or(p.Header, p.Type), FinalURL: p.URL, URL: address, Source: source, Status: p.Status, Title: run.OneLine(p.Title)}
	reply := run.Reply[*Reading]{Data: out, Text: out.Content}
	switch source {
	case fromRaw:
	case fromIndex:
		out.Content = index(p, c.Str("filter"))
		reply.Text = out.Content
	case reader.HTMLFallback:
		out.Content = reader.WithTitle(out.Content, out.Title)
		reply = out.part(c)
	default:
		reply = out.part(c)
	}
	if p.Scripted && source == reader.HTMLFallback {
		reply.Warning = "the page has little text without its scripts, which were not run; use `open " + p.URL + "`, then `read`"
	}
	return reply, nil
}

// fetch gets the document that a call asks for.
func fetch(ctx context.Context, r *reader.Reader, c *verb.Call, address string) (p *reader.Page, source string, err error) {
	switch {
	case c.Str("llms") == "index":
		p, err = r.LLMS(ctx, address, false)
		return p, fromIndex, err
	case c.Str("llms") == "full":
		p, err = r.LLMS(ctx, address, true)
		return p, fromFull, err
	case c.Bool("raw"):
		p, err = r.ReadRaw(ctx, address)
		return p, fromRaw, err
	}
	return r.ReadMarkdown(ctx, address)
}

// index lists the links of an llms.txt, or all of it if it has none.
func index(p *reader.Page, words string) string {
	var b strings.Builder
	b.WriteString("# llms.txt\n\nSource: " + p.URL + "\n")
	links := reader.Links(p.Text, p.URL)
	if len(links) == 0 && words == "" {
		return b.String() + "\n" + p.Text
	}
	n := 0
	for _, l := range links {
		line := "- [" + l.Title + "](" + l.URL + ")"
		if l.Note != "" {
			line += ": " + l.Note
		}
		if strings.Contains(strings.ToLower(line), strings.ToLower(words)) {
			b.WriteString("\n" + line)
			n++
		}
	}
	if n == 0 {
		b.WriteString("\nNo matching links")
	}
	return b.String()
}

// part keeps what --outline and --filter ask for.
func (d *Reading) part(c *verb.Call) run.Reply[*Reading] {
	words := c.Str("filter")
	switch {
	case c.Bool("outline"):
		d.Source += "-outline"
		list := reader.Outline(d.Content, words)
		if list == "" {
			list = "No headings"
		}
		d.Content = "# Outline\n\nSource: " + d.FinalURL + "\n\n" + list
	case words != "":
		if d.Source != fromFull {
			d.Source += "-filtered"
		}
		if d.Content = reader.Matching(d.Content, words); d.Content == "" {
			d.Content = "No matching page sections"
		}
	}
	return run.Reply[*Reading]{Data: d, Text: d.Content}
}

// readError explains why an address was not read.
func readError(ctx context.Context, e *run.Env, address string, err error) error {
	var refused *policy.Refusal
	var status *reader.StatusError
	switch {
	case errors.As(err, &refused):
		return api.Errorf(api.URLBlocked, "read: refused by the site guard: %s", refused.Why).
			With("host", refused.Host).With("rule", refused.Rule).With("source", refused.Source)
	case errors.Is(context.Cause(ctx), run.ErrLimit):
		return api.Errorf(api.Timeout, "read %s: no answer within %s", address, e.Limit)
	case errors.As(err, &status):
		return api.Errorf(api.ExtractFailed, "read %s: %w", status.URL, err).With("status", status.Status)
	}
	return api.Errorf(api.ExtractFailed, "read %s: %w", address, err)
}

// readRules checks which flags go together.
func readRules(c *verb.Call) *verb.Error {
	switch {
	case c.Has("llms") && c.Bool("outline"):
		return verb.Invalid("read: --llms and --outline cannot be used together")
	case c.Bool("raw") && (c.Has("llms") || c.Bool("outline") || c.Has("filter") || c.Bool("require-md")):
		return verb.Invalid("read: --raw prints the whole document as it is; it cannot be used with --llms, --outline, --filter or --require-md")
	}
	return nil
}
