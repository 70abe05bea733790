package supervisor

import (
	"github.com/usher-browser/usher/internal/supervisor/fold"
	"github.com/usher-browser/usher/internal/supervisor/fold/liveness"
	"github.com/usher-browser/usher/internal/supervisor/model"
)

// Work says that a script of the caller's own is about to be sent to a frame, so that a
// renderer that is busy with it does not count as unresponsive. The function it returns
// is called when the script has been answered, or the caller does not wait for it any more.
func (b *Browser) OwnScript(frame model.FrameID) (over func(answered bool)) {
	f := b.State().Frame(frame)
	if f == nil || f.Session == "" {
		return func(bool) {}
	}
	b.input(fold.Input{Command: &liveness.OwnScript{Session: f.Session}})
	return func(answered bool) {
		b.input(fold.Input{Command: &liveness.OwnScript{Session: f.Session, Over: true, Unanswered: !answered}})
	}
}
