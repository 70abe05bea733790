package supervisor

import (
	"errors"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/fault"
	"github.com/usher-browser/usher/internal/supervisor/fold"
	"github.com/usher-browser/usher/internal/supervisor/fold/core"
	"github.com/usher-browser/usher/internal/supervisor/fold/dialogs"
	"github.com/usher-browser/usher/internal/supervisor/fold/fetch"
	"github.com/usher-browser/usher/internal/supervisor/fold/targets"
	"github.com/usher-browser/usher/internal/supervisor/model"
	"github.com/usher-browser/usher/internal/supervisor/recording"
)

// input applies a command to the model.
func (b *Browser) input(c core.Command) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.apply(fold.Input{Command: c})
	b.publish()
}

// apply applies an input to the model and carries out its effects. The caller holds mu.
func (b *Browser) apply(in fold.Input) {
	if b.broken != nil {
		return // after a panic the model may be inconsistent
	}
	defer fault.Recover(b.stopFolding)
	in.At = b.opts.Now()
	if b.opts.Recorder != nil {
		recording.Input(b.opts.Recorder, &in)
	}
	b.execute(b.model.Apply(in))
	for _, c := range b.model.Changes() {
		b.streams.Add(c, b.model.State())
	}
}

// publish publishes a changed state, and updates guards and watchdogs. The caller holds mu.
func (b *Browser) publish() {
	if b.broken != nil {
		b.publishEnd()
		return
	}
	defer fault.Recover(func(e *fault.Error) {
		b.stopFolding(e)
		b.publishEnd()
	})
	if !b.model.Dirty() {
		return
	}
	old := b.state.Swap(b.model.Snapshot())
	old.Supersede()
	b.stopWatchdogs()
	if b.blocked {
		b.blocked = false
		b.guards.Judge()
	}
	if b.model.State().Closed != nil {
		b.cancel()
	}
}

// stopFolding gives up this browser after a panic; others are not affected. The fold may have stopped half way, so no
// further input is applied. The caller holds mu.
func (b *Browser) stopFolding(e *fault.Error) {
	if b.broken == nil {
		b.broken = e
		b.Conn().Abort(e)
	}
}

// publishEnd publishes that the browser was given up. It uses the last published state, which is consistent. The caller
// holds mu.
func (b *Browser) publishEnd() {
	old := b.State()
	if old.Closed != nil {
		return
	}
	end := old.Clone()
	end.Closed, end.Outage = b.broken, nil
	b.state.Store(end)
	old.Supersede()
	b.guards.End(end.Closed)
	b.cancel()
}

// failed is stopFolding for callers that do not hold mu.
func (b *Browser) failed(e *fault.Error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.stopFolding(e)
	b.publishEnd()
}

// recovered wraps f so that a panic of it ends this Browser only.
func (b *Browser) recovered(f func()) func() {
	return func() {
		defer fault.Recover(b.failed)
		f()
	}
}

// stopWatchdogs stops the watchdogs of closed dialogs. The caller holds mu.
func (b *Browser) stopWatchdogs() {
	for id, t := range b.watchdogs {
		if b.model.State().OpenDialog(id) == nil {
			b.timers.Stop(t)
			delete(b.watchdogs, id)
		}
	}
}

// execute executes effects of the fold. The caller holds mu.
func (b *Browser) execute(effects []core.Effect) {
	for i := range effects {
		switch e := &effects[i]; {
		case e.Send != nil:
			b.post(e.Send)
		case e.Timer != nil:
			b.startTimer(e.Timer)
		case e.CheckGuards != "":
			b.blocked = true
		case e.Report != nil:
			b.unreported = append(b.unreported, *e.Report)
		}
	}
}

// notifyObservers passes an event to the observers.
func (b *Browser) notifyObservers(ev cdp.Event, tab model.TargetID) {
	for _, o := range b.opts.Observers {
		o.Tap(ev, tab, b.note)
	}
}

