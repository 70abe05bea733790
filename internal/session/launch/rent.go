package launch

import (
	"context"
	"path/filepath"
	"strings"

	"github.com/usher-browser/usher/internal/policy"
	"github.com/usher-browser/usher/internal/provider"
	"github.com/usher-browser/usher/internal/session/options"
	"github.com/usher-browser/usher/internal/wire"
)

// rents adds to the launch options what renting a browser needs, and stops sessions at providers that an earlier daemon
// has left. The notice is about those.
func (c Caller) rents(ctx context.Context, o *options.Launch) (notice string) {
	if o.Browser.Provider.Name == "" {
		return ""
	}
	with := c.rental()
	with.Name, with.Proxy = o.Browser.Provider.Name, o.Browser.Provider.Proxy
	o.Browser.Provider = with
	return c.StopAbandoned(ctx)
}

// rental returns what package provider needs of the command.
func (c Caller) rental() provider.Options {
	roots, _ := wire.Roots(c.Settings.Str("ca-cert")) // a bad file fails where a browser starts
	return provider.Options{
		Roots: roots,
		Env:   c.Env, Agent: "usher/" + c.Version,
		Dir: filepath.Join(c.StateDir, "rented"), Session: c.FullName,
	}
}

// StopAbandoned stops the sessions at providers that no daemon uses any more, and says which.
func (c Caller) StopAbandoned(ctx context.Context) (notice string) {
	ids, err := provider.StopAbandoned(ctx, c.rental())
	var said []string
	if len(ids) > 0 {
		said = append(said, "stopped sessions at providers that were left running: "+strings.Join(ids, ", "))
	}
	if err != nil {
		said = append(said, policy.Text(strings.ReplaceAll(err.Error(), "\n", "; ")))
	}
	return strings.Join(said, "; ")
}
