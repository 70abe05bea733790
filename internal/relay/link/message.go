package link

import (
	"bytes"
	"errors"
	"strconv"

	"github.com/usher-browser/usher/internal/wire"
)

// message is a frame of the extension. Its slices point into the frame.
type message struct {
	wire.Envelope        // of a reply (ID), or of an event that is none of CDP (Method); SessionID is that of the tab's child
	Tab           int    // of a CDP event
	Event         string // likewise: its method; the parameters are the Payload
}

var errMessage = errors.New("not a message of the extension")

var (
	keyTab     = []byte(`{"tab":`)
	keyEvent   = []byte(`,"e":"`)
	keyParams  = []byte(`,"p":`)
	keySession = []byte(`,"s":"`)
)

// parse reads a frame of the extension. Payloads are not decoded.
func parse(msg []byte) (m message, err error) {
	if bytes.HasPrefix(msg, keyTab) {
		if m, ok := parseEvent(msg); ok {
			return m, nil
		}
	} else if m.Envelope, err = wire.Peek(msg); err == nil {
		return m, nil
	}
	m = message{}
	err = wire.Members(msg, func(key string, value []byte) (err error) {
		switch key {
		case "tab":
			m.Tab, err = strconv.Atoi(string(value))
		case "e":
			m.Event = text(value)
		case "s":
			m.SessionID = text(value)
		case "p", "params", "result":
			m.Payload = value
		case "id":
			m.ID, err = strconv.ParseInt(string(value), 10, 64)
		case "method":
			m.Method = text(value)
		case "error":
			m.Payload, m.IsError = value, true
		}
		return err
	})
	if err == nil && m.ID == 0 && m.Method == "" && m.Event == "" {
		err = errMessage
	}
	return m, err
}

// text returns a JSON string without escapes; "" for any other value.
func text(value []byte) string {
	if len(value) < 2 || value[0] != '"' || bytes.IndexByte(value, '\\') >= 0 {
		return ""
	}
	return string(value[1 : len(value)-1])
}

// parseEvent reads a CDP event in the order of members that JSON.stringify writes.
func parseEvent(msg []byte) (m message, ok bool) {
	i := len(keyTab)
	for ; i < len(msg) && msg[i] >= '0' && msg[i] <= '9' && i < 20; i++ {
		m.Tab = m.Tab*10 + int(msg[i]-'0')
	}
	rest, ok := bytes.CutPrefix(msg[i:], keyEvent)
	if !ok {
		return m, false
	}
	q := bytes.IndexByte(rest, '"')
	if q <= 0 {
		return m, false
	}
	m.Event = string(rest[:q])
	if rest, ok = bytes.CutPrefix(rest[q+1:], keyParams); !ok {
		return m, false
	}
	end := len(rest) - 1
	if end < 2 || rest[end] != '}' {
		return m, false
	}
	// A member directly before the last brace belongs to the outermost object.
	if rest[end-1] == '"' {
		open := bytes.LastIndexByte(rest[:end-1], '"')
		start := open + 1 - len(keySession)
		if start >= 0 && bytes.Equal(rest[start:open+1], keySession) {
			m.SessionID = string(rest[open+1 : end-1])
			end = start
		}
	}
	m.Payload = rest[:end]
	return m, wire.IsObject(m.Payload)
}

// appendCDP appends a CDP command for a tab.
func appendCDP(b []byte, id int64, tab int, session, method string, params []byte) []byte {
	b = strconv.AppendInt(append(b, `{"id":`...), id, 10)
	b = strconv.AppendInt(append(b, `,"tab":`...), int64(tab), 10)
	b = append(append(append(b, `,"m":"`...), method...), '"')
	if len(params) > 0 {
		b = append(append(b, `,"p":`...), params...)
	}
	if session != "" {
		b = append(append(append(b, `,"s":"`...), session...), '"')
	}
	return append(b, '}')
}

// appendCall appends a command for the extension itself.
func appendCall(b []byte, id int64, method string, params []byte) []byte {
	b = append(b, '{')
	if id != 0 {
		b = append(strconv.AppendInt(append(b, `"id":`...), id, 10), ',')
	}
	b = append(append(append(b, `"method":"`...), method...), '"')
	if len(params) > 0 {
		b = append(append(b, `,"params":`...), params...)
	}
	return append(b, '}')
}
