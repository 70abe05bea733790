package code

import (
	"context"
	"os"
	"path/filepath"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/verb"
)

// fileResult is the result of operations that make a file: its bytes, in base64.
type fileResult struct {
	Data []byte `json:"data"`
	Page page   `json:"page"`
}

// screenshotParams are the parameters of page.screenshot.
type screenshotParams struct {
	Selector string `json:"selector"`
	Frame    string `json:"frame"`
	Path     string `json:"path"`
	Type     string `json:"type"` // png, jpeg or webp
	Quality  int    `json:"quality"`
	FullPage bool   `json:"fullPage"`
}

// screenshot takes a picture and returns it.
func (o operation) screenshot(ctx context.Context, params jsontext.Value) (any, error) {
	var p screenshotParams
	if err := json.Unmarshal(params, &p); err != nil {
		return nil, api.Errorf(api.InvalidArgument, "screenshot: %w", err)
	}
	values := verb.Values{}
	if p.Selector != "" {
		values.Set("selector", p.Selector)
	}
	if p.FullPage {
		values.Set("full", true)
	}
	ending := p.Type
	if ending == "" {
		ending = "png"
		if ext := filepath.Ext(p.Path); ext != "" {
			ending = ext[1:]
		}
	} else {
		values.Set("screenshot-format", p.Type)
	}
	if p.Quality != 0 {
		values.Set("screenshot-quality", p.Quality)
	}
	return o.file(ctx, "screenshot", values, p.Path, ending)
}

// pdf prints the page and returns the document.
func (o operation) pdf(ctx context.Context, params jsontext.Value) (any, error) {
	var p struct {
		Path string `json:"path"`
	}
	if err := json.Unmarshal(params, &p); err != nil {
		return nil, api.Errorf(api.InvalidArgument, "pdf: %w", err)
	}
	return o.file(ctx, "pdf", verb.Values{}, p.Path, "pdf")
}

// file runs a command that writes a file and returns the file. Without a path the file is removed again.
func (o operation) file(ctx context.Context, name string, values verb.Values, path, ending string) (any, error) {
	if path == "" {
		dir, err := os.MkdirTemp("", "usher-run-")
		if err != nil {
			return nil, api.Errorf(api.FileWriteFailed, "%s: %w", name, err)
		}
		defer os.RemoveAll(dir)
		path = filepath.Join(dir, "file."+ending)
	} else if !filepath.IsAbs(path) {
		path = filepath.Join(o.order.Cwd, path)
	}
	values.Set("path", path)
	limit, given := o.limit(commandParams{Waits: true})
	if _, err := o.session.Command(ctx, Command{Tab: string(o.tab), Name: name, Values: values, Limit: limit, Limited: given}); err != nil {
		return nil, err
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, api.Errorf(api.FileWriteFailed, "%s: %w", name, err)
	}
	return fileResult{Data: data, Page: o.page()}, nil
}
