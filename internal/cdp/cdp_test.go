package cdp_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/chromedp/cdproto/page"
	"go.uber.org/goleak"

	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/cdptest"
	"github.com/usher-browser/usher/internal/wire"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// command is what a scripted browser receives.
type command struct {
	ID        int64          `json:"id"`
	Method    string         `json:"method"`
	Params    jsontext.Value `json:"params"`
	SessionID string         `json:"sessionId"`
}

// peer plays the browser: answer is called for each command on one goroutine and
// writes what it likes.
func peer(t *testing.T, h cdp.Handler, budget int, answer func(c command, say func(format string, args ...any))) *cdp.Conn {
	t.Helper()
	return peerOver(t, func(c wire.Conn) wire.Conn { return c }, h, budget, answer)
}

// peerOver is peer with something between the connection and its wire.
func peerOver(t *testing.T, wrap func(wire.Conn) wire.Conn, h cdp.Handler, budget int, answer func(c command, say func(format string, args ...any))) *cdp.Conn {
	t.Helper()
	ours, theirs := cdptest.Memory()
	var wg sync.WaitGroup
	wg.Go(func() {
		say := func(format string, args ...any) {
			_ = theirs.Write(fmt.Appendf(nil, format, args...)) // fails only once the other side has closed
		}
		for {
			msg, err := theirs.Read()
			if err != nil {
				return
			}
			var c command
			if err := json.Unmarshal(msg, &c); err != nil {
				t.Errorf("the client sent %s: %v", msg, err)
			}
			if c.Method == "Test.hangUp" {
				theirs.Close()
				return
			}
			answer(c, say)
		}
	})
	conn := cdp.NewWithBudget(wrap(ours), h, budget)
	t.Cleanup(func() {
		conn.Close()
		theirs.Close()
		wg.Wait()
	})
	return conn
}

// recordingHandler is a handler that records its calls.
type recordingHandler struct {
	mu     sync.Mutex
	lines  []string
	events int
	closed error
	hold   chan struct{} // if set, each event waits for it
	ended  chan struct{}
}

func newRecordingHandler() *recordingHandler { return &recordingHandler{ended: make(chan struct{})} }

func (n *recordingHandler) note(s string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.lines = append(n.lines, s)
}

func (n *recordingHandler) Event(e cdp.Event) {
	if n.hold != nil {
		<-n.hold
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.events++
	if len(n.lines) < 10000 {
		n.lines = append(n.lines, strings.TrimSpace(e.SessionID+" "+e.Method))
	}
}
func (n *recordingHandler) Flush()            {}
func (n *recordingHandler) Overflow(s string) { n.note("overflow " + s) }
func (n *recordingHandler) Closed(err error)  { n.closed = err; close(n.ended) }

func (n *recordingHandler) list() []string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return slices.Clone(n.lines)
}

func (n *recordingHandler) count() int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.events
}

func deadline(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	t.Cleanup(cancel)
	return ctx
}

func TestEventsBeforeAReplyAreSeenBeforeTheCallReturns(t *testing.T) {
	n := newRecordingHandler()
	total := 0
	conn := peer(t, n, cdp.DefaultBudget, func(c command, say func(string, ...any)) {
		for range c.ID % 17 {
			say(`{"method":"A.event","params":{},"sessionId":"S"}`)
		}
		say(`{"id":%d,"result":{}}`, c.ID)
	})
	for id := range int64(2000) {
		total += int(id+1) % 17
		if err := conn.Session("S").Call(deadline(t), "A.do", nil, nil); err != nil {
			t.Fatal(err)
		}
		if got := n.count(); got != total {
			t.Fatalf("after call %d the handler has seen %d events, want %d", id+1, got, total)
		}
	}
}

