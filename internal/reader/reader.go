// Package reader reads web pages without a browser: it fetches an address by plain HTTP and converts the response into
// text for a model. HTML goes through readability to Markdown, PDF becomes text, text is unchanged.
//
//	address --judged--> connection --judged--> answer --> process of its own, by type: HTML | text | PDF --> Page
//	   ^                                          |
//	   +---------------- redirect ----------------+
//
// The creator of a Reader sets the checks of addresses and of network addresses; the second is called with the very
// address of the connection, so that a name that resolves otherwise the second time gains nothing.
package reader

import (
	"bufio"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"syscall"
	"time"
)

// Options of a Reader.
type Options struct {
	// Check judges an address before the request, redirects included; nil allows all.
	Check func(ctx context.Context, address string) error
	// Connect judges the network address of a connection; nil allows all. It is not called for connections to a proxy.
	Connect func(netip.Addr) error
	// Proxy is the proxy's address; empty for none.
	Proxy string
	// Agent is the User-Agent of the requests.
	Agent string
	// Roots are the certificate authorities to trust; nil for those of the system.
	Roots *x509.CertPool
}

// Page is the text of a page.
type Page struct {
	// URL is the final address, Title the title in the document.
	URL, Title string
	// Type is the media type: text/html, application/pdf, ...
	Type string
	// Header is the Content-Type as the server sent it; empty if it did not.
	Header string
	// Status is the HTTP status of the response; 0 for a document that was not fetched.
	Status int
	// Text is Markdown, or the text as received.
	Text string
	// Scripted reports whether the page seems to be rendered by scripts, which were not run: it has little text.
	Scripted bool

	byline, excerpt string // of the article
}

// MaxSize is the largest size of a response, in bytes; a larger one is an error.
const MaxSize = 20 << 20

// maxRedirects is how often a server may send elsewhere.
const maxRedirects = 10

// StatusError is the error for a response with an HTTP error status.
type StatusError struct {
	URL    string
	Status int
}

func (e *StatusError) Error() string {
	return fmt.Sprintf("the server answered %d %s", e.Status, http.StatusText(e.Status))
}

// TypeError is the error for a response of a type that has no text.
type TypeError struct{ Type string }

func (e *TypeError) Error() string { return "it is " + e.Type + ", which contains no text" }

// Reader reads pages. Its methods may be called from any goroutine.
type Reader struct {
	opt    Options
	client *http.Client
}

// New returns a Reader. The error is for an invalid proxy address.
func New(opt Options) (*Reader, error) {
	transport, err := opt.Transport()
	if err != nil {
		return nil, err
	}
	r := &Reader{opt: opt}
	r.client = &http.Client{Transport: transport, CheckRedirect: r.redirected}
	return r, nil
}

// Transport returns a transport whose connections are judged. The error is for an invalid proxy address.
func (o *Options) Transport() (*http.Transport, error) {
	dialer := &net.Dialer{Timeout: 10 * time.Second}
	transport := &http.Transport{
		ForceAttemptHTTP2: true, TLSHandshakeTimeout: 10 * time.Second, ResponseHeaderTimeout: 20 * time.Second,
		MaxResponseHeaderBytes: 1 << 20, DisableKeepAlives: true, // one page, one connection: no connection is kept open
	}
	if o.Roots != nil {
		transport.TLSClientConfig = &tls.Config{RootCAs: o.Roots, MinVersion: tls.VersionTLS12}
	}
	if o.Proxy != "" {
		proxy, err := url.Parse(o.Proxy)
		if err != nil || proxy.Host == "" {
			return nil, fmt.Errorf("the proxy %q is not an address", o.Proxy)
		}
		transport.Proxy = http.ProxyURL(proxy)
	} else {
		dialer.ControlContext = o.connecting
	}
	transport.DialContext = dialer.DialContext
	return transport, nil
}

// connecting judges a connection after its name was resolved and before anything is sent.
func (o *Options) connecting(_ context.Context, _, address string, _ syscall.RawConn) error {
	if o.Connect == nil {
		return nil
	}
	to, err := netip.ParseAddrPort(address)
	if err != nil {
		return fmt.Errorf("connect to %s: %w", address, err)
	}
	return o.Connect(to.Addr())
}

func (r *Reader) redirected(req *http.Request, via []*http.Request) error {
	if len(via) > maxRedirects {
		return fmt.Errorf("the server redirects more than %d times", maxRedirects)
	}
	req.Header.Del("Referer")
	return r.opt.Judge(req.Context(), req.URL.String())
}

// Judge returns an error for an address that no request is to go to.
func (o *Options) Judge(ctx context.Context, address string) error {
	if u, err := url.Parse(address); err != nil {
		return err
	} else if u.Scheme != "http" && u.Scheme != "https" {
		return fmt.Errorf("%s is neither http nor https", u.Scheme)
	}
	if o.Check == nil {
		return nil
	}
	return o.Check(ctx, address)
}

