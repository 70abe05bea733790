// Package ladder makes pictures small enough for a model to look at.
package ladder

import (
	"bytes"
	"image"
	"image/jpeg"
	"image/png"
	"math"

	"golang.org/x/image/draw"
)

// The bounds of a picture for a model (oh-my-pi's).
const (
	MaxEdge  = 1024       // pixels
	MaxBytes = 150 * 1024 // of the encoded picture
	Quality  = 70         // of a JPEG, at first
)

// The steps that are taken one after the other until a picture is small enough: qualities at each of the scales. No edge gets
// shorter than minEdge.
var (
	qualities = []int{70, 60, 50, 40}
	scales    = []float64{1, .75, .5, .35, .25}
)

const minEdge = 100

// Picture is an encoded picture.
type Picture struct {
	Data          []byte
	MIMEType      string
	Width, Height int // 0 for data that is no picture
	// FromWidth and FromHeight are the size of the original.
	FromWidth, FromHeight int
}

// Factor is by how much coordinates in the picture are multiplied to get those in the original.
func (p Picture) Factor() float64 {
	if p.Width == 0 {
		return 1
	}
	return float64(p.FromWidth) / float64(p.Width)
}

// Fit returns a PNG within the bounds. A picture that already is, with at most a quarter of the bytes, is returned as it is. Others
// are scaled to fit, as PNG or JPEG, whichever is smaller, and then reduced step by step. If no step is enough, the last is
// returned. Data that is no picture is returned without a size.
func Fit(data []byte) Picture {
	img, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		return Picture{Data: data, MIMEType: "image/png"}
	}
	w, h := img.Bounds().Dx(), img.Bounds().Dy()
	if w <= MaxEdge && h <= MaxEdge && len(data) <= MaxBytes/4 {
		return Picture{data, "image/png", w, h, w, h}
	}
	fw, fh := fit(w, h)
	small := resized(img, fw, fh)
	best := smaller(encodePNG(small), encodeJPEG(small, Quality))
	for _, scale := range scales {
		sw, sh := int(math.Round(float64(fw)*scale)), int(math.Round(float64(fh)*scale))
		if len(best.Data) <= MaxBytes || scale < 1 && min(sw, sh) < minEdge {
			break
		}
		img := resized(small, sw, sh)
		for _, quality := range qualities {
			if best = encodeJPEG(img, quality); len(best.Data) <= MaxBytes {
				break
			}
		}
	}
	best.FromWidth, best.FromHeight = w, h
	return best
}

// fit returns the size at which a picture is within MaxEdge: by its width first, then by its height.
func fit(w, h int) (int, int) {
	if w > MaxEdge {
		w, h = MaxEdge, max(1, int(math.Round(float64(h)*MaxEdge/float64(w))))
	}
	if h > MaxEdge {
		w, h = max(1, int(math.Round(float64(w)*MaxEdge/float64(h)))), MaxEdge
	}
	return w, h
}

func resized(img image.Image, w, h int) image.Image {
	if b := img.Bounds(); b.Dx() == w && b.Dy() == h {
		return img
	}
	out := image.NewRGBA(image.Rect(0, 0, w, h))
	draw.CatmullRom.Scale(out, out.Bounds(), img, img.Bounds(), draw.Src, nil)
	return out
}

func smaller(a, b Picture) Picture {
	if len(b.Data) < len(a.Data) {
		return b
	}
	return a
}

func encodePNG(img image.Image) Picture {
	var b bytes.Buffer
	_ = png.Encode(&b, img) // into memory; the size is that of a picture that was decoded
	return Picture{Data: b.Bytes(), MIMEType: "image/png", Width: img.Bounds().Dx(), Height: img.Bounds().Dy()}
}

func encodeJPEG(img image.Image, quality int) Picture {
	var b bytes.Buffer
	_ = jpeg.Encode(&b, img, &jpeg.Options{Quality: quality}) // as for PNG
	return Picture{Data: b.Bytes(), MIMEType: "image/jpeg", Width: img.Bounds().Dx(), Height: img.Bounds().Dy()}
}
