package link

import (
	"context"

	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/supervisor/fold/core"
	"github.com/usher-browser/usher/internal/supervisor/fold/dialogs"
	"github.com/usher-browser/usher/internal/supervisor/model"
	"github.com/usher-browser/usher/internal/wire"
)

// keepStandby holds a second connection that reports dialogs and nothing else of interest, and can answer them when the
// first is lost. It stops after a browser has twice disconnected its first client for a second one.
func (k *Keeper) keepStandby() {
	defer k.running.Done()
	pause := firstPause
	for displaced := 0; displaced < 2; {
		connected := func(s *model.State) (bool, error) { return s.Outage == nil, s.Closed }
		if k.host.Wait(k.ctx, connected) != nil {
			return
		}
		w, err := k.dial()
		if k.ctx.Err() != nil {
			if err == nil {
				_ = w.Close()
			}
			return
		}
		if err == nil {
			pause = firstPause
			if k.holdStandby(w) {
				displaced++
			} else {
				displaced = 0
			}
		}
		if !k.backOff(pause) {
			return
		}
		pause = min(2*pause, lastPause)
	}
}

// holdStandby uses a standby connection until its end, and reports whether it ended the main one.
func (k *Keeper) holdStandby(w wire.Conn) (displaced bool) {
	c := cdp.New(w, (*standbyHandler)(k))
	k.host.UseStandby(c)
	defer func() {
		_ = c.Close()
		k.host.UseStandby(nil)
		k.host.Fold(&dialogs.StandbyLost{})
	}()
	// Only pages are attached, and not paused: the main connection, which pauses them, reports what a page opens in its
	// first moment.
	c.Browser().Post("Target.setAutoAttach", core.Params{"autoAttach": true, "waitForDebuggerOnStart": false, "flatten": true,
		"filter": []core.Params{{"type": "page"}}}, nil)
	ctx, cancel := context.WithTimeout(k.ctx, displacedAfter)
	defer cancel()
	if k.host.Wait(ctx, func(s *model.State) (bool, error) { return s.Outage != nil, s.Closed }) == nil {
		// A network that broke takes both.
		k.sleep(displacedAfter / 10)
		displaced = c.Err() == nil
	}
	select {
	case <-c.Done():
	case <-k.ctx.Done():
	}
	return displaced
}

// standbyHandler takes the events of the standby connection.
type standbyHandler Keeper

func (h *standbyHandler) Event(ev cdp.Event) {
	switch ev.Method {
	case "Target.attachedToTarget", "Target.detachedFromTarget", "Page.javascriptDialogOpening", "Page.javascriptDialogClosed":
		h.host.Fold(&dialogs.StandbyEvent{Event: ev})
	}
}

func (h *standbyHandler) Flush()          {}
func (h *standbyHandler) Overflow(string) {}
func (h *standbyHandler) Closed(error)    {} // holdStandby folds it in
