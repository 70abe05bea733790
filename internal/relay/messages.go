package relay

import (
	"bytes"
	"slices"
	"strings"
)

// messages are the console messages, exceptions and log entries of a debuggee, in order. Chromium keeps them, too, and repeats them to a session that
// enables their domain; but to it all clients are one session.
type messages []message

// message is an event.
type message struct {
	method string
	params []byte
}

const (
	// maxMessages is how many messages of a debuggee are repeated: as many as V8 keeps (maxConsoleMessageCount in v8-console-message.cc).
	maxMessages = 1000
	// messagesLimit is the size, in bytes, of the messages of all tabs.
	messagesLimit = 4 << 20
)

// keepMessage takes an event of the domains Runtime and Log. It reports whether that is a message.
func (r *Relay) keepMessage(d *debuggee, method string, params []byte) bool {
	switch method {
	case "Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Runtime.exceptionRevoked", "Log.entryAdded":
	default:
		return false
	}
	for len(d.messages) > 0 && (len(d.messages) >= maxMessages || r.kept+len(params) > messagesLimit) {
		r.kept -= len(d.messages[0].params)
		d.messages[0] = message{}
		d.messages = d.messages[1:]
	}
	if r.kept+len(params) <= messagesLimit {
		r.kept += len(params)
		d.messages = append(d.messages, message{method, bytes.Clone(params)})
	}
	return true
}

// dropMessages forgets the messages of a domain, of both if it is "".
func (r *Relay) dropMessages(d *debuggee, domain string) {
	d.messages = slices.DeleteFunc(d.messages, func(m message) bool {
		if !strings.HasPrefix(m.method, domain) {
			return false
		}
		r.kept -= len(m.params)
		return true
	})
}

// discards are the commands that make the browser forget the messages of their domain.
var discards = map[string]bool{"Log.clear": true, "Runtime.discardConsoleEntries": true}

// repeatMessages sends a session the messages of a domain.
func (s *session) repeatMessages(domain string) {
	for _, m := range s.of.messages {
		if strings.HasPrefix(m.method, domain+".") {
			s.event(m.method, s.madeContexts(m.method, m.params))
		}
	}
}
