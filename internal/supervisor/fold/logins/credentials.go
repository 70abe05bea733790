package logins

import (
	"slices"

	"github.com/usher-browser/usher/internal/policy"
	"github.com/usher-browser/usher/internal/supervisor/fold/core"
	"github.com/usher-browser/usher/internal/supervisor/model"
)

// Credentials are chosen by the fold and filled in by the Browser: the fold has the origins for which there are some,
// the Browser alone has the passwords, so no state, change or recording can contain one.

// SetCredentials sets which logins of a context are answered with credentials.
type SetCredentials struct {
	Context model.ContextID
	// Origins are the patterns of the credentials, in their order; empty matches any origin.
	Origins []string
}

// InputName returns the name in recordings.
func (*SetCredentials) InputName() string { return "SetCredentials" }

// challenge identifies a login prompt, independent of the request and the attempt.
type challenge struct {
	context        model.ContextID
	source, scheme string
	origin, realm  string
}

// credentials are the fold's share of them, for one context.
type credentials struct {
	origins []policy.Pattern
	refused map[challenge]bool // challenges that refused their credential
}

// CredentialAnswer stands for the parameters of Fetch.continueWithAuth that the Browser fills in: with the credential
// of that number.
type CredentialAnswer struct {
	Context model.ContextID
	Number  int
	Request string
}

func (m *Logins) setCredentials(c *SetCredentials) {
	have := credentials{refused: map[challenge]bool{}}
	for _, text := range c.Origins {
		p, err := policy.ParseOrigin(text)
		if err != nil { // they were checked; a recording may contain anything
			continue
		}
		have.origins = append(have.origins, p)
	}
	m.credentials[c.Context] = have
	m.claim(c.Context)
}

// credentialFor returns the number of the credential for a login of an origin, -1 if there is none.
func (m *Logins) credentialFor(c model.ContextID, origin string) int {
	return slices.IndexFunc(m.credentials[c].origins, func(p policy.Pattern) bool { return p.Match(origin) })
}

// answerKnown answers a login with a credential that has not been refused. It reports whether it did.
func (m *Logins) answerKnown(session string, l *model.Login, asked challenge) bool {
	number := m.credentialFor(asked.context, asked.origin)
	if number < 0 || m.credentials[asked.context].refused[asked] {
		return false
	}
	if l.Attempt > 1 { // after one answer, another try would repeat for ever
		refused := m.credentials[asked.context].refused
		if len(refused) >= maxAttempts {
			clear(refused)
		}
		refused[asked] = true
		return false
	}
	m.Send(session, "Fetch.continueWithAuth", CredentialAnswer{asked.context, number, l.Request}, core.Tag{})
	return true
}
