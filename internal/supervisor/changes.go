package supervisor

import (
	"github.com/usher-browser/usher/internal/supervisor/model"
	"github.com/usher-browser/usher/internal/supervisor/stream"
)

// Stream is what happened to the tabs of a context, from its first on.
func (b *Browser) Stream(c model.ContextID) *stream.Stream {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.streams.Of(c, b.model.State())
}

// EndStream ends the stream of a context that nobody uses any more, and says why
// to those who read it.
func (b *Browser) EndStream(c model.ContextID, why string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.streams.End(c, why)
}

// Note adds what others observed to a stream: that of the context, or of the tab's
// when the tab is known. It takes its place after what the model has seen.
func (b *Browser) Note(c model.Change) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.model.Complete(&c)
	b.streams.Add(c, b.model.State())
}
