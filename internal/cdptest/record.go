package cdptest

import (
	"net/http"
	"slices"
	"time"
)

// Request is one request the site received.
type Request struct {
	Method string
	Host   string // as the browser sent it, with the port
	Path   string // without the query
	Query  string // without the question mark
	Header http.Header
	At     time.Time
}

// Requests returns the requests received so far whose path is path, in order of arrival; all of them if path is empty.
func (s *Site) Requests(path string) []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	if path == "" {
		return slices.Clone(s.requests)
	}
	var found []Request
	for _, r := range s.requests {
		if r.Path == path {
			found = append(found, r)
		}
	}
	return found
}

// Forget empties the record of requests.
func (s *Site) Forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = nil
}

func (s *Site) recorded(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		s.requests = append(s.requests, Request{
			Method: r.Method, Host: r.Host, Path: r.URL.Path, Query: r.URL.RawQuery, Header: r.Header.Clone(), At: time.Now(),
		})
		s.mu.Unlock()
		next.ServeHTTP(w, r)
	})
}
