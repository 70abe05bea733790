// Package debugger shares the Debugger domain of a CDP session between features, which claim it.
package debugger

import (
	"slices"
	"strings"

	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/supervisor/fold/core"
)

// Debugger enables the domain in a CDP session with the first claim and disables it with the last. A pause is offered to
// the claimants of its CDP session in the order of [Debugger.Add], until one takes it. A pause that none takes is resumed
// at once. A pause in a CDP session without a claim is not resumed, because another client caused it.
//
// CDP sessions of raw calls are not handled here: their clients enable and resume themselves.
type Debugger struct {
	*core.Core
	claimants []*Claimant
	sessions  map[string]*use // those with a claim
}

// Claimant is a feature that uses the debugger.
type Claimant struct {
	// Only is the URL of the one script in which the claimant needs pauses; "" means all. If every claimant names one,
	// other scripts are excluded from debugging, so that a page's own `debugger` statements neither pause nor take time
	// (measured on Chromium 156).
	Only string
	// Paused reports whether the claimant takes a pause. A claimant that does must call Resume, now or later.
	Paused func(*cdp.Event) (taken bool)
	// Resumed is called after every pause, even if another claimant took it or the claim was released.
	Resumed func(*cdp.Event)
	// ScriptParsed, if set, is called for every script.
	ScriptParsed func(*cdp.Event)
}

// use is the state of the domain in one CDP session.
type use struct {
	claims []*Claimant
	only   string    // pattern of the excluded scripts; "" for none
	paused *Claimant // claimant that took the current pause; Chromium does not report the end of a pause whose page is replaced
}

// New returns a Debugger without claims.
func New(c *core.Core) *Debugger {
	return &Debugger{Core: c, sessions: map[string]*use{}}
}

// Handlers returns the handlers of the domain's events.
func (m *Debugger) Handlers() core.Handlers {
	return core.Handlers{Events: map[string]func(*cdp.Event){
		"Debugger.paused":       m.paused,
		"Debugger.resumed":      m.resumed,
		"Debugger.scriptParsed": m.scriptParsed,
	}}
}

// Add adds a claimant after those that were added before.
func (m *Debugger) Add(c *Claimant) { m.claimants = append(m.claimants, c) }

// Claim enables the domain in a CDP session. Repeated claims have no effect.
func (m *Debugger) Claim(session string, c *Claimant) {
	u := m.sessions[session]
	if u == nil {
		u = &use{}
		m.sessions[session] = u
		m.Send(session, "Debugger.enable", nil, core.Tag{})
	}
	if !slices.Contains(u.claims, c) {
		u.claims = append(u.claims, c)
		m.exclude(session, u)
	}
}

// exclude excludes the scripts from debugging in which no claimant needs pauses.
func (m *Debugger) exclude(session string, u *use) {
	var needed []string
	for _, c := range u.claims {
		if c.Only == "" {
			needed = nil
			break
		}
		needed = append(needed, c.Only+"$")
	}
	pattern, patterns := "", []string{}
	if needed != nil {
		pattern = "^(?!" + strings.Join(needed, "|") + ")"
		patterns = append(patterns, pattern)
	}
	if pattern != u.only {
		u.only = pattern
		m.Send(session, "Debugger.setBlackboxPatterns", core.Params{"patterns": patterns, "skipAnonymous": needed != nil}, core.Tag{})
	}
}

// Release releases a claim. A pause that the claimant took is resumed.
func (m *Debugger) Release(session string, c *Claimant) {
	u := m.sessions[session]
	if u == nil || !slices.Contains(u.claims, c) {
		return
	}
	u.claims = slices.DeleteFunc(u.claims, func(o *Claimant) bool { return o == c })
	if len(u.claims) == 0 {
		delete(m.sessions, session)
		m.Send(session, "Debugger.disable", nil, core.Tag{}) // also resumes a paused page
		return
	}
	m.exclude(session, u)
	if u.paused == c {
		m.Resume(session)
	}
}

// Resume resumes the paused page of a CDP session.
func (m *Debugger) Resume(session string) {
	if u := m.sessions[session]; u != nil {
		u.paused = nil
	}
	m.Send(session, "Debugger.resume", nil, core.Tag{})
}

// ForgetSession forgets a CDP session that has ended.
func (m *Debugger) ForgetSession(session string) { delete(m.sessions, session) }

// Renew forgets all CDP sessions.
func (m *Debugger) Renew() { clear(m.sessions) }

func (m *Debugger) paused(ev *cdp.Event) {
	u := m.sessions[ev.SessionID]
	if u == nil {
		return
	}
	for _, c := range m.claimants {
		if !slices.Contains(u.claims, c) {
			continue
		}
		u.paused = c // c may have resumed it already
		if c.Paused(ev) {
			return
		}
	}
	m.Resume(ev.SessionID)
}

func (m *Debugger) resumed(ev *cdp.Event) {
	if u := m.sessions[ev.SessionID]; u != nil {
		u.paused = nil
	}
	for _, c := range m.claimants {
		c.Resumed(ev)
	}
}

func (m *Debugger) scriptParsed(ev *cdp.Event) {
	u := m.sessions[ev.SessionID]
	if u == nil {
		return
	}
	for _, c := range m.claimants {
		if c.ScriptParsed != nil && slices.Contains(u.claims, c) {
			c.ScriptParsed(ev)
		}
	}
}
