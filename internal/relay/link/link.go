// Package link is the relay's side of the WebSocket of its browser extension: handshake, pairing, commands with replies, events, and
// the resumption after an interruption. The frames are JSON texts:
//
//	{"id":8,"tab":12,"m":"Runtime.evaluate","p":{…},"s":"…"}    to the extension: a CDP command for a tab, or a child of it
//	{"id":7,"method":"tabs.query","params":{}}                  a command for the extension itself
//	{"id":8,"result":{…}}  {"id":8,"error":{"code":…,"message":…}}
//	{"tab":12,"e":"Page.loadEventFired","p":{…},"s":"…"}        from the extension: a CDP event
//	{"method":"tabs.onCreated","params":{…}}                    another event
//
// One extension at a time is connected; others get HTTP status 409. The first frame is hello, which is answered with welcome, or the connection
// is closed with a status of 4000 and more and a reason for the user. docs/relay.md describes the protocol.
package link

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/wire"
)

// Protocol is the version of the protocol that this relay speaks.
const Protocol = 1

// Statuses with which the relay closes a connection.
const (
	statusNotPaired = 4001
	statusWrong     = 4003
	statusProtocol  = 4010
)

// Times of the protocol.
const (
	helloLimit  = 10 * time.Second       // for the first frame
	pingEvery   = 5 * time.Second        // also keeps Chrome from stopping the extension's worker
	silentLimit = 30 * time.Second       // without a byte: the worker reads nothing while it handles a result of 100 MB
	probeLimit  = 500 * time.Millisecond // for the holder of the slot to show that it is there
	// Grace is how long commands wait for an extension that was interrupted.
	Grace = 5 * time.Second
	// CallLimit bounds commands for the extension itself.
	CallLimit = 30 * time.Second
)

// maxCommand is the largest command, in bytes.
const maxCommand = 64 << 20

// Errors of commands.
var (
	ErrDown     = errors.New("the browser extension is not connected: open Chrome, and see `usher relay status`")
	ErrLost     = errors.New("the connection to the browser extension was interrupted; the command may have run")
	ErrTooLarge = fmt.Errorf("the command has more than %d MB", maxCommand>>20)
)

// Hello is what an extension says of itself.
type Hello struct {
	Protocol  int            `json:"protocol"`
	Version   string         `json:"version"`   // of the extension
	UserAgent string         `json:"userAgent"` // of the browser
	Product   string         `json:"product"`   // Chrome/156.0.8078.79
	Install   string         `json:"install"`
	Token     string         `json:"token"`
	Code      string         `json:"code"`
	Resume    string         `json:"resume"`
	Attached  []Attached     `json:"attached"`
	Settings  jsontext.Value `json:"settings"`
	Pending   []int64        `json:"pending"` // ids of commands whose replies are still to come
	Batch     bool           `json:"batch"`   // it takes arrays of messages, and may send several, separated by line feeds
}

// Attached is a tab that the extension's debugger is attached to.
type Attached struct {
	TabID    int    `json:"tabId"`
	TargetID string `json:"targetId"`
}

// Handler gets what the extension says. Its methods are called on the goroutine of the reader, one at a time, and must not block.
type Handler interface {
	// Up is called when an extension is connected, before any event of it. resumed reports whether it is the one that was
	// interrupted within Grace.
	Up(h Hello, resumed bool)
	// Event gets a CDP event of a tab, or of a child's session in it. It may keep params.
	Event(tab int, session, method string, params []byte)
	// Notice gets another event.
	Notice(method string, params []byte)
	// Interrupted is called when the connection has ended. Commands wait for Grace.
	Interrupted()
	// Down is called when the extension has not come back within Grace. It may be called on another goroutine.
	Down()
}

// Reply takes the reply to a command, on the goroutine of the reader: the result, or the error in CDP's form. It may keep payload.
type Reply func(payload []byte, failed bool)

// Raw is Reply with the message in which the payload is, so that it can be passed on without a copy. There are at least [Head] bytes before
// the payload.
type Raw func(msg, payload []byte, failed bool)

// Head is the number of bytes before the payload of a reply, at least.
const Head = len(`{"id":1000000000,"error":`)

// firstID is the first id of commands: all have as many digits as the largest of CDP clients.
const firstID = 1_000_000_000

