package wire_test

import (
	"runtime"
	"testing"
	"time"

	"github.com/usher-browser/usher/internal/wire"
)

// TestTrimmer: the memory of a large message goes back to the system although nothing else is allocated.
func TestTrimmer(t *testing.T) {
	const size = 128 << 20
	held := func() uint64 {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapSys - m.HeapReleased
	}
	var trimmer wire.Trimmer
	defer trimmer.Stop()
	msg := make([]byte, size)
	for i := range msg {
		msg[i] = 'x'
	}
	trimmer.Note(len(msg))
	full := held()
	runtime.KeepAlive(msg)
	for end := time.Now().Add(10 * time.Second); held() > full-size/2; time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("the process still holds %d MB of %d", held()>>20, full>>20)
		}
	}
}
