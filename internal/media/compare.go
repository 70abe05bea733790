package media

import (
	"bytes"
	"image"
	"image/draw"
)

// Comparison is what two pictures of the same size differ in.
type Comparison struct {
	Different int // pixels

	before, after *image.NRGBA
	limit         float64 // the squared distance from which on pixels differ
}

// mostDistance is the largest distance of two colours: that of black and white.
const mostDistance = 35215

// Compare compares pictures of the same size pixel by pixel. Two pixels differ if their distance is more than threshold, from
// 0 (any difference) to 1. The distance is that of the colours on white in YIQ space, weighted for how people see
// (Kotsarenko and Ramos, "Measuring perceived color difference using YIQ NTSC transmission color space in mobile
// applications", 2010), as in pixelmatch. Antialiased pixels are compared like others: one browser draws the same page
// the same way.
func Compare(before, after image.Image, threshold float64) Comparison {
	c := Comparison{before: straight(before), after: straight(after), limit: mostDistance * threshold * threshold}
	stride := c.after.Stride
	for row := 0; row < len(c.after.Pix); row += stride {
		if bytes.Equal(c.before.Pix[row:row+stride], c.after.Pix[row:row+stride]) {
			continue
		}
		for i := row; i < row+stride; i += 4 {
			if c.differs(i) {
				c.Different++
			}
		}
	}
	return c
}

// Marked returns the second picture, faded, with the pixels that differ in red.
func (c *Comparison) Marked() *image.NRGBA {
	out := image.NewNRGBA(c.after.Bounds())
	for i := 0; i < len(out.Pix); i += 4 {
		to := out.Pix[i : i+4 : i+4]
		if to[3] = 255; c.differs(i) {
			to[0], to[1], to[2] = 255, 0, 0
			continue
		}
		grey := uint8(255 - (255-luma(c.after.Pix[i:i+4:i+4]))*0.1)
		to[0], to[1], to[2] = grey, grey, grey
	}
	return out
}

// differs reports whether the pixels at an index of Pix differ.
func (c *Comparison) differs(i int) bool {
	return distance(c.before.Pix[i:i+4:i+4], c.after.Pix[i:i+4:i+4]) > c.limit
}

// straight returns a picture with its origin at 0 and without premultiplied alpha.
func straight(img image.Image) *image.NRGBA {
	size := image.Rectangle{Max: img.Bounds().Size()}
	if n, ok := img.(*image.NRGBA); ok && n.Bounds() == size && n.Stride == 4*size.Dx() {
		return n
	}
	if p, ok := img.(*image.RGBA); ok && p.Rect == size && p.Stride == 4*size.Dx() && p.Opaque() {
		return &image.NRGBA{Pix: p.Pix, Stride: p.Stride, Rect: p.Rect} // premultiplied or not is the same
	}
	out := image.NewNRGBA(size)
	draw.Draw(out, size, img, img.Bounds().Min, draw.Src)
	return out
}

// onWhite returns the colour of a pixel in front of white, each part from 0 to 255.
func onWhite(p []uint8) (r, g, b float64) {
	if p[3] == 255 {
		return float64(p[0]), float64(p[1]), float64(p[2])
	}
	alpha := float64(p[3]) / 255
	blend := func(c uint8) float64 { return 255 + (float64(c)-255)*alpha }
	return blend(p[0]), blend(p[1]), blend(p[2])
}

func luma(p []uint8) float64 {
	r, g, b := onWhite(p)
	return r*0.29889531 + g*0.58662247 + b*0.11448223
}

// distance returns the squared distance of two pixels.
func distance(p, q []uint8) float64 {
	if [4]uint8(p) == [4]uint8(q) {
		return 0
	}
	r1, g1, b1 := onWhite(p)
	r2, g2, b2 := onWhite(q)
	r, g, b := r1-r2, g1-g2, b1-b2
	y := r*0.29889531 + g*0.58662247 + b*0.11448223
	i := r*0.59597799 - g*0.27417610 - b*0.32180189
	s := r*0.21147017 - g*0.52261711 + b*0.31114694
	return 0.5053*y*y + 0.299*i*i + 0.1957*s*s
}
