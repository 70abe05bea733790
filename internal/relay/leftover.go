package relay

import "slices"

// The isolated worlds of a client stay in the page when it has gone, until the page is left. Those that came later would be told of them all:
// Playwright gives the world of each connection another name, so a page that is never left has one more for each time that an agent
// connected. The relay does not repeat a context whose client has gone. A session that makes a world of the same name is told of it.

// leave notes that the worlds of a session belong to nobody.
func (d *debuggee) leave(s *session) {
	for _, world := range s.ownWorlds() {
		if world == s.client.of.options.OwnWorld || slices.ContainsFunc(d.views, func(o *session) bool { return o != s && slices.Contains(o.ownWorlds(), world) }) {
			continue
		}
		if slices.ContainsFunc(d.contexts, func(c scriptContext) bool { return c.world == world }) {
			if d.left == nil {
				d.left = map[string]bool{}
			}
			d.left[world] = true
		}
	}
}

// ownWorlds returns the names of the worlds that a session has made.
func (s *session) ownWorlds() []string {
	var names []string
	for _, w := range s.worlds {
		names = append(names, worldOf(w))
	}
	for _, e := range s.record {
		if name := worldOf(e.params); e.script != nil && name != "" {
			names = append(names, name)
		}
	}
	return names
}

// takeWorld tells a session of the contexts of a world that another client has left behind, and that it now makes.
func (s *session) takeWorld(world string) {
	if !s.of.left[world] {
		return
	}
	delete(s.of.left, world)
	if !s.enabled["Runtime"] {
		return // it is told when it enables it
	}
	for _, c := range s.of.contexts {
		if c.world == world {
			s.event("Runtime.executionContextCreated", c.event)
		}
	}
}
