package supervisor

import (
	"context"
	"time"

	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/supervisor/fold"
	"github.com/usher-browser/usher/internal/supervisor/fold/core"
	"github.com/usher-browser/usher/internal/supervisor/fold/targets"
	"github.com/usher-browser/usher/internal/supervisor/model"
	"github.com/usher-browser/usher/internal/wire"
)

// linkHost implements link.Host with a Browser.
type linkHost Browser

func (h *linkHost) State() *model.State { return (*Browser)(h).State() }
func (h *linkHost) Now() time.Time      { return h.opts.Now() }
func (h *linkHost) Conn() *cdp.Conn     { return (*Browser)(h).Conn() }
func (h *linkHost) Received() uint64    { return h.received.Load() }
func (h *linkHost) Fold(c core.Command) { (*Browser)(h).input(c) }

func (h *linkHost) Wait(ctx context.Context, cond func(*model.State) (bool, error)) error {
	return (*Browser)(h).Wait(ctx, cond)
}

func (h *linkHost) Use(w wire.Conn) {
	b := (*Browser)(h)
	if b.opts.Recorder != nil {
		w = b.opts.Recorder.Wrap(w)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.conn.Store(cdp.New(w, (*handler)(b)))
	b.apply(fold.Input{Command: &targets.Connected{}})
	b.publish()
}

func (h *linkHost) UseStandby(c *cdp.Conn) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.standby = c
}
