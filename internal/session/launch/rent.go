package launch

import (
	"context"
	"errors"
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
	notice, _ = c.StopAbandoned(ctx, nil)
	return notice
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

// StopAbandoned stops the sessions at providers that no daemon uses any more, and says which. The error is about those of
// the usher sessions for which fails is true that could not be stopped; the notice has others.
func (c Caller) StopAbandoned(ctx context.Context, fails func(session string) bool) (notice string, err error) {
	ids, left := provider.StopAbandoned(ctx, c.rental())
	var said []string
	if len(ids) > 0 {
		said = append(said, "stopped sessions at providers that were left running: "+strings.Join(ids, ", "))
	}
	for _, e := range left {
		if fails != nil && fails(e.Session) {
			err = errors.Join(err, e)
		} else {
			said = append(said, policy.Text(strings.ReplaceAll(e.Error(), "\n", "; ")))
		}
	}
	return strings.Join(said, "; "), err
}
