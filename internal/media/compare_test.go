package media

import (
	"image"
	"image/color"
	"testing"
)

func TestCompare(t *testing.T) {
	t.Parallel()
	before, after := image.NewNRGBA(image.Rect(0, 0, 4, 1)), image.NewRGBA(image.Rect(5, 5, 9, 6))
	for i, c := range []color.NRGBA{{255, 255, 255, 255}, {0, 0, 0, 255}, {10, 20, 30, 0}, {200, 0, 0, 255}} {
		before.SetNRGBA(i, 0, c)
	}
	// White as transparent black; black; transparent as white; a slightly lighter red.
	for i, c := range []color.NRGBA{{0, 0, 0, 0}, {0, 0, 0, 255}, {255, 255, 255, 255}, {210, 8, 8, 255}} {
		after.Set(5+i, 5, c)
	}
	for threshold, want := range map[float64]int{0: 1, 0.01: 1, 0.1: 0, 1: 0} {
		if got := Compare(before, after, threshold).Different; got != want {
			t.Errorf("threshold %v: %d pixels differ, want %d", threshold, got, want)
		}
	}
	c := Compare(before, after, 0.01)
	for i, want := range []color.NRGBA{{255, 255, 255, 255}, {229, 229, 229, 255}, {255, 255, 255, 255}, {255, 0, 0, 255}} {
		if got := c.Marked().NRGBAAt(i, 0); got != want {
			t.Errorf("pixel %d is marked %v, want %v", i, got, want)
		}
	}
	if d := distance([]uint8{0, 0, 0, 255}, []uint8{255, 255, 255, 255}); d > mostDistance || d < mostDistance*0.93 {
		t.Errorf("black and white are %v apart", d)
	}
}