func TestRepliesFindTheirCalls(t *testing.T) {
	var held []command
	conn := peer(t, newRecordingHandler(), cdp.DefaultBudget, func(c command, say func(string, ...any)) {
		switch c.Method {
		case "A.refuse":
			say(`{"id":%d,"error":{"code":-32000,"message":"No such node","data":"id 7"}}`, c.ID)
		case "Page.navigate":
			say(`{"id":%d,"result":{"frameId":"F","loaderId":"L"},"sessionId":%q}`, c.ID, c.SessionID)
		default: // ten at a time, backwards
			if held = append(held, c); len(held) == 10 {
				for _, h := range slices.Backward(held) {
					say(`{"id":%d,"result":{"session":%q,"params":%s}}`, h.ID, h.SessionID, h.Params)
				}
				held = nil
			}
		}
	})
	var wg sync.WaitGroup
	for i := range 100 {
		wg.Go(func() {
			session := fmt.Sprintf("S%d", i%7)
			var got struct {
				Session string         `json:"session"`
				Params  map[string]int `json:"params"`
			}
			err := conn.Session(session).Call(deadline(t), "A.echo", map[string]int{"i": i}, &got)
			if err != nil || got.Session != session || got.Params["i"] != i {
				t.Errorf("call %d: %+v, %v", i, got, err)
			}
		})
	}
	wg.Wait()
	err := conn.Browser().Call(deadline(t), "A.refuse", nil, nil)
	var refusal *cdp.Error
	if !errors.As(err, &refusal) || refusal.Code != -32000 || err.Error() != "A.refuse: No such node (id 7)" {
		t.Errorf("a refusal is %v", err)
	}
	res, err := cdp.Do(deadline(t), conn.Session("S"), page.Navigate, page.NavigateParams{URL: "http://x"})
	if err != nil || res.LoaderID != "L" {
		t.Errorf("a typed call: %+v, %v", res, err)
	}
	if err := conn.Browser().Call(deadline(t), "A.bad", func() {}, nil); err == nil || !strings.Contains(err.Error(), "A.bad") {
		t.Errorf("parameters that cannot be encoded: %v", err)
	}
}

func TestCloseFailsAllCallsAtOnce(t *testing.T) {
	for name, end := range map[string]func(*cdp.Conn){
		"by us":          func(c *cdp.Conn) { c.Close() },
		"by the browser": func(c *cdp.Conn) { c.Browser().Post("Test.hangUp", nil, nil) },
	} {
		t.Run(name, func(t *testing.T) {
			n := newRecordingHandler()
			var got sync.WaitGroup
			got.Add(50)
			conn := peer(t, n, cdp.DefaultBudget, func(command, func(string, ...any)) { got.Done() })
			errs := make(chan error, 50)
			for i := range 50 {
				if i%2 == 0 {
					conn.Session("S").Post("A.post", nil, func(_ jsontext.Value, err error) { errs <- err })
					continue
				}
				go func() { errs <- conn.Session("S").Call(deadline(t), "A.never", nil, nil) }()
			}
			got.Wait()
			end(conn)
			for range 50 {
				select {
				case err := <-errs:
					if !errors.Is(err, cdp.ErrClosed) {
						t.Fatalf("a call in flight ended with %v", err)
					}
				case <-time.After(10 * time.Second):
					t.Fatal("a call in flight was left")
				}
			}
			<-n.ended
			<-conn.Done()
			if !errors.Is(n.closed, cdp.ErrClosed) || !errors.Is(conn.Err(), cdp.ErrClosed) {
				t.Errorf("the handler was told %v", n.closed)
			}
			if err := conn.Browser().Call(deadline(t), "A.late", nil, nil); !errors.Is(err, cdp.ErrClosed) || !strings.HasPrefix(err.Error(), "A.late: ") {
				t.Errorf("a call after the end: %v", err)
			}
			told := false
			conn.Browser().Post("A.late", nil, func(_ jsontext.Value, err error) { told = errors.Is(err, cdp.ErrClosed) })
			if !told {
				t.Error("a post after the end is not told at once")
			}
		})
	}
}

