package media

import (
	"context"
	"fmt"
	"time"

	protocol "github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"

	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/supervisor"
	"github.com/usher-browser/usher/internal/world"
)

// Shot says what to take a picture of, and how to encode it.
type Shot struct {
	Format Format
	// Quality is 1 to 100 for JPEG and WebP; 0 leaves it to Chromium (80).
	Quality int
	// Area of the document to show; nil for what the window shows.
	Area *Rect
	// Beyond allows an Area that reaches out of the window. Chromium makes the
	// window larger for it, which a page can notice (a resize event).
	Beyond bool
	// Scale is that of the Page; needed with Beyond.
	Scale float64
	// Later is the format the picture will be turned into, if another: what that
	// cannot hold is cut off now.
	Later Format
}

// Picture is an encoded picture.
type Picture struct {
	Data   []byte
	Format Format
	// Cut is the part of the Area that did not fit, from its lower or right edge,
	// in CSS pixels; zero if all is there.
	Cut struct{ Width, Height float64 }
}

// Page is how large a document is and which part of it the window shows.
type Page struct {
	// Size of the whole document, in CSS pixels.
	Width, Height float64
	// Window is what is shown, without scroll bars, in CSS pixels of the document.
	Window Rect
	// Scale is the number of device pixels per CSS pixel, pinch zoom left out.
	Scale float64
}

// Measure asks a tab's page for its size. The caller guards ctx against a blocked
// tab.
func Measure(ctx context.Context, w *world.Worlds, tab *supervisor.Tab) (Page, error) {
	metrics := cdp.Start(w.Browser().Session(tab.Session), page.GetLayoutMetrics, protocol.Empty{})
	p := Page{Scale: 1}
	// The protocol does not tell it.
	if err := w.Call(ctx, tab.Main, "pixelRatio", nil, &p.Scale); err != nil {
		return Page{}, fmt.Errorf("measure the page: %w", err)
	}
	m, err := metrics.Wait(ctx)
	if err != nil {
		return Page{}, fmt.Errorf("measure the page: %w", err)
	}
	if m.CSSContentSize == nil || m.CSSVisualViewport == nil || p.Scale <= 0 {
		return Page{}, fmt.Errorf("measure the page: the browser did not tell its size")
	}
	p.Width, p.Height = m.CSSContentSize.Width, m.CSSContentSize.Height
	v := m.CSSVisualViewport
	p.Window = Rect{X: v.PageX, Y: v.PageY, Width: v.ClientWidth, Height: v.ClientHeight}
	return p, nil
}

// Capture takes a picture of a page. The caller guards ctx against a blocked tab.
func Capture(ctx context.Context, s *cdp.Session, shot Shot) (Picture, error) {
	if shot.Area == nil || !shot.Beyond {
		data, err := take(ctx, s, shot)
		return Picture{Data: data, Format: shot.Format}, err
	}
	return stitch(ctx, s, shot)
}

// Chromium draws no frames for a tab that lies behind another one in its window,
// and a capture then waits for one: measured on Chromium 156, every second
// picture of such a tab never came, and came within 20 ms of bringing it to the
// front. A picture of a tab in front takes 15 to 50 ms, so a tab that keeps us
// waiting is brought to the front. Pages do not notice, as every page of ours is
// told that it has the focus.
const (
	frontAfter = 150 * time.Millisecond
	frontAgain = 500 * time.Millisecond // another picture may have taken the front from us
)

// take makes one request for a picture.
func take(ctx context.Context, s *cdp.Session, shot Shot) ([]byte, error) {
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
	pending := cdp.Start(s, page.CaptureScreenshot, params)
	timer := time.NewTimer(frontAfter)
	defer timer.Stop()
	for waiting := true; waiting; {
		select {
		case <-pending.Done():
			waiting = false
		case <-ctx.Done():
			waiting = false
		case <-timer.C:
			// Without a wait: its failure, if any, is that of the capture too.
			cdp.Start(s, page.BringToFront, protocol.Empty{})
			timer.Reset(frontAgain)
		}
	}
	res, err := pending.Wait(ctx)
	if err != nil {
		return nil, fmt.Errorf("take the picture: %w", err)
	}
	if len(res.Data) == 0 {
		return nil, fmt.Errorf("take the picture: %w", errEmpty)
	}
	return res.Data, nil
}
