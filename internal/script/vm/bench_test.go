package vm

import (
	"io"
	"testing"

	"github.com/usher-browser/usher/internal/script/message"
)

// BenchmarkMachine makes what a run begins with.
func BenchmarkMachine(b *testing.B) {
	p, err := compile(&message.Settings{Facade: "() => ({})", Memory: 64 << 20})
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		m, err := p.newMachine(&outlet{w: io.Discard})
		if err != nil {
			b.Fatal(err)
		}
		m.close()
	}
}
