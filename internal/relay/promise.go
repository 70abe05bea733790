package relay

import (
	"bytes"
	"slices"

	"github.com/usher-browser/usher/internal/cdp/schema"
	"github.com/usher-browser/usher/internal/relay/link"
	"github.com/usher-browser/usher/internal/wire"
)

// A client that connects makes an isolated world in each page at once, and waits for it: that is the slowest command of a connection, for
// the browser makes a script context, and it waits behind all that the client sent before. The relay answers with an id of its own, and commands for that
// context wait for the browser's. It may, because the browser makes a world in the main frame of a page that is there without fail.

// feature is a MediaFeature of CDP.
type feature struct {
	Name  *string `json:"name"`
	Value *string `json:"value"`
}

// assured reports whether the browser carries out a command without fail: it makes state, and its parameters are right.
func assured(cmd wire.Command) bool {
	switch cmd.Method {
	case "Page.addScriptToEvaluateOnNewDocument":
		var p struct {
			Source *string `json:"source"`
			World  string  `json:"worldName"`
		}
		return decode(cmd.Params, &p) && p.Source != nil
	case "Emulation.setFocusEmulationEnabled":
		var p struct {
			Enabled *bool `json:"enabled"`
		}
		return decode(cmd.Params, &p) && p.Enabled != nil
	case "Emulation.setEmulatedMedia":
		var p struct {
			Media    string    `json:"media"`
			Features []feature `json:"features"`
		}
		return decode(cmd.Params, &p) && !slices.ContainsFunc(p.Features, func(f feature) bool { return f.Name == nil || f.Value == nil })
	}
	return false
}

// assure sends an assured command, and answers it at once, behind the replies to those before it: what the client sends next is carried out behind it.
// taken is called under the lock with the browser's reply.
func (r *Relay) assure(s *session, cmd wire.Command, result any, taken link.Reply) {
	err := r.link.CDP(s.tab.id, s.of.id, cmd.Method, cmd.Params, func(payload []byte, failed bool) {
		r.mu.Lock()
		defer r.unlock()
		taken(payload, failed)
	})
	if err != nil {
		s.client.fail(cmd, codeServer, err.Error())
		return
	}
	s.local(func() { s.client.answer(cmd, result) })
}

// promise answers Page.createIsolatedWorld, and sends it. It returns false for what the browser has to answer: another frame than the main
// one, a world that is there, and a session that would be told of it in no event.
func (r *Relay) promise(s *session, cmd wire.Command, world string) bool {
	var p struct {
		Frame string `json:"frameId"`
	}
	decode(cmd.Params, &p)
	announced := slices.ContainsFunc(s.record, func(e recorded) bool { return e.key == "Runtime.enable" })
	if p.Frame != s.tab.target || s.client.usher || !announced || s.world(world) != nil ||
		slices.ContainsFunc(s.of.contexts, func(c scriptContext) bool { return c.frame == p.Frame && c.world == world }) {
		return false
	}
	made := r.newContext(s, world)
	made.promised = true
	err := r.link.CDP(s.tab.id, s.of.id, cmd.Method, cmd.Params, func(payload []byte, failed bool) {
		r.mu.Lock()
		defer r.unlock()
		r.promiseKept(s, made, payload, failed)
	})
	if err != nil { // the client gets the error from what is sent next
		s.told.contexts = slices.DeleteFunc(s.told.contexts, func(c *madeContext) bool { return c == made })
		return false
	}
	s.promises++
	s.local(func() {
		if s.told != nil && slices.Contains(s.told.contexts, made) { // else the document has gone meanwhile
			s.contextEvent(made)
		}
		s.client.answer(cmd, map[string]int64{"executionContextId": made.id})
	})
	return true
}

// promiseKept takes the reply to the command that promise has sent, and lets commands go on that waited for it.
func (r *Relay) promiseKept(s *session, made *madeContext, payload []byte, failed bool) {
	s.promises--
	id, ok := numberOf(payload, "executionContextId")
	switch there := s.told != nil && slices.Contains(s.told.contexts, made); {
	case s.ended:
		return
	case there && !failed && ok:
		s.join(made, id)
	case there && s.toReal[made.id] == 0:
		s.told.contexts = slices.DeleteFunc(s.told.contexts, func(c *madeContext) bool { return c == made })
		if s.enabled["Runtime"] {
			s.event("Runtime.executionContextDestroyed", encode(map[string]any{"executionContextId": made.id, "executionContextUniqueId": made.unique}))
		}
	}
	made.promised = false
	waiting := s.unkept
	s.unkept = nil
	for _, cmd := range waiting {
		if !s.ended {
			r.command(s, cmd)
		}
	}
}

// waits reports whether a command has to wait for a promised context: it is for one, or it follows one that waits, and the page, not the
// browser, carries it out.
func (s *session) waits(cmd wire.Command) bool {
	if s.promises == 0 {
		return false
	}
	if len(s.unkept) > 0 {
		m := schema.Find(cmd.Method)
		return m == nil || !m.Direct
	}
	if s.told == nil {
		return false
	}
	id, named := numberOf(cmd.Params, contextMembers[cmd.Method])
	return slices.ContainsFunc(s.told.contexts, func(c *madeContext) bool {
		return c.promised && s.toReal[c.id] == 0 && (named && id == c.id || bytes.Contains(cmd.Params, []byte(c.unique)))
	})
}

// world returns the context that the session was told of with a name, nil if there is none.
func (s *session) world(name string) *madeContext {
	if s.told != nil {
		for _, c := range s.told.contexts {
			if c.world == name {
				return c
			}
		}
	}
	return nil
}

// join notes that a context that the session was told of is one of the browser's.
func (s *session) join(made *madeContext, real int64) {
	if s.toReal == nil {
		s.toReal, s.fromReal = map[int64]int64{}, map[int64]int64{}
	}
	s.toReal[made.id], s.fromReal[real] = real, made.id
}
