package supervisor

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"github.com/usher-browser/usher/internal/supervisor/recording"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/fault"
	"github.com/usher-browser/usher/internal/policy"
	"github.com/usher-browser/usher/internal/supervisor/fold"
	"github.com/usher-browser/usher/internal/supervisor/fold/bridge"
	"github.com/usher-browser/usher/internal/supervisor/fold/core"
	"github.com/usher-browser/usher/internal/supervisor/fold/dialogs"
	"github.com/usher-browser/usher/internal/supervisor/fold/targets"
	"github.com/usher-browser/usher/internal/supervisor/model"
	"github.com/usher-browser/usher/internal/wire"
)

// Tap receives every event in order after the model has seen it, on the
// connection's own goroutine: it must be quick and must not wait. info tells
// which tab the event's CDP session speaks for.
type Tap func(ev cdp.Event, tab model.TargetID)

// Reporter is a script that runs first in every document and worker of a stealth
// browser and writes what it has to tell to the console, behind a mark.
type Reporter struct{ Script, Mark string }

// Options of a Browser.
type Options struct {
	// Stealth leaves out what a page can notice.
	Stealth bool
	// Reporter tells of errors where Stealth leaves out what would.
	Reporter Reporter
	// Script runs in our world of every new document of a page, before any of its own; empty for none. Stealth goes without.
	Script string
	// Tap, if set, sees every event.
	Tap Tap
	// Recorder, if set, is told every input of the model; wrap the connection with
	// it, too.
	Recorder *wire.Recorder
	// Now is the clock; nil means time.Now.
	Now func() time.Time
	// Reconnect is for browsers that outlive their connection.
	Reconnect Reconnect
}

// Browser watches one browser over one connection.
type Browser struct {
	conn  atomic.Pointer[cdp.Conn]
	opts  Options
	state atomic.Pointer[model.State]

	mu          sync.Mutex                              // taken before any other lock
	model       *fold.Model                             // guarded by mu
	guards      map[*guard]struct{}                     // guarded by mu
	rulings     uint64                                  // guarded by mu: the last override that was given out
	timers      map[string]*time.Timer                  // guarded by mu: by dialog id
	credentials map[model.ContextID][]policy.Credential // guarded by mu
	streams     streams                                 // guarded by mu
	pulses      map[model.TargetID]*time.Timer          // guarded by mu
	pong        chan struct{}                           // guarded by mu: closed at the next answer to a Pulse
	stopped     bool                                    // guarded by mu
	broken      *fault.Error                            // guarded by mu: a panic after which the browser was given up
	blocked     bool                                    // guarded by mu: some tab's ability to answer has changed since the last publication
	timerWG     sync.WaitGroup                          // timers that run or will run

	asides chan struct{} // one slot: attaching beside the model's own sessions
	spare  *cdp.Conn     // guarded by mu: the standby connection, nil without
	untold []core.Report // guarded by mu: for the Tap

	// For browsers that outlive their connection:
	ctx    context.Context // ends with the watch
	cancel context.CancelFunc
	done   chan struct{} // closed when the watch has ended
	links  sync.WaitGroup
	heard  atomic.Uint64 // events so far
}

// New starts the watch over the browser behind w and takes ownership of w.
func New(w wire.Conn, opts Options) *Browser {
	if opts.Now == nil {
		opts.Now = time.Now
	}
	nonce := rand.Text()
	b := &Browser{
		opts: opts, model: fold.New(fold.Options{Stealth: opts.Stealth, Nonce: nonce,
			Scripts: targets.Scripts{Reporter: opts.Reporter.Script, World: opts.Script}}),
		guards: map[*guard]struct{}{}, timers: map[string]*time.Timer{}, credentials: map[model.ContextID][]policy.Credential{}, streams: streams{}, asides: make(chan struct{}, 1),
		pulses: map[model.TargetID]*time.Timer{}, pong: make(chan struct{}),
	}
	b.state.Store(b.model.Snapshot())
	b.mu.Lock()
	if opts.Recorder != nil {
		recording.Begin(opts.Recorder, opts.Now(), fold.ModelLine{Stealth: opts.Stealth, Nonce: nonce, Mark: opts.Reporter.Mark})
	}
	b.ctx, b.cancel = context.WithCancel(context.Background())
	b.done = make(chan struct{})
	b.conn.Store(cdp.New(w, (*handler)(b)))
	b.carryOut(b.model.Start())
	b.mu.Unlock()
	if b.outlives() {
		b.keepConnected()
	}
	return b
}

