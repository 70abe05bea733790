package relay

import (
	"strings"

	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/relay/link"
	"github.com/usher-browser/usher/internal/wire"
)

// forwarded is a command of a client that was sent to the browser.
type forwarded struct {
	session *session
	at      wire.Command                             // without parameters
	again   []byte                                   // a copy of the parameters, to send them once more; nil if it will not be
	then    func(payload []byte, failed bool) []byte // returns what the client gets; nil if that comes later
	track   bool
	number  int // of a tracked command
}

// resendLimit is the size of parameters, in bytes, up to which a copy is kept until the reply has come.
const resendLimit = 16 << 10

// submit sends a command, and passes the reply on. It returns false if the command was not sent.
func (r *Relay) submit(f *forwarded, params []byte) bool {
	s := f.session
	params, missing := s.realContexts(f.at.Method, params)
	if missing {
		f.end(encode(&cdp.Error{Code: codeServer, Message: "Cannot find context with specified id"}), true)
		return false
	}
	err := r.link.CDPRaw(s.tab.id, s.of.id, f.at.Method, params, func(msg, payload []byte, failed bool) {
		switch {
		case failed && link.NotAttached(payload):
			r.mu.Lock()
			defer r.unlock()
			r.resubmit(f)
		case f.then == nil && !f.track:
			s.client.pass(f.at, msg, payload, failed)
		default:
			r.replied(f, payload, failed)
		}
	})
	if err != nil {
		f.end(encode(&cdp.Error{Code: codeServer, Message: err.Error()}), true)
	}
	return err == nil
}

// replied passes on a reply that the relay reads, too.
func (r *Relay) replied(f *forwarded, payload []byte, failed bool) {
	r.mu.Lock()
	if f.then != nil {
		if payload = f.then(payload, failed); payload == nil { // the command goes on
			r.unlock()
			return
		}
	}
	if !f.track { // it may be large
		r.unlock()
		f.session.client.reply(f.at, payload, failed)
		return
	}
	defer r.unlock()
	f.end(payload, failed)
}

// end gives the client its reply.
func (f *forwarded) end(payload []byte, failed bool) {
	f.session.client.reply(f.at, payload, failed)
	if f.track {
		f.session.replyPassed(f.number)
	}
	if f.at.Method == lifecycleMethod {
		f.session.releaseLifecycle()
	}
}

// resubmit sends a command again that came when Chrome had just detached the debugger from the tab: it was not carried out. As for a command that
// comes later, the debugger is attached first.
func (r *Relay) resubmit(f *forwarded) {
	t, params := f.session.tab, f.again
	if params == nil || f.session.ended || t.gone || r.closed {
		r.notCarriedOut(f)
		return
	}
	f.again = nil
	next := func() {
		switch {
		case t.phase != attached || f.session.ended:
			r.notCarriedOut(f)
		case inRecord(f.at.Method):
			f.answer([]byte("{}"), false)
		default:
			r.submit(f, params)
		}
	}
	if t.phase == attached {
		next()
		return
	}
	t.ready = append(t.ready, next)
	r.attach(t)
}

// inRecord reports whether a command has changed the record of its session, so that the replay has carried it out. A script for new documents that
// was sent once more would run twice.
func inRecord(method string) bool {
	domain, name, _ := strings.Cut(method, ".")
	return recordable[method] || method == "Page.removeScriptToEvaluateOnNewDocument" || method == "Runtime.removeBinding" ||
		(name == "enable" || name == "disable") && enables[domain]
}

// notCarriedOut answers a command that will not be sent again.
func (r *Relay) notCarriedOut(f *forwarded) {
	why := "the command was not carried out: Chrome had detached the debugger from the tab"
	if f.session.tab.refusal != "" {
		why += ", and " + f.session.tab.refusal
	}
	f.answer(encode(&cdp.Error{Code: codeServer, Message: why}), true)
}

// answer gives the client a reply of the relay's in the place of the browser's. The caller holds the lock.
func (f *forwarded) answer(payload []byte, failed bool) {
	if f.then != nil {
		payload = f.then(payload, failed)
	}
	f.end(payload, failed)
}
