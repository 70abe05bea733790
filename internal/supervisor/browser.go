package supervisor

import (
	"context"
	"crypto/rand"
	"slices"
	"strings"
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
	"github.com/usher-browser/usher/internal/supervisor/fold/targets"
	"github.com/usher-browser/usher/internal/supervisor/guard"
	"github.com/usher-browser/usher/internal/supervisor/link"
	"github.com/usher-browser/usher/internal/supervisor/model"
	"github.com/usher-browser/usher/internal/supervisor/recording"
	"github.com/usher-browser/usher/internal/supervisor/stream"
	"github.com/usher-browser/usher/internal/supervisor/timers"
	"github.com/usher-browser/usher/internal/wire"
)

// Observer gets every event, in order and after the model. It is called on the connection's goroutine and must not block.
type Observer interface {
	// Tap handles one event. tab is the tab of the event's CDP session. note adds a change to the stream; see
	// [Browser.Note].
	Tap(ev cdp.Event, tab model.TargetID, note func(model.Change))
}

// Reporter is a script that runs first in every document and worker of a stealth browser and writes errors to the
// console, after Mark.
type Reporter struct{ Script, Mark string }

// Options of a Browser.
type Options struct {
	// Stealth avoids what a page can detect.
	Stealth bool
	// Reporter reports errors in a browser with Stealth.
	Reporter Reporter
	// Script runs in the isolated world of every new document, before any of the page's own; empty for none. It is not
	// used with Stealth.
	Script string
	// Observers get every event, one after the other.
	Observers []Observer
	// Recorder, if set, gets every input of the model; wrap the connection with
	// it, too.
	Recorder *wire.Recorder
	// Now is the clock; nil means time.Now.
	Now func() time.Time
	// Reconnect is set for browsers that outlive their connection.
	Reconnect link.Reconnect
}

// Browser maintains the model of one browser, over one connection or several in sequence.
type Browser struct {
	conn     atomic.Pointer[cdp.Conn]
	opts     Options
	state    atomic.Pointer[model.State]
	ctx      context.Context // ends when the browser is given up
	cancel   context.CancelFunc
	received atomic.Uint64 // events so far
	keeper   *link.Keeper  // nil if the browser ends with its connection

	mu            sync.Mutex                                       // taken before any other lock
	model         *fold.Model                                      // guarded by mu
	guards        *guard.Guards                                    // guarded by mu
	streams       *stream.Set                                      // guarded by mu
	timers        *timers.Timers                                   // guarded by mu
	watchdogs     map[string]*time.Timer                           // guarded by mu: by dialog id
	delays        map[delayed]*time.Timer                          // guarded by mu
	overrides     uint64                                           // guarded by mu: the last override's number
	credentials   map[model.ContextID][]policy.Credential          // guarded by mu
	headers       map[model.ContextID]map[string]map[string]string // guarded by mu: extra headers by origin and name
	routes        map[model.ContextID]map[int]RouteData            // guarded by mu: by the route's number
	joined        map[model.ContextID]int                          // guarded by mu: clients that have joined over the endpoint
	lastRoute     int                                              // guarded by mu: the last route's number
	conditions    map[model.ContextID]model.NetworkConditions      // guarded by mu
	scripts       map[model.ContextID]*initScripts                 // guarded by mu
	replies       *replies                                         // guarded by mu: of the commands of the present input; nil if nobody waits
	probeAnswered chan struct{}                                    // guarded by mu: closed at the next reply to a liveness probe
	broken        *fault.Error                                     // guarded by mu: the panic after which the browser was given up
	blocked       bool                                             // guarded by mu: some tab's ability to answer has changed since the last publication
	standby       *cdp.Conn                                        // guarded by mu: the standby connection, nil without
	unreported    []core.Report                                    // guarded by mu: for the observers

	awaited   awaitedEvents      // has a lock of its own
	clients   clientSessions     // has a lock of its own
	outside   idSet              // CDP sessions of clients of the browser itself
	starts    starts             // has a lock of its own
	ownPages  idSet              // targets of usher's own pages
	attaching chan struct{}      // one slot: attaching side sessions
	note      func(model.Change) // Note, made once for all events
}

// New starts a Browser over the connection w, and takes ownership of w.
func New(w wire.Conn, opts Options) *Browser {
	if opts.Now == nil {
		opts.Now = time.Now
	}
	nonce := rand.Text()
	b := &Browser{
		opts: opts, attaching: make(chan struct{}, 1), probeAnswered: make(chan struct{}),
		model:     fold.New(fold.Options{Stealth: opts.Stealth, Nonce: nonce, Scripts: targets.Scripts{Reporter: opts.Reporter.Script, World: opts.Script}}),
		watchdogs: map[string]*time.Timer{}, delays: map[delayed]*time.Timer{}, routes: map[model.ContextID]map[int]RouteData{}, credentials: map[model.ContextID][]policy.Credential{},
		headers: map[model.ContextID]map[string]map[string]string{}, conditions: map[model.ContextID]model.NetworkConditions{}, scripts: map[model.ContextID]*initScripts{}, streams: stream.NewSet(),
	}
	b.note = b.Note
	b.timers = timers.New(b.recovered)
	b.guards = guard.New((*guardHost)(b), &b.mu, b.timers)
	b.state.Store(b.model.Snapshot())
	b.mu.Lock()
	if opts.Recorder != nil {
		recording.Begin(opts.Recorder, opts.Now(), fold.ModelLine{Stealth: opts.Stealth, Nonce: nonce, Mark: opts.Reporter.Mark})
	}
	b.ctx, b.cancel = context.WithCancel(context.Background())
	b.conn.Store(cdp.New(w, (*handler)(b)))
	b.execute(b.model.Start())
	b.mu.Unlock()
	if b.outlives() {
		b.keeper = link.Keep(b.ctx, (*linkHost)(b), opts.Reconnect, b.recovered)
	}
	return b
}

