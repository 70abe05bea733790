package web

import (
	"context"
	"crypto/sha256"
	"crypto/x509"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"net/url"
	"path/filepath"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/command/run"
	"github.com/usher-browser/usher/internal/fault"
	"github.com/usher-browser/usher/internal/media"
	"github.com/usher-browser/usher/internal/policy"
	"github.com/usher-browser/usher/internal/reader"
	"github.com/usher-browser/usher/internal/verb"
	"github.com/usher-browser/usher/internal/websearch"
)

// Found is the result of `web search`.
type Found struct {
	Web      []websearch.Hit `json:"web"` // best first
	Provider string          `json:"provider"`
}

// Extracts is the result of `web extract`, in the order of the addresses.
type Extracts struct {
	Results []Extract `json:"results"`
}

func searchWeb(ctx context.Context, e *run.Env, c *verb.Call) (run.Reply[Found], error) {
	query := strings.TrimSpace(c.Rest("query"))
	if query == "" {
		return run.Reply[Found]{}, api.Errorf(api.InvalidArgument, "web search: the query is empty")
	}
	engine, err := websearch.Choose(e.Settings.SearchProvider, e.Getenv)
	if missing := (*websearch.UnavailableError)(nil); errors.As(err, &missing) {
		return run.Reply[Found]{}, api.Errorf(api.SearchUnavailable, "web search: %w", err).WithHint("%s", missing.SetUp())
	}
	engine.Agent = e.Settings.Agent
	if engine.Roots, err = rootsOf(e); err != nil {
		return run.Reply[Found]{}, err
	}
	ctx, cancel := e.WithLimit(ctx, func() {})
	defer cancel()
	hits, err := engine.Search(ctx, query, c.Int("limit"))
	if err != nil {
		out := api.Errorf(api.SearchFailed, "web search: %w", err).With("provider", engine.Name)
		if refused := (*websearch.RefusedError)(nil); errors.As(err, &refused) {
			out.With("status", refused.Status)
			if advice := refused.Advice(); advice != "" {
				out.WithHint("%s", advice)
			}
		}
		return run.Reply[Found]{}, out
	}
	var b strings.Builder
	for _, h := range hits {
		fmt.Fprintf(&b, "%d. %s\n   %s\n", h.Position, run.OneLine(h.Title), h.URL)
		if h.Description != "" {
			fmt.Fprintf(&b, "   %s\n", run.OneLine(h.Description))
		}
	}
	text := strings.TrimSuffix(b.String(), "\n")
	if len(hits) == 0 {
		text = "No results"
	}
	return run.Reply[Found]{Data: Found{Web: hits, Provider: engine.Name}, Text: text}, nil
}

// maxPages is how many addresses are read at once.
const maxPages = 5

// Extract is the result for one address.
type Extract struct {
	api.PageText
	// Blocked is set if the site guard refused.
	Blocked *BlockedBy `json:"blockedByPolicy,omitzero"`
}

// BlockedBy is the rule of the site guard that refused an address.
type BlockedBy struct {
	Host   string `json:"host"`
	Rule   string `json:"rule"`
	Source string `json:"source"`
}

func extractWeb(ctx context.Context, e *run.Env, c *verb.Call) (run.Reply[Extracts], error) {
	urls := c.List("urls")
	if len(urls) > maxPages {
		return run.Reply[Extracts]{}, api.Errorf(api.InvalidArgument, "web extract: %d addresses given; the maximum is %d", len(urls), maxPages)
	}
	r, err := newReader(e)
	if err != nil {
		return run.Reply[Extracts]{}, api.Errorf(api.InvalidArgument, "web extract: %w", err)
	}
	ctx, cancel := e.WithLimit(ctx, func() {})
	defer cancel()
	rows := make([]Extract, len(urls))
	var wg sync.WaitGroup
	for i, address := range urls {
		wg.Go(fault.Guarded(ctx, func() { rows[i] = extractPage(ctx, e, r, address, c.Int("char-limit")) }))
	}
	wg.Wait()
	return extracted(rows)
}

func newReader(e *run.Env) (*reader.Reader, error) {
	options, err := Guarded(e)
	if err != nil {
		return nil, err
	}
	return reader.New(options)
}

// Guarded returns the options of requests that this machine sends in place of a browser: the allowed domains and the site guard are
// asked about each address and each connection. Cloud metadata is refused to everybody.
func Guarded(e *run.Env) (reader.Options, error) {
	sites := e.Sites
	if sites == nil {
		sites = &policy.Sites{Private: true, Proxied: true} // metadata is refused to everybody
	}
	roots, err := rootsOf(e)
	if err != nil {
		return reader.Options{}, err
	}
	return reader.Options{
		Roots: roots,
		Check: func(ctx context.Context, address string) error {
			if err := e.DomainsAllow(address); err != nil {
				return err
			}
			if e.Sites == nil {
				return orNil(sites.Loaded(ctx, address))
			}
			return orNil(sites.Open(ctx, address))
		},
		Connect: func(ip netip.Addr) error { return orNil(sites.Address(ip.String(), ip)) },
		Proxy:   e.Settings.Proxy, Agent: "Mozilla/5.0 (compatible; " + e.Settings.Agent + ")",
	}, nil
}