func TestInvalidMessageEndsTheConnection(t *testing.T) {
	n := newRecordingHandler()
	conn := peer(t, n, cdp.DefaultBudget, func(_ command, say func(string, ...any)) { say("rubbish") })
	err := conn.Browser().Call(deadline(t), "A.do", nil, nil)
	if !errors.Is(err, cdp.ErrClosed) || !errors.Is(err, wire.ErrEnvelope) || !strings.Contains(err.Error(), `"rubbish"`) {
		t.Errorf("the call ended with %v", err)
	}
}

func TestDetachFailsTheSessionsCalls(t *testing.T) {
	n := newRecordingHandler()
	conn := peer(t, n, cdp.DefaultBudget, func(c command, say func(string, ...any)) {
		switch c.Method {
		case "A.leave":
			say(`{"method":"Target.detachedFromTarget","params":{"sessionId":"S1"}}`)
			say(`{"id":%d,"result":{}}`, c.ID)
		case "A.stay":
			say(`{"id":%d,"result":{}}`, c.ID)
		}
	})
	s1 := conn.Session("S1")
	hung := make(chan error, 2)
	go func() { hung <- s1.Call(deadline(t), "A.hang", nil, nil) }()
	s1.Post("A.hang", nil, func(_ jsontext.Value, err error) { hung <- err })
	other := cdp.Start(conn.Session("S2"), page.Enable, page.EnableParams{})
	if err := conn.Browser().Call(deadline(t), "A.stay", nil, nil); err != nil {
		t.Fatal(err)
	}
	if err := conn.Browser().Call(deadline(t), "A.leave", nil, nil); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := <-hung; !errors.Is(err, cdp.ErrDetached) || errors.Is(err, cdp.ErrClosed) {
			t.Errorf("a call of the detached session ended with %v", err)
		}
	}
	if err := s1.Call(deadline(t), "A.stay", nil, nil); !errors.Is(err, cdp.ErrDetached) {
		t.Errorf("a call after the detach: %v", err)
	}
	select {
	case <-other.Done():
		t.Error("a call of another session ended too")
	default:
	}
}

func TestContextEndsACallWithItsCause(t *testing.T) {
	late := make(chan command, 1)
	n := newRecordingHandler()
	conn := peer(t, n, cdp.DefaultBudget, func(c command, say func(string, ...any)) {
		if c.Method == "A.slow" {
			late <- c
			return
		}
		select { // the reply to the slow call, whose caller has left
		case l := <-late:
			say(`{"id":%d,"result":{"late":true}}`, l.ID)
		default:
		}
		say(`{"id":%d,"result":{"late":false}}`, c.ID)
	})
	ctx, cancel := context.WithCancelCause(t.Context())
	why := errors.New("a dialog is open")
	time.AfterFunc(20*time.Millisecond, func() { cancel(why) })
	err := conn.Browser().Call(ctx, "A.slow", nil, nil)
	if !errors.Is(err, why) || !strings.HasPrefix(err.Error(), "A.slow: ") {
		t.Fatalf("the call ended with %v", err)
	}
	for range 3 {
		var got struct {
			Late bool `json:"late"`
		}
		if err := conn.Browser().Call(deadline(t), "A.next", nil, &got); err != nil || got.Late {
			t.Fatalf("the next call got %+v, %v", got, err)
		}
	}
}

func TestPostsAreAnsweredInOrder(t *testing.T) {
	n := newRecordingHandler()
	conn := peer(t, n, cdp.DefaultBudget, func(c command, say func(string, ...any)) {
		say(`{"method":"A.before%d","params":{}}`, c.ID)
		say(`{"id":%d,"result":{}}`, c.ID)
	})
	var want []string
	for id := 1; id <= 200; id++ {
		conn.Browser().Post("A.do", nil, func(_ jsontext.Value, err error) {
			if err != nil {
				t.Error(err)
			}
			n.note(fmt.Sprintf("reply %d", id))
		})
		want = append(want, fmt.Sprintf("A.before%d", id), fmt.Sprintf("reply %d", id))
	}
	if err := conn.Browser().Call(deadline(t), "A.last", nil, nil); err != nil {
		t.Fatal(err)
	}
	if got := n.list(); !slices.Equal(got[:len(want)], want) {
		t.Errorf("got %v", got)
	}
}