// Stealth says that pages are watched by means they cannot notice, so the contexts of scripts are not known.
func (b *Browser) Stealth() bool { return b.opts.Stealth }

// State is the newest snapshot.
func (b *Browser) State() *model.State { return b.state.Load() }

// outlives says that the browser may live on when its connection ends.
func (b *Browser) outlives() bool { return b.opts.Reconnect.Dial != nil }

// Conn is the present connection, or the last one while there is none.
func (b *Browser) Conn() *cdp.Conn { return b.conn.Load() }

// Session is the CDP session with that id; empty is the browser's own.
func (b *Browser) Session(id string) *cdp.Session { return b.Conn().Session(id) }

// Done is closed when the watch has ended and State says why.
func (b *Browser) Done() <-chan struct{} {
	if b.outlives() {
		return b.done
	}
	return b.Conn().Done()
}

// Close ends the connection and waits for all that belongs to it.
func (b *Browser) Close() error {
	b.cancel()
	err := b.Conn().Close()
	b.links.Wait()
	b.mu.Lock()
	b.stopped = true
	for id, t := range b.timers {
		if t.Stop() {
			b.timerWG.Done()
		}
		delete(b.timers, id)
	}
	for g := range b.guards {
		b.stopClocks(g)
	}
	for tab, t := range b.pulses {
		if t.Stop() {
			b.timerWG.Done()
		}
		delete(b.pulses, tab)
	}
	b.mu.Unlock()
	b.timerWG.Wait()
	return err
}

// SetInit sets what each new page of a context receives before its scripts run. The State is then one with every page that
// received what was set before.
func (b *Browser) SetInit(c model.ContextID, cmds []model.InitCommand) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.model.SetInit(c, slices.Clone(cmds))
	b.publish()
}

// SetBridge sets when dialogs of a context come by the bridge; before that they are
// left as they are.
func (b *Browser) SetBridge(c model.ContextID, mode model.BridgeMode) {
	b.input(fold.Input{Command: &bridge.SetBridge{Context: c, Mode: mode}})
}

// KeepRoot has a command about a context, sent to the browser itself already, sent
// again on each later connection.
func (b *Browser) KeepRoot(c model.ContextID, cmd model.InitCommand) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.model.SetRoot(c, cmd)
}

// NoDialogError says that the dialog to answer is not open.
type NoDialogError struct {
	ID     string // as asked for
	Closed *model.Dialog
}

func (e *NoDialogError) Error() string {
	if e.Closed != nil {
		return fmt.Sprintf("dialog %s is already closed (by %s)", e.ID, e.Closed.ClosedBy)
	}
	return fmt.Sprintf("no open dialog %s", e.ID)
}

// DismissOnlyError says that a dialog was open when the connection was lost and
// cannot be accepted any more.
type DismissOnlyError struct{ Dialog *model.Dialog }

func (e *DismissOnlyError) Error() string {
	return fmt.Sprintf("%s dialog %s opened before the connection to the browser was lost; over a new connection Chromium only lets it be dismissed", e.Dialog.Type, e.Dialog.ID)
}

