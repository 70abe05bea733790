package download

import (
	"context"
	"errors"
	"io/fs"
	"strconv"
	"strings"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/command/run"
	"github.com/usher-browser/usher/internal/command/run/downloads"
	"github.com/usher-browser/usher/internal/supervisor/model"
	"github.com/usher-browser/usher/internal/verb"
)

// List is the result of `downloads`, oldest first.
type List struct {
	Downloads []api.Download `json:"downloads"`
}

// listDownloads returns the downloads of the session, oldest first. A complete file that has not been moved is also
// linked under its own name.
func listDownloads(_ context.Context, e *run.Env, _ *verb.Call) (run.Reply[List], error) {
	s := e.Browser.State()
	data, lines := List{Downloads: []api.Download{}}, []string{}
	for _, d := range s.Downloads {
		if !e.Downloads.Owns(s, d) {
			continue
		}
		one := e.Downloads.Result(d)
		if d.State == model.DownloadCompleted {
			path, err := downloads.LinkAsSuggested(one)
			if errors.Is(err, fs.ErrNotExist) {
				path = "" // `download` or `wait --download` has moved it
			} else if err != nil {
				return run.Reply[List]{}, api.Errorf(api.FileWriteFailed, "name the file of %s: %w", d.URL, err)
			}
			one.Path = path
		}
		data.Downloads = append(data.Downloads, one)
		line := one.SuggestedName + "  " + one.State
		if d.State == model.DownloadInProgress && d.Total > 0 {
			line += " " + strconv.FormatInt(100*d.Received/d.Total, 10) + " %"
		}
		lines = append(lines, strings.TrimSpace(line+"  "+one.Path))
	}
	if len(lines) == 0 {
		lines = []string{"No downloads"}
	}
	return run.Reply[List]{Data: data, Text: strings.Join(lines, "\n")}, nil
}
