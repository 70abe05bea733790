package ops

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/media"
	"github.com/usher-browser/usher/internal/supervisor/model"
	"github.com/usher-browser/usher/internal/verb"
)

// downloadOf tells of a download that has begun.
func (w *Workspace) downloadOf(d *model.Download) api.Download {
	return api.Download{URL: d.URL, SuggestedName: media.PlainName(d.SuggestedName), Path: filepath.Join(w.DownloadDir, d.GUID),
		State: string(d.State), Bytes: d.Received}
}

// listDownloads lists the downloads of the session, oldest first. A complete file that nobody has moved has its own name, too.
func listDownloads(_ context.Context, e *Env, _ *verb.Call) (Result, error) {
	s := e.Browser.State()
	rows, lines := []any{}, []string{}
	for _, d := range s.Downloads {
		if !e.owns(s, d) {
			continue
		}
		one := e.downloadOf(d)
		if d.State == model.DownloadCompleted {
			path, err := underItsName(one)
			if errors.Is(err, fs.ErrNotExist) {
				path = "" // `download` or `wait --download` has moved it
			} else if err != nil {
				return Result{}, api.Errorf(api.FileWriteFailed, "name the file of %s: %w", d.URL, err)
			}
			one.Path = path
		}
		rows = append(rows, one)
		line := one.SuggestedName + "  " + one.State
		if d.State == model.DownloadInProgress && d.Total > 0 {
			line += " " + strconv.FormatInt(100*d.Received/d.Total, 10) + " %"
		}
		lines = append(lines, strings.TrimSpace(line+"  "+one.Path))
	}
	if len(lines) == 0 {
		lines = []string{"No downloads"}
	}
	return Result{Data: obj{"downloads": rows}, Text: strings.Join(lines, "\n")}, nil
}

// underItsName gives the file of a complete download the name that the server suggests, in a directory of its own; the one that
// the browser made up stays.
func underItsName(d api.Download) (string, error) {
	path := filepath.Join(d.Path+".named", d.SuggestedName)
	if _, err := os.Stat(d.Path); err != nil {
		return "", err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return "", fmt.Errorf("make a directory for it: %w", err)
	}
	if err := os.Link(d.Path, path); err != nil && !errors.Is(err, fs.ErrExist) {
		return "", err
	}
	return path, nil
}