// Answer closes an open dialog and returns it as closed. *NoDialogError if it
// is not open, *DismissOnlyError if it cannot be accepted. While the connection is
// lost it goes over the standby connection or waits.
func (b *Browser) Answer(ctx context.Context, id string, accept bool, text string) (*model.Dialog, error) {
	var d *model.Dialog
	err := b.Wait(ctx, func(s *model.State) (bool, error) {
		d = s.OpenDialog(id)
		return d == nil || d.Reach != model.ReachNone, s.Closed
	})
	switch {
	case err != nil && b.State().Outage != nil:
		return nil, &model.BlockedError{Tab: d.Tab, Outage: b.State().Outage}
	case d == nil:
		return nil, &NoDialogError{ID: id, Closed: b.State().ClosedDialog(id)}
	case err != nil:
		return nil, fmt.Errorf("answer dialog %s: %w", id, err)
	case d.Reach == model.ReachDismiss && !d.Dismissible(accept):
		return nil, &DismissOnlyError{Dialog: d}
	}
	b.input(fold.Input{Command: &dialogs.Answer{Dialog: id, By: model.ByAgent, Accept: accept, Text: text}})
	var closed *model.Dialog
	err = b.Wait(ctx, func(s *model.State) (bool, error) {
		closed = s.ClosedDialog(id)
		if d := s.OpenDialog(id); d != nil && d.Waits() { // it was not sent, or nobody will tell what became of it
			return false, &model.BlockedError{Tab: d.Tab, Outage: cmp.Or(s.Outage, &model.Outage{Since: b.opts.Now(), Cause: cdp.ErrClosed})}
		}
		return closed != nil, s.Closed
	})
	if err != nil && closed == nil {
		return nil, fmt.Errorf("answer dialog %s: %w", id, err)
	}
	return closed, nil
}

// Free dismisses a dialog that nobody heard of, because it opened while there
// was no connection: it holds a tab that was attached again and has not become
// ready. The page is kept. False if the tab is not such a one.
func (b *Browser) Free(ctx context.Context, tab model.TargetID) (bool, error) {
	t := b.State().Tabs[tab]
	if t == nil || t.Session == "" || t.Ready || b.State().Dialog(tab) != nil {
		return false, nil
	}
	params := map[string]string{"url": dialogs.NoopURL}
	if err := b.Session(t.Session).Call(ctx, "Page.navigate", params, nil); err != nil {
		return false, fmt.Errorf("release the page: %w", err)
	}
	err := b.Wait(ctx, func(s *model.State) (bool, error) {
		t := s.Tabs[tab]
		return t == nil || t.Ready, s.Down()
	})
	return err == nil, err
}

