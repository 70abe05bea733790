package code

import (
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/command/run"
	"github.com/usher-browser/usher/internal/command/state"
	"github.com/usher-browser/usher/internal/command/web"
	"github.com/usher-browser/usher/internal/policy"
	"github.com/usher-browser/usher/internal/reader"
	"github.com/usher-browser/usher/internal/session/code/known"
)

// sendParams are the parameters of page.send: a request that this machine sends with the cookies of the session.
type sendParams struct {
	Name    string        `json:"name"` // of the method that the code called
	URL     string        `json:"url"`
	Method  string        `json:"method"`
	Headers []headerField `json:"headers"`
	Body    []byte        `json:"body"`
	Timeout *float64      `json:"timeout"` // in milliseconds
	// Redirects is how many redirects are followed at most; with 0 the answer is the redirect itself.
	Redirects int `json:"redirects"`
	// Insecure accepts invalid certificates.
	Insecure bool `json:"insecure"`
}

// sent is the answer to such a request.
type sent struct {
	*fetchedResponse
	URL  string     `json:"url"` // after redirects
	Page known.Page `json:"page"`
}

// send sends a request and returns the answer, after redirects. Each address on the way is judged as those of `read URL` are.
func (o operation) send(ctx context.Context, params jsontext.Value) (any, error) {
	var p sendParams
	if err := json.Unmarshal(params, &p); err != nil {
		return nil, api.Errorf(api.InvalidArgument, "request: %w", err)
	}
	var out sent
	err := o.session.Outside(ctx, o.tab, p.URL, func(ctx context.Context, e *run.Env) error {
		limit, _ := o.limit(p.Timeout)
		late := api.Errorf(api.Timeout, "%s: Timeout %dms exceeded.", p.Name, limit.Round(time.Millisecond).Milliseconds())
		ctx, cancel := context.WithTimeoutCause(ctx, limit, late)
		defer cancel()
		s, err := newSender(e, p)
		if err != nil {
			return err
		}
		err = s.follow(ctx)
		if errors.Is(context.Cause(ctx), late) {
			return late
		}
		out.fetchedResponse, out.URL = s.answer, s.url.String()
		return s.explain(err)
	})
	out.Page = o.page()
	return out, err
}

// sender sends one request, and what its redirects ask for.
type sender struct {
	env       *run.Env
	options   reader.Options
	transport http.RoundTripper
	name      string
	url       *url.URL
	method    string
	header    http.Header
	body      []byte
	redirects int
	answer    *fetchedResponse
}

func newSender(e *run.Env, p sendParams) (*sender, error) {
	s := &sender{env: e, name: p.Name, method: p.Method, header: http.Header{}, body: p.Body, redirects: p.Redirects}
	var err error
	if s.url, err = url.Parse(p.URL); err != nil {
		return nil, api.Errorf(api.InvalidArgument, "%s: %w", p.Name, err)
	}
	for _, h := range p.Headers {
		s.header.Add(h.Name, h.Value)
	}
	if s.header.Get("Host") != "" {
		return nil, api.Errorf(api.InvalidArgument, "%s: the header Host is that of the address, and cannot be set", p.Name)
	}
	s.header.Del("Accept-Encoding") // the transport has its own, which it can decode
	if s.options, err = web.Guarded(e); err != nil {
		return nil, api.Errorf(api.InvalidArgument, "%s: %w", p.Name, err)
	}
	transport, err := s.options.Transport()
	if err != nil {
		return nil, api.Errorf(api.InvalidArgument, "%s: %w", p.Name, err)
	}
	if p.Insecure || e.Option("ignore-https-errors") == "true" {
		if e.Sites != nil && e.Option("ignore-https-errors") != "true" {
			return nil, api.Errorf(api.Unsupported, "%s: under the site guard ignoreHTTPSErrors is the session's: start it with --ignore-https-errors", p.Name)
		}
		transport.TLSClientConfig = &tls.Config{InsecureSkipVerify: true, MinVersion: tls.VersionTLS12} //nolint:gosec // as asked for
	}
	s.transport = transport
	return s, nil
}

// follow sends the request, and follows redirects.
func (s *sender) follow(ctx context.Context) error {
	for left := s.redirects; ; left-- {
		res, err := s.once(ctx)
		if err != nil {
			return err
		}
		if err := state.KeepCookies(ctx, s.env, s.url, res.Header); err != nil {
			_ = res.Body.Close()
			return err
		}
		to := res.Header.Get("Location")
		if !redirect(res.StatusCode) || to == "" || s.redirects == 0 {
			return s.read(res)
		}
		_ = res.Body.Close()
		if left == 0 {
			return api.Errorf(api.NavigationFailed, "%s: Max redirect count exceeded", s.name)
		}
		if err := s.turn(res.StatusCode, to); err != nil {
			return err
		}
	}
}

