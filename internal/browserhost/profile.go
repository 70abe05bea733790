package browserhost

import (
	"context"
	"errors"
	"os"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/chrome"
)

// UserProfile is a profile of a browser of the user's.
type UserProfile = chrome.UserProfile

// FindProfile returns the profile of the user's with a name or directory name, by the variables of the user's environment;
// nil for those of this process. executable is the browser that is to use a copy of it. The error is [api.InvalidArgument] or
// [api.BrowserNotFound].
func FindProfile(ctx context.Context, env func(string) (string, bool), name, executable string) (*UserProfile, error) {
	getenv := os.Getenv
	if env != nil {
		getenv = func(name string) string { v, _ := env(name); return v }
	}
	p, err := chrome.FindUserProfile(ctx, getenv, name, executable)
	var missing *chrome.NotFoundError
	switch {
	case err == nil:
		return p, nil
	case errors.As(err, &missing):
		return nil, api.Errorf(api.BrowserNotFound, "%w", err)
	}
	return nil, api.Errorf(api.InvalidArgument, "--profile %s: %w", name, err).
		WithHint("`profiles` lists the profiles of your browsers. If you meant a directory, write its path: ./%s.", name)
}
