package supervisor

import (
	"github.com/usher-browser/usher/internal/supervisor/model"
	"github.com/usher-browser/usher/internal/supervisor/stream"
)

// Stream returns the changes of a context, from the first on.
func (b *Browser) Stream(c model.ContextID) *stream.Stream {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.streams.Of(c, b.model.State())
}

// EndStream ends the stream of a context that is no longer in use; its readers get the reason.
func (b *Browser) EndStream(c model.ContextID, why string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.streams.End(c, why)
}

// Note adds a change that another component observed to a stream: that of the change's context, or of the tab's if the
// tab is known. It comes after all changes of the model so far.
func (b *Browser) Note(c model.Change) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.model.Complete(&c)
	b.streams.Add(c, b.model.State())
}

// CaughtUp returns the state with every change that the streams have: they get changes a moment before [Browser.State] does, which is
// published once for the events that arrive together.
func (b *Browser) CaughtUp() *model.State {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.publish()
	return b.State()
}