// Read fetches an address and converts the response. Errors: those of Options.Check and Options.Connect, *StatusError,
// *TypeError.
func (r *Reader) Read(ctx context.Context, address string) (*Page, error) {
	return r.fetch(ctx, address, order{})
}

// ReadRaw is Read without the conversion: the text of the response as the server sent it, in UTF-8.
func (r *Reader) ReadRaw(ctx context.Context, address string) (*Page, error) {
	return r.fetch(ctx, address, order{Raw: true})
}

// Convert turns the HTML of a document that was not fetched into a page, as Read does.
func Convert(ctx context.Context, address, html string) (*Page, error) {
	p := &Page{URL: address, Type: "text/html"}
	o := order{Type: p.Type, Header: "text/html; charset=utf-8", From: address, Size: int64(len(html))}
	if err := p.convertInChild(ctx, strings.NewReader(html), o); err != nil {
		return nil, err
	}
	return p, nil
}

// fetch is Read with the conversion that o asks for.
func (r *Reader) fetch(ctx context.Context, address string, o order) (*Page, error) {
	if err := r.opt.Judge(ctx, address); err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set("User-Agent", r.opt.Agent)
	req.Header.Set("Accept", "text/markdown, text/html;q=0.9, application/xhtml+xml;q=0.9, text/plain;q=0.8, application/pdf;q=0.7, */*;q=0.1")
	req.Header.Set("Accept-Language", "en, *;q=0.5")
	leave, err := enter(ctx, reads)
	if err != nil {
		return nil, err
	}
	defer leave()
	res, err := r.client.Do(req)
	if err != nil {
		return nil, plain(err)
	}
	defer res.Body.Close()
	if res.StatusCode < 200 || res.StatusCode > 299 {
		return nil, &StatusError{URL: res.Request.URL.String(), Status: res.StatusCode}
	}
	return content(ctx, res, o)
}

// content converts a response.
func content(ctx context.Context, res *http.Response, o order) (*Page, error) {
	if coding := res.Header.Get("Content-Encoding"); coding != "" && !strings.EqualFold(coding, "identity") {
		return nil, fmt.Errorf("the server compressed it as %.40q, which was not requested", coding)
	}
	if res.ContentLength > MaxSize {
		return nil, errLarge
	}
	body := bufio.NewReader(res.Body)
	start, err := body.Peek(sniffed)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("the response ended after %d bytes: %w", len(start), plain(err))
	}
	header := res.Header.Get("Content-Type")
	p := &Page{URL: res.Request.URL.String(), Type: typeOf(header, start), Header: header, Status: res.StatusCode}
	if !readableType(p.Type) || o.Raw && p.Type == "application/pdf" {
		return nil, &TypeError{Type: p.Type}
	}
	o.Type, o.Header, o.From, o.Size = p.Type, header, p.URL, res.ContentLength
	if err := p.convertInChild(ctx, body, o); err != nil {
		return nil, err
	}
	return p, nil
}

// sniffed is how many bytes determine the type of a document.
const sniffed = 512

// plain removes "Get "https://..."" from an error: the address is reported beside it.
func plain(err error) error {
	var of *url.Error
	if errors.As(err, &of) {
		return of.Err
	}
	return err
}

// typeOf returns the media type of a response, by its content if the server does not declare it.
func typeOf(header string, body []byte) string {
	kind, _, err := mime.ParseMediaType(header)
	if err != nil || kind == "application/octet-stream" || kind == "binary/octet-stream" {
		kind, _, err = mime.ParseMediaType(http.DetectContentType(body))
	}
	if err != nil {
		return "application/octet-stream"
	}
	return kind
}

// readableType reports whether there is text in documents of a type.
func readableType(kind string) bool {
	switch kind {
	case "application/xhtml+xml", "application/pdf", "application/json", "application/xml", "application/javascript", "application/yaml":
		return true
	}
	return strings.HasPrefix(kind, "text/") || strings.HasSuffix(kind, "+json") || strings.HasSuffix(kind, "+xml")
}

// read makes text of a document by its type, or as the order says.
func (p *Page) read(body []byte, header string, from *url.URL, o *order) error {
	switch {
	case o.Raw:
		text, err := decoded(body, header)
		p.Text = text
		return err
	case p.Type == "text/html", p.Type == "application/xhtml+xml":
		doc, err := parseHTML(body, header)
		if err != nil {
			return err
		}
		if o.Extract != "" {
			return p.extract(doc, from, o.Extract)
		}
		return p.html(doc, from)
	case p.Type == "application/pdf":
		return p.parsePDF(body)
	case readableType(p.Type):
		text, err := decoded(body, header)
		p.Text = text
		return err
	}
	return &TypeError{Type: p.Type}
}
