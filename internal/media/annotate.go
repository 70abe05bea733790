package media

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"math"
	"slices"
	"strconv"

	"golang.org/x/image/font"
	"golang.org/x/image/font/basicfont"
	"golang.org/x/image/math/fixed"
)

// Mark is a numbered box to draw on a picture. Box is in CSS pixels from the top
// left of the picture.
type Mark struct {
	Number int
	Box    Rect
}

// Annotate draws marks on a PNG of a page and returns it in another format that Go can encode (PNG or JPEG). scale is
// the number of its pixels per CSS pixel.
//
// A mark is a frame around the box and a tag with the number. The tag is outside of the box if there is space, so that
// it hides no text.
func Annotate(picture []byte, marks []Mark, scale float64, to Format, quality int) ([]byte, error) {
	img, err := png.Decode(bytes.NewReader(picture))
	if err != nil {
		return nil, fmt.Errorf("read the image to annotate: %w", err)
	}
	canvas := image.NewRGBA(image.Rectangle{Max: img.Bounds().Size()})
	draw.Draw(canvas, canvas.Bounds(), img, img.Bounds().Min, draw.Src)
	p := painter{canvas: canvas, scale: scale, unit: max(int(math.Round(scale)), 1)}
	// All frames first: a tag is worth more than a line.
	for _, m := range marks {
		p.boxes = append(p.boxes, p.rect(m.Box))
		p.frame(m)
	}
	for _, m := range marks {
		p.tag(m)
	}
	return encode(canvas, to, quality)
}

type painter struct {
	canvas *image.RGBA
	scale  float64
	unit   int // pixels of a fine line
	boxes  []image.Rectangle
	tags   []image.Rectangle
}

// colours that white digits can be read on; neighbours get different ones.
func colour(number int) color.RGBA {
	switch number % 6 {
	case 0:
		return color.RGBA{0xc6, 0x28, 0x28, 0xff} // red
	case 1:
		return color.RGBA{0x15, 0x65, 0xc0, 0xff} // blue
	case 2:
		return color.RGBA{0x2e, 0x7d, 0x32, 0xff} // green
	case 3:
		return color.RGBA{0x6a, 0x1b, 0x9a, 0xff} // purple
	case 4:
		return color.RGBA{0xad, 0x14, 0x57, 0xff} // pink
	}
	return color.RGBA{0x4e, 0x34, 0x2e, 0xff} // brown
}

func (p *painter) rect(r Rect) image.Rectangle {
	return image.Rect(
		int(math.Floor(r.X*p.scale)), int(math.Floor(r.Y*p.scale)),
		int(math.Ceil((r.X+r.Width)*p.scale)), int(math.Ceil((r.Y+r.Height)*p.scale)),
	)
}

func (p *painter) fill(r image.Rectangle, c color.Color) {
	draw.Draw(p.canvas, r.Intersect(p.canvas.Bounds()), image.NewUniform(c), image.Point{}, draw.Src)
}

// frame draws the outline of a box, two units thick, on the inside of its edge.
func (p *painter) frame(m Mark) {
	r, c, w := p.rect(m.Box), colour(m.Number), 2*p.unit
	p.fill(image.Rect(r.Min.X, r.Min.Y, r.Max.X, r.Min.Y+w), c)
	p.fill(image.Rect(r.Min.X, r.Max.Y-w, r.Max.X, r.Max.Y), c)
	p.fill(image.Rect(r.Min.X, r.Min.Y, r.Min.X+w, r.Max.Y), c)
	p.fill(image.Rect(r.Max.X-w, r.Min.Y, r.Max.X, r.Max.Y), c)
}

// Size of a glyph of the fixed font, and the padding around the digits of a tag.
const (
	glyphWidth, glyphHeight, glyphAscent = 7, 13, 11
	padding                              = 2
)

// tag draws the number of a mark.
func (p *painter) tag(m Mark) {
	text := strconv.Itoa(m.Number)
	size := image.Pt((glyphWidth*len(text)+2*padding)*p.unit, (glyphHeight+1)*p.unit)
	r := p.labelRect(p.rect(m.Box), size)
	p.tags = append(p.tags, r)
	p.fill(r, colour(m.Number))
	glyphs := image.NewAlpha(image.Rect(0, 0, glyphWidth*len(text), glyphHeight))
	drawer := font.Drawer{Dst: glyphs, Src: image.Opaque, Face: basicfont.Face7x13, Dot: fixed.P(0, glyphAscent)}
	drawer.DrawString(text)
	for y := range glyphHeight {
		for x := range glyphs.Rect.Dx() {
			if glyphs.AlphaAt(x, y).A < 0x80 {
				continue
			}
			at := r.Min.Add(image.Pt((padding+x)*p.unit, y*p.unit))
			p.fill(image.Rectangle{Min: at, Max: at.Add(image.Pt(p.unit, p.unit))}, color.White)
		}
	}
}

// labelRect returns a position for the tag of a box: where it hides neither another tag nor another box, or else no
// other tag.
func (p *painter) labelRect(own image.Rectangle, size image.Point) image.Rectangle {
	bounds := p.canvas.Bounds()
	at := func(x, y int) image.Rectangle {
		x = max(bounds.Min.X, min(x, bounds.Max.X-size.X))
		y = max(bounds.Min.Y, min(y, bounds.Max.Y-size.Y))
		return image.Rectangle{Min: image.Pt(x, y), Max: image.Pt(x, y).Add(size)}
	}
	candidates := [...]image.Rectangle{
		at(own.Min.X, own.Min.Y-size.Y),        // above
		at(own.Min.X-size.X, own.Min.Y),        // left
		at(own.Max.X, own.Min.Y),               // right
		at(own.Min.X, own.Max.Y),               // below
		at(own.Max.X-size.X, own.Min.Y),        // inside, where text seldom reaches
		at(own.Max.X-size.X, own.Min.Y-size.Y), // above, at the other end
		at(own.Min.X, own.Min.Y),               // on it
	}
	best := -1
	for i, r := range candidates {
		if slices.ContainsFunc(p.tags, r.Overlaps) {
			continue
		}
		if !slices.ContainsFunc(p.boxes, func(b image.Rectangle) bool { return b != own && r.Overlaps(b) && !own.In(b) }) {
			return r
		}
		if best < 0 {
			best = i
		}
	}
	if best < 0 {
		best = len(candidates) - 1
	}
	return candidates[best]
}
