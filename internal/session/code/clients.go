package code

import (
	"context"
	"strconv"
	"strings"
	"sync"

	protocol "github.com/chromedp/cdproto/cdp"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/command/raw"
	"github.com/usher-browser/usher/internal/command/run"
	"github.com/usher-browser/usher/internal/script"
	"github.com/usher-browser/usher/internal/session/code/known"
	"github.com/usher-browser/usher/internal/supervisor"
	"github.com/usher-browser/usher/internal/supervisor/model"
)

// clients are the CDP sessions that the code of a run has: those that it opened, and one per tab for what it does to requests
// and for the functions that pages call. They end with the run, and with them everything that they changed: Chromium continues the
// requests that they hold. The zero value has none.
type clients struct {
	mu    sync.Mutex
	ended bool                       // guarded by mu
	last  int                        // guarded by mu
	own   map[int]*client            // guarded by mu: those that the code opened, by number
	tabs  map[model.TargetID]*client // guarded by mu
}

// client is a CDP session of a tab, with those of its frames in other processes.
type client struct {
	*driver
	tab     model.TargetID
	session *supervisor.ClientSession
	queue   chan queued // for the goroutine that passes them on

	mu      sync.Mutex
	below   []string                // guarded by mu: the sessions of frames
	workers map[string]*worker      // guarded by mu: by their sessions
	listens map[string]bool         // guarded by mu: the events that the code listens to
	pausing bool                    // guarded by mu: requests pause
	logging bool                    // guarded by mu: the code listens to what the browser logs
	sockets bool                    // guarded by mu: the code listens to WebSockets
	exposed map[string]exposure     // guarded by mu: by the name of the binding
	frames  map[string]string       // guarded by mu: of script contexts
	calls   map[int]pageCall        // guarded by mu: of functions, by number
	paused  map[string]*paused      // guarded by mu: by their number
	fetched map[string]chan *paused // guarded by mu: those whose response the code waits for, by request
	last    int                     // guarded by mu: numbers calls and paused requests

	// Of the goroutine that passes events on: the sessions whose log is passed on, and the WebSockets that the code was told of.
	logs, open map[string]bool
}

// queued is an event, or, with done, what is closed when the events before it were passed on.
type queued struct {
	cdp.Event
	done chan<- struct{}
}

// maxQueued is how many events may wait for the code. A session with more is ended.
const maxQueued = 10_000

