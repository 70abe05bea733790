// Package message has the messages between the daemon and the process that runs an agent's JavaScript: JSON, or the
// short form of a call or an answer, each after its length as four bytes, the first of which is the highest.
package message

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"io"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// MaxSize is the most bytes that one message has.
const MaxSize = 64 << 20

// MaxState is the most bytes of what the facade saves.
const MaxState = 4 << 20

// Types of messages. The first group goes to the process, the second comes from it.
const (
	Start  = "start"  // the first message: Start
	Run    = "run"    // Run
	Answer = "answer" // to a call: ID, and either Value or Error
	Event  = "event"  // Name and Value
	Stop   = "stop"   // ends the run as if its time were over

	Ready  = "ready"  // the process can take a run
	Call   = "call"   // ID, Name of the method, and Value, its parameters
	Cancel = "cancel" // ends the call with this ID
	Output = "output" // Output
	Result = "result" // Result, the last message of a run
)

// Message is any message. Members that its type does not have are ignored.
type Message struct {
	Type   string         `json:"type"`
	ID     int64          `json:"id,omitzero"`
	Name   string         `json:"name,omitzero"`
	Value  jsontext.Value `json:"value,omitzero"`
	Error  *Error         `json:"error,omitzero"`
	Start  *Settings      `json:"start,omitzero"`
	Run    *Code          `json:"run,omitzero"`
	Output *Shown         `json:"output,omitzero"`
	Result *Outcome       `json:"result,omitzero"`
	// Label is what the code called for a Call; empty for its method.
	Label string `json:"label,omitzero"`
	// Fresh tells, with Ready, that the next run gets a new global object.
	Fresh bool `json:"fresh,omitzero"`
}

// Called returns what the code called for a Call.
func (m *Message) Called() string {
	const most = 100
	name := cmp.Or(m.Label, m.Name)
	return name[:min(len(name), most)]
}

// Settings are those of the process.
type Settings struct {
	// Facade is the source of the facade.
	Facade string `json:"facade"`
	// Memory is the most bytes that a run may allocate for values.
	Memory int64 `json:"memory"`
	// Idle is how long the process waits for a run before it gives memory back, in nanoseconds.
	Idle int64 `json:"idle"`
	// Keep keeps the global object from one run to the next, unless a run had to be stopped.
	Keep bool `json:"keep,omitzero"`
}

// Code is what to run.
type Code struct {
	Code    string         `json:"code"`
	Name    string         `json:"name"`
	Timeout int64          `json:"timeout"` // nanoseconds
	Config  jsontext.Value `json:"config,omitzero"`
	// Events tells whether events may come: without any, code that waits for nothing else never ends.
	Events bool `json:"events,omitzero"`
	// Expression returns the value of code that is a single expression.
	Expression bool `json:"expression,omitzero"`
	// State is what the facade saved before the global object was lost; empty while it is kept.
	State string `json:"state,omitzero"`
}

// Shown is one output of a run.
type Shown struct {
	Kind     string `json:"kind"`
	Level    string `json:"level,omitzero"`
	Text     string `json:"text,omitzero"`
	Data     []byte `json:"data,omitzero"`
	MIMEType string `json:"mimeType,omitzero"`
}

// Error is an error of the code, or of a call.
type Error struct {
	Name    string         `json:"name,omitzero"`
	Message string         `json:"message"`
	Stack   string         `json:"stack,omitzero"`
	Line    int            `json:"line,omitzero"`
	Column  int            `json:"column,omitzero"`
	Code    string         `json:"code,omitzero"`
	Hint    string         `json:"hint,omitzero"`
	Data    jsontext.Value `json:"data,omitzero"`
	// Unhandled tells that it is of a promise that the code did not await, or was thrown in a callback.
	Unhandled bool `json:"unhandled,omitzero"`
}

// Outcome is that of a run.
type Outcome struct {
	Value    jsontext.Value `json:"value,omitzero"`
	Text     string         `json:"text,omitzero"`
	Error    *Error         `json:"error,omitzero"`
	TimedOut bool           `json:"timedOut,omitzero"`
	// Waiting are the methods of the calls without an answer at the end, the oldest first.
	Waiting []Waiting `json:"waiting,omitzero"`
	// Last tells that the process ends after this run.
	Last bool `json:"last,omitzero"`
	// State is what the facade wants to have back if the global object is lost; empty if it saved nothing.
	State string `json:"state,omitzero"`
}

// Waiting is a call without an answer.
type Waiting struct {
	Method string `json:"method"`
	// For is how long it has been waiting, in nanoseconds.
	For int64 `json:"for"`
}

// Write writes one message. Its error is that of the stream, or that the message is too large.
func Write(w io.Writer, m *Message) error {
	frame, err := Encode(m)
	if err != nil {
		return err
	}
	_, err = w.Write(frame)
	return err
}

// Encode returns the bytes of one message.
func Encode(m *Message) ([]byte, error) {
	frame := short(make([]byte, 4, 64+len(m.Value)), m)
	if frame == nil {
		body, err := json.Marshal(m)
		if err != nil {
			return nil, err
		}
		frame = append(make([]byte, 4, 4+len(body)), body...)
	}
	size := len(frame) - 4
	if size > MaxSize {
		return nil, fmt.Errorf("the message has %d bytes, more than the limit of %d", size, MaxSize)
	}
	binary.BigEndian.PutUint32(frame, uint32(size))
	return frame, nil
}

// Read reads one message. What is no message is an error after which nothing more can be read. At the end of the stream
// the error is io.EOF.
func Read(r io.Reader) (*Message, error) {
	var head [4]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return nil, err
	}
	size := binary.BigEndian.Uint32(head[:])
	if size > MaxSize {
		return nil, fmt.Errorf("a message declares %d bytes, more than the limit of %d", size, MaxSize)
	}
	body, err := readBody(r, int(size))
	if err != nil {
		return nil, fmt.Errorf("read a message of %d bytes: %w", size, err)
	}
	return decode(body)
}

func decode(body []byte) (*Message, error) {
	if len(body) > 0 && (body[0] == shortCall || body[0] == shortAnswer) {
		m, err := readShort(body)
		if err != nil {
			return nil, fmt.Errorf("read a message: %w", err)
		}
		return m, nil
	}
	m := &Message{}
	if err := json.Unmarshal(body, m); err != nil {
		return nil, fmt.Errorf("read a message: %w", err)
	}
	return m, nil
}

// Next returns the message that b begins with, and its size; a size of 0 means that it is not complete. It keeps nothing of b. An
// error is as for [Read].
func Next(b []byte) (m *Message, size int, err error) {
	if len(b) < 4 {
		return nil, 0, nil
	}
	n := binary.BigEndian.Uint32(b)
	if n > MaxSize {
		return nil, 0, fmt.Errorf("a message declares %d bytes, more than the limit of %d", n, MaxSize)
	}
	if size = 4 + int(n); len(b) < size {
		return nil, 0, nil
	}
	m, err = decode(b[4:size])
	return m, size, err
}

// readStep is how much memory a message gets before any of its bytes have come.
const readStep = 1 << 20

// readBody reads so many bytes. It takes memory as they come: the length may be wrong.
func readBody(r io.Reader, size int) ([]byte, error) {
	body := make([]byte, 0, min(size, readStep))
	for len(body) < size {
		have := len(body)
		step := min(size-have, max(readStep, have))
		body = append(body, make([]byte, step)...)
		if _, err := io.ReadFull(r, body[have:]); err != nil {
			if err == io.EOF {
				err = io.ErrUnexpectedEOF
			}
			return nil, err
		}
	}
	return body, nil
}
