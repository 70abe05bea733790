package relay

import "time"

// For Chrome's tabs API the opener of a new tab is the active tab of the window, though a page in the background opened it. Page.windowOpen
// tells which page opens one; which of the new tabs it is, the debugger's Target.getTargetInfo knows in that tab.

// opening is a Page.windowOpen whose tab has not come.
type opening struct {
	by *tab
	at time.Time
}

// openingLimit is how long the tab of a Page.windowOpen may take to come. The user may have blocked it.
const openingLimit = 5 * time.Second

// maxOpenings bounds those that are remembered: a page may call window.open as often as it likes.
const maxOpenings = 100

// opens takes a Page.windowOpen.
func (r *Relay) opens(t *tab) {
	if r.expects(); len(r.openings) < maxOpenings {
		r.openings = append(r.openings, opening{t, time.Now()})
	}
}

// expects reports whether a new tab may be one that a page has opened.
func (r *Relay) expects() bool {
	for len(r.openings) > 0 && time.Since(r.openings[0].at) > openingLimit {
		r.openings = r.openings[1:]
	}
	return len(r.openings) > 0
}

// settleLimit is how long a new tab may take to be attached before it is announced: until its server answers, Chrome keeps back what the debugger sends.
const settleLimit = 2 * time.Second

// settle attaches to a new tab, and announces it then, so that clients get its events from the beginning.
func (r *Relay) settle(t *tab) {
	t.settling = true
	t.ready = append(t.ready, func() {
		t.settling = false
		t.late.Stop()
		r.announce(t)
		if len(t.root().views) == 0 {
			r.leaveSoon(t)
		}
	})
	t.late = time.AfterFunc(settleLimit, func() {
		r.mu.Lock()
		defer r.unlock()
		if !t.settling || t.gone || r.closed || t.phase != replaying {
			return
		}
		t.unanswered = true
		r.detached(t)
		_ = r.link.Start("debugger.detach", map[string]int{"tabId": t.id}, ignore)
		t.settled()
	})
	r.attach(t)
}

// openerKnown takes the reply to Target.getTargetInfo in a new tab.
func (r *Relay) openerKnown(t *tab, payload []byte, failed bool) {
	var got struct {
		Info struct {
			Opener string `json:"openerId"`
			Frame  string `json:"openerFrameId"`
			Access bool   `json:"canAccessOpener"`
		} `json:"targetInfo"`
	}
	if failed || !decode(payload, &got) || got.Info.Opener == "" || t.announced {
		return
	}
	by := r.byTarget(got.Info.Opener)
	if by == nil {
		return
	}
	t.opener, t.openerFrame, t.noopener = by.target, got.Info.Frame, !got.Info.Access
	for i, o := range r.openings {
		if o.by == by {
			r.openings = append(r.openings[:i:i], r.openings[i+1:]...)
			return
		}
	}
}
