package capture

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/command/run"
	"github.com/usher-browser/usher/internal/element"
	"github.com/usher-browser/usher/internal/element/locate"
	"github.com/usher-browser/usher/internal/media"
	"github.com/usher-browser/usher/internal/supervisor/model"
	"github.com/usher-browser/usher/internal/verb"
)

// Screenshot is the result of `screenshot`.
type Screenshot struct {
	Path string `json:"path,omitempty"` // of the picture; not there with --if-changed, if nothing changed
	Compared
	// Annotations are the marks drawn on it, with --annotate.
	Annotations []Annotation `json:"annotations,omitzero"`
	// Cut is the size of what did not fit the picture's format, on the right and at the bottom.
	Cut *Size `json:"cut,omitempty"`
}

// Size is in pixels.
type Size struct {
	Width  float64 `json:"width"`
	Height float64 `json:"height"`
}

// PDF is the result of `pdf`.
type PDF struct {
	Path string `json:"path"`
}

// screenshot takes a picture of the window, the whole page or one element.
func screenshot(ctx context.Context, e *run.Env, c *verb.Call) (run.Reply[*Screenshot], error) {
	file, err := pictureAt(e, c.Str("path"))
	if err != nil {
		return run.Reply[*Screenshot]{}, err
	}
	shot := media.Shot{Format: file.format, Quality: e.Settings.ScreenshotQuality}
	var marks []Annotation
	take := e.Camera.Capture
	if e.Settings.Annotate {
		take = func(ctx context.Context, s *cdp.Session, shot media.Shot) (pic media.Picture, err error) {
			pic, marks, err = annotated(ctx, e, s, shot)
			return pic, err
		}
	}
	if ifChanged(c) {
		shot.Format, shot.Later = media.PNG, file.format
	}
	pic, url, part, err := shoot(ctx, e, c, shot, c.Int("tallest"), take)
	if err != nil {
		return run.Reply[*Screenshot]{}, err
	}
	compared, err := compare(ctx, e, c, &pic, file.format)
	if err != nil {
		return run.Reply[*Screenshot]{}, err
	}
	if compared.unchanged() {
		return run.Reply[*Screenshot]{Data: &Screenshot{Compared: compared, Annotations: marks}, Text: compared.text(), Warning: part}, nil
	}
	path, err := file.save(url, pic.Data)
	if err != nil {
		return run.Reply[*Screenshot]{}, err
	}
	if file.path != "" {
		path = e.Written(path, c.Str("path"))
	}
	res := run.Reply[*Screenshot]{Data: &Screenshot{Path: path, Compared: compared}, Text: "✓ Screenshot saved to " + path, Warning: api.JoinWarnings(file.warning, part)}
	if e.Settings.Annotate {
		res.Data.Annotations = marks
		for _, m := range marks {
			res.Text += "\n   " + m.String()
		}
	}
	if cut := pic.Cut; cut.Width > 0 || cut.Height > 0 {
		res.Data.Cut = &Size{cut.Width, cut.Height}
		res.Warning = api.JoinWarnings(res.Warning, fmt.Sprintf(
			"the page exceeds the size limit of %s: %.0f pixels on the right and %.0f at the bottom are cut off", pic.Format, cut.Width, cut.Height))
	}
	return res, nil
}

// Shoot takes a picture in PNG of what a call with an argument or flag selector and a flag full asks for.
func Shoot(ctx context.Context, e *run.Env, c *verb.Call) (media.Picture, error) {
	pic, _, _, err := shoot(ctx, e, c, media.Shot{Format: media.PNG}, 0, e.Camera.Capture)
	return pic, err
}

