package link

import (
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/cdp"
)

// CDP sends a CDP command to a tab, or to a child's session in it. done gets the reply, exactly once, unless there is an error:
// [ErrDown] or [ErrTooLarge]. The command is queued; [Server.Flush] writes it.
func (s *Server) CDP(tab int, session, method string, params []byte, done Reply) error {
	return s.CDPRaw(tab, session, method, params, done.raw)
}

func (r Reply) raw(_, payload []byte, failed bool) { r(payload, failed) }

// CDPRaw is CDP, but done gets the message of the reply, too.
func (s *Server) CDPRaw(tab int, session, method string, params []byte, done Raw) error {
	if len(params) > maxCommand {
		return ErrTooLarge
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.down() {
		return ErrDown
	}
	s.lastID++
	s.pending[s.lastID] = waiting{done: done}
	s.push(appendCDP(make([]byte, 0, len(params)+len(method)+len(session)+60), s.lastID, tab, session, method, params))
	return nil
}

// Start sends a command to the extension itself, as CDP does. params is marshalled; nil for none.
func (s *Server) Start(method string, params any, done Reply) error {
	text := []byte("{}")
	if params != nil {
		var err error
		if text, err = json.Marshal(params); err != nil {
			return err
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.down() {
		return ErrDown
	}
	s.lastID++
	msg := appendCall(nil, s.lastID, method, text)
	w := waiting{done: done.raw}
	if questions[method] {
		w.again = msg
	}
	s.pending[s.lastID] = w
	s.push(msg)
	return nil
}

// waiting is a command without a reply.
type waiting struct {
	done  Raw
	again []byte // the message, to be sent again if the reply was lost; nil if the command may not be carried out twice
}

// questions are the commands that change nothing.
var questions = map[string]bool{"tabs.query": true, "debugger.getTargets": true, "downloads.search": true, "windows.get": true, "settings.get": true}

// Call sends a command to the extension itself and waits for its reply, up to [CallLimit]. The reply is decoded into result, if that is
// not nil. It must not be called on the goroutine of the reader.
func (s *Server) Call(ctx context.Context, method string, params, result any) error {
	ctx, cancel := context.WithTimeout(ctx, CallLimit)
	defer cancel()
	type reply struct {
		payload []byte
		failed  bool
	}
	got := make(chan reply, 1)
	if err := s.Start(method, params, func(payload []byte, failed bool) { got <- reply{payload, failed} }); err != nil {
		return err
	}
	s.Flush()
	select {
	case <-ctx.Done():
		return errors.Join(errors.New("the browser extension does not answer "+method), ctx.Err())
	case r := <-got:
		if r.failed {
			return Error(method, r.payload)
		}
		if result == nil {
			return nil
		}
		return json.Unmarshal(r.payload, result, jsontext.AllowInvalidUTF8(true))
	}
}

// Error returns the error of a reply.
func Error(method string, payload []byte) error {
	e := &cdp.Error{Method: method}
	if json.Unmarshal(payload, e, jsontext.AllowInvalidUTF8(true)) != nil || e.Message == "" {
		e.Code, e.Message = -32000, string(payload)
	}
	return e
}

// codeNotAttached is the extension's: a CDP command was not carried out, as the debugger is not attached to the tab.
const codeNotAttached = -32011

// NotAttached reports whether the error of a CDP command says that it was not carried out, because Chrome had detached the debugger from the tab.
// The notice of that has come.
func NotAttached(payload []byte) bool {
	var e struct {
		Code int64 `json:"code"`
	}
	return json.Unmarshal(payload, &e, jsontext.AllowInvalidUTF8(true)) == nil && e.Code == codeNotAttached
}

// push queues a frame. The caller holds mu.
func (s *Server) push(msg []byte) {
	s.outbox = append(s.outbox, msg)
	s.queued.Store(true)
}

// down reports whether commands fail at once. The caller holds mu.
func (s *Server) down() bool { return s.closed || s.holder == nil && s.session == "" }

// Flush writes what is queued, unless another goroutine is about to. While no extension is connected, it stays queued.
func (s *Server) Flush() {
	for s.queued.Load() {
		if !s.wmu.TryLock() {
			return // whoever writes looks again when it is done
		}
		s.mu.Lock()
		c := s.holder
		if c == nil {
			s.mu.Unlock()
			s.wmu.Unlock()
			return
		}
		batch, lists := s.outbox, s.hello.Batch
		s.outbox = nil
		s.queued.Store(false)
		s.mu.Unlock()
		if lists {
			batch = listed(batch)
		}
		if c.WriteAll(batch) != nil {
			_ = c.Close() // the reader ends with it
		}
		s.wmu.Unlock()
	}
}

// listLimit is the largest size, in bytes, of a list of messages.
const listLimit = 64 << 10

// listed makes one frame of several short messages, a JSON array: a frame costs Chrome more time than a message in it.
func listed(msgs [][]byte) [][]byte {
	if len(msgs) < 2 {
		return msgs
	}
	var frames [][]byte
	for len(msgs) > 0 {
		n, size := 0, 1
		for n < len(msgs) && size+len(msgs[n]) < listLimit {
			size += len(msgs[n]) + 1
			n++
		}
		if n < 2 {
			frames, msgs = append(frames, msgs[0]), msgs[1:]
			continue
		}
		list := append(make([]byte, 0, size), '[')
		for _, msg := range msgs[:n] {
			list = append(append(list, msg...), ',')
		}
		list[len(list)-1] = ']'
		frames, msgs = append(frames, list), msgs[n:]
	}
	return frames
}

// fail ends all commands.
func (s *Server) fail(err error) {
	s.mu.Lock()
	all := s.pending
	s.pending, s.outbox = map[int64]waiting{}, nil
	s.mu.Unlock()
	failAll(all, err)
}

// failBut ends the commands that were sent before an interruption, but those that the extension will answer. Questions are asked again.
func (s *Server) failBut(alive []int64) {
	s.mu.Lock()
	unsent := int64(0)
	for _, msg := range s.outbox {
		if m, err := parse(msg); err == nil && m.ID > 0 && (unsent == 0 || m.ID < unsent) {
			unsent = m.ID
		}
	}
	lost := map[int64]waiting{}
	var again [][]byte
	for _, id := range slices.Sorted(maps.Keys(s.pending)) {
		w := s.pending[id]
		switch {
		case unsent > 0 && id >= unsent || slices.Contains(alive, id):
		case w.again != nil:
			again = append(again, w.again)
		default:
			lost[id] = w
			delete(s.pending, id)
		}
	}
	s.outbox = append(again, s.outbox...)
	s.queued.Store(true)
	s.mu.Unlock()
	failAll(lost, ErrLost)
}

func failAll(all map[int64]waiting, err error) {
	text, bad := json.Marshal(&cdp.Error{Code: -32000, Message: err.Error()})
	if bad != nil {
		text = []byte(`{"code":-32000,"message":"the browser extension is not connected"}`)
	}
	for _, w := range all {
		w.done(nil, text, true)
	}
}
