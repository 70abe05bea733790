package wire

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net/http"
	"net/url"
)

// Shown returns the address of a browser for messages: without user name, password, query and fragment, in which services
// expect their keys.
func Shown(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return "the address"
	}
	u.User, u.RawQuery, u.Fragment, u.ForceQuery = nil, "", "", false
	return u.String()
}

// Access is what requests to a browser's address need besides the address. A nil *Access stands for nothing.
type Access struct {
	// Header is sent with every request to the origin that was asked first: a redirect to another origin is followed without
	// it, and without a Referer.
	Header http.Header
	// Roots are the certificate authorities that are trusted; nil for those of the system.
	Roots *x509.CertPool
}

func (a *Access) header() http.Header {
	if a == nil {
		return nil
	}
	return a.Header.Clone()
}

// Apply adds the headers to a request.
func (a *Access) Apply(req *http.Request) {
	for name, values := range a.header() {
		req.Header[http.CanonicalHeaderKey(name)] = values
	}
}

// Client returns an HTTP client for requests that Apply was called for.
func (a *Access) Client() *http.Client {
	t := &http.Transport{DisableKeepAlives: true, Proxy: http.ProxyFromEnvironment}
	if a != nil && a.Roots != nil {
		t.TLSClientConfig = &tls.Config{RootCAs: a.Roots, MinVersion: tls.VersionTLS12}
	}
	return &http.Client{Transport: t, CheckRedirect: func(req *http.Request, via []*http.Request) error {
		if len(via) >= maxRedirects {
			return errors.New("it redirects too often")
		}
		if !sameOrigin(req.URL, via[0].URL) {
			req.Header.Del("Referer") // the query of the address that redirects may contain a key
			for name := range a.header() {
				req.Header.Del(name)
			}
		}
		return nil
	}}
}

// maxRedirects is the limit of net/http.
const maxRedirects = 10

// sameOrigin compares schemes and hosts. The schemes of WebSockets are those of HTTP by now.
func sameOrigin(a, b *url.URL) bool { return a.Scheme == b.Scheme && a.Host == b.Host }

// withoutURL returns an error of net/http without the address, which may contain a key.
func withoutURL(err error) error {
	var inner *url.Error
	if errors.As(err, &inner) {
		return inner.Err
	}
	return err
}