// shoot has a picture taken of the window, the whole page or one element. url is the page's address, part says if it is
// only a part of what was asked for, because the page is higher than tallest, unless that is 0.
func shoot(ctx context.Context, e *run.Env, c *verb.Call, shot media.Shot, tallest int, take func(context.Context, *cdp.Session, media.Shot) (media.Picture, error)) (
	pic media.Picture, url, part string, err error) {
	if c.Has("selector") {
		if err := elementArea(ctx, e, c, &shot); err != nil {
			return pic, "", "", captureFailed(e, err)
		}
	}
	ctx, stop := e.Guard(ctx)
	defer stop()
	tab, err := e.CurrentTab()
	if err != nil {
		return pic, "", "", err
	}
	if c.Bool("full") && !c.Has("selector") {
		p, err := media.Measure(ctx, e.Worlds, tab)
		if err != nil {
			return pic, "", "", captureFailed(e, err)
		}
		if tallest > 0 && p.Height > float64(tallest) {
			part = fmt.Sprintf("the page is %.0f pixels high; this is the viewport, scroll for the rest", p.Height)
		} else {
			shot.Area, shot.Beyond, shot.Scale = &media.Rect{Width: p.Width, Height: p.Height}, true, p.Scale
		}
	}
	if pic, err = take(ctx, e.Browser.Session(tab.Session), shot); err != nil {
		return pic, "", "", captureFailed(e, err)
	}
	return pic, tab.URL, part, nil
}

// captureFailed explains why there is no picture.
func captureFailed(e *run.Env, err error) error {
	out := e.Explain(err, "screenshot")
	if api.CodeOf(out) == api.ProtocolError {
		return api.Errorf(api.CaptureFailed, "screenshot: %w", err)
	}
	return out
}

// elementArea makes a shot one of an element. The element is scrolled
// into view, as what scrolls it away would otherwise hide it; the picture is
// taken of its whole box even if that is larger than the window.
func elementArea(ctx context.Context, e *run.Env, c *verb.Call, shot *media.Shot) error {
	t, err := e.Target(c, "selector")
	if err != nil {
		return err
	}
	if !e.Limited && !e.Patient {
		t.Timeout = element.DefaultTimeout
	}
	doing := "screenshot " + c.Str("selector")
	var el locate.Element
	var box element.Box
	var p media.Page
	err = e.Act(ctx, doing, func(ctx context.Context, a *element.Actor) (err error) {
		if el, err = a.ScrollIntoView(ctx, t); err != nil {
			return err
		}
		again := el.Target()
		again.Command = t.Command
		if box, err = a.Box(ctx, again); err != nil {
			return err
		}
		tab, err := e.CurrentTab()
		if err != nil {
			return err
		}
		p, err = media.Measure(ctx, e.Worlds, tab)
		return err
	})
	if err != nil {
		return err
	}
	if box.Width < 1 || box.Height < 1 {
		return api.Errorf(api.ElementNotVisible, "%s: the element has no area (%.1f x %.1f)", doing, box.Width, box.Height)
	}
	// A box of fractions would blend its edges with what is next to it.
	area := media.Rect(box).Move(p.Window.X, p.Window.Y).Whole()
	inside := area.Intersect(p.Window)
	if el.Frame != model.FrameID(e.Tab) {
		// A frame shows nothing beyond its edges, and those were scrolled into view.
		if inside.Empty() {
			return api.Errorf(api.ElementNotVisible, "%s: the element is outside the viewport", doing)
		}
		shot.Area = &inside
		return nil
	}
	shot.Area, shot.Beyond, shot.Scale = &area, inside != area, p.Scale
	return nil
}

// pictureFile is the path of a picture and its format.
type pictureFile struct {
	path    string // empty: a new name in dir
	dir     string
	format  media.Format
	mode    fs.FileMode // of a new file in dir
	warning string
}

