package fold

import (
	"errors"
	"fmt"
	"time"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/supervisor/fold/core"
	"github.com/usher-browser/usher/internal/supervisor/fold/dialogs"
	"github.com/usher-browser/usher/internal/supervisor/fold/liveness"
	"github.com/usher-browser/usher/internal/supervisor/fold/targets"
)

// A recording made by a Browser contains, besides the frames of the connection, every other input of the fold: answers,
// policies, timers that fired, replies with their purpose. Events are in it in the order and with the time of their
// folding, so that the same fold over the recording yields the same State.
const (
	DirCommand = "fold"  // an input that is no event
	DirModel   = "model" // a new model begins
)

// ModelLine is the message of a dirModel line.
type ModelLine struct {
	Stealth bool
	Nonce   string // of the bridge's script
	// Mark is the reporter's, for readers of the console messages.
	Mark string `json:",omitzero"`
}

// inputJSON reads and writes an Input: what JSON has no form for of itself.
func inputJSON() (marshal, unmarshal jsonv2.Options) {
	marshal = jsonv2.WithMarshalers(jsonv2.JoinMarshalers(
		jsonv2.MarshalFunc(func(e error) ([]byte, error) {
			line := errorLine{Text: e.Error()}
			var refused *cdp.Error
			if errors.As(e, &refused) {
				line = errorLine{Text: refused.Message, Method: refused.Method, Code: refused.Code, Data: refused.Data}
			}
			return jsonv2.Marshal(line)
		}),
		jsonv2.MarshalFunc(func(d time.Duration) ([]byte, error) { return jsonv2.Marshal(int64(d)) }),
	))
	unmarshal = jsonv2.WithUnmarshalers(jsonv2.JoinUnmarshalers(
		jsonv2.UnmarshalFunc(func(raw []byte, e *error) error {
			var line errorLine
			if err := jsonv2.Unmarshal(raw, &line); err != nil {
				return err
			}
			if *e = errors.New(line.Text); line.Method != "" {
				*e = &cdp.Error{Method: line.Method, Code: line.Code, Message: line.Text, Data: line.Data}
			}
			return nil
		}),
		jsonv2.UnmarshalFunc(func(raw []byte, d *time.Duration) error {
			var n int64
			if err := jsonv2.Unmarshal(raw, &n); err != nil {
				return err
			}
			*d = time.Duration(n)
			return nil
		}),
	))
	return marshal, unmarshal
}

type errorLine struct {
	Text   string
	Method string `json:",omitzero"`
	Code   int64  `json:",omitzero"`
	Data   string `json:",omitzero"`
}

// CommandLine returns the line of a command: an object with one member, named after the command.
func CommandLine(c core.Command) ([]byte, error) {
	marshal, _ := inputJSON()
	value, err := jsonv2.Marshal(payload(c), marshal, jsonv2.OmitZeroStructFields(true), jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true))
	if err != nil {
		return nil, fmt.Errorf("record %s: %w", c.InputName(), err)
	}
	return fmt.Appendf(nil, "{%q:%s}", c.InputName(), value), nil
}

// ReadCommand parses the line of a command; nil if the model has none of that name.
func (m *Model) ReadCommand(line []byte) (core.Command, error) {
	lenient := jsonv2.JoinOptions(jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true))
	var members map[string]jsontext.Value
	if err := jsonv2.Unmarshal(line, &members, lenient); err != nil {
		return nil, err
	}
	for name, value := range members { // one
		h, known := m.commands[name]
		if !known {
			continue
		}
		c := h.New()
		_, unmarshal := inputJSON()
		if err := jsonv2.Unmarshal(value, payload(c), unmarshal, lenient); err != nil {
			return nil, err
		}
		return c, nil
	}
	return nil, nil
}

// payload returns a pointer to the content of a command's line: the command, or its only value.
func payload(c core.Command) any {
	switch c := c.(type) {
	case *Forget:
		return &c.Context
	case *liveness.InputHandled:
		return &c.Tab
	case *targets.Overflow:
		return &c.Session
	case *targets.Closed:
		return &c.Cause
	case *targets.Lost:
		return &c.Cause
	case *dialogs.StandbyEvent:
		return &c.Event
	case *targets.Connected, *dialogs.StandbyLost:
		yes := true
		return &yes
	}
	return c
}
