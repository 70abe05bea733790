package media

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"slices"
	"sync"
)

// Bounds of what [Baselines] keep.
const (
	mostBaselines     = 32
	mostBaselineBytes = 32 << 20
)

// Baselines keep the last reported picture of each kind, in memory, to tell whether the next one is different. When there are
// too many, those that were not used for the longest time are dropped. The zero value is ready for use.
type Baselines struct {
	mu   sync.Mutex
	kept []*baseline // guarded by mu: the one that was used last is the last
}

type baseline struct {
	kind     string
	data     []byte // PNG
	revision int
}

// PixelChange is what is different in a picture.
type PixelChange struct {
	Changed  bool
	Ratio    float64 // of the pixels, from 0 to 1; 1 if there is nothing to compare with, or its size is another
	Revision int     // number of the pictures of this kind, with this one
}

// Compare compares a picture in PNG with the baseline of its kind. It is changed if more than a share of the pixels, from 0
// to 1, has another colour; then, and only then, it becomes the baseline: small changes add up.
func (b *Baselines) Compare(kind string, data []byte, threshold float64) (PixelChange, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	i := slices.IndexFunc(b.kept, func(k *baseline) bool { return k.kind == kind })
	if i < 0 {
		b.keep(&baseline{kind: kind, data: data, revision: 1})
		return PixelChange{Changed: true, Ratio: 1, Revision: 1}, nil
	}
	last := b.kept[i]
	ratio, err := changedPixels(last.data, data)
	if err != nil {
		return PixelChange{}, err
	}
	b.kept = slices.Delete(b.kept, i, i+1)
	last.revision++
	change := PixelChange{Changed: ratio > threshold, Ratio: ratio, Revision: last.revision}
	if change.Changed {
		last.data = data
	}
	b.keep(last)
	return change, nil
}

// keep appends a baseline and drops the oldest that are too many. The caller holds mu.
func (b *Baselines) keep(k *baseline) {
	b.kept = append(b.kept, k)
	size := 0
	for i, k := range slices.Backward(b.kept) {
		size += len(k.data)
		if i < len(b.kept)-1 && (size > mostBaselineBytes || len(b.kept)-i > mostBaselines) {
			b.kept = slices.Delete(b.kept, 0, i+1)
			return
		}
	}
}

// changedPixels returns the share of pixels that differ, from 0 to 1.
func changedPixels(before, after []byte) (float64, error) {
	if bytes.Equal(before, after) {
		return 0, nil
	}
	var pictures [2]*image.NRGBA
	for i, data := range [][]byte{before, after} {
		img, err := png.Decode(bytes.NewReader(data))
		if err != nil {
			return 0, fmt.Errorf("decode the browser's picture: %w", err)
		}
		pictures[i] = straight(img)
	}
	a, b := pictures[0], pictures[1]
	if a.Bounds() != b.Bounds() {
		return 1, nil
	}
	different := 0
	for i := 0; i < len(b.Pix); i += 4 {
		if [4]uint8(a.Pix[i:i+4]) != [4]uint8(b.Pix[i:i+4]) {
			different++
		}
	}
	return float64(different) / float64(len(b.Pix)/4), nil
}