// Stealth reports whether CDP domains that pages can detect are avoided. Script contexts are unknown then.
func (b *Browser) Stealth() bool { return b.opts.Stealth }

// State returns the latest state.
func (b *Browser) State() *model.State { return b.state.Load() }

// outlives reports whether the browser may keep running when its connection ends.
func (b *Browser) outlives() bool { return b.opts.Reconnect.Dial != nil }

// Conn returns the current connection, or the last one if it is lost.
func (b *Browser) Conn() *cdp.Conn { return b.conn.Load() }

// Capabilities returns those of the current connection.
func (b *Browser) Capabilities() wire.Capabilities { return b.Conn().Capabilities() }

// Session returns the CDP session of an id; "" is the browser's.
func (b *Browser) Session(id string) *cdp.Session { return b.Conn().Session(id) }

// Done is closed when the connection has ended for good; State then has the reason.
func (b *Browser) Done() <-chan struct{} {
	if b.outlives() {
		return b.keeper.Done()
	}
	return b.Conn().Done()
}

// Close ends the connection and waits for all goroutines of the Browser.
func (b *Browser) Close() error {
	b.cancel()
	err := b.Conn().Close()
	if b.keeper != nil {
		b.keeper.Wait()
	}
	b.mu.Lock()
	b.timers.Close()
	for id, t := range b.watchdogs {
		b.timers.Stop(t)
		delete(b.watchdogs, id)
	}
	for key, t := range b.delays {
		b.timers.Stop(t)
		delete(b.delays, key)
	}
	b.guards.Close()
	b.mu.Unlock()
	b.starts.close()
	b.timers.Wait()
	return err
}

// SetInit sets the commands that each new page of a context receives before its scripts run. Every page in the returned
// State that has a CDP session was given the commands set before.
func (b *Browser) SetInit(c model.ContextID, cmds []model.InitCommand) *model.State {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.model.SetInit(c, slices.Clone(cmds))
	b.publish()
	return b.State()
}

// Reinit sends the commands of SetInit that emulate something to a tab again: when any CDP session of a page ends, Chromium takes back what
// others emulate, too (measured on Chromium 156: media, also of a session that emulated nothing). The command that ends one was sent before; the
// renderer learns of it on its own, so they are sent once more when it has answered.
func (b *Browser) Reinit(tab model.TargetID) {
	t := b.State().Tabs[tab]
	if t == nil || t.Session == "" {
		return
	}
	b.mu.Lock()
	cmds := b.model.Inits(t.Context)
	b.mu.Unlock()
	cmds = slices.DeleteFunc(slices.Clone(cmds), func(cmd model.InitCommand) bool { return !strings.HasPrefix(cmd.Method, "Emulation.") })
	if len(cmds) == 0 {
		return
	}
	send := func(answered func(jsontext.Value, error)) {
		for i, cmd := range cmds {
			if i < len(cmds)-1 {
				b.emulate(t, cmd, nil)
			} else {
				b.emulate(t, cmd, answered)
			}
		}
	}
	b.Conn().Browser().Post("Browser.getVersion", nil, func(jsontext.Value, error) { // the session has been ended
		send(func(jsontext.Value, error) { send(nil) })
	})
}

// emulate sends a command to a tab and, if it is for them, to its frames in other processes.
func (b *Browser) emulate(t *model.Tab, cmd model.InitCommand, answered func(jsontext.Value, error)) {
	for _, f := range t.Frames {
		if cmd.Frames && f.OOPIF && f.ID != t.Main && f.Session != "" {
			b.Session(f.Session).Post(cmd.Method, cmd.Params, nil)
		}
	}
	b.Session(t.Session).Post(cmd.Method, cmd.Params, answered)
}

// SetBridge sets when dialogs of a context use the bridge; without a setting they do not.
func (b *Browser) SetBridge(c model.ContextID, mode model.BridgeMode) {
	b.input(&bridge.SetBridge{Context: c, Mode: mode})
}

// SetRoot records a command about a context that was sent to the browser, and sends it again on each later connection.
func (b *Browser) SetRoot(c model.ContextID, cmd model.InitCommand) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.model.SetRoot(c, cmd)
}

// Wait calls cond with each published state, on the caller's goroutine, until it returns true or an error, which Wait
// returns. If ctx ends first, Wait returns its cause.
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
