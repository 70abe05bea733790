package code

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/command/capture"
	"github.com/usher-browser/usher/internal/command/read"
	"github.com/usher-browser/usher/internal/command/run"
	"github.com/usher-browser/usher/internal/media/ladder"
	"github.com/usher-browser/usher/internal/reader"
	"github.com/usher-browser/usher/internal/session/code/known"
	"github.com/usher-browser/usher/internal/session/code/observed"
	"github.com/usher-browser/usher/internal/session/code/report"
	"github.com/usher-browser/usher/internal/verb"
	"github.com/usher-browser/usher/internal/view"
)

// observation is the result of page.observe, without address and size of the page, which the code's side reads.
type observation struct {
	URL      string             `json:"url"`
	Title    string             `json:"title"`
	Elements []observed.Element `json:"elements"`
	Page     known.Page         `json:"page"`
}

// observe returns the elements that the page shows, from one snapshot. Handles of them are made when they are used.
func (o operation) observe(ctx context.Context, params jsontext.Value) (any, error) {
	var p struct {
		All    bool `json:"includeAll"`
		InView bool `json:"viewportOnly"`
	}
	if err := json.Unmarshal(params, &p); err != nil {
		return nil, api.Errorf(api.InvalidArgument, "observe: %w", err)
	}
	out := observation{Elements: []observed.Element{}}
	err := o.inTab(ctx, func(ctx context.Context, e *run.Env) error {
		ctx, stop := e.Guard(ctx)
		defer stop()
		shot, _, err := read.Peek(ctx, e, view.Options{Interactive: true, States: true, Title: true})
		if err != nil {
			return e.Explain(err, "observe")
		}
		var inView map[int]bool
		if p.InView {
			if inView, err = capture.InView(ctx, e, shot); err != nil {
				return e.Explain(err, "observe")
			}
		}
		out.URL, out.Title = shot.URL, shot.Title
		out.Elements = observed.Of(shot, p.All, inView)
		return nil
	})
	out.Page = o.page()
	return out, err
}

// extract returns the readable part of the page; null if it has none.
func (o operation) extract(ctx context.Context, params jsontext.Value) (any, error) {
	var p struct {
		HTML   string `json:"html"`
		URL    string `json:"url"`
		Format string `json:"format"`
	}
	if err := json.Unmarshal(params, &p); err != nil {
		return nil, api.Errorf(api.InvalidArgument, "extract: %w", err)
	}
	if p.Format != reader.AsText && p.Format != reader.AsMarkdown {
		return nil, api.Errorf(api.InvalidArgument, "extract: the format %.40q is neither %s nor %s", p.Format, reader.AsMarkdown, reader.AsText)
	}
	got, err := reader.ExtractFrom(ctx, p.URL, p.HTML, p.Format)
	if err != nil {
		return nil, api.Errorf(api.EvaluationFailed, "extract: %w", err)
	}
	return struct {
		Extracted *reader.Extract `json:"extracted"`
		Page      known.Page      `json:"page"`
	}{got, o.page()}, nil
}

// pictureParams are the parameters of page.picture.
type pictureParams struct {
	Selector string `json:"selector"`
	FullPage bool   `json:"fullPage"`
	Save     string `json:"save"`
	Silent   bool   `json:"silent"`
}

// shots are the pictures of a run. The zero value has none.
type shots struct {
	mu   sync.Mutex
	list []report.Screenshot // guarded by mu
}

func (s *shots) add(one report.Screenshot) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.list = append(s.list, one)
}

func (s *shots) all() []report.Screenshot {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.list)
}