// rootsOf returns the certificate authorities for requests without a browser, nil for those of the system.
func rootsOf(e *run.Env) (*x509.CertPool, error) {
	return run.Roots(e.Settings.Authorities, "--ca-cert")
}

// orNil converts a nil refusal to a nil error.
func orNil(r *policy.Refusal) error {
	if r == nil {
		return nil
	}
	return r
}

// extractPage reads one address.
func extractPage(ctx context.Context, e *run.Env, r *reader.Reader, address string, most int) Extract {
	row := Extract{PageText: api.PageText{URL: address}}
	full, err := verb.NormalizeURL(address)
	if err != nil {
		row.Error = err.Error()
		return row
	}
	row.URL = full
	page, err := r.Read(ctx, full)
	if err != nil {
		var refused *policy.Refusal
		switch {
		case errors.As(err, &refused):
			row.URL, row.Blocked = policy.Text(full), &BlockedBy{refused.Host, refused.Rule, refused.Source}
			if refused.Rule == policy.RuleSecret {
				row.URL = refused.URL
			}
			row.Error = "refused by the site guard: " + refused.Why
		case errors.Is(context.Cause(ctx), run.ErrLimit):
			row.Error = fmt.Sprintf("no answer within %s", e.Limit)
		default:
			row.Error = err.Error()
		}
		return row
	}
	if e.Sites != nil { // before it is cut, because half a key is not recognised as one
		page.Text = policy.Text(page.Text)
	}
	row.URL, row.Title, row.Content = page.URL, run.OneLine(page.Title), page.Text
	if page.Scripted {
		row.Note = fmt.Sprintf("the page has little text without its scripts, which were not run; use `open %s` and `snapshot`", page.URL)
		if page.Text == "" {
			row.Error, row.Note = row.Note, ""
		}
	}
	if n := utf8.RuneCountInString(page.Text); n > most {
		row.Chars = n
		row.Artifact, err = keepPage(e, page)
		where := "all of it is in " + row.Artifact
		if err != nil {
			where = "the whole text could not be saved: " + err.Error()
		}
		row.Content = shortenedPage(page.Text, n, most, where)
	}
	return row
}

// shortenedPage returns the beginning and the end of a text: three quarters and one, of so many characters.
func shortenedPage(text string, has, most int, where string) string {
	first, last := text[:byteIndex(text, most*3/4)], text[byteIndex(text, has-most/4):]
	if i := strings.LastIndexByte(first, '\n'); i > len(first)/2 {
		first = first[:i]
	}
	if i := strings.IndexByte(last, '\n'); i >= 0 && i < len(last)/2 {
		last = last[i+1:]
	}
	left := has - utf8.RuneCountInString(first) - utf8.RuneCountInString(last)
	return fmt.Sprintf("%s\n\n[… %d of %d characters left out; %s …]\n\n%s", first, left, has, where, last)
}

// byteIndex returns the index behind so many characters of a text.
func byteIndex(text string, characters int) int {
	for i := range text {
		if characters--; characters < 0 {
			return i
		}
	}
	return len(text)
}

// keepPage writes the text of a page into a file, by the page's address: the same page has the same file.
func keepPage(e *run.Env, page *reader.Page) (string, error) {
	dir, err := e.OwnDir("web")
	if err != nil {
		return "", err
	}
	host := "page"
	if u, err := url.Parse(page.URL); err == nil && u.Hostname() != "" {
		host = strings.ReplaceAll(u.Hostname(), ":", "-")
	}
	sum := sha256.Sum256([]byte(page.URL))
	path := filepath.Join(dir, host+"-"+hex.EncodeToString(sum[:5])+".md")
	return path, media.WriteOwn(path, func(w io.Writer) error {
		_, err := io.WriteString(w, page.Text)
		return err
	})
}

// extracted returns the result for all URLs. If every URL failed, it returns an error.
func extracted(rows []Extract) (run.Reply[Extracts], error) {
	var b strings.Builder
	failed := 0
	for _, row := range rows {
		if b.Len() > 0 {
			b.WriteString("\n\n")
		}
		if row.Error != "" {
			failed++
			fmt.Fprintf(&b, "✗ %s: %s", row.URL, row.Error)
			continue
		}
		fmt.Fprintf(&b, "✓ %s\n  %s\n", row.Title, row.URL)
		if row.Note != "" {
			b.WriteString("  " + row.Note + "\n")
		}
		b.WriteString("\n" + row.Content)
	}
	if failed == len(rows) {
		first := rows[0].URL + ": " + rows[0].Error
		if failed > 1 {
			first = fmt.Sprintf("none of the %d addresses could be read: %s", failed, strings.ReplaceAll(strings.TrimPrefix(b.String(), "✗ "), "\n\n✗", ";"))
		}
		code := api.ExtractFailed
		if failed == 1 && rows[0].Blocked != nil {
			code = api.URLBlocked
		}
		return run.Reply[Extracts]{}, api.Errorf(code, "web extract: %s", first).With("results", rows)
	}
	return run.Reply[Extracts]{Data: Extracts{Results: rows}, Text: b.String()}, nil
}
