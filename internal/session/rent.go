package session

import (
	"context"
	"path/filepath"
	"strings"

	"github.com/usher-browser/usher/internal/browserhost"
	"github.com/usher-browser/usher/internal/policy"
	"github.com/usher-browser/usher/internal/provider"
	"github.com/usher-browser/usher/internal/session/options"
)

// rents adds to the launch options what renting a browser needs, and stops sessions at providers that an earlier daemon
// has left. The notice is about those.
func (s *Session) rents(ctx context.Context, cmd Command, o *options.Launch) (notice string) {
	if o.Browser.Provider.Name == "" {
		return ""
	}
	with := s.rental(cmd)
	with.Name, with.Proxy = o.Browser.Provider.Name, o.Browser.Provider.Proxy
	o.Browser.Provider = with
	return s.stopAbandoned(ctx, cmd)
}

// rental returns what package provider needs of a command.
func (s *Session) rental(cmd Command) provider.Options {
	return provider.Options{
		Env: cmd.Env, Agent: "usher/" + s.reg.opts.Version,
		Dir: filepath.Join(s.reg.opts.StateDir, "rented"), Session: s.key.String(),
	}
}

// stopAbandoned stops the sessions at providers that no daemon uses any more, and says which.
func (s *Session) stopAbandoned(ctx context.Context, cmd Command) (notice string) {
	ids, err := provider.StopAbandoned(ctx, s.rental(cmd))
	var said []string
	if len(ids) > 0 {
		said = append(said, "stopped sessions at providers that were left running: "+strings.Join(ids, ", "))
	}
	if err != nil {
		said = append(said, policy.Text(strings.ReplaceAll(err.Error(), "\n", "; ")))
	}
	return strings.Join(said, "; ")
}

// rentals returns the sessions of a namespace with a rented browser, and where it is.
func (r *Registry) rentals(namespace string) map[string]browserhost.Rental {
	found := map[string]browserhost.Rental{}
	for _, s := range r.live() {
		if h, _ := s.browserContext(); h != nil && s.key.namespace == namespace && h.browser.Rental().Provider != "" {
			found[s.name] = h.browser.Rental()
		}
	}
	return found
}
