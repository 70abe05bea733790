package media

import (
	"context"
	"fmt"

	protocol "github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"

	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/supervisor/model"
	"github.com/usher-browser/usher/internal/world"
)

// Shot is the area of a screenshot and its encoding.
type Shot struct {
	Format Format
	// Quality is 1 to 100 for JPEG and WebP; 0 leaves it to Chromium (80).
	Quality int
	// Area is the part of the document; nil for what the window shows.
	Area *Rect
	// Beyond allows an Area outside of the window. Chromium enlarges the window for it, which a page can detect (a
	// resize event).
	Beyond bool
	// Scale is that of the Page; needed with Beyond.
	Scale float64
	// Later is the format that the picture will be converted to, if another: what that cannot hold is cut off now.
	Later Format
}

// Picture is an encoded picture.
type Picture struct {
	Data   []byte
	Format Format
	// Cut is the size of the part of the Area that did not fit, at its lower or right edge, in CSS pixels; zero if all
	// is there.
	Cut struct{ Width, Height float64 }
}

// Page is the size of a document and the part of it that the window shows.
type Page struct {
	// Size of the whole document, in CSS pixels.
	Width, Height float64
	// Window is the visible part, without scroll bars, in CSS pixels of the document.
	Window Rect
	// Scale is the number of device pixels per CSS pixel, pinch zoom left out.
	Scale float64
}

// Measure reads the size of a tab's page. The caller guards ctx against a blocked tab.
func Measure(ctx context.Context, w *world.Worlds, tab *model.Tab) (Page, error) {
	metrics := cdp.Start(w.Browser().Session(tab.Session), page.GetLayoutMetrics, protocol.Empty{})
	p := Page{Scale: 1}
	// The protocol does not report it.
	if err := w.Call(ctx, tab.Main, "pixelRatio", nil, &p.Scale); err != nil {
		return Page{}, fmt.Errorf("measure the page: %w", err)
	}
	m, err := metrics.Wait(ctx)
	if err != nil {
		return Page{}, fmt.Errorf("measure the page: %w", err)
	}
	if m.CSSContentSize == nil || m.CSSVisualViewport == nil || p.Scale <= 0 {
		return Page{}, fmt.Errorf("measure the page: the browser did not return its size")
	}
	p.Width, p.Height = m.CSSContentSize.Width, m.CSSContentSize.Height
	v := m.CSSVisualViewport
	p.Window = Rect{X: v.PageX, Y: v.PageY, Width: v.ClientWidth, Height: v.ClientHeight}
	return p, nil
}

// params returns the parameters of Page.captureScreenshot.
func (shot Shot) params() page.CaptureScreenshotParams {
	params := page.CaptureScreenshotParams{
		Format: shot.Format.protocol(),
		// The size of the file is no concern here, and waiting for zlib is: a third
		// of the time for a PNG.
		OptimizeForSpeed: new(true),
	}
	if shot.Quality > 0 && shot.Format != PNG {
		params.Quality = new(int64(shot.Quality))
	}
	if a := shot.Area; a != nil {
		params.Clip = &page.Viewport{X: a.X, Y: a.Y, Width: a.Width, Height: a.Height, Scale: 1}
		params.CaptureBeyondViewport = new(shot.Beyond)
	}
	return params
}
