package session

import (
	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/config"
	"github.com/usher-browser/usher/internal/policy"
	"github.com/usher-browser/usher/internal/session/options"
)

// domains returns the list of allowed domains for a command: the given one, or that of the session; nil for none.
func (s *Session) domains(set *config.Settings) (*policy.Domains, error) {
	words := set.List(options.AllowedDomains)
	if !set.Given(options.AllowedDomains) {
		s.mu.Lock()
		words = s.contained
		s.mu.Unlock()
		if len(words) == 0 {
			return nil, nil //nolint:nilnil // no list
		}
	}
	d, err := policy.ParseDomains(words)
	if err != nil {
		return nil, api.Errorf(api.InvalidArgument, "%s: %w", set.Value(options.AllowedDomains).Where, err)
	}
	return d, nil
}