// pictureAt decides by the path's ending, then --screenshot-format, then PNG.
// It refuses a path that cannot be written to before any work is done.
func pictureAt(e *run.Env, path string) (pictureFile, error) {
	file := pictureFile{format: media.PNG, mode: media.Shared}
	if f := e.Settings.ScreenshotFormat; f != "" {
		format, err := media.ParseFormat(f)
		if err != nil {
			return file, err
		}
		file.format = format
	}
	if path == "" {
		file.dir = e.Settings.ScreenshotDir
		if file.dir == "" {
			var err error
			file.mode = media.Own
			file.dir, err = e.OwnDir("screenshots")
			return file, err
		}
		file.dir = e.Path(file.dir)
		if err := e.MaySave("screenshot", filepath.Join(file.dir, "x")); err != nil {
			return file, err
		}
		if err := os.MkdirAll(file.dir, 0o700); err != nil {
			return file, api.Errorf(api.FileWriteFailed, "make the directory for screenshots: %w", err).With("path", file.dir)
		}
		return file, nil
	}
	file.path = e.Path(path)
	if run.IsDirectory(path, file.path) {
		file.dir, file.path = file.path, ""
		if err := e.MaySave("screenshot", filepath.Join(file.dir, "x")); err != nil {
			return file, err
		}
		return file, media.CheckOutputPath(filepath.Join(file.dir, "x"))
	}
	switch format, ok := media.FormatOf(file.path); {
	case ok:
		file.format = format
	case filepath.Ext(file.path) != "":
		file.warning = fmt.Sprintf("%s is not the extension of an image format; the file is %s", filepath.Ext(file.path), file.format)
	}
	if err := e.MaySave("screenshot", file.path); err != nil {
		return file, err
	}
	return file, media.CheckOutputPath(file.path)
}

// save writes the picture and returns where it is.
func (p pictureFile) save(pageURL string, data []byte) (string, error) {
	path := p.path
	if path == "" {
		var err error
		path, err = media.FreshName(p.dir, pictureName(pageURL, time.Now())+p.format.Ending(), p.mode)
		if err != nil {
			return "", err
		}
	}
	err := media.Write(path, func(w io.Writer) error { _, err := io.Copy(w, bytes.NewReader(data)); return err })
	if err != nil && p.path == "" {
		_ = os.Remove(path) // the empty file that held the name
	}
	return path, err
}

// pictureName returns a name that sorts by time and contains the site: screenshot-20261121-101530-example.com.
func pictureName(pageURL string, at time.Time) string {
	name := "screenshot-" + at.Format("20060102-150405")
	u, err := url.Parse(pageURL)
	if err != nil || u.Hostname() == "" {
		return name
	}
	host := strings.Map(func(r rune) rune {
		if 'a' <= r && r <= 'z' || '0' <= r && r <= '9' || r == '.' || r == '-' {
			return r
		}
		return '-'
	}, strings.ToLower(u.Hostname()))
	return name + "-" + host[:min(len(host), 60)]
}

// pdf prints the page.
func pdf(ctx context.Context, e *run.Env, c *verb.Call) (run.Reply[PDF], error) {
	path := e.Path(c.Str("path"))
	if err := e.MaySave("pdf", path); err != nil {
		return run.Reply[PDF]{}, err
	}
	if err := media.CheckOutputPath(path); err != nil {
		return run.Reply[PDF]{}, err
	}
	ctx, stop := e.Guard(ctx)
	defer stop()
	tab, err := e.CurrentTab()
	if err != nil {
		return run.Reply[PDF]{}, err
	}
	defer e.Browser.Printing(tab.ID)()
	err = media.Write(path, func(w io.Writer) error { return media.PDF(ctx, e.Browser.Session(tab.Session), w) })
	if err != nil {
		var known *api.Error
		if errors.As(err, &known) {
			return run.Reply[PDF]{}, err
		}
		return run.Reply[PDF]{}, printFailed(e, err)
	}
	path = e.Written(path, c.Str("path"))
	return run.Reply[PDF]{Data: PDF{Path: path}, Text: "✓ PDF saved to " + path}, nil
}

func printFailed(e *run.Env, err error) error {
	out := e.Explain(err, "pdf")
	if api.CodeOf(out) == api.ProtocolError {
		return api.Errorf(api.CaptureFailed, "pdf: %w", err)
	}
	return out
}
