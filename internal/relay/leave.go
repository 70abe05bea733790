package relay

import (
	"slices"
	"time"
)

// leaveAfter is how long a tab stays attached that no client uses: the next one may come at once, as with a script that an agent starts again
// and again, and the bar that Chrome shows would flicker. So long its domains stay enabled, too, for a client that enables them again.
const leaveAfter = 2 * time.Second

// lingering are the domains that stay enabled: those that clients enable in every page, and of which what was announced is known.
var lingering = map[string]bool{"Runtime": true, "Network": true, "Log": true}

// linger notes that no session wants a domain of a tab any more, or lifecycle events. It returns false if that has to end now.
func (d *debuggee) linger(what string) bool {
	if d.id != "" || what != lifecycleMethod && !lingering[what] {
		return false
	}
	if d.lingers == nil {
		d.lingers = map[string]bool{}
	}
	d.lingers[what] = true
	return true
}

// endLingering ends what no session has wanted since.
func (r *Relay) endLingering(d *debuggee) {
	for what := range d.lingers {
		switch {
		case what != lifecycleMethod && !d.wants(what, nil):
			_ = r.link.CDP(d.tab.id, d.id, what+".disable", []byte("{}"), ignore)
			r.forget(d, what)
		case what == lifecycleMethod && !slices.ContainsFunc(d.views, func(s *session) bool { return s.lifecycle }):
			d.sending(lifecycleMethod)
			_ = r.link.CDP(d.tab.id, d.id, lifecycleMethod, []byte(`{"enabled":false}`), ignore)
		}
	}
	d.lingers = nil
	r.applyAutoAttach(d)
}

// leaveSoon takes that a session of a tab has ended. It detaches if no client uses the tab any more.
func (r *Relay) leaveSoon(t *tab) {
	if t.phase == idle || t.gone || r.closed {
		return
	}
	if t.leave != nil {
		t.leave.Stop()
	}
	t.leave = time.AfterFunc(leaveAfter, func() {
		r.mu.Lock()
		defer r.unlock()
		switch {
		case t.gone || t.phase == idle || r.closed:
		case len(t.root().views) == 0:
			r.detached(t)
			_ = r.link.Start("debugger.detach", map[string]int{"tabId": t.id}, ignore)
		default:
			r.endLingering(t.root())
		}
	})
}
