package wire

import (
	"bytes"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"
)

// The size of the browser's messages depends on the page: a console line of 500 MB, a page's text of 1 GB. A message
// that is larger than these limits is read to its end and dropped; a small message replaces it, so that its receiver
// gets an error.
const (
	// MaxEvent is the largest size of an event, in bytes: half of the budget of a CDP session.
	MaxEvent = 32 << 20
	// MaxReply is the largest size of a reply, in bytes: pictures, which are taken in parts, and texts have a few MB.
	MaxReply = 128 << 20
)

// EventsLost is the method of an event that replaces dropped ones. Browsers do not send it.
const EventsLost = "Usher.eventsLost"

// CodeTooLarge is the code of the error in place of a reply that was too large. JSON-RPC leaves the codes from -32099 to -32000 to the server.
const CodeTooLarge = -32020

// collector takes one message, a piece at a time.
type collector struct {
	kept  []byte   // its beginning
	parts [][]byte // what follows, of one that is taken whole
	tail  []byte   // the end of one that is too large
	size  int
}

// keptEnds is the size, in bytes, of the stored beginning and end of a message that is too large: Chromium writes the
// envelope there.
const keptEnds = 512

func (m *collector) add(piece []byte) {
	m.size += len(piece)
	if m.tail == nil {
		if m.size <= MaxEvent || m.size <= MaxReply && !isEvent(m.kept) {
			m.keep(piece)
			return
		}
		end := m.kept
		for _, part := range m.parts[max(0, len(m.parts)-2):] {
			end = append(bytes.Clone(end[max(0, len(end)-keptEnds):]), part...)
		}
		m.tail = bytes.Clone(end[max(0, len(end)-keptEnds):])
		m.kept, m.parts = bytes.Clone(m.kept[:min(len(m.kept), keptEnds)]), nil
	}
	m.tail = append(m.tail, piece...)
	if over := len(m.tail) - keptEnds; over > 0 {
		m.tail = append(m.tail[:0], m.tail[over:]...)
	}
}

// largestPart bounds the pieces that are put together at the end.
const largestPart = 4 << 20

// keep adds a piece to a message that is taken whole. Parts grow with the message, so that it is copied twice, however large it is.
func (m *collector) keep(piece []byte) {
	if m.kept == nil {
		m.kept = bytes.Clone(piece)
		return
	}
	n := len(m.parts)
	if n == 0 || cap(m.parts[n-1])-len(m.parts[n-1]) < len(piece) {
		m.parts = append(m.parts, make([]byte, 0, max(len(piece), min(m.size, largestPart))))
		n++
	}
	m.parts[n-1] = append(m.parts[n-1], piece...)
}

// isEvent reports whether a message with this beginning is an event. If that is unclear, it counts as one.
func isEvent(head []byte) bool { return !bytes.HasPrefix(head, keyID) }

// spare is the room behind a large message, in bytes, so that a session can be added to it in place.
const spare = 128

// bytes returns the message, or its replacement.
func (m *collector) bytes() []byte {
	if m.tail == nil {
		if len(m.parts) == 0 {
			return m.kept
		}
		whole := append(make([]byte, 0, m.size+spare), m.kept...)
		for _, part := range m.parts {
			whole = append(whole, part...)
		}
		return whole
	}
	session := ""
	if i := bytes.LastIndex(m.tail, keySession); i >= 0 {
		id, ok := bytes.CutSuffix(m.tail[i+len(keySession):], []byte(`"}`))
		if ok && !bytes.ContainsFunc(id, func(r rune) bool { return r < ' ' || r == '"' || r == '\\' }) {
			session = string(keySession) + string(id) + `"`
		}
	}
	if !isEvent(m.kept) {
		id := int64(0)
		for _, digit := range m.kept[len(keyID):min(len(m.kept), len(keyID)+18)] {
			if digit < '0' || digit > '9' {
				break
			}
			id = 10*id + int64(digit-'0')
		}
		return fmt.Appendf(nil, `{"id":%d,"error":{"code":%d,"message":"the browser's answer has %d MB, and at most %d MB are taken"}%s}`,
			id, CodeTooLarge, m.size>>20, MaxReply>>20, session)
	}
	method := []byte("unknown")
	if rest, ok := bytes.CutPrefix(m.kept, keyMethod); ok {
		if i := bytes.IndexByte(rest, '"'); i > 0 && bytes.IndexByte(rest[:i], '\\') < 0 {
			method = rest[:i]
		}
	}
	quoted, err := jsontext.AppendQuote(nil, method)
	if err != nil {
		quoted = []byte(`"unknown"`)
	}
	return fmt.Appendf(nil, `{"method":"%s","params":{"method":%s,"size":%d}%s}`, EventsLost, quoted, m.size, session)
}