// countdown opens a gate when the reader asks for one more message than left: by
// then it has filed that many.
type countdown struct {
	wire.Conn
	left int
	gate chan struct{}
}

func (c *countdown) Read() ([]byte, error) {
	if c.left == 0 {
		close(c.gate)
	}
	c.left--
	return c.Conn.Read()
}

func TestBudgetClosesOneSessionOnly(t *testing.T) {
	n := newRecordingHandler()
	n.hold = make(chan struct{}) // events gather until all 203 messages of the flood are filed
	wrap := func(c wire.Conn) wire.Conn { return &countdown{Conn: c, left: 203, gate: n.hold} }
	detached := make(chan string, 1)
	pad := strings.Repeat("x", 1000)
	conn := peerOver(t, wrap, n, 50_000, func(c command, say func(string, ...any)) {
		switch c.Method {
		case "A.flood":
			say(`{"method":"A.calm","params":{},"sessionId":"calm"}`)
			for range 200 {
				say(`{"method":"A.event","params":{"pad":%q},"sessionId":"flood"}`, pad)
			}
			say(`{"method":"A.calm","params":{},"sessionId":"calm"}`)
			say(`{"id":%d,"result":{}}`, c.ID)
		case "Target.detachFromTarget":
			detached <- string(c.Params)
			say(`{"method":"Target.detachedFromTarget","params":{"sessionId":"flood"}}`)
			say(`{"id":%d,"result":{}}`, c.ID)
		case "A.after":
			say(`{"method":"A.event","params":{},"sessionId":"flood"}`)
			say(`{"id":%d,"result":{}}`, c.ID)
		}
	})
	hung := make(chan error, 1)
	go func() { hung <- conn.Session("flood").Call(deadline(t), "A.hang", nil, nil) }()
	flood := make(chan error, 1)
	go func() { flood <- conn.Browser().Call(deadline(t), "A.flood", nil, nil) }()
	if err := <-flood; err != nil {
		t.Fatal(err)
	}
	if err := <-hung; !errors.Is(err, cdp.ErrDetached) {
		t.Errorf("a call of the flooding session ended with %v", err)
	}
	if got := <-detached; got != `{"sessionId":"flood"}` {
		t.Errorf("detached %s", got)
	}
	if err := conn.Browser().Call(deadline(t), "A.after", nil, nil); err != nil {
		t.Fatal(err)
	}
	calm, floods, over := 0, 0, 0
	for _, s := range n.list() {
		switch s {
		case "calm A.calm":
			calm++
		case "flood A.event":
			floods++
		case "overflow flood":
			over++
		}
	}
	if calm != 2 || over != 1 || floods != 0 {
		t.Errorf("calm events %d, overflows %d, flood events %d", calm, over, floods)
	}
}

// BenchmarkEvents delivers events without listeners from the wire to the handler.
func BenchmarkEvents(b *testing.B) {
	ours, theirs := cdptest.Memory()
	n := newRecordingHandler()
	conn := cdp.New(ours, n)
	defer conn.Close()
	msg := []byte(`{"method":"Network.dataReceived","params":{"requestId":"1000.12","timestamp":1234.5,"dataLength":100,"encodedDataLength":0},"sessionId":"0123456789ABCDEF0123456789ABCDEF"}`)
	b.ReportAllocs()
	for b.Loop() {
		if err := theirs.Write(msg); err != nil {
			b.Fatal(err)
		}
	}
	theirs.Close()
	<-conn.Done()
	b.ReportMetric(float64(n.events)/b.Elapsed().Seconds(), "events/s")
}
