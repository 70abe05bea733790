package supervisor

import (
	"slices"

	"github.com/usher-browser/usher/internal/policy"
	"github.com/usher-browser/usher/internal/supervisor/fold"
	"github.com/usher-browser/usher/internal/supervisor/fold/core"
	"github.com/usher-browser/usher/internal/supervisor/fold/fetch"
	"github.com/usher-browser/usher/internal/supervisor/fold/logins"
	"github.com/usher-browser/usher/internal/supervisor/model"
)

// Fetching selects which logins of a context are noticed; see [logins.Fetching].
type Fetching = logins.Fetching

// HiddenLogin is a request that waits for a login without an event; see [logins.HiddenLogin].
type HiddenLogin = logins.HiddenLogin

// HasCredentials reports whether a context has credentials for HTTP authentication.
func (b *Browser) HasCredentials(c model.ContextID) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.credentials[c]) > 0
}

// SetCredentials sets the credentials for HTTP authentication of a context. The first that matches is used.
func (b *Browser) SetCredentials(c model.ContextID, list []policy.Credential) {
	in := &logins.SetCredentials{Context: c}
	for _, one := range list {
		in.Origins = append(in.Origins, one.Origin.String())
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.credentials[c] = slices.Clone(list)
	b.apply(fold.Input{Command: in})
	b.publish()
}

// withSecrets returns the parameters of a command, with the secrets that only the Browser has. The caller holds mu.
func (b *Browser) withSecrets(params any) any {
	switch p := params.(type) {
	case logins.CredentialAnswer:
		return b.credentialAnswer(p)
	case fetch.Continue:
		return p.Params(func(h fetch.Header) string {
			if h.Route != 0 {
				return b.routes[p.Context][h.Route].Headers[h.Name]
			}
			return b.headers[p.Context][h.Origin][h.Name]
		})
	case fetch.Fulfill:
		return b.fulfillment(p)
	}
	return params
}

// credentialAnswer returns the parameters of Fetch.continueWithAuth. The caller holds mu.
func (b *Browser) credentialAnswer(a logins.CredentialAnswer) core.Params {
	list := b.credentials[a.Context]
	if a.Number >= len(list) { // removed since: the context is gone
		return core.Params{"requestId": a.Request, "authChallengeResponse": core.Params{"response": "CancelAuth"}}
	}
	return core.Params{"requestId": a.Request, "authChallengeResponse": core.Params{
		"response": "ProvideCredentials", "username": list[a.Number].Username, "password": list[a.Number].Password()}}
}

// HiddenLogin records a hidden login that was found.
func (b *Browser) HiddenLogin(h HiddenLogin) { b.input(&h) }

// SetFetching extends which logins of a context are noticed.
func (b *Browser) SetFetching(f Fetching) { b.input(&f) }
