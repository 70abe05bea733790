package diff

import (
	"bytes"
	"context"
	"fmt"
	"image"
	_ "image/jpeg" // a baseline may be one
	"image/png"
	"io"
	"strconv"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/command/capture"
	"github.com/usher-browser/usher/internal/command/run"
	"github.com/usher-browser/usher/internal/media"
	"github.com/usher-browser/usher/internal/verb"
)

// Screenshot is the result of `diff screenshot`.
type Screenshot struct {
	DiffPath        *string `json:"diffPath"` // of the picture of the differences; null if none was written
	DifferentPixels int     `json:"differentPixels"`
	// DimensionMismatch is set if the pictures have different sizes; then every pixel counts as different.
	DimensionMismatch  *Mismatch `json:"dimensionMismatch"`
	Match              bool      `json:"match"`
	MismatchPercentage float64   `json:"mismatchPercentage"` // 0 to 100
	TotalPixels        int       `json:"totalPixels"`        // of the baseline
}

// Mismatch is the sizes of two pictures, in pixels.
type Mismatch struct {
	Actual   Pixels `json:"actual"`
	Expected Pixels `json:"expected"`
}

// Pixels is a size in pixels.
type Pixels struct {
	Height int `json:"height"`
	Width  int `json:"width"`
}

const (
	mostPicture = 128 << 20   // bytes of a file
	mostPixels  = 200_000_000 // of a baseline
)

func diffScreenshot(ctx context.Context, e *run.Env, c *verb.Call) (run.Reply[*Screenshot], error) {
	data, err := readFile(ctx, e, c.Str("baseline"), mostPicture)
	if err != nil {
		return run.Reply[*Screenshot]{}, err
	}
	before, err := decode(data)
	if err != nil {
		return run.Reply[*Screenshot]{}, api.Errorf(api.InvalidArgument, "--baseline %s: %w", c.Str("baseline"), err).
			WithHint("Give a PNG or JPEG picture, as `screenshot before.png` saves it.")
	}
	out := ""
	if c.Has("output") {
		out = e.Path(c.Str("output"))
		if err := e.MaySave("diff screenshot", out); err != nil {
			return run.Reply[*Screenshot]{}, err
		}
		if err := media.CheckOutputPath(out); err != nil {
			return run.Reply[*Screenshot]{}, err
		}
	}
	after, err := shoot(ctx, e, c)
	if err != nil {
		return run.Reply[*Screenshot]{}, err
	}
	res, marked := comparePictures(before, after, c.Float("threshold"))
	warning := ""
	switch {
	case out != "" && marked == nil:
		warning = "no picture of the differences was written: the pictures have different sizes"
	case out != "":
		if err := media.Write(out, func(w io.Writer) error { return png.Encode(w, marked) }); err != nil {
			return run.Reply[*Screenshot]{}, err
		}
		res.DiffPath = &out
	}
	return run.Reply[*Screenshot]{Data: res, Text: res.text(), Warning: warning}, nil
}

// shoot takes the picture to compare.
func shoot(ctx context.Context, e *run.Env, c *verb.Call) (image.Image, error) {
	pic, err := capture.Shoot(ctx, e, c)
	if err != nil {
		return nil, err
	}
	img, err := png.Decode(bytes.NewReader(pic.Data))
	if err != nil {
		return nil, api.Errorf(api.CaptureFailed, "screenshot: decode the browser's picture: %w", err)
	}
	return img, nil
}

// decode reads a picture of bounded size.
func decode(data []byte) (image.Image, error) {
	head, _, err := image.DecodeConfig(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("read the picture: %w", err)
	}
	if head.Width < 1 || head.Height < 1 || head.Width > mostPixels/head.Height {
		return nil, fmt.Errorf("the picture has %d x %d pixels, more than the limit of %d", head.Width, head.Height, mostPixels)
	}
	img, _, err := image.Decode(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("read the picture: %w", err)
	}
	return img, nil
}

// comparePictures compares two pictures. marked is nil if their sizes differ.
func comparePictures(before, after image.Image, threshold float64) (res *Screenshot, marked image.Image) {
	was, is := before.Bounds().Size(), after.Bounds().Size()
	res = &Screenshot{TotalPixels: was.X * was.Y}
	if was != is {
		res.DimensionMismatch = &Mismatch{Actual: Pixels{is.Y, is.X}, Expected: Pixels{was.Y, was.X}}
		res.DifferentPixels, res.MismatchPercentage = res.TotalPixels, 100
		return res, nil
	}
	found := media.Compare(before, after, threshold)
	res.DifferentPixels = found.Different
	res.MismatchPercentage = 100 * float64(found.Different) / float64(res.TotalPixels)
	res.Match = found.Different == 0
	return res, found.Marked
}

func (d *Screenshot) text() string {
	var text string
	switch {
	case d.DimensionMismatch != nil:
		was, is := d.DimensionMismatch.Expected, d.DimensionMismatch.Actual
		return fmt.Sprintf("✗ The sizes differ: the baseline is %d x %d, the page %d x %d", was.Width, was.Height, is.Width, is.Height)
	case d.Match:
		text = "✓ Images match (0% difference)"
	default:
		text = "✗ " + strconv.FormatFloat(d.MismatchPercentage, 'f', 2, 64) + "% pixels differ"
	}
	text += fmt.Sprintf("\n  %d different / %d total pixels", d.DifferentPixels, d.TotalPixels)
	if d.DiffPath != nil {
		text += "\n  Diff image: " + *d.DiffPath
	}
	return text
}
