package media

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"testing"
)

// picture returns a PNG of 10 x 10 white pixels, some of them black.
func picture(t *testing.T, width, black int) []byte {
	t.Helper()
	img := image.NewNRGBA(image.Rect(0, 0, width, 10))
	for i := range width * 10 {
		c := color.NRGBA{255, 255, 255, 255}
		if i < black {
			c = color.NRGBA{0, 0, 0, 255}
		}
		img.SetNRGBA(i%width, i/width, c)
	}
	var out bytes.Buffer
	if err := png.Encode(&out, img); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func TestBaselines(t *testing.T) {
	var b Baselines
	for i, step := range []struct {
		kind      string
		data      []byte
		threshold float64
		want      PixelChange
	}{
		{"page", picture(t, 10, 0), 0, PixelChange{true, 1, 1}},
		{"page", picture(t, 10, 0), 0, PixelChange{false, 0, 2}},
		{"element", picture(t, 10, 0), 0, PixelChange{true, 1, 1}},
		{"page", picture(t, 10, 1), 0, PixelChange{true, 0.01, 3}},
		{"page", picture(t, 10, 3), 0.025, PixelChange{false, 0.02, 4}},
		{"page", picture(t, 10, 5), 0.025, PixelChange{true, 0.04, 5}}, // 0.02 and 0.02 since the baseline
		{"page", picture(t, 20, 0), 0.5, PixelChange{true, 1, 6}},
	} {
		got, err := b.Compare(step.kind, step.data, step.threshold)
		if err != nil || got != step.want {
			t.Errorf("step %d: %+v, %v, want %+v", i, got, err, step.want)
		}
	}
	if _, err := b.Compare("page", []byte("no picture"), 0); err == nil {
		t.Error("no picture was compared")
	}
}

func TestBaselinesAreBounded(t *testing.T) {
	var b Baselines
	data := make([]byte, mostBaselineBytes/4)
	for i := range 3 * mostBaselines {
		if _, err := b.Compare(fmt.Sprint("large", i), data, 0); err != nil {
			t.Fatal(err)
		}
	}
	if len(b.kept) != 4 || b.kept[3].kind != fmt.Sprint("large", 3*mostBaselines-1) {
		t.Errorf("%d large pictures are kept", len(b.kept))
	}
	for i := range 3 * mostBaselines {
		if _, err := b.Compare(fmt.Sprint("small", i), []byte{1}, 0); err != nil {
			t.Fatal(err)
		}
	}
	if len(b.kept) != mostBaselines {
		t.Errorf("%d small pictures are kept, want %d", len(b.kept), mostBaselines)
	}
}
