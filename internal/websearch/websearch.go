// Package websearch queries search engines. Each has its own API and its own key; the results have one form: titles,
// addresses and a sentence or two, in order.
package websearch

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"html"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
)

// Hit is one result.
type Hit struct {
	Title       string `json:"title"`
	URL         string `json:"url"`
	Description string `json:"description"`
	Position    int    `json:"position"` // from 1
}

// Engine is one search engine.
type Engine struct {
	Name string
	// Secret is the key, or for SearXNG the address of the instance.
	Secret string
	// Base replaces the address of the engine's API; empty for the default.
	Base string
	// Agent is the User-Agent of the requests.
	Agent string
	// Roots are the certificate authorities to trust; nil for those of the system.
	Roots *x509.CertPool
}

// kind is what is special about an engine.
type kind struct {
	name, variable, base, setUp string
	ask                         func(e *Engine, query string, limit int) (*http.Request, error)
	read                        func(body []byte) ([]Hit, error)
}

// kinds in the order in which they are tried. It is a function so that nothing is made at the start of the program.
func kinds() []kind {
	return []kind{
		{"brave", "BRAVE_API_KEY", "https://api.search.brave.com", "a key from https://api-dashboard.search.brave.com", askBrave, readBrave},
		{"tavily", "TAVILY_API_KEY", "https://api.tavily.com", "a key from https://app.tavily.com", askTavily, readTavily},
		{"exa", "EXA_API_KEY", "https://api.exa.ai", "a key from https://dashboard.exa.ai", askExa, readExa},
		{"searxng", "SEARXNG_URL", "", "the address of a SearXNG instance with json among its search.formats", querySearXNG, readSearXNG},
	}
}

func kindOf(name string) *kind {
	for _, k := range kinds() {
		if k.name == name {
			return &k
		}
	}
	return nil
}

// UnavailableError is the error when no engine is configured, with how to configure one.
type UnavailableError struct {
	Wanted string // the requested engine; empty for any
}

func (e *UnavailableError) Error() string {
	if e.Wanted != "" {
		return "the search engine " + e.Wanted + " is not configured"
	}
	return "no search engine is configured"
}

// SetUp returns how to configure an engine.
func (e *UnavailableError) SetUp() string {
	var ways []string
	for _, k := range kinds() {
		if e.Wanted == "" || e.Wanted == k.name {
			ways = append(ways, k.variable+" ("+k.name+": "+k.setUp+")")
		}
	}
	return "Set " + strings.Join(ways, ", or ") + " in the environment."
}

// Choose returns the engine: the requested one, or the first whose key is in the environment. The error is an
// *UnavailableError.
func Choose(wanted string, env func(string) (string, bool)) (*Engine, error) {
	for _, k := range kinds() {
		if wanted != "" && wanted != k.name {
			continue
		}
		if secret, ok := env(k.variable); ok && strings.TrimSpace(secret) != "" {
			return &Engine{Name: k.name, Secret: strings.TrimSpace(secret)}, nil
		}
	}
	return nil, &UnavailableError{Wanted: wanted}
}

// RefusedError is a response of an engine without results.
type RefusedError struct {
	Engine string
	Status int
	Text   string // the text of the response, shortened
}

func (e *RefusedError) Error() string {
	text := fmt.Sprintf("%s answered %d %s", e.Engine, e.Status, http.StatusText(e.Status))
	if e.Text != "" {
		text += ": " + e.Text
	}
	return text
}

// Advice returns what to do about it; empty when there is nothing special.
func (e *RefusedError) Advice() string {
	k := kindOf(e.Engine)
	switch {
	case e.Status == http.StatusForbidden && e.Engine == "searxng":
		return "The instance does not serve JSON: its operator must add json to search.formats. Or use another instance."
	case e.Status == http.StatusUnauthorized, e.Status == http.StatusForbidden:
		return "The key in " + k.variable + " is not accepted."
	case e.Status == http.StatusTooManyRequests, e.Status == http.StatusPaymentRequired, e.Status == 432, e.Status == 433: // the last two are Tavily's
		return "The key's quota is used up; wait, or choose another engine with --search-provider."
	}
	return ""
}

// Limits of a search.
const (
	MaxHits   = 20 // results that engines give at once
	maxAnswer = 8 << 20
	limit     = 20 * time.Second
	maxText   = 600 // characters of a description
)

// Search returns the first n results. Errors: *RefusedError, and those of the network.
func (e *Engine) Search(ctx context.Context, query string, n int) ([]Hit, error) {
	k := kindOf(e.Name)
	if k == nil {
		return nil, fmt.Errorf("there is no search engine %q", e.Name)
	}
	if e.Base == "" {
		e.Base = k.base
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	req, err := k.ask(e, query, min(max(n, 1), MaxHits))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Accept", "application/json")
	req.Header.Set("User-Agent", e.Agent)
	body, status, err := fetch(req.WithContext(ctx), e.Roots)
	if err != nil {
		return nil, fmt.Errorf("ask %s: %w", e.Name, err)
	}
	if status != http.StatusOK {
		return nil, &RefusedError{Engine: e.Name, Status: status, Text: shortened(strings.ReplaceAll(words(string(body)), e.Secret, "[key]"), 200)}
	}
	hits, err := k.read(body)
	if err != nil {
		return nil, fmt.Errorf("%s returned no results in the expected format: %w", e.Name, err)
	}
	return tidied(hits, n), nil
}

// fetch sends a request. It does not follow redirects, so that a key is sent only to the engine.
func fetch(req *http.Request, roots *x509.CertPool) (body []byte, status int, err error) {
	transport := &http.Transport{Proxy: http.ProxyFromEnvironment, ForceAttemptHTTP2: true, DisableKeepAlives: true, TLSHandshakeTimeout: 10 * time.Second}
	if roots != nil {
		transport.TLSClientConfig = &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12}
	}
	client := http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	res, err := client.Do(req)
	if err != nil {
		var of *url.Error // its text has the address, which may contain the query
		if errors.As(err, &of) {
			err = of.Err
		}
		return nil, 0, err
	}
	defer res.Body.Close()
	body, err = io.ReadAll(io.LimitReader(res.Body, maxAnswer))
	return body, res.StatusCode, err
}

