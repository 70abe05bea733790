package provider

import (
	"bytes"
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/plain"
	"github.com/usher-browser/usher/internal/policy"
	"github.com/usher-browser/usher/internal/wire"
)

const (
	maxAnswer = 1 << 20
	maxText   = 200 // bytes of an answer in a message
)

// errLate is the cause when a service does not answer in time.
var errLate = errors.New("no answer in time")

// client sends the requests of one service with the caller's key.
type client struct {
	service *service
	options Options
	roots   *x509.CertPool
	base    string // of the API, without a slash at its end
	key     string
	secrets []string // what no message shows
	aws     credentials
}

// client returns a client with the keys in the environment.
func (s *service) client(ctx context.Context, o Options) (*client, error) {
	c := &client{service: s, options: o, roots: o.Roots, base: s.base}
	if at := c.env(s.at); at != "" {
		if u, err := url.Parse(at); err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
			return nil, c.fail("%s is not an http or https address", s.at).WithHint("Unset it for %s.", s.base)
		}
		c.base = at
	}
	c.base = strings.TrimRight(c.base, "/")
	if s.authorize != nil {
		return c, s.authorize(ctx, c)
	}
	c.key = c.env(s.key)
	if c.key == "" {
		return nil, c.fail("%s is not set; nothing was started", s.key).WithHint("Set it to a key from %s.", s.page)
	}
	c.secret(c.key)
	return c, nil
}

// env returns a variable of the caller without spaces around it, "" if it is not set.
func (c *client) env(name string) string {
	if name == "" || c.options.Env == nil {
		return ""
	}
	v, _ := c.options.Env(name)
	return strings.TrimSpace(v)
}

// on returns the value of a switch in the environment.
func (c *client) on(name string, otherwise bool) bool {
	switch strings.ToLower(c.env(name)) {
	case "":
		return otherwise
	case "0", "false", "no":
		return false
	}
	return true
}

