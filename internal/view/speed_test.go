package view_test

import (
	"fmt"
	"testing"

	"github.com/usher-browser/usher/internal/view"
)

// BenchmarkSnapshot measures a whole interactive snapshot, browser included.
func BenchmarkSnapshot(b *testing.B) {
	eyes := start(b)
	for _, page := range []string{"/forms", "/buttons?n=5000", "/divs?n=5000", "/text?n=5000", "/buttons?n=50000"} {
		for _, opt := range []view.Options{{Interactive: true}, {}} {
			b.Run(fmt.Sprintf("%s/interactive=%v", page, opt.Interactive), func(b *testing.B) {
				tab := eyes.open(b, eyes.site.URL(page))
				eyes.look(b, tab, opt)
				for b.Loop() {
					b.SetBytes(int64(len(eyes.look(b, tab, opt).Text)))
				}
			})
		}
	}
}
