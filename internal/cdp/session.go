package cdp

import (
	"context"
	"fmt"
	"strconv"

	protocol "github.com/chromedp/cdproto/cdp"
	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Session is one flat CDP session: the browser itself, a tab, a frame in a
// process of its own, or a worker.
type Session struct {
	conn     *Conn
	id       string
	detached bool // guarded by Conn.mu
}

// ID returns the browser's id of the session, empty for the browser itself.
func (s *Session) ID() string { return s.id }

// Call sends a command and waits for its reply, which is decoded into result (nil to ignore it; *jsontext.Value to have
// it undecoded). Errors: *Error from the browser, ErrClosed, ErrDetached, or the cause of ctx's end; they are prefixed
// by the method.
func (s *Session) Call(ctx context.Context, method string, params, result any) error {
	if ctx.Err() != nil {
		return unsent(ctx, method)
	}
	raw, err := s.conn.send(s, method, params, nil).wait(ctx)
	if err != nil {
		return err
	}
	return decode(method, raw, result)
}

// Post sends a command without waiting. reply, if not nil, is called in stream
// order on the handler's goroutine; on a connection or session that has already
// ended it is called at once by Post itself.
func (s *Session) Post(method string, params any, reply func(jsontext.Value, error)) {
	if reply == nil {
		reply = ignore
	}
	s.conn.send(s, method, params, reply)
}

func ignore(jsontext.Value, error) {}

// Do sends a typed command and waits for its result.
func Do[P, R any](ctx context.Context, s *Session, c protocol.Command[P, R], params P) (R, error) {
	return DoThen(ctx, s, c, params, nil)
}

// DoThen is Do that calls sent, if it is not nil, between sending the command and waiting for its reply.
func DoThen[P, R any](ctx context.Context, s *Session, c protocol.Command[P, R], params P, sent func(*Pending[R])) (R, error) {
	if ctx.Err() != nil {
		var none R
		return none, unsent(ctx, c.Method)
	}
	p := Start(s, c, params)
	if sent != nil {
		sent(p)
	}
	return p.Wait(ctx)
}

// unsent returns the error of a command whose context had ended before. It is not sent: a command reported as failed
// must not run later.
func unsent(ctx context.Context, method string) error {
	return fmt.Errorf("%s: %w", method, context.Cause(ctx))
}

// Start sends a typed command and does not wait, so that several commands can be in flight together.
func Start[P, R any](s *Session, c protocol.Command[P, R], params P) *Pending[R] {
	return &Pending[R]{s.conn.send(s, c.Method, params, nil)}
}

// Pending is a command in flight.
type Pending[R any] struct{ call *call }

// Wait returns the result, or an error as Call does.
func (p *Pending[R]) Wait(ctx context.Context) (R, error) {
	var res R
	raw, err := p.call.wait(ctx)
	if err != nil {
		return res, err
	}
	return res, decode(p.call.method, raw, &res)
}

// Done is closed when the reply or failure is there.
func (p *Pending[R]) Done() <-chan struct{} { return p.call.done }

// Position is the position of the reply among all replies of the connection, from 1; 0 while it is not there. The replies
// of a session arrive in the order in which the browser made them.
func (p *Pending[R]) Position() uint64 {
	select {
	case <-p.call.done:
		return p.call.position
	default:
		return 0
	}
}

func decode(method string, raw jsontext.Value, result any) error {
	switch r := result.(type) {
	case nil:
		return nil
	case *protocol.Empty:
		return nil
	case *jsontext.Value:
		*r = raw
		return nil
	}
	// JavaScript strings may contain unpaired surrogates.
	if err := jsonv2.Unmarshal(raw, result, jsontext.AllowInvalidUTF8(true)); err != nil {
		return fmt.Errorf("decode reply of %s: %w", method, err)
	}
	return nil
}

// message is an encoded command without its id, which is assigned under the lock that also fixes the order of sending.
type message struct{ tail []byte }

func (m message) withID(id int64) []byte {
	b := make([]byte, 0, len(m.tail)+28)
	b = append(b, `{"id":`...)
	b = strconv.AppendInt(b, id, 10)
	return append(b, m.tail...)
}

func encode(method string, params any, sessionID string) (message, error) {
	var p []byte
	if params != nil {
		var err error
		if p, err = encodeParams(params); err != nil {
			return message{}, fmt.Errorf("encode parameters of %s: %w", method, err)
		}
	}
	b := make([]byte, 0, 256+len(p))
	b = append(b, `,"method":"`...)
	b = append(b, method...)
	b = append(b, '"')
	if len(p) > 0 && string(p) != "{}" {
		b = append(b, `,"params":`...)
		b = append(b, p...)
	}
	if sessionID != "" {
		b = append(b, `,"sessionId":"`...)
		b = append(b, sessionID...)
		b = append(b, '"')
	}
	return message{append(b, '}')}, nil
}

func encodeParams(params any) ([]byte, error) {
	if raw, ok := params.(jsontext.Value); ok {
		return raw, nil
	}
	return jsonv2.Marshal(params, jsontext.AllowInvalidUTF8(true))
}
