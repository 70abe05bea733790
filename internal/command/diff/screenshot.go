package diff

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	_ "image/jpeg" // a baseline may be one
	"image/png"
	"io"
	"strconv"
	"sync"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/command/capture"
	"github.com/usher-browser/usher/internal/command/run"
	"github.com/usher-browser/usher/internal/fault"
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
	if err := checkPicture(data); err != nil {
		return run.Reply[*Screenshot]{}, badBaseline(c, err)
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
	before, after, err := shootBeside(ctx, e, c, data)
	if err != nil {
		return run.Reply[*Screenshot]{}, err
	}
	res, found := comparePictures(before, after, c.Float("threshold"))
	warning := ""
	switch {
	case out != "" && found == nil:
		warning = "no picture of the differences was written: the pictures have different sizes"
	case out != "":
		if err := media.Write(out, func(w io.Writer) error { return png.Encode(w, found.Marked()) }); err != nil {
			return run.Reply[*Screenshot]{}, err
		}
		res.DiffPath = &out
	}
	return run.Reply[*Screenshot]{Data: res, Text: res.text(), Warning: warning}, nil
}

// badBaseline is the error for a baseline that cannot be read.
func badBaseline(c *verb.Call, err error) error {
	return api.Errorf(api.InvalidArgument, "--baseline %s: %w", c.Str("baseline"), err).
		WithHint("Give a PNG or JPEG picture, as `screenshot before.png` saves it.")
}

// shootBeside takes the picture to compare, and decodes the baseline meanwhile.
func shootBeside(ctx context.Context, e *run.Env, c *verb.Call, baseline []byte) (before, after image.Image, err error) {
	var wg sync.WaitGroup
	bad := errors.New("read the picture: its decoder failed")
	wg.Go(fault.Guarded(ctx, func() { before, _, bad = image.Decode(bytes.NewReader(baseline)) }))
	pic, err := capture.Shoot(ctx, e, c)
	wg.Wait()
	switch {
	case bad != nil:
		return nil, nil, badBaseline(c, bad)
	case err != nil:
		return nil, nil, err
	case bytes.Equal(pic.Data, baseline):
		return before, before, nil
	}
	after, err = decode(pic)
	return before, after, err
}

// shoot takes the picture to compare.
func shoot(ctx context.Context, e *run.Env, c *verb.Call) (image.Image, error) {
	pic, err := capture.Shoot(ctx, e, c)
	if err != nil {
		return nil, err
	}
	return decode(pic)
}

// decode decodes a picture of the browser.
func decode(pic media.Picture) (image.Image, error) {
	img, err := png.Decode(bytes.NewReader(pic.Data))
	if err != nil {
		return nil, api.Errorf(api.CaptureFailed, "screenshot: decode the browser's picture: %w", err)
	}
	return img, nil
}

// checkPicture refuses what is no picture, or has too many pixels.
func checkPicture(data []byte) error {
	head, _, err := image.DecodeConfig(bytes.NewReader(data))
	if err != nil {
		return fmt.Errorf("read the picture: %w", err)
	}
	if head.Width < 1 || head.Height < 1 || head.Width > mostPixels/head.Height {
		return fmt.Errorf("the picture has %d x %d pixels, more than the limit of %d", head.Width, head.Height, mostPixels)
	}
	return nil
}

// comparePictures compares two pictures. found is nil if their sizes differ.
func comparePictures(before, after image.Image, threshold float64) (res *Screenshot, found *media.Comparison) {
	was, is := before.Bounds().Size(), after.Bounds().Size()
	res = &Screenshot{TotalPixels: was.X * was.Y}
	if was != is {
		res.DimensionMismatch = &Mismatch{Actual: Pixels{is.Y, is.X}, Expected: Pixels{was.Y, was.X}}
		res.DifferentPixels, res.MismatchPercentage = res.TotalPixels, 100
		return res, nil
	}
	compared := media.Compare(before, after, threshold)
	res.DifferentPixels = compared.Different
	res.MismatchPercentage = 100 * float64(compared.Different) / float64(res.TotalPixels)
	res.Match = compared.Different == 0
	return res, &compared
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
