// Package provider starts and stops browsers at services that rent them.
//
// [Open] creates a session over the HTTP API of a service and returns the address at which its browser speaks CDP;
// [Browser.Stop] ends the session. Sessions cost money while they run, so each is written to a directory until it is
// stopped: [StopAbandoned] stops those whose process ended without doing so. The files contain no key.
//
// No error, file or log contains a key, whatever a service answers.
package provider

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/wire"
)

// Options are what Open needs.
type Options struct {
	// Name is the name of a service: see [Names].
	Name string
	// Env is the environment of the caller, which has the keys.
	Env func(name string) (string, bool)
	// Roots are the certificate authorities to trust; nil for those of the system.
	Roots *x509.CertPool
	// Agent is the User-Agent of the requests.
	Agent string
	// Proxy is a proxy server for the browser, which only some services accept: see [Passes].
	Proxy string
	// Dir is the directory of the sessions that run; empty for none. Session is the name of the usher session.
	Dir, Session string
}

// Limits of requests. A new browser takes some seconds, with a queue before it longer.
const (
	openLimit = 30 * time.Second
	stopLimit = 10 * time.Second
)

// longestSession is after how long no service keeps a session running. Kernel's limit is the longest: 72 hours.
const longestSession = 7 * 24 * time.Hour

// service is what is special about one.
type service struct {
	name  string
	title string // as the service spells it
	key   string // the variable with the key
	page  string // where keys and limits are shown
	// at is the variable that replaces base, the address of the API.
	at, base string
	// passes are the launch options that open passes on.
	passes []string
	// authorize sets up a client: its base and its keys.
	authorize func(ctx context.Context, c *client) error
	open      func(ctx context.Context, c *client) (opened, error)
	// stop ends the session with that reference.
	stop func(ctx context.Context, c *client, ref string) error
	// access is for the address of the browser, at the time of the call; nil for nothing.
	access func(c *client, endpoint string) (wire.Access, error)
}

// opened is a session that a service has started.
type opened struct {
	id       string // as the service shows it
	ref      string // what stop needs besides the environment; no key
	endpoint string // ws, wss, http or https
}

// services is a function so that nothing is made at the start of the program.
func services() []*service {
	return []*service{agentCore(), browserbase(), browserless(), browserUse(), kernel()}
}

// Names returns the names of the services, sorted.
func Names() []string {
	names := make([]string, 0, 5)
	for _, s := range services() {
		names = append(names, s.name)
	}
	return names
}

// Passes returns the launch options that a service accepts.
func Passes(name string) []string {
	if s := find(name); s != nil {
		return s.passes
	}
	return nil
}

func find(name string) *service {
	all := services()
	i := slices.IndexFunc(all, func(s *service) bool { return s.name == name })
	if i < 0 {
		return nil
	}
	return all[i]
}

// Browser is a browser at a service.
type Browser struct {
	// Provider is the name of the service, ID the session's there.
	Provider, ID string
	// Endpoint is the address of the browser: that of its WebSocket, or one whose /json/version names it. It may contain a
	// key.
	Endpoint string

	service *service
	client  *client
	note    record

	mu      sync.Mutex
	stopped bool // guarded by mu
}

// Open starts a session. The caller stops it. The error is an *api.Error.
func Open(ctx context.Context, o Options) (*Browser, error) {
	s := find(o.Name)
	if s == nil {
		return nil, api.Errorf(api.InvalidArgument, "there is no provider %q: the known ones are %s", o.Name, strings.Join(Names(), ", "))
	}
	ctx, cancel := context.WithTimeoutCause(ctx, openLimit, errLate)
	defer cancel()
	c, err := s.client(ctx, o)
	if err != nil {
		return nil, err
	}
	got, err := s.open(ctx, c)
	if err != nil {
		return nil, err
	}
	b := &Browser{Provider: s.name, ID: got.id, Endpoint: got.endpoint, service: s, client: c}
	b.note = record{Provider: s.name, ID: got.id, Ref: got.ref, Session: o.Session, Started: time.Now().UTC()}
	if err := b.usable(); err != nil {
		return nil, b.givenUp(ctx, err)
	}
	if o.Dir != "" {
		if err := b.note.keep(o.Dir); err != nil {
			return nil, b.givenUp(ctx, api.Errorf(api.FileWriteFailed, "note the %s session: %w", s.title, err))
		}
	}
	return b, nil
}