// open attaches a CDP session to the tab.
func (o operation) open(ctx context.Context, number int, handle func(*client, cdp.Event)) (*client, error) {
	c := &client{driver: o.driver, tab: o.tab, queue: make(chan queued, maxQueued), listens: map[string]bool{}, exposed: map[string]exposure{},
		frames: map[string]string{}, calls: map[int]pageCall{}, paused: map[string]*paused{}, fetched: map[string]chan *paused{}, logs: map[string]bool{}, open: map[string]bool{}}
	err := o.inTab(ctx, func(ctx context.Context, e *run.Env) (err error) {
		c.session, err = e.Browser.ClientSession(ctx, o.tab, func(ev cdp.Event) {
			if number > 0 || !strings.HasPrefix(ev.Method, "Network.") || strings.HasPrefix(ev.Method, webSocketEvents) {
				c.enqueue(queued{Event: ev})
			}
		})
		if err != nil {
			return e.Explain(err, "attach to the page")
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	o.clients.mu.Lock()
	defer o.clients.mu.Unlock()
	if o.clients.ended {
		c.session.Detach()
		return nil, context.Canceled
	}
	if number > 0 {
		o.clients.own[number] = c
	} else {
		o.clients.tabs[o.tab] = c
	}
	go func() {
		for {
			select {
			case next := <-c.queue:
				if next.done != nil {
					close(next.done)
					continue
				}
				handle(c, next.Event)
			case <-o.running.Done():
				return
			}
		}
	}()
	return c, nil
}

// enqueue gives the goroutine that passes events on another one.
func (c *client) enqueue(next queued) {
	select {
	case c.queue <- next:
	default: // the code does not keep up: what it holds must not hang
		go c.session.Detach()
	}
}

// end ends all sessions.
func (c *clients) end() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ended = true
	for _, one := range c.own {
		one.session.Detach()
	}
	for _, one := range c.tabs {
		one.session.Detach()
	}
}

// ofTab returns the session for what the code does to requests and functions of the tab. It is opened when it is first needed.
func (o operation) ofTab(ctx context.Context) (*client, error) {
	o.clients.mu.Lock()
	if o.clients.tabs == nil {
		o.clients.tabs = map[model.TargetID]*client{}
	}
	c := o.clients.tabs[o.tab]
	o.clients.mu.Unlock()
	if c != nil {
		return c, nil
	}
	c, err := o.open(ctx, 0, (*client).event)
	if err != nil {
		return nil, err
	}
	err = c.session.Session("").Call(ctx, "Target.setAutoAttach", map[string]any{"autoAttach": true, "waitForDebuggerOnStart": false, "flatten": true}, nil)
	if err != nil {
		return nil, api.Errorf(api.ProtocolError, "attach to the frames of the page: %w", err)
	}
	return c, nil
}

// sessions returns the session of the page and those of its frames in other processes.
func (c *client) sessions() []*cdp.Session {
	c.mu.Lock()
	defer c.mu.Unlock()
	list := []*cdp.Session{c.session.Session("")}
	for _, id := range c.below {
		if s := c.session.Session(id); s != nil {
			list = append(list, s)
		}
	}
	return list
}

// tell passes an event to the code.
func (c *client) tell(name string, data any) {
	text, err := json.Marshal(data, jsontext.AllowInvalidUTF8(true)) // texts of pages may have half of a surrogate pair
	if err != nil {
		return
	}
	select {
	case c.events <- script.Event{Name: name, Data: text}:
	case <-c.running.Done():
	}
}

// event handles an event of the session of a tab.
func (c *client) event(ev cdp.Event) {
	switch ev.Method {
	case "Target.attachedToTarget":
		var p struct {
			SessionID  string `json:"sessionId"`
			TargetInfo struct {
				Type string `json:"type"`
				URL  string `json:"url"`
			} `json:"targetInfo"`
		}
		if json.Unmarshal(ev.Params, &p, jsontext.AllowInvalidUTF8(true)) != nil {
			return
		}
		if p.TargetInfo.Type == "worker" {
			c.workerAttached(p.SessionID, p.TargetInfo.URL)
		}
		if p.TargetInfo.Type != "iframe" {
			return
		}
		c.mu.Lock()
		c.below = append(c.below, p.SessionID)
		c.mu.Unlock()
		if s := c.session.Session(p.SessionID); s != nil {
			c.setUp(s)
		}
	case "Target.detachedFromTarget":
		var p struct {
			SessionID string `json:"sessionId"`
		}
		if json.Unmarshal(ev.Params, &p, jsontext.AllowInvalidUTF8(true)) == nil {
			c.workerDetached(p.SessionID)
		}
	case "Inspector.workerScriptLoaded":
		c.workerLoaded(ev.SessionID)
	case "Fetch.requestPaused":
		c.requestPaused(ev)
	case "Runtime.executionContextCreated":
		c.contextCreated(ev)
	case "Runtime.bindingCalled":
		c.bindingCalled(ev)
	case logsFromHere:
		c.logs[ev.SessionID] = true
	case "Log.entryAdded":
		if c.logs[ev.SessionID] {
			c.entryAdded(ev)
		}
	default:
		if strings.HasPrefix(ev.Method, webSocketEvents) {
			c.socketEvent(ev)
		}
	}
}

// setUp makes the session of a frame do what that of the page does.
func (c *client) setUp(s *cdp.Session) {
	c.mu.Lock()
	defer c.mu.Unlock()
	s.Post("Target.setAutoAttach", map[string]any{"autoAttach": true, "waitForDebuggerOnStart": false, "flatten": true}, nil)
	if c.pausing {
		s.Post("Fetch.enable", pauseAll, nil)
	}
	if c.logging {
		c.enableLog(s, func(error) {})
	}
	if c.sockets {
		s.Post(networkEnable, nil, nil)
	}
	for binding, f := range c.exposed {
		for _, command := range f.commands(binding) {
			s.Post(command.method, command.params, nil)
		}
	}
}

// cdp opens a CDP session of the code's own. Where calls are judged it has no session: they are those of the command cdp.
func (o operation) cdp(ctx context.Context, _ jsontext.Value) (any, error) {
	o.clients.mu.Lock()
	if o.clients.own == nil {
		o.clients.own = map[int]*client{}
	}
	o.clients.last++
	number := o.clients.last
	o.clients.mu.Unlock()
	if !o.session.JudgesCDP() {
		if _, err := o.open(ctx, number, func(c *client, ev cdp.Event) { c.forward(number, ev) }); err != nil {
			return nil, err
		}
	}
	return struct {
		Session int        `json:"session"`
		Page    known.Page `json:"page"`
	}{number, o.page()}, nil
}

// forward passes an event that the code listens to.
func (c *client) forward(number int, ev cdp.Event) {
	c.mu.Lock()
	wanted := c.listens[ev.Method] && ev.SessionID == ""
	c.mu.Unlock()
	if wanted {
		c.tell("cdp", map[string]any{"session": number, "method": ev.Method, "params": jsontext.Value(ev.Params)})
	}
}

type cdpParams struct {
	Session int            `json:"session"`
	Method  string         `json:"method"`
	Params  jsontext.Value `json:"params"`
	Event   string         `json:"event"`
}

// ofNumber returns a session that the code opened; nil for one that it closed, and where calls are judged.
func (o operation) ofNumber(number int) *client {
	o.clients.mu.Lock()
	defer o.clients.mu.Unlock()
	return o.clients.own[number]
}

// cdpSend makes a call in a session of the code's.
func (o operation) cdpSend(ctx context.Context, params jsontext.Value) (any, error) {
	var p cdpParams
	if err := json.Unmarshal(params, &p); err != nil {
		return nil, api.Errorf(api.InvalidArgument, "send: %w", err)
	}
	var out struct {
		Result jsontext.Value `json:"result"`
		Page   known.Page     `json:"page"`
	}
	if o.session.JudgesCDP() {
		text := string(p.Params)
		answer, err := o.run(ctx, "cdp", commandParams{Values: map[string]any{"method": p.Method, "params": text}})
		if err != nil {
			return nil, err
		}
		var called raw.Called
		data, err := json.Marshal(answer.Data) // it may have been encoded already, without secrets
		if err == nil {
			err = json.Unmarshal(data, &called)
		}
		if err != nil {
			return nil, api.Errorf(api.Internal, "cdp %s: %w", p.Method, err)
		}
		if called.Artifact != "" {
			return nil, api.Errorf(api.TooLarge, "cdp %s: the result has %d bytes and is in %s", p.Method, called.Bytes, called.Artifact)
		}
		out.Result, out.Page = called.Result, o.page()
		return out, nil
	}
	c := o.ofNumber(p.Session)
	if c == nil {
		return nil, api.Errorf(api.InvalidArgument, "Protocol error (%s): the session was detached", p.Method)
	}
	if why := raw.RefusedMethod(p.Method); why != "" {
		return nil, api.Errorf(api.Unsupported, "Protocol error (%s): %s", p.Method, why)
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	sent := cdp.Start(c.session.Session(""), protocol.Command[jsontext.Value, jsontext.Value]{Method: p.Method}, p.Params)
	o.turn.Sent()
	var err error
	if out.Result, err = sent.Wait(ctx); err != nil {
		return nil, api.Errorf(api.ProtocolError, "Protocol error (%s): %w", p.Method, err)
	}
	out.Page = o.page()
	return out, nil
}

// cdpListen passes events of a session to the code.
func (o operation) cdpListen(ctx context.Context, params jsontext.Value) (any, error) {
	var p cdpParams
	if err := json.Unmarshal(params, &p); err != nil {
		return nil, api.Errorf(api.InvalidArgument, "on: %w", err)
	}
	c := o.ofNumber(p.Session)
	if c == nil {
		return nil, api.Errorf(api.Unsupported, "on: under the site guard and with allowed domains code cannot listen to CDP events, which may tell of other sites").
			WithHint("Use the events of page: page.on('response', ...).")
	}
	c.mu.Lock()
	c.listens[p.Event] = true
	c.mu.Unlock()
	return o.state(ctx, nil)
}

// cdpClose ends a session of the code's.
func (o operation) cdpClose(ctx context.Context, params jsontext.Value) (any, error) {
	var p cdpParams
	if err := json.Unmarshal(params, &p); err != nil {
		return nil, api.Errorf(api.InvalidArgument, "detach: %w", err)
	}
	if c := o.ofNumber(p.Session); c != nil {
		o.clients.mu.Lock()
		delete(o.clients.own, p.Session)
		o.clients.mu.Unlock()
		c.session.Detach()
	}
	return o.state(ctx, nil)
}

func contextKey(session string, id int64) string { return session + "/" + strconv.FormatInt(id, 10) }