// Wait returns when cond says true or returns an error, which Wait returns; or
// with the cause of ctx's end. cond sees each published state once, from the
// caller's goroutine.
func (b *Browser) Wait(ctx context.Context, cond func(*model.State) (bool, error)) error {
	for {
		s := b.State()
		if ok, err := cond(s); ok || err != nil {
			return err
		}
		select {
		case <-s.Changed():
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// input folds in something that did not come from the connection.
func (b *Browser) input(in fold.Input) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.apply(in)
	b.publish()
}

// apply needs mu.
func (b *Browser) apply(in fold.Input) {
	if b.broken != nil {
		return // what is known of the browser may be wrong
	}
	defer fault.Recover(b.giveUp)
	in.At = b.opts.Now()
	if b.opts.Recorder != nil {
		recording.Input(b.opts.Recorder, &in)
	}
	b.carryOut(b.model.Apply(in))
	b.keep()
}

// publish needs mu.
func (b *Browser) publish() {
	if b.broken != nil {
		b.publishEnd()
		return
	}
	defer fault.Recover(func(e *fault.Error) {
		b.giveUp(e)
		b.publishEnd()
	})
	if !b.model.Dirty() {
		return
	}
	old := b.state.Swap(b.model.Snapshot())
	old.Supersede()
	b.stopTimers()
	if b.blocked {
		b.blocked = false
		b.judgeAll()
	}
	if b.model.State().Closed != nil {
		b.cancel()
	}
}

// giveUp ends the watch over this browser, and over no other, after a panic. The fold may have stopped half way, so nothing is
// folded in any more. It needs mu.
func (b *Browser) giveUp(e *fault.Error) {
	if b.broken == nil {
		b.broken = e
		b.Conn().Abort(e)
	}
}

// publishEnd tells everybody that the browser was given up: with what was published last, which is whole. It needs mu.
func (b *Browser) publishEnd() {
	old := b.State()
	if old.Closed != nil {
		return
	}
	end := old.Clone()
	end.Closed, end.Outage = b.broken, nil
	b.state.Store(end)
	old.Supersede()
	for g := range b.guards {
		g.cancel(&model.BlockedError{Tab: g.tab, Closed: end.Closed})
	}
	b.cancel()
}

// failed is giveUp for goroutines that do not hold mu.
func (b *Browser) failed(e *fault.Error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.giveUp(e)
	b.publishEnd()
}

// contained is f as a function whose panic ends the watch over this browser, and over no other.
func (b *Browser) contained(f func()) func() {
	return func() {
		defer fault.Recover(b.failed)
		f()
	}
}

// stopTimers ends the watchdogs of dialogs that are closed. It needs mu.
func (b *Browser) stopTimers() {
	if len(b.timers) == 0 {
		return
	}
	open := b.model.State().Dialogs
	for id, t := range b.timers {
		if !slices.ContainsFunc(open, func(d *model.Dialog) bool { return d.ID == id }) {
			if t.Stop() {
				b.timerWG.Done()
			}
			delete(b.timers, id)
		}
	}
}

// carryOut needs mu.
func (b *Browser) carryOut(effects []core.Effect) {
	for i := range effects {
		switch e := &effects[i]; {
		case e.Send != nil:
			b.post(e.Send)
		case e.Timer != nil:
			b.startTimer(e.Timer)
		case e.Block != "":
			b.blocked = true
		case e.Report != nil:
			b.untold = append(b.untold, *e.Report)
		}
	}
}

// tell hands the Tap what no connection tells any more.
func (b *Browser) tell() {
	b.mu.Lock()
	told := b.untold
	b.untold = nil
	b.mu.Unlock()
	for _, t := range told {
		if b.opts.Tap != nil {
			b.opts.Tap(t.Event, t.Tab)
		}
	}
}

func (b *Browser) post(s *core.Send) {
	conn := b.Conn()
	if s.Standby {
		conn = b.spare
	}
	if conn == nil {
		return // the standby connection ended a moment ago, which is folded in next
	}
	if s.Tag.Kind == core.TagNone {
		conn.Session(s.Session).Post(s.Method, b.filledIn(s.Params), nil)
		return
	}
	tag, session := s.Tag, s.Session
	conn.Session(session).Post(s.Method, s.Params, func(res jsontext.Value, err error) {
		if errors.Is(err, cdp.ErrClosed) || errors.Is(err, cdp.ErrDetached) {
			return // the end of the connection or session is folded in by itself
		}
		b.mu.Lock()
		defer b.mu.Unlock()
		b.apply(fold.Input{Command: &core.Reply{Tag: tag, Session: session, Result: res, Err: err}})
		if tag.Kind == core.TagProbe {
			close(b.pong)
			b.pong = make(chan struct{})
		}
	})
}

func (b *Browser) startTimer(t *core.Timer) {
	if b.stopped {
		return
	}
	id := t.Dialog
	if old := b.timers[id]; old != nil && old.Stop() {
		b.timerWG.Done()
	}
	b.timerWG.Add(1)
	b.timers[id] = time.AfterFunc(t.After, b.contained(func() {
		defer b.timerWG.Done()
		b.input(fold.Input{Command: &dialogs.Watchdog{Dialog: id}})
	}))
}

// handler keeps the connection's callbacks out of Browser's method set.
type handler Browser

func (h *handler) Event(ev cdp.Event) {
	b := (*Browser)(h)
	b.heard.Add(1)
	from := b.heardFrom(&ev)
	if b.opts.Tap != nil && !from.Side() {
		b.opts.Tap(ev, from.Tab)
	}
}

// heardFrom folds an event in and says whom its CDP session speaks for.
func (b *Browser) heardFrom(ev *cdp.Event) core.Session {
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
	b.tell()
}

func (h *handler) Overflow(session string) {
	(*Browser)(h).input(fold.Input{Command: &targets.Overflow{Session: session}})
}

func (h *handler) Closed(err error) {
	b := (*Browser)(h)
	var panicked *fault.Error
	if errors.As(err, &panicked) { // of whoever hears the events; another connection would bring it again
		b.failed(panicked)
		return
	}
	if b.outlives() && b.ctx.Err() == nil {
		b.input(fold.Input{Command: &targets.Lost{Cause: err}})
	} else {
		b.input(fold.Input{Command: &targets.Closed{Cause: err}})
	}
	b.tell()
}
