package code

import (
	"context"
	"io"
	"os"
	"path/filepath"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/command/run"
	"github.com/usher-browser/usher/internal/media"
	"github.com/usher-browser/usher/internal/session/code/known"
	"github.com/usher-browser/usher/internal/verb"
)

// fileResult is the result of operations that make a file: its bytes, in base64.
type fileResult struct {
	Data []byte     `json:"data"`
	Page known.Page `json:"page"`
	// result is that of the command.
	result any
}

// screenshotParams are the parameters of page.screenshot.
type screenshotParams struct {
	Selector string `json:"selector"`
	Frame    string `json:"frame"`
	Path     string `json:"path"`
	Type     string `json:"type"` // png, jpeg or webp
	Quality  int    `json:"quality"`
	FullPage bool   `json:"fullPage"`
	// Clip is a part of the page, in CSS pixels.
	Clip    *clip    `json:"clip"`
	Timeout *float64 `json:"timeout"` // in milliseconds
}

// ending is that of the file: the type of the picture, or what the path says.
func (p *screenshotParams) ending() string {
	switch ext := filepath.Ext(p.Path); {
	case p.Type != "":
		return p.Type
	case ext != "":
		return ext[1:]
	}
	return "png"
}

type clip struct {
	X      float64 `json:"x"`
	Y      float64 `json:"y"`
	Width  float64 `json:"width"`
	Height float64 `json:"height"`
	Scale  float64 `json:"scale"`
}

// screenshot takes a picture and returns it.
func (o operation) screenshot(ctx context.Context, params jsontext.Value) (any, error) {
	var p screenshotParams
	if err := json.Unmarshal(params, &p); err != nil {
		return nil, api.Errorf(api.InvalidArgument, "screenshot: %w", err)
	}
	if p.Clip != nil {
		return o.clipped(ctx, p)
	}
	values := verb.Values{}
	if p.Selector != "" {
		values.Set("selector", p.Selector)
	}
	if p.FullPage {
		values.Set("full", true)
	}
	ending := p.ending()
	if p.Type != "" {
		values.Set("screenshot-format", p.Type)
	}
	if p.Quality != 0 {
		values.Set("screenshot-quality", p.Quality)
	}
	return o.file(ctx, "screenshot", values, p.Path, ending, p.Timeout)
}

// clipped takes a picture of a part of the page.
func (o operation) clipped(ctx context.Context, p screenshotParams) (any, error) {
	if p.Clip.Width <= 0 || p.Clip.Height <= 0 {
		return nil, api.Errorf(api.InvalidArgument, "screenshot: clip needs a width and a height greater than 0")
	}
	if p.Clip.Scale == 0 {
		p.Clip.Scale = 1
	}
	format := p.ending()
	if format == "jpg" {
		format = "jpeg"
	}
	params := map[string]any{"format": format, "clip": p.Clip, "captureBeyondViewport": p.FullPage}
	if p.Quality != 0 {
		params["quality"] = p.Quality
	}
	limit, _ := o.limit(p.Timeout)
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	return o.made(ctx, "Page.captureScreenshot", params, p.Path)
}

// made makes a CDP call for a file, and returns the file.
func (o operation) made(ctx context.Context, method string, params map[string]any, path string) (any, error) {
	var got struct {
		Data []byte `json:"data"`
	}
	err := o.inTab(ctx, func(ctx context.Context, e *run.Env) error {
		tab, err := e.CurrentTab()
		if err != nil {
			return err
		}
		if err := e.MayEnter(ctx, tab.Main); err != nil {
			return err
		}
		if path != "" {
			path = e.Path(path)
			if err := e.MaySave(method, path); err != nil {
				return err
			}
		}
		ctx, stop := e.Guard(ctx)
		defer stop()
		if err := e.Browser.Session(tab.Session).Call(ctx, method, params, &got); err != nil || path == "" {
			return e.Explain(err, method)
		}
		return media.Write(path, func(w io.Writer) error { _, err := w.Write(got.Data); return err })
	})
	if err != nil {
		return nil, err
	}
	return fileResult{Data: got.Data, Page: o.page()}, nil
}

// pdf prints the page and returns the document.
func (o operation) pdf(ctx context.Context, params jsontext.Value) (any, error) {
	var p struct {
		Path    string         `json:"path"`
		Options map[string]any `json:"options"` // of Page.printToPDF
	}
	if err := json.Unmarshal(params, &p); err != nil {
		return nil, api.Errorf(api.InvalidArgument, "pdf: %w", err)
	}
	if len(p.Options) > 0 {
		return o.made(ctx, "Page.printToPDF", p.Options, p.Path)
	}
	return o.file(ctx, "pdf", verb.Values{}, p.Path, "pdf", nil)
}

// storageState returns cookies and storage in Playwright's form.
func (o operation) storageState(ctx context.Context, params jsontext.Value) (any, error) {
	var p struct {
		Path string `json:"path"`
	}
	if err := json.Unmarshal(params, &p); err != nil {
		return nil, api.Errorf(api.InvalidArgument, "storageState: %w", err)
	}
	if o.session.Redacts() {
		return nil, api.Errorf(api.Unsupported, "storageState: under the site guard code is not given saved states, because they contain logins").
			WithHint("Save it in usher's own directory with the command `state save NAME`, and load it with `state load NAME`.")
	}
	got, err := o.fileOf(ctx, "state save", "file", verb.Values{}, p.Path, "json", nil)
	if err != nil {
		return nil, err
	}
	state := jsontext.Value(got.(fileResult).Data)
	if !state.IsValid() {
		return nil, api.Errorf(api.Unsupported, "storageState: saved states are encrypted, and code is not given them").WithHint("Save it with a path, and load it with `state load`.")
	}
	return struct {
		State jsontext.Value `json:"state"`
		Page  known.Page     `json:"page"`
	}{state, o.page()}, nil
}

// file runs a command that writes a file and returns the file. Without a path the file is removed again.
func (o operation) file(ctx context.Context, name string, values verb.Values, path, ending string, timeout *float64) (any, error) {
	return o.fileOf(ctx, name, "path", values, path, ending, timeout)
}

func (o operation) fileOf(ctx context.Context, name, argument string, values verb.Values, path, ending string, timeout *float64) (any, error) {
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
	values.Set(argument, path)
	limit, given := o.limit(timeout)
	res, err := o.session.Command(ctx, Command{Tab: string(o.tab), Name: name, Values: values, Limit: limit, Limited: given})
	if err != nil {
		return nil, err
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, api.Errorf(api.FileWriteFailed, "%s: %w", name, err)
	}
	return fileResult{Data: data, Page: o.page(), result: res.Data}, nil
}
