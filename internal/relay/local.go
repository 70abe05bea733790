package relay

import (
	"bytes"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/wire"
)

// A command that would change nothing, because another session has sent the same, is answered without the browser: the way through
// the extension costs ten times what it does in the page. The reply keeps its place behind the replies to the commands before it.

// idempotent are the commands that change nothing when they are sent again with the same parameters.
var idempotent = map[string]bool{
	"Page.enable": true, "Runtime.enable": true, "Network.enable": true, "Inspector.enable": true, "Log.enable": true,
	"Emulation.setFocusEmulationEnabled": true, "Emulation.setEmulatedMedia": true, lifecycleMethod: true, "Page.setFontFamilies": true,
}

// unchanged reports whether the browser has carried out a command already, as far as the last one of the kind.
func (d *debuggee) unchanged(cmd wire.Command) bool {
	last, sent := d.done[cmd.Method]
	return sent && last == normal(cmd.Params)
}

// normal returns parameters with one form for none.
func normal(params jsontext.Value) string {
	if string(params) == "{}" {
		return ""
	}
	return string(params)
}

// sending takes that a command is sent, and returns its number, with which carriedOut is called.
func (d *debuggee) sending(method string) (number int) {
	d.sent++
	if d.last == nil {
		d.last = map[string]int{}
	}
	d.last[method] = d.sent
	delete(d.done, method)
	return d.sent
}

// carriedOut takes the reply to a command that makes state. It says nothing if another command of the kind, or what ends the state, was sent
// meanwhile.
func (d *debuggee) carriedOut(number int, method string, params jsontext.Value, failed bool) {
	if !idempotent[method] || d.last[method] != number {
		return
	}
	if failed {
		delete(d.done, method)
		return
	}
	if d.done == nil {
		d.done = map[string]string{}
	}
	d.done[method] = normal(params)
}

// undone takes that the state of a domain is reset.
func (d *debuggee) undone(domain string) {
	for method := range idempotent {
		if strings.HasPrefix(method, domain+".") {
			d.sending(method)
		}
	}
}

// change carries out a command that makes state. changed, if any, is called before the session is answered that it succeeded.
func (r *Relay) change(s *session, cmd wire.Command, changed func()) {
	d := s.of
	if d.unchanged(cmd) {
		s.local(func() {
			if changed != nil {
				changed()
			}
			s.client.answer(cmd, empty{})
			if cmd.Method == lifecycleMethod {
				s.releaseLifecycle()
			}
		})
		return
	}
	number := d.sending(cmd.Method)
	params := jsontext.Value(bytes.Clone(cmd.Params))
	if changed == nil && d.id == "" && assured(cmd) {
		r.assure(s, cmd, empty{}, func(_ []byte, failed bool) { d.carriedOut(number, cmd.Method, params, failed) })
		return
	}
	r.forward(s, cmd, func(payload []byte, failed bool) []byte {
		d.carriedOut(number, cmd.Method, params, failed)
		if changed != nil && !failed && !s.ended {
			changed()
		}
		return payload
	})
}

// local calls answer as soon as the replies to the state commands of the session that were forwarded before are there.
func (s *session) local(answer func()) {
	if len(s.open) == 0 {
		answer()
		return
	}
	s.answers = append(s.answers, localAnswer{behind: s.forwarded, give: answer})
}

// localAnswer is an answer that waits for the replies to the tracked commands up to one.
type localAnswer struct {
	behind int // the number of that command
	give   func()
}

// tracked reports whether a local answer to a later command waits for the reply.
func tracked(cmd wire.Command) bool {
	_, name, _ := strings.Cut(cmd.Method, ".")
	return name == "enable" || name == "disable" || recordable[cmd.Method] || cmd.Method == "Page.getFrameTree" || cmd.Method == "Target.setAutoAttach"
}

// track takes that a tracked command is forwarded, and returns its number.
func (s *session) track() (number int) {
	s.forwarded++
	s.open = append(s.open, s.forwarded)
	return s.forwarded
}

// replyPassed takes that the reply to a tracked command has been passed to the client. Replies may overtake one another: the browser process gives
// some, the page others.
func (s *session) replyPassed(number int) {
	s.open = slices.DeleteFunc(s.open, func(n int) bool { return n == number })
	for len(s.answers) > 0 && (len(s.open) == 0 || s.open[0] > s.answers[0].behind) {
		give := s.answers[0].give
		s.answers = s.answers[1:]
		if !s.ended {
			give()
		}
	}
}