// tidied numbers the results, takes marks of HTML out of them, and leaves out those without an address.
func tidied(hits []Hit, n int) []Hit {
	out := []Hit{}
	for _, h := range hits {
		if len(out) == n {
			break
		}
		if u, err := url.Parse(h.URL); err != nil || u.Scheme != "http" && u.Scheme != "https" {
			continue
		}
		out = append(out, Hit{Title: words(h.Title), URL: h.URL, Description: shortened(words(h.Description), maxText), Position: len(out) + 1})
	}
	return out
}

// words returns a text in one line without the marks that engines put around matches.
func words(s string) string {
	for _, mark := range [...]string{"strong", "b", "em", "i", "mark"} {
		s = strings.NewReplacer("<"+mark+">", "", "</"+mark+">", "").Replace(s)
	}
	return strings.Join(strings.Fields(strings.ToValidUTF8(html.UnescapeString(s), "\uFFFD")), " ")
}

func shortened(s string, n int) string {
	if len(s) <= n {
		return s
	}
	cut := strings.ToValidUTF8(s[:n], "")
	if i := strings.LastIndexByte(cut, ' '); i > n/2 {
		cut = cut[:i]
	}
	return cut + "…"
}

func get(base, path string, query url.Values) (*http.Request, error) {
	return http.NewRequest(http.MethodGet, strings.TrimSuffix(base, "/")+path+"?"+query.Encode(), nil)
}

func post(base, path string, body any) (*http.Request, error) {
	text, err := json.Marshal(body)
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequest(http.MethodPost, strings.TrimSuffix(base, "/")+path, bytes.NewReader(text))
	if err == nil {
		req.Header.Set("Content-Type", "application/json")
	}
	return req, err
}

func askBrave(e *Engine, query string, n int) (*http.Request, error) {
	req, err := get(e.Base, "/res/v1/web/search", url.Values{"q": {query}, "count": {strconv.Itoa(n)}, "text_decorations": {"false"}})
	if err == nil {
		req.Header.Set("X-Subscription-Token", e.Secret)
	}
	return req, err
}

func readBrave(body []byte) ([]Hit, error) {
	var r struct {
		Web struct {
			Results []Hit `json:"results"`
		} `json:"web"`
	}
	err := json.Unmarshal(body, &r)
	return r.Web.Results, err
}

func askTavily(e *Engine, query string, n int) (*http.Request, error) {
	req, err := post(e.Base, "/search", map[string]any{"query": query, "max_results": n})
	if err == nil {
		req.Header.Set("Authorization", "Bearer "+e.Secret)
	}
	return req, err
}

// content is a result of an engine that calls the description so.
type content struct {
	Title   string `json:"title"`
	URL     string `json:"url"`
	Content string `json:"content"`
}

func readTavily(body []byte) ([]Hit, error) {
	var r struct {
		Results []content `json:"results"`
	}
	err := json.Unmarshal(body, &r)
	hits := make([]Hit, 0, len(r.Results))
	for _, c := range r.Results {
		hits = append(hits, Hit{Title: c.Title, URL: c.URL, Description: c.Content})
	}
	return hits, err
}

func askExa(e *Engine, query string, n int) (*http.Request, error) {
	req, err := post(e.Base, "/search", map[string]any{"query": query, "numResults": n, "type": "auto",
		"contents": map[string]any{"text": map[string]any{"maxCharacters": maxText}}})
	if err == nil {
		req.Header.Set("x-api-key", e.Secret)
	}
	return req, err
}

func readExa(body []byte) ([]Hit, error) {
	var r struct {
		Results []struct {
			Title string `json:"title"`
			URL   string `json:"url"`
			Text  string `json:"text"`
		} `json:"results"`
	}
	err := json.Unmarshal(body, &r)
	hits := make([]Hit, 0, len(r.Results))
	for _, c := range r.Results {
		hits = append(hits, Hit{Title: c.Title, URL: c.URL, Description: c.Text})
	}
	return hits, err
}

func querySearXNG(e *Engine, query string, _ int) (*http.Request, error) {
	base := e.Secret
	if u, err := url.Parse(base); err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, fmt.Errorf("SEARXNG_URL is not the address of a web server: %q", base)
	}
	return get(base, "/search", url.Values{"q": {query}, "format": {"json"}})
}

func readSearXNG(body []byte) ([]Hit, error) { return readTavily(body) } // the same names by chance