// Server is the relay's side. Its methods may be called from any goroutine.
type Server struct {
	pairing *Pairing
	version string
	handler Handler

	queued atomic.Bool   // there may be something in outbox
	silent time.Duration // after which a connection is ended
	ping   time.Duration // between pings
	wmu    sync.Mutex    // held while frames are written

	mu      sync.Mutex
	closed  bool              // guarded by mu
	taken   bool              // guarded by mu: a handshake is under way
	left    chan struct{}     // guarded by mu: closed when the holder has let the slot go
	holder  *wire.Client      // guarded by mu: the connected extension
	hello   Hello             // guarded by mu: of the extension that was connected last
	since   time.Time         // guarded by mu: of the connection
	session string            // guarded by mu: of the last welcome; "" if it cannot be resumed
	grace   *time.Timer       // guarded by mu: ends the wait for it
	pending map[int64]waiting // guarded by mu
	lastID  int64             // guarded by mu
	outbox  [][]byte          // guarded by mu: to be written, in order
	pong    chan struct{}     // guarded by mu: closed at the next frame; nil if nobody waits
	serving sync.WaitGroup

	trimmer wire.Trimmer // stopped by Close
}

// New returns a server. version is usher's.
func New(p *Pairing, h Handler, version string) *Server {
	return &Server{pairing: p, version: version, handler: h, pending: map[int64]waiting{}, lastID: firstID, silent: silentLimit, ping: pingEvery}
}

// Status describes the connection.
type Status struct {
	Connected bool
	Since     time.Time
	Hello     Hello // without its secrets
	Pending   int   // commands without a reply
}

// Status returns the state of the connection.
func (s *Server) Status() Status {
	s.mu.Lock()
	defer s.mu.Unlock()
	h := s.hello
	h.Token, h.Code, h.Resume = "", "", ""
	return Status{Connected: s.holder != nil, Since: s.since, Hello: h, Pending: len(s.pending)}
}

// Close disconnects the extension and waits for its goroutines. Commands fail with [ErrDown].
func (s *Server) Close() {
	s.mu.Lock()
	s.closed = true
	holder, grace := s.holder, s.grace
	s.mu.Unlock()
	s.trimmer.Stop()
	if holder != nil {
		holder.End("the relay has ended")
	}
	if grace != nil {
		grace.Stop()
	}
	s.serving.Wait()
	s.fail(ErrDown)
}

// ServeHTTP answers the WebSocket handshake of an extension. The caller has checked the Host.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	id, status, why := s.examine(r)
	if status != 0 {
		http.Error(w, why, status)
		return
	}
	defer s.serving.Done()
	c, err := wire.Accept(w, r)
	if err != nil {
		s.letGo()
		return
	}
	late := time.AfterFunc(helloLimit, func() { _ = c.Close() })
	hello, made, refused := s.greet(c, id)
	late.Stop()
	if refused != nil {
		s.letGo()
		c.EndWith(refused.status, refused.why)
		return
	}
	s.serve(c, hello, made)
}

func (s *Server) letGo() {
	s.mu.Lock()
	s.taken = false
	s.mu.Unlock()
}

