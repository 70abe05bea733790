package capture

import (
	"context"
	"fmt"
	"strings"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/command/run"
	"github.com/usher-browser/usher/internal/media"
	"github.com/usher-browser/usher/internal/verb"
)

// Compared is what `screenshot --if-changed` adds to the result. The picture is compared with the last one that was saved by
// --if-changed of the same tab, element and kind.
type Compared struct {
	Changed          *bool    `json:"changed,omitempty"`
	PixelChangeRatio *float64 `json:"pixelChangeRatio,omitempty"` // share of the pixels, 0 to 1; 1 for the first picture or another size
	Revision         int      `json:"revision,omitzero"`          // number of such pictures so far
	Threshold        *float64 `json:"threshold,omitempty"`        // --threshold
}

func ifChanged(c *verb.Call) bool { return c.Bool("if-changed") || c.Has("threshold") }

// compare compares a PNG with the last one, and gives it its format if it is changed. Without --if-changed it does nothing.
func compare(ctx context.Context, e *run.Env, c *verb.Call, pic *media.Picture, format media.Format) (Compared, error) {
	if !ifChanged(c) {
		return Compared{}, nil
	}
	threshold := c.Float("threshold")
	kind := []string{string(e.Tab), c.Str("selector"), fmt.Sprint(c.Bool("full")), fmt.Sprint(e.Settings.Annotate)}
	change, err := e.Baselines.Compare(strings.Join(kind, "\n"), pic.Data, threshold)
	if err != nil {
		return Compared{}, api.Errorf(api.CaptureFailed, "screenshot: %w", err)
	}
	if change.Changed && format != media.PNG {
		if err := convert(ctx, e, pic, format); err != nil {
			return Compared{}, api.Errorf(api.CaptureFailed, "screenshot: %w", err)
		}
	}
	return Compared{Changed: &change.Changed, PixelChangeRatio: &change.Ratio, Revision: change.Revision, Threshold: &threshold}, nil
}

// convert gives a PNG another format.
func convert(ctx context.Context, e *run.Env, pic *media.Picture, format media.Format) (err error) {
	pic.Format = format
	if format == media.WebP { // Go cannot write it
		pic.Data, err = reencode(ctx, e, pic.Data, e.Settings.ScreenshotQuality)
		return err
	}
	pic.Data, err = media.Annotate(pic.Data, nil, 1, format, e.Settings.ScreenshotQuality)
	return err
}

func (c Compared) unchanged() bool { return c.Changed != nil && !*c.Changed }

func (c Compared) text() string {
	return fmt.Sprintf("✓ Screenshot unchanged (revision %d, %.4f%% pixels changed)", c.Revision, *c.PixelChangeRatio*100)
}