// picture takes a picture, saves it, and returns what is displayed of it.
func (o operation) picture(ctx context.Context, params jsontext.Value) (any, error) {
	var p pictureParams
	if err := json.Unmarshal(params, &p); err != nil {
		return nil, api.Errorf(api.InvalidArgument, "screenshot: %w", err)
	}
	values := verb.Values{}
	if p.Selector != "" {
		values.Set("selector", p.Selector)
	} else if p.FullPage {
		values.Set("full", true)
	}
	values.Set("screenshot-format", "png")
	got, err := o.file(ctx, "screenshot", values, p.Save, "png", nil)
	if err != nil {
		return nil, err
	}
	full := got.(fileResult).Data
	fitted := ladder.Fit(full)
	shot := report.Screenshot{Dest: p.Save, MIMEType: "image/png", Bytes: len(full), Width: fitted.FromWidth, Height: fitted.FromHeight}
	if p.Save != "" {
		if !filepath.IsAbs(p.Save) {
			shot.Dest = filepath.Join(o.order.Cwd, p.Save)
		}
	} else if shot, err = keep(fitted); err != nil {
		return nil, err
	}
	o.shots.add(shot)
	out := struct {
		report.Screenshot
		Display []any      `json:"display,omitzero"`
		Page    known.Page `json:"page"`
	}{Screenshot: shot, Page: o.page()}
	if !p.Silent {
		out.Display = []any{captured(shot, fitted), map[string]any{"type": "image", "data": fitted.Data, "mimeType": fitted.MIMEType}}
	}
	return out, nil
}

// labels takes a picture in which what can be acted on has numbers, of the page or of an element.
func (o operation) labels(ctx context.Context, params jsontext.Value) (any, error) {
	var p pictureParams
	if err := json.Unmarshal(params, &p); err != nil {
		return nil, api.Errorf(api.InvalidArgument, "screenshot: %w", err)
	}
	values := verb.Values{}
	if p.Selector != "" {
		values.Set("selector", p.Selector)
	}
	values.Set("screenshot-format", "png")
	values.Set("annotate", true)
	got, err := o.file(ctx, "screenshot", values, "", "png", nil)
	if err != nil {
		return nil, err
	}
	var shot capture.Screenshot
	raw, err := json.Marshal(got.(fileResult).result) // it may have been redacted, and encoded for that
	if err == nil {
		err = json.Unmarshal(raw, &shot)
	}
	if err != nil {
		return nil, api.Errorf(api.Internal, "screenshot: %w", err)
	}
	text := make([]string, 0, len(shot.Annotations))
	for _, a := range shot.Annotations {
		text = append(text, a.String())
	}
	fitted := ladder.Fit(got.(fileResult).Data)
	return struct {
		Data     []byte     `json:"data"`
		MIMEType string     `json:"mimeType"`
		Text     string     `json:"text"`
		Page     known.Page `json:"page"`
	}{fitted.Data, fitted.MIMEType, strings.Join(text, "\n"), o.page()}, nil
}

// keep writes a picture to a temporary file of its own.
func keep(p ladder.Picture) (report.Screenshot, error) {
	f, err := os.CreateTemp("", "screenshot-"+time.Now().Format("20060102-150405")+"-*"+map[string]string{"image/jpeg": ".jpg"}[p.MIMEType]+map[string]string{"image/png": ".png"}[p.MIMEType])
	if err != nil {
		return report.Screenshot{}, api.Errorf(api.FileWriteFailed, "screenshot: %w", err)
	}
	_, err = f.Write(p.Data)
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return report.Screenshot{}, api.Errorf(api.FileWriteFailed, "screenshot: %w", err)
	}
	return report.Screenshot{Dest: f.Name(), MIMEType: p.MIMEType, Bytes: len(p.Data), Width: p.Width, Height: p.Height}, nil
}

// captured is the text above a picture: where it is, and by how much its coordinates differ from the page's.
func captured(s report.Screenshot, p ladder.Picture) string {
	text := fmt.Sprintf("Screenshot saved: %s (%s, %.1f KB, %dx%d)", s.Dest, s.MIMEType, float64(s.Bytes)/1024, s.Width, s.Height)
	if p.Factor() != 1 {
		text += fmt.Sprintf("\nShown at %dx%d of %dx%d pixels: multiply coordinates by %.2f.", p.Width, p.Height, p.FromWidth, p.FromHeight, p.Factor())
	}
	return text
}
