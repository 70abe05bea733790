package media

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/draw"
	"image/jpeg"
	"image/png"
	"math"

	"github.com/usher-browser/usher/internal/cdp"
)

// errEmpty is Chromium's error for a picture that its encoder cannot hold.
var errEmpty = errors.New("the browser sent an empty image")

// Limits in device pixels.
const (
	// largestPart is the side of the largest texture of graphics processors; a frame beyond it comes out blank or
	// repeated. Software rendering has no such limit, but which of the two is in use is not reported.
	largestPart = 16384
	// largestWebP and largestJPEG are the sides these formats can write down.
	largestWebP = 16383
	largestJPEG = 65535
	// largestArea bounds the memory a picture takes while it is put together, at
	// four bytes for a pixel: 400 MB. A page 1280 wide may be 78,000 high.
	largestArea = 100 << 20
)

// stitch takes a picture of an area of any size. What the format or memory cannot hold is cut off at the bottom (or
// right), and its size is in the Picture.
func (c *Camera) stitch(ctx context.Context, s *cdp.Session, shot Shot) (Picture, error) {
	scale := shot.Scale
	out := Picture{Format: shot.Format}
	whole := *shot.Area
	limits := shot.Format
	if shot.Later != "" {
		limits = shot.Later
	}
	fit := clipToFormat(limits, whole, scale)
	out.Cut.Width, out.Cut.Height = whole.Width-fit.Width, whole.Height-fit.Height
	rows := parts(fit.Height, scale)
	columns := parts(fit.Width, scale)
	if len(rows)*len(columns) == 1 {
		shot.Area = &fit
		data, err := c.take(ctx, s, shot)
		out.Data = data
		return out, err
	}
	canvas := image.NewRGBA(image.Rect(0, 0, pixels(fit.Width, scale), pixels(fit.Height, scale)))
	for _, y := range rows {
		for _, x := range columns {
			part := shot
			part.Format = PNG
			part.Area = &Rect{X: fit.X + x.from, Y: fit.Y + y.from, Width: x.size, Height: y.size}
			data, err := c.take(ctx, s, part)
			if err != nil {
				return out, err
			}
			img, err := png.Decode(bytes.NewReader(data))
			if err != nil {
				return out, fmt.Errorf("read a part of the image: %w", err)
			}
			at := image.Pt(pixels(x.from, scale), pixels(y.from, scale))
			draw.Draw(canvas, image.Rectangle{Min: at, Max: at.Add(img.Bounds().Size())}, img, img.Bounds().Min, draw.Src)
		}
	}
	data, err := encode(canvas, shot.Format, shot.Quality)
	out.Data = data
	return out, err
}

// clipToFormat returns the part of an area that a format can hold.
func clipToFormat(f Format, a Rect, scale float64) Rect {
	side := math.Inf(1)
	switch f {
	case WebP:
		side = largestWebP
	case JPEG:
		side = largestJPEG
	}
	// Whole CSS pixels, so that the cut can be reported exactly.
	a.Width = min(a.Width, math.Floor(side/scale))
	a.Height = min(a.Height, math.Floor(side/scale))
	if most := math.Floor(largestArea / scale / scale / a.Width); a.Height > most {
		a.Height = max(most, 1)
	}
	return a
}

// span is a stretch of one axis in CSS pixels.
type span struct{ from, size float64 }

// parts divides a length into stretches that Chromium can draw, each a whole
// number of CSS pixels but the last.
func parts(length, scale float64) []span {
	most := math.Floor(largestPart / scale)
	var list []span
	for from := 0.0; from < length; from += most {
		list = append(list, span{from, min(most, length-from)})
	}
	return list
}

func pixels(css, scale float64) int { return int(math.Round(css * scale)) }

// encode writes a picture made in Go. WebP is not among the formats it can
// write: such pictures never need more than one part (see fitting).
func encode(img image.Image, f Format, quality int) ([]byte, error) {
	var b bytes.Buffer
	var err error
	switch f {
	case JPEG:
		if quality == 0 {
			quality = 80 // Chromium's own
		}
		err = jpeg.Encode(&b, img, &jpeg.Options{Quality: quality})
	case PNG:
		encoder := png.Encoder{CompressionLevel: png.BestSpeed}
		err = encoder.Encode(&b, img)
	default:
		err = fmt.Errorf("no encoder for %s", f)
	}
	if err != nil {
		return nil, fmt.Errorf("encode the image: %w", err)
	}
	return b.Bytes(), nil
}
