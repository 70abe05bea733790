package host

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"

	"github.com/chromedp/cdproto/extensions"
	"github.com/go-json-experiment/json"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/files"
)

// Extension is an unpacked extension of the browser (--extension).
type Extension struct {
	ID      string `json:"id"`   // the host of its addresses, chrome-extension://ID/
	Name    string `json:"name"` // as its manifest has it: a message of its own may stand for it
	Version string `json:"version"`
	Path    string `json:"path"` // its directory
}

// maxManifest bounds the manifest of an extension, in bytes.
const maxManifest = 1 << 20

// readExtension reads the manifest of the extension in a directory.
func readExtension(ctx context.Context, dir string) (Extension, error) {
	path := filepath.Join(dir, "manifest.json")
	refused := func(format string, args ...any) (Extension, error) {
		return Extension{}, api.Errorf(api.InvalidArgument, "--extension %s: "+format, append([]any{dir}, args...)...).With("path", path).
			WithHint("Give the directory of an unpacked extension, in which manifest.json is. A .crx file has to be unpacked first.")
	}
	text, err := files.Read(ctx, path, maxManifest)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return refused("there is no %s", path)
	case err != nil:
		return refused("%w", err)
	}
	var m struct {
		Version  int    `json:"manifest_version"`
		Name     string `json:"name"`
		Released string `json:"version"`
	}
	if err := json.Unmarshal(text, &m); err != nil {
		return refused("%s is no manifest: %w", path, err)
	}
	if m.Version < 3 {
		return refused("its manifest_version is %d, and Chromium runs extensions of version 3", m.Version)
	}
	return Extension{Name: m.Name, Version: m.Released, Path: dir}, nil
}

// readExtensions reads the manifests of the extensions that a browser is to have, before it is launched.
func readExtensions(ctx context.Context, dirs []string) ([]Extension, error) {
	var out []Extension
	for _, dir := range dirs {
		e, err := readExtension(ctx, dir)
		if err != nil {
			return nil, err
		}
		out = append(out, e)
	}
	return out, nil
}

// loadExtensions loads the extensions into the browser, before it has a page. Chromium allows it over a pipe only.
func (h *Host) loadExtensions(ctx context.Context) error {
	for i := range h.Extensions {
		e := &h.Extensions[i]
		got, err := cdp.Do(ctx, h.Supervisor.Session(""), extensions.LoadUnpacked, extensions.LoadUnpackedParams{Path: e.Path})
		if err != nil {
			return api.Errorf(api.LaunchFailed, "--extension %s: the browser did not load it: %w", e.Path, err).With("path", e.Path).
				WithHint("Correct the extension, or start without it.")
		}
		e.ID = got.ID
	}
	return nil
}
