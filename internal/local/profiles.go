package local

import (
	"context"
	"fmt"
	"strings"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/chrome/userprofile"
	shown "github.com/usher-browser/usher/internal/plain"
)

// Profile is a profile of a browser of the user's, as `profiles` lists it.
type Profile struct {
	Directory string `json:"directory"` // its directory in the browser's user data directory; --profile takes it
	Name      string `json:"name"`      // the name that the browser shows; --profile takes it, too
	Browser   string `json:"browser"`
	Path      string `json:"path"` // the user data directory
}

// userProfiles lists the profiles of the user's browsers.
func userProfiles(ctx context.Context, req *api.Request) (Output, error) {
	all, err := userprofile.List(ctx, req.Getenv)
	out := Output{}
	if err != nil {
		out.Warning = err.Error()
	}
	if len(all) == 0 {
		return Output{}, api.Errorf(api.FileNotFound, "No Chrome user data directory found").
			WithHint("No Chrome, Chromium, Edge or Brave of this user has profiles. --profile ./DIR keeps one of its own in a directory.")
	}
	data := []Profile{}
	var text strings.Builder
	root := ""
	for _, p := range all {
		data = append(data, Profile{p.Directory, p.Name, p.Browser, p.Root})
		if p.Root != root {
			root = p.Root
			fmt.Fprintf(&text, "%s profiles (%s):\n\n", p.Browser, p.Root)
		}
		fmt.Fprintf(&text, "  %s  (%s)\n", shown.Line(p.Directory), shown.Line(p.Name))
	}
	out.Data, out.Text = data, strings.TrimSuffix(text.String(), "\n")
	return out, nil
}