// examine decides whether a handshake is answered, and takes the slot. A status other than 0 refuses it.
func (s *Server) examine(r *http.Request) (id string, status int, why string) {
	id, ok := strings.CutPrefix(r.Header.Get("Origin"), "chrome-extension://")
	switch {
	case !ok || len(id) != 32 || strings.Trim(id, "abcdefghijklmnop") != "":
		return "", http.StatusForbidden, "only a browser extension may connect here"
	case id != s.pairing.Extension() && !s.pairing.awaits():
		return "", http.StatusForbidden, "another extension is paired; `usher extension pair` lets this one pair instead"
	}
	s.mu.Lock()
	holder, left := s.holder, s.left
	s.mu.Unlock()
	if holder != nil && !s.alive() {
		_ = holder.Close()
		select {
		case <-left:
		case <-time.After(probeLimit):
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.closed:
		return "", http.StatusServiceUnavailable, "the relay is ending"
	case s.taken || s.holder != nil:
		return "", http.StatusConflict, "another extension is connected"
	}
	s.taken = true
	s.serving.Add(1)
	return id, 0, ""
}

// alive pings the holder of the slot, and reports whether it answers.
func (s *Server) alive() bool {
	s.mu.Lock()
	if s.pong == nil {
		s.pong = make(chan struct{})
	}
	pong := s.pong
	s.push(ping)
	if s.closed {
		s.mu.Unlock()
		return false
	}
	s.serving.Go(s.Flush) // a write may block, as the other side does not read
	s.mu.Unlock()
	select {
	case <-pong:
		return true
	case <-time.After(probeLimit):
		return false
	}
}

var ping = []byte(`{"method":"ping"}`)

// refusal is why a connection is closed.
type refusal struct {
	status int
	why    string
}

// greet reads the first frame and decides about it. made is the token of an extension that has just paired.
func (s *Server) greet(c *wire.Client, id string) (hello Hello, made string, refused *refusal) {
	msg, err := c.Read()
	if err != nil {
		return hello, "", &refusal{statusProtocol, "no hello came"}
	}
	var first struct {
		Method string `json:"method"`
		Params Hello  `json:"params"`
	}
	if err := json.Unmarshal(msg, &first, jsontext.AllowInvalidUTF8(true)); err != nil || first.Method != "hello" {
		return hello, "", &refusal{statusProtocol, "the first message must be hello"}
	}
	hello = first.Params
	if hello.Protocol < Protocol {
		return hello, "", &refusal{statusProtocol, fmt.Sprintf("update the extension: it speaks protocol %d, and usher %s speaks %d", hello.Protocol, s.version, Protocol)}
	}
	made, refused = s.pairing.admit(id, hello.Token, hello.Code)
	return hello, made, refused
}

// serve reads the frames of an extension until the connection ends.
func (s *Server) serve(c *wire.Client, hello Hello, made string) {
	s.mu.Lock()
	resumed := s.session != "" && hello.Resume == s.session
	s.mu.Unlock()
	if resumed {
		s.failBut(hello.Pending)
	} else {
		s.fail(ErrDown) // and what waited for another extension
	}
	s.mu.Lock()
	s.taken, s.holder, s.since = false, c, time.Now()
	s.left = make(chan struct{})
	s.hello, s.hello.Token, s.hello.Code = hello, "", ""
	if s.grace != nil {
		s.grace.Stop()
		s.grace = nil
	}
	if !resumed { // else it stays: the extension may never learn another, if the welcome is lost
		s.session = newToken()[:22]
	}
	welcome, err := json.Marshal(struct {
		Method string `json:"method"`
		Params any    `json:"params"`
	}{"welcome", struct {
		Protocol int    `json:"protocol"`
		Session  string `json:"session"`
		Token    string `json:"token,omitempty"`
		Relay    string `json:"relay"`
		Resumed  bool   `json:"resumed"`
		Batch    bool   `json:"batch"`
	}{Protocol, s.session, made, "usher/" + s.version, resumed, hello.Batch}})
	if err == nil {
		s.outbox = append([][]byte{welcome}, s.outbox...)
		s.queued.Store(true)
	}
	s.mu.Unlock()
	s.handler.Up(hello, resumed)
	s.Flush()

	stop := make(chan struct{})
	var watch sync.WaitGroup
	watch.Go(func() { s.watch(c, stop) })
	s.read(c, hello.Batch)
	close(stop)
	_ = c.Close()
	watch.Wait()
	s.interrupted(c)
}

// read passes messages on until the connection ends.
func (s *Server) read(c *wire.Client, batch bool) {
	for {
		frame, err := c.Read()
		if err != nil {
			return
		}
		for rest := frame; rest != nil; {
			msg := rest
			rest = nil
			if batch {
				if at := bytes.IndexByte(msg, '\n'); at >= 0 {
					msg, rest = msg[:at:at], msg[at+1:]
				}
			}
			if err := s.take(msg); err != nil {
				c.EndWith(statusProtocol, "a message could not be read: "+err.Error())
				return
			}
		}
		s.Flush()
	}
}

// take passes a message on.
func (s *Server) take(msg []byte) error {
	m, err := parse(msg)
	switch {
	case err != nil:
		return err
	case m.Event != "":
		s.handler.Event(m.Tab, m.SessionID, m.Event, m.Payload)
	case m.Method == "pong":
		s.mu.Lock()
		if s.pong != nil {
			close(s.pong)
			s.pong = nil
		}
		s.mu.Unlock()
	case m.Method != "":
		s.handler.Notice(m.Method, m.Payload)
	default:
		s.mu.Lock()
		done := s.pending[m.ID].done
		delete(s.pending, m.ID)
		s.mu.Unlock()
		if done != nil {
			done(msg, m.Payload, m.IsError)
		}
		s.trimmer.Note(len(msg))
	}
	return nil
}

// watch pings the extension, and ends a connection that is silent.
func (s *Server) watch(c *wire.Client, stop <-chan struct{}) {
	tick := time.NewTicker(s.ping)
	defer tick.Stop()
	for {
		select {
		case <-stop:
			return
		case <-tick.C:
		}
		if time.Since(c.Heard()) > s.silent {
			_ = c.Close()
			return
		}
		s.mu.Lock()
		s.push(ping)
		s.mu.Unlock()
		s.Flush()
	}
}

// interrupted begins the wait for an extension whose connection has ended.
func (s *Server) interrupted(c *wire.Client) {
	s.mu.Lock()
	if s.holder != c {
		s.mu.Unlock()
		return
	}
	s.holder = nil
	close(s.left)
	closed := s.closed
	if !closed {
		s.grace = time.AfterFunc(Grace, s.giveUp)
	}
	s.mu.Unlock()
	if !closed {
		s.handler.Interrupted()
	}
}

// giveUp ends the wait.
func (s *Server) giveUp() {
	s.mu.Lock()
	if s.holder != nil || s.closed {
		s.mu.Unlock()
		return
	}
	s.session, s.grace = "", nil
	s.mu.Unlock()
	s.fail(ErrDown)
	s.handler.Down()
}