// once sends the request once, with the cookies and the extra headers of its address.
func (s *sender) once(ctx context.Context) (*http.Response, error) {
	address := s.url.String()
	if err := s.options.Judge(ctx, address); err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, s.method, address, bytes.NewReader(s.body))
	if err != nil {
		return nil, err
	}
	agent, err := s.agent(ctx)
	if err != nil {
		return nil, err
	}
	req.Header.Set("User-Agent", agent)
	req.Header.Set("Accept", "*/*")
	for name, value := range s.env.Browser.Headers(s.env.Context, address) {
		req.Header.Set(name, value)
	}
	for name, values := range s.header {
		req.Header[name] = values
	}
	if req.Header.Get("Cookie") == "" {
		cookies, err := state.CookieHeader(ctx, s.env, address)
		if err != nil {
			return nil, err
		}
		if cookies != "" {
			req.Header.Set("Cookie", cookies)
		}
	}
	return s.transport.RoundTrip(req)
}

// agent returns the User-Agent of the session's pages.
func (s *sender) agent(ctx context.Context) (string, error) {
	var version struct {
		UserAgent string `json:"userAgent"`
	}
	if set := s.env.Option("user-agent"); set != "" && !strings.Contains(set, "{") {
		return set, nil
	}
	err := s.env.Browser.Session("").Call(ctx, "Browser.getVersion", nil, &version)
	return cmp.Or(version.UserAgent, s.options.Agent), s.env.Explain(err, s.name)
}

func redirect(status int) bool {
	return slices.Contains([]int{http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther, http.StatusTemporaryRedirect, http.StatusPermanentRedirect}, status)
}

// turn makes the request what a redirect asks for, as browsers do: without a body where the method becomes GET, and without a login for
// another origin.
func (s *sender) turn(status int, to string) error {
	next, err := s.url.Parse(to)
	if err != nil {
		return api.Errorf(api.NavigationFailed, "%s: uri requested responds with an invalid redirect URL: %s", s.name, policy.Text(to))
	}
	post := status <= http.StatusFound && s.method == http.MethodPost
	if post || status == http.StatusSeeOther && s.method != http.MethodGet && s.method != http.MethodHead {
		s.method, s.body = http.MethodGet, nil
		for _, name := range []string{"Content-Encoding", "Content-Language", "Content-Length", "Content-Location", "Content-Type"} {
			s.header.Del(name)
		}
	}
	if next.Scheme != s.url.Scheme || next.Host != s.url.Host {
		for _, name := range []string{"Authorization", "Cookie"} {
			s.header.Del(name)
		}
	}
	s.url = next
	return nil
}

// read reads the answer. Under the site guard secrets are left out of it.
func (s *sender) read(res *http.Response) error {
	defer res.Body.Close()
	body, err := io.ReadAll(io.LimitReader(res.Body, reader.MaxSize+1))
	if err != nil {
		return err
	}
	if len(body) > reader.MaxSize {
		return api.Errorf(api.TooLarge, "%s: the response has more than %d MB", s.name, reader.MaxSize>>20)
	}
	guarded := s.env.Sites != nil
	if guarded && utf8.Valid(body) {
		body = []byte(policy.Text(string(body)))
	}
	_, text, _ := strings.Cut(res.Status, " ")
	s.answer = &fetchedResponse{Status: res.StatusCode, StatusText: text, Headers: fields(res.Header, guarded), Body: body}
	return nil
}

// fields returns the headers of a response by name; guarded leaves out secrets, which the values of cookies are.
func fields(header http.Header, guarded bool) []headerField {
	list := []headerField{}
	for name, values := range header {
		for _, value := range values {
			if guarded {
				value = policy.Text(value)
				if pair, attributes, _ := strings.Cut(value, ";"); name == "Set-Cookie" {
					cookie, _, _ := strings.Cut(pair, "=")
					value = strings.TrimSuffix(cookie+"="+policy.Mark+";"+attributes, ";")
				}
			}
			list = append(list, headerField{Name: name, Value: value})
		}
	}
	slices.SortStableFunc(list, func(a, b headerField) int { return strings.Compare(a.Name, b.Name) })
	return list
}

// explain returns an error of sending as code is to see it.
func (s *sender) explain(err error) error {
	var known *api.Error
	var refused *policy.Refusal
	switch {
	case err == nil, errors.As(err, &known):
		return err
	case errors.As(err, &refused):
		return run.RefusedSite(fmt.Sprintf("%s: the request to %s is", s.name, refused.URL), refused)
	}
	return api.Errorf(api.NavigationFailed, "%s: %s: %w", s.name, policy.Text(s.url.String()), err)
}
