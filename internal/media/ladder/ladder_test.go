package ladder_test

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"math/rand/v2"
	"testing"

	"github.com/usher-browser/usher/internal/media/ladder"
)

// picture returns a PNG: plain, or of noise, which no format makes small.
func picture(t *testing.T, w, h int, noise bool) []byte {
	t.Helper()
	img := image.NewRGBA(image.Rect(0, 0, w, h))
	source := rand.New(rand.NewPCG(1, 2))
	for i := 0; i < len(img.Pix); i += 4 {
		c := color.RGBA{R: 200, A: 255}
		if noise {
			n := source.Uint32()
			c = color.RGBA{uint8(n), uint8(n >> 8), uint8(n >> 16), 255}
		}
		copy(img.Pix[i:], []byte{c.R, c.G, c.B, c.A})
	}
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestFit(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name          string
		w, h          int
		noise         bool
		width, height int
		kind          string
		same          bool
	}{
		{"small", 640, 480, false, 640, 480, "image/png", true},
		{"at the bound", 1024, 1024, false, 1024, 1024, "image/png", true},
		{"wide", 2048, 512, false, 1024, 256, "image/png", false},
		{"tall", 400, 4096, false, 100, 1024, "image/png", false},
		{"wide and tall", 3000, 2400, false, 1024, 819, "image/png", false},
		{"one row", 5000, 1, false, 1024, 1, "image/png", false},
		{"small, with many bytes", 250, 250, true, 250, 250, "image/jpeg", false},
		{"noise of full size", 1024, 1024, true, 768, 768, "image/jpeg", false},
	} {
		data := picture(t, c.w, c.h, c.noise)
		got := ladder.Fit(data)
		if got.Width != c.width || got.Height != c.height || got.MIMEType != c.kind || bytes.Equal(got.Data, data) != c.same {
			t.Errorf("%s: %dx%d %s, want %dx%d %s", c.name, got.Width, got.Height, got.MIMEType, c.width, c.height, c.kind)
		}
		if len(got.Data) > ladder.MaxBytes {
			t.Errorf("%s: %d bytes", c.name, len(got.Data))
		}
		if got.FromWidth != c.w || got.FromHeight != c.h || got.Factor() != float64(c.w)/float64(c.width) {
			t.Errorf("%s: from %dx%d, factor %v", c.name, got.FromWidth, got.FromHeight, got.Factor())
		}
		decoded, _, err := image.Decode(bytes.NewReader(got.Data))
		if err != nil || decoded.Bounds().Dx() != c.width {
			t.Errorf("%s: the picture cannot be read: %v", c.name, err)
		}
	}
	if got := ladder.Fit([]byte("no picture")); got.Width != 0 || string(got.Data) != "no picture" || got.Factor() != 1 {
		t.Errorf("no picture: %+v", got)
	}
}