// deliver passes the synthetic events of core.Report to the observers: those that no connection reports any more.
func (b *Browser) deliver() {
	b.mu.Lock()
	events := b.unreported
	b.unreported = nil
	b.mu.Unlock()
	for _, e := range events {
		b.notifyObservers(e.Event, e.Tab)
	}
}

func (b *Browser) post(s *core.Send) {
	conn := b.Conn()
	if s.Standby {
		conn = b.standby
	}
	if conn == nil {
		return // the standby connection has just ended, which is the next input
	}
	if s.Tag.Kind == core.TagNone {
		conn.Session(s.Session).Post(s.Method, b.withSecrets(s.Params), b.replyTo(s.Session))
		return
	}
	tag, session, answered := s.Tag, s.Session, b.replyTo(s.Session)
	params := b.withSecrets(s.Params)
	reply := func(res jsontext.Value, err error) {
		if answered != nil {
			defer answered(res, err)
		}
		if errors.Is(err, cdp.ErrClosed) || errors.Is(err, cdp.ErrDetached) {
			return // the end of the connection or session is an input itself
		}
		b.mu.Lock()
		defer b.mu.Unlock()
		b.apply(fold.Input{Command: &core.Reply{Tag: tag, Session: session, Result: res, Err: err}})
		if tag.Kind == core.TagProbe {
			close(b.probeAnswered)
			b.probeAnswered = make(chan struct{})
		}
	}
	if tag.Kind == core.TagRun && len(b.joined) > 0 {
		b.start(session, func() { conn.Session(session).Post(s.Method, params, reply) })
		return
	}
	conn.Session(session).Post(s.Method, params, reply)
}

func (b *Browser) startTimer(t *core.Timer) {
	if t.Request == "" {
		b.startWatchdog(t)
		return
	}
	key := delayed{t.Session, t.Request}
	timer := b.timers.After(t.After, func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		delete(b.delays, key)
		b.apply(fold.Input{Command: &fetch.Resume{Session: t.Session, Request: t.Request}})
		b.publish()
	})
	if timer != nil {
		b.delays[key] = timer
	}
}

// delayed identifies a delayed request.
type delayed struct{ session, request string }

func (b *Browser) startWatchdog(t *core.Timer) {
	id := t.Dialog
	b.timers.Stop(b.watchdogs[id])
	timer := b.timers.After(t.After, func() {
		b.input(&dialogs.Watchdog{Dialog: id})
	})
	if timer != nil {
		b.watchdogs[id] = timer
	}
}

// handler implements the callbacks of cdp.Conn, to keep them out of Browser's method set.
type handler Browser

func (h *handler) Event(ev cdp.Event) {
	b := (*Browser)(h)
	b.received.Add(1)
	from := b.fold(&ev)
	if !from.Side() {
		b.notifyObservers(ev, from.Tab)
	}
	b.awaited.deliver(&ev)
	b.clients.deliver(&ev)
}

// fold applies an event to the model and returns its CDP session.
func (b *Browser) fold(ev *cdp.Event) core.Session {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.apply(fold.Input{Event: ev})
	return b.model.Sessions[ev.SessionID]
}

func (h *handler) Flush() {
	b := (*Browser)(h)
	func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.publish()
	}()
	b.deliver()
}

func (h *handler) Overflow(session string) {
	b := (*Browser)(h)
	b.input(&targets.Overflow{Session: session})
	if s := b.clients.owner(session); s != nil {
		s.Detach()
		s.ended()
	}
}

func (h *handler) Closed(err error) {
	b := (*Browser)(h)
	b.clients.end()
	var panicked *fault.Error
	if errors.As(err, &panicked) { // a bug in the handling of an event, which would occur again on another connection
		b.failed(panicked)
		return
	}
	if b.outlives() && b.ctx.Err() == nil {
		b.input(&targets.Lost{Cause: err})
	} else {
		b.input(&targets.Closed{Cause: err})
	}
	b.deliver()
}