// number returns a positive number in the environment.
func (c *client) number(name string, otherwise int) (int, error) {
	text := c.env(name)
	if text == "" {
		return otherwise, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n <= 0 {
		return 0, c.fail("%s is %.40q, which is not a number above 0; nothing was started", name, c.hide(text)).WithHint("Unset it for %d.", otherwise)
	}
	return n, nil
}

// secret adds a text that no message shows.
func (c *client) secret(texts ...string) {
	for _, s := range texts {
		if s == "" {
			continue
		}
		c.secrets = append(c.secrets, s)
		if escaped := url.QueryEscape(s); escaped != s {
			c.secrets = append(c.secrets, escaped)
		}
	}
}

// hide returns a text without keys.
func (c *client) hide(text string) string {
	for _, s := range c.secrets {
		text = strings.ReplaceAll(text, s, policy.Mark)
	}
	return policy.Text(text)
}

// fail returns an error of the service.
func (c *client) fail(format string, args ...any) *api.Error {
	return api.Errorf(api.ProviderFailed, "%s: "+format, append([]any{c.service.title}, args...)...).With("provider", c.service.name)
}

// request is a request to the API.
type request struct {
	method, path string // the path begins with a slash, and may have a query
	header       http.Header
	body         any // sent as JSON; nil for none
	// sign changes the request at last.
	sign func(req *http.Request, body []byte) error
}

// do sends a request, and decodes the answer into out, unless that is nil. It follows no redirect, so that a key is sent
// only to the service.
func (c *client) do(ctx context.Context, r request, out any) error {
	var body []byte
	if r.body != nil {
		var err error
		if body, err = json.Marshal(r.body, json.Deterministic(true)); err != nil {
			return fmt.Errorf("encode the request: %w", err)
		}
	}
	req, err := http.NewRequestWithContext(ctx, r.method, c.base+r.path, bytes.NewReader(body))
	if err != nil {
		return c.fail("%s is not the address of an API: %s", c.service.at, c.hide(err.Error()))
	}
	req.Header.Set("Accept", "application/json")
	req.Header.Set("User-Agent", c.options.Agent)
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	(&wire.Access{Header: r.header}).Apply(req)
	if r.sign != nil {
		if err := r.sign(req, body); err != nil {
			return err
		}
	}
	what := r.method + " " + c.hide(wire.Shown(req.URL.String()))
	client := (&wire.Access{Roots: c.roots}).Client()
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	resp, err := client.Do(req)
	if err != nil {
		return c.unanswered(ctx, what, err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	if err != nil {
		return c.unanswered(ctx, what, err)
	}
	if resp.StatusCode < 200 || resp.StatusCode > 299 {
		return c.refused(what, resp, text)
	}
	if out == nil {
		return nil
	}
	if err := json.Unmarshal(text, out); err != nil {
		found := fmt.Sprintf("%.80q", c.hide(string(text)))
		if len(bytes.TrimSpace(text)) == 0 {
			found = "nothing"
		}
		return c.fail("%s: the answer %d is not the JSON that its API describes, but %s", what, resp.StatusCode, found).
			WithHint("%sIf it goes on, the API has changed or something else answers. A session may have started: see %s.", c.atHint(), c.service.page)
	}
	return nil
}

// atHint is the advice about another address of the API.
func (c *client) atHint() string {
	if c.env(c.service.at) == "" {
		return ""
	}
	return "Check " + c.service.at + ". "
}

// unanswered returns the error of a request without an answer.
func (c *client) unanswered(ctx context.Context, what string, err error) error {
	var inner *url.Error
	if errors.As(err, &inner) { // its text has the address
		err = inner.Err
	}
	hint := "Check the network, and HTTPS_PROXY. "
	if ctx.Err() != nil {
		if err = context.Cause(ctx); errors.Is(err, context.DeadlineExceeded) {
			err = errLate
		}
		hint = "A session may have started all the same: see " + c.service.page + ". "
	}
	return c.fail("%s: %s", what, c.hide(err.Error())).WithHint("%s", strings.TrimSpace(hint+c.atHint()))
}

// refusedError is an answer with a status of failure.
type refusedError struct {
	what   *api.Error
	status int
}

func (e *refusedError) Error() string { return e.what.Error() }
func (e *refusedError) Unwrap() error { return e.what }

// gone reports whether the session does not exist any more.
func (e *refusedError) gone() bool {
	return e.status == http.StatusNotFound || e.status == http.StatusGone
}

func (c *client) refused(what string, resp *http.Response, body []byte) error {
	text := plain.Line(strings.Join(strings.Fields(c.hide(strings.ToValidUTF8(string(body), "\uFFFD"))), " "))
	if len(text) > maxText {
		text = strings.ToValidUTF8(text[:maxText], "") + "…"
	}
	if text != "" {
		text = ": " + text
	}
	e := c.fail("%s: it answered %d %s%s", what, resp.StatusCode, http.StatusText(resp.StatusCode), text).With("status", resp.StatusCode)
	s, hint := c.service, ""
	switch code := resp.StatusCode; {
	case code == http.StatusUnauthorized, code == http.StatusForbidden:
		hint = fmt.Sprintf("The credentials in %s are not accepted, or may not do this: see %s.", s.key, s.page)
	case code == http.StatusPaymentRequired:
		hint = fmt.Sprintf("The plan does not include this, or its credit is used up: see %s.", s.page)
	case code == http.StatusNotFound:
		hint = c.atHint() + fmt.Sprintf("The address, or something that the request names, does not exist there: see %s.", s.page)
	case code == http.StatusTooManyRequests:
		wait := retryAfter(resp.Header.Get("Retry-After"), time.Now())
		when := "later"
		if wait > 0 {
			e.With("retryAfter", int(wait.Seconds()))
			when = "after " + wait.String()
		}
		hint = fmt.Sprintf("Too many requests, or sessions at once: repeat the command %s, or close other sessions; %s shows the limits.", when, s.page)
	case code >= 300 && code <= 399:
		hint = c.atHint() + "It redirects elsewhere, where usher does not send the key."
	case code >= 500:
		hint = c.atHint() + fmt.Sprintf("This is a failure of the service: repeat the command later; %s shows whether a session started.", s.page)
	}
	if hint != "" {
		e.WithHint("%s", hint)
	}
	return &refusedError{what: e, status: resp.StatusCode}
}

// retryAfter reads the header of that name: seconds, or a date.
func retryAfter(text string, now time.Time) time.Duration {
	if n, err := strconv.Atoi(text); err == nil && n > 0 && n < 1<<20 {
		return time.Duration(n) * time.Second
	}
	if at, err := http.ParseTime(text); err == nil && at.After(now) {
		return at.Sub(now).Round(time.Second)
	}
	return 0
}
