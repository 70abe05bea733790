// Package media writes files of what a page shows: pictures and PDF.
//
// Chromium renders, scales and encodes. Only two operations on pixels are done here: pictures larger than Chromium can
// render at once are composed of parts (stitch.go), and boxes are drawn on a finished picture (annotate.go), because
// drawing in the page would change the page.
package media

import (
	"math"
	"path/filepath"
	"strings"

	"github.com/chromedp/cdproto/page"

	"github.com/usher-browser/usher/internal/api"
)

// Format is a picture format, as Chromium names it.
type Format string

// Formats.
const (
	PNG  Format = "png"
	JPEG Format = "jpeg"
	WebP Format = "webp"
)

// ParseFormat parses a format; "jpg" is JPEG. The error is [api.InvalidArgument].
func ParseFormat(s string) (Format, error) {
	switch strings.ToLower(s) {
	case "png":
		return PNG, nil
	case "jpeg", "jpg":
		return JPEG, nil
	case "webp":
		return WebP, nil
	}
	return "", api.Errorf(api.InvalidArgument, "there is no image format %q", s).WithHint("Formats are png, jpeg and webp.")
}

// FormatOf returns the format for the extension of a path; ok is false for an extension of no format.
func FormatOf(path string) (f Format, ok bool) {
	ending := strings.TrimPrefix(filepath.Ext(path), ".")
	if ending == "" {
		return "", false
	}
	f, err := ParseFormat(ending)
	return f, err == nil
}

// Ending returns the usual extension of file names, with the dot.
func (f Format) Ending() string {
	if f == JPEG {
		return ".jpg"
	}
	return "." + string(f)
}

func (f Format) protocol() page.CaptureScreenshotFormat { return page.CaptureScreenshotFormat(f) }

// Rect is a rectangle in CSS pixels.
type Rect struct {
	X      float64 `json:"x"`
	Y      float64 `json:"y"`
	Width  float64 `json:"width"`
	Height float64 `json:"height"`
}

// Empty reports whether the rectangle has no area.
func (r Rect) Empty() bool { return r.Width <= 0 || r.Height <= 0 }

// Intersect returns the intersection of two rectangles; empty if there is none.
func (r Rect) Intersect(o Rect) Rect {
	x, y := max(r.X, o.X), max(r.Y, o.Y)
	both := Rect{X: x, Y: y, Width: min(r.X+r.Width, o.X+o.Width) - x, Height: min(r.Y+r.Height, o.Y+o.Height) - y}
	if both.Empty() {
		return Rect{}
	}
	return both
}

// Move returns the rectangle shifted.
func (r Rect) Move(dx, dy float64) Rect {
	r.X += dx
	r.Y += dy
	return r
}

// Whole returns the smallest rectangle of whole pixels that contains it.
func (r Rect) Whole() Rect {
	x, y := math.Floor(r.X), math.Floor(r.Y)
	return Rect{X: x, Y: y, Width: math.Ceil(r.X+r.Width) - x, Height: math.Ceil(r.Y+r.Height) - y}
}
