package relay

import (
	"bytes"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/relay/link"
	"github.com/usher-browser/usher/internal/wire"
)

// A command that would change nothing, because another session has sent the same, is answered without the browser: the way through
// the extension costs ten times what it does in the page. The reply keeps its place behind the replies to the commands before it.

// idempotent are the commands that change nothing when they are sent again with the same parameters.
var idempotent = map[string]bool{
	"Page.enable": true, "Runtime.enable": true, "Network.enable": true, "Inspector.enable": true,
	"Emulation.setFocusEmulationEnabled": true, "Emulation.setEmulatedMedia": true, lifecycleMethod: true,
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

// sending takes that a command has been sent.
func (d *debuggee) sending(method string) { delete(d.done, method) }

// carriedOut takes the reply to a command that makes state.
func (d *debuggee) carriedOut(method string, params jsontext.Value, failed bool) {
	if !idempotent[method] {
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
	for method := range d.done {
		if strings.HasPrefix(method, domain+".") {
			delete(d.done, method)
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
		})
		return
	}
	d.sending(cmd.Method)
	params := jsontext.Value(bytes.Clone(cmd.Params))
	if changed == nil && sure(cmd) {
		r.send(s, cmd, empty{}, func(_ []byte, failed bool) { d.carriedOut(cmd.Method, params, failed) })
		return
	}
	r.forward(s, cmd, func(payload []byte, failed bool) []byte {
		d.carriedOut(cmd.Method, params, failed)
		if changed != nil && !failed && !s.ended {
			changed()
		}
		return payload
	})
}

// sure reports whether a command cannot fail and tells the client nothing, so that it is answered when it is sent, as before a tab is attached: of
// the commands with which a client begins, those that a page carries out one after the other.
func sure(cmd wire.Command) bool {
	switch cmd.Method {
	case "Log.enable":
		return true
	case "Page.addScriptToEvaluateOnNewDocument":
		var p struct {
			Source *string `json:"source"`
			World  string  `json:"worldName"`
			API    bool    `json:"includeCommandLineAPI"`
			Now    bool    `json:"runImmediately"`
		}
		return decode(cmd.Params, &p) && p.Source != nil && !p.Now
	case "Emulation.setFocusEmulationEnabled":
		var p struct {
			Enabled *bool `json:"enabled"`
		}
		return decode(cmd.Params, &p) && p.Enabled != nil
	case "Emulation.setEmulatedMedia":
		var p struct {
			Media    string `json:"media"`
			Features []struct {
				Name  *string `json:"name"`
				Value *string `json:"value"`
			} `json:"features"`
		}
		ok := decode(cmd.Params, &p)
		for _, f := range p.Features {
			ok = ok && f.Name != nil && f.Value != nil
		}
		return ok
	}
	return false
}

// send sends a command that is sure, and answers it with result. then, if any, gets the browser's reply, under the lock.
func (r *Relay) send(s *session, cmd wire.Command, result any, then link.Reply) {
	err := r.link.CDP(s.tab.id, s.of.id, cmd.Method, cmd.Params, func(payload []byte, failed bool) {
		if then != nil {
			r.mu.Lock()
			defer r.unlock()
			then(payload, failed)
		}
	})
	if err != nil {
		s.client.fail(cmd, codeServer, err.Error())
		return
	}
	s.local(func() { s.client.answer(cmd, result) })
}

// local calls answer as soon as the replies to the state commands of the session that were forwarded are there.
func (s *session) local(answer func()) {
	if s.forwarded == s.replied {
		answer()
		return
	}
	s.answers = append(s.answers, localAnswer{behind: s.forwarded, give: answer})
}

// localAnswer is an answer that waits for the reply to a forwarded command.
type localAnswer struct {
	behind int // the number of that command
	give   func()
}

// tracked reports whether a local answer to a later command waits for the reply.
func tracked(cmd wire.Command) bool {
	_, name, _ := strings.Cut(cmd.Method, ".")
	return name == "enable" || name == "disable" || recordable[cmd.Method] || cmd.Method == "Page.getFrameTree" || cmd.Method == "Target.setAutoAttach"
}

// replyPassed takes that the reply to a tracked command has been passed to the client.
func (s *session) replyPassed() {
	s.replied++
	for len(s.answers) > 0 && s.answers[0].behind <= s.replied {
		give := s.answers[0].give
		s.answers = s.answers[1:]
		if !s.ended {
			give()
		}
	}
}
