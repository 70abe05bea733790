package browserhost

import (
	"context"
	"os"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/chrome"
	"github.com/usher-browser/usher/internal/chrome/userprofile"
)

// UserProfile is a profile of a browser of the user's.
type UserProfile = userprofile.Profile

// FindProfile returns the profile of the user's with a name or directory name, by the variables of the user's environment;
// nil for those of this process. executable is the browser that is to use a copy of it. The error is [api.InvalidArgument] or
// [api.BrowserNotFound].
func FindProfile(ctx context.Context, env func(string) (string, bool), name, executable string) (*UserProfile, error) {
	getenv := os.Getenv
	if env != nil {
		getenv = func(name string) string { v, _ := env(name); return v }
	}
	program, err := chrome.Find(executable)
	if err != nil {
		return nil, api.Errorf(api.BrowserNotFound, "%w", err)
	}
	p, err := userprofile.Find(ctx, getenv, name, program)
	if err == nil {
		return p, nil
	}
	return nil, api.Errorf(api.InvalidArgument, "--profile %s: %w", name, err).
		WithHint("`profiles` lists the profiles of your browsers. If you meant a directory, write its path: ./%s.", name)
}