// usable returns an error if the answer of the service lacks what is needed.
func (b *Browser) usable() error {
	u, err := url.Parse(b.Endpoint)
	switch {
	case b.Endpoint == "":
		return b.client.fail("it started a session without the address of its browser")
	case err != nil || u.Host == "" || !slices.Contains([]string{"ws", "wss", "http", "https"}, u.Scheme):
		return b.client.fail("the address of its browser is %.40q, which is neither a WebSocket nor HTTP", wire.Shown(b.client.hide(b.Endpoint)))
	case b.ID == "":
		return b.client.fail("it started a session without an id")
	case strings.ContainsFunc(b.ID, func(r rune) bool { return r <= ' ' || r > '~' }): // it is printed
		return b.client.fail("it started a session with the id %.60q, which is none", b.ID)
	}
	return nil
}

// givenUp stops a session that cannot be used, and returns the reason.
func (b *Browser) givenUp(ctx context.Context, why error) error {
	if b.ID == "" {
		return why
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopLimit)
	defer cancel()
	return errors.Join(why, b.Stop(ctx))
}

// Access returns what connecting to Endpoint needs now.
func (b *Browser) Access() (*wire.Access, error) {
	a := wire.Access{Roots: b.client.roots}
	if b.service.access != nil {
		signed, err := b.service.access(b.client, b.Endpoint)
		if err != nil {
			return nil, err
		}
		a.Header = signed.Header
	}
	return &a, nil
}

// Refused returns the error when the browser of the session cannot be reached.
func (b *Browser) Refused(err error) error {
	host := "its address"
	if u, bad := url.Parse(b.Endpoint); bad == nil {
		host = u.Scheme + "://" + u.Host
	}
	text := b.client.hide(strings.ReplaceAll(err.Error(), wire.Shown(b.Endpoint), host))
	out := b.client.fail("session %s started, but its browser at %s cannot be reached: %s", b.ID, host, text)
	return out.With("remoteSession", b.ID).WithHint("The session was stopped. Repeat the command; %s shows the sessions and why they ended.", b.service.page)
}

// Stop ends the session. It does nothing if that was done; after an error it can be repeated. A session that the service
// does not know any more is ended.
func (b *Browser) Stop(ctx context.Context) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.stopped {
		return nil
	}
	if err := b.service.end(ctx, b.client, b.note.Ref); err != nil {
		return errors.Join(stillRunning(b.client, b.ID, err), b.note.release())
	}
	b.stopped = true
	return b.note.forget()
}

// end stops a session within a limit.
func (s *service) end(ctx context.Context, c *client, ref string) error {
	ctx, cancel := context.WithTimeoutCause(ctx, stopLimit, errLate)
	defer cancel()
	err := s.stop(ctx, c, ref)
	var refused *refusedError
	if errors.As(err, &refused) && refused.gone() {
		return nil
	}
	return err
}

func stillRunning(c *client, id string, err error) error {
	return api.Errorf(api.ProviderFailed, "stop %s session %s: %w", c.service.title, id, err).
		With("provider", c.service.name).With("remoteSession", id).
		WithHint("It may go on and cost money until its time is over: repeat `close`, or stop it at %s.", c.service.page)
}

// StopAbandoned stops the sessions in a directory whose process has ended without stopping them, as far as the keys are in
// the environment. It returns the ids of those that it stopped, and errors about those that it could not stop.
func StopAbandoned(ctx context.Context, o Options) (ids []string, left []*LeftError) {
	for _, r := range abandoned(o.Dir) {
		done, err := r.stop(ctx, o)
		if done {
			ids = append(ids, r.ID)
		}
		if err = errors.Join(err, r.release()); err != nil {
			left = append(left, &LeftError{Session: r.Session, Err: err})
		}
	}
	return ids, left
}

// LeftError is the error about a session at a provider that was not stopped.
type LeftError struct {
	Session string // the usher session, with its namespace
	Err     error
}

func (e *LeftError) Error() string { return e.Err.Error() }

// Unwrap returns the cause.
func (e *LeftError) Unwrap() error { return e.Err }

// stop stops the session of a record and removes the record; done is false if it did not have to be stopped, or could not.
func (r *record) stop(ctx context.Context, o Options) (done bool, err error) {
	s := find(r.Provider)
	if s == nil || time.Since(r.Started) > longestSession {
		return false, r.forget()
	}
	c, err := s.client(ctx, o)
	if err != nil { // without the key nothing can be done
		return false, fmt.Errorf("%s session %s of session %s was not stopped: %w", s.title, r.ID, r.Session, err)
	}
	if err := s.end(ctx, c, r.Ref); err != nil {
		return false, stillRunning(c, r.ID, err)
	}
	return true, r.forget()
}
