package media

import (
	"bytes"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"math"
	"testing"
)

func blank(t *testing.T, w, h int) []byte {
	t.Helper()
	img := image.NewRGBA(image.Rect(0, 0, w, h))
	for i := range img.Pix {
		img.Pix[i] = 0xff
	}
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func same(a, b color.Color) bool {
	r, g, bl, _ := a.RGBA()
	r2, g2, b2, _ := b.RGBA()
	return r == r2 && g == g2 && bl == b2
}

func TestAnnotateDrawsFramesAndNumbers(t *testing.T) {
	for _, scale := range []float64{1, 2} {
		side := int(200 * scale)
		data, err := Annotate(blank(t, side, side), []Mark{{Number: 7, Box: Rect{X: 50, Y: 60, Width: 80, Height: 40}}}, scale, PNG, 0)
		if err != nil {
			t.Fatal(err)
		}
		img, err := png.Decode(bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		at := func(x, y float64) color.Color { return img.At(int(x*scale), int(y*scale)) }
		want := colour(7)
		for _, p := range [][2]float64{{50, 60}, {90, 61}, {129, 99}, {51, 80}, {129, 80}, {90, 99}} {
			if !same(at(p[0], p[1]), want) {
				t.Errorf("scale %v: %v is %v, want the frame", scale, p, at(p[0], p[1]))
			}
		}
		for _, p := range [][2]float64{{90, 80}, {49, 80}, {131, 80}, {90, 101}, {53, 63}} {
			if !same(at(p[0], p[1]), color.White) {
				t.Errorf("scale %v: %v is %v, want it untouched", scale, p, at(p[0], p[1]))
			}
		}
		// The tag stands above the box: its ground, and white strokes on it.
		ground, strokes := 0, 0
		for y := 46.0; y < 60; y++ {
			for x := 50.0; x < 61; x++ {
				if same(at(x, y), want) {
					ground++
				} else if same(at(x, y), color.White) {
					strokes++
				}
			}
		}
		if ground < 100 || strokes < 10 || ground+strokes != 14*11 {
			t.Errorf("scale %v: the tag has %d pixels of ground and %d of strokes", scale, ground, strokes)
		}
	}
}

func TestTagsDoNotHideEachOther(t *testing.T) {
	p := painter{canvas: image.NewRGBA(image.Rect(0, 0, 300, 300)), scale: 1, unit: 1}
	for n := range 5 {
		m := Mark{Number: n + 10, Box: Rect{X: 100, Y: 100, Width: 60, Height: 30}}
		p.boxes = append(p.boxes, p.rect(m.Box))
		p.tag(m)
	}
	for i, a := range p.tags {
		if !a.In(p.canvas.Bounds()) {
			t.Errorf("tag %d is at %v, out of the picture", i, a)
		}
		for j, b := range p.tags[:i] {
			if a.Overlaps(b) {
				t.Errorf("tags %d and %d lie on each other: %v %v", j, i, b, a)
			}
		}
	}
}

func TestAnnotateAtTheEdges(t *testing.T) {
	marks := []Mark{
		{Number: 1, Box: Rect{X: -10, Y: -10, Width: 30, Height: 20}},
		{Number: 12345, Box: Rect{X: 90, Y: 95, Width: 50, Height: 50}},
		{Number: 3, Box: Rect{X: 500, Y: 500, Width: 5, Height: 5}},
		{Number: 4},
	}
	data, err := Annotate(blank(t, 100, 100), marks, 1, JPEG, 60)
	if err != nil {
		t.Fatal(err)
	}
	img, err := jpeg.Decode(bytes.NewReader(data))
	if err != nil || img.Bounds().Size() != image.Pt(100, 100) {
		t.Errorf("the picture is %v (%v)", img.Bounds(), err)
	}
}

func TestClipToFormat(t *testing.T) {
	for _, c := range []struct {
		format Format
		in     Rect
		scale  float64
		want   Rect
	}{
		{PNG, Rect{0, 0, 1280, 50_000}, 1, Rect{0, 0, 1280, 50_000}},
		{WebP, Rect{0, 0, 1280, 50_000}, 1, Rect{0, 0, 1280, 16_383}},
		{WebP, Rect{0, 5, 1280, 50_000}, 2, Rect{0, 5, 1280, 8_191}},
		{JPEG, Rect{0, 0, 70_000, 100}, 1, Rect{0, 0, 65_535, 100}},
		{PNG, Rect{0, 0, 1024, 1e9}, 1, Rect{0, 0, 1024, 102_400}},
	} {
		if got := clipToFormat(c.format, c.in, c.scale); got != c.want {
			t.Errorf("%s %v at %v: %v, want %v", c.format, c.in, c.scale, got, c.want)
		}
	}
}

func TestParts(t *testing.T) {
	for _, c := range []struct{ length, scale float64 }{{100, 1}, {16384, 1}, {16385, 1}, {50_000.5, 1}, {40_000, 1.5}, {10_000, 2}} {
		end := 0.0
		for _, s := range parts(c.length, c.scale) {
			if s.from != end || s.size <= 0 || math.Ceil(s.size*c.scale) > largestPart {
				t.Errorf("%v at %v: part %v", c.length, c.scale, s)
			}
			end = s.from + s.size
		}
		if end != c.length {
			t.Errorf("%v at %v: the parts end at %v", c.length, c.scale, end)
		}
	}
}

func TestRect(t *testing.T) {
	a := Rect{10, 10, 20, 20}
	if got := a.Intersect(Rect{20, 0, 100, 15}); got != (Rect{20, 10, 10, 5}) {
		t.Error(got)
	}
	if got := a.Intersect(Rect{30, 10, 5, 5}); !got.Empty() {
		t.Error(got)
	}
	if got := (Rect{0.4, 1.6, 2, 2}).Whole(); got != (Rect{0, 1, 3, 3}) {
		t.Error(got)
	}
}
