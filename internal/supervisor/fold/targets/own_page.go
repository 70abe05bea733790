package targets

import (
	"github.com/usher-browser/usher/internal/supervisor/fold/core"
)

// OwnPage announces a page that usher creates for itself next. It is recognised by its first address, which contains a
// random text, so that no page can have one that is taken for it. It is no tab: the model has only its CDP session, in
// which every request is answered with an empty page.
type OwnPage struct{ URL string }

// InputName returns the name in recordings.
func (*OwnPage) InputName() string { return "OwnPage" }

func (m *Targets) expectOwn(p *OwnPage) { m.expected = p.URL }

// own reports whether a target is a page of usher's own.
func (m *Targets) own(info *core.TargetInfo) bool {
	if m.expected != "" && info.URL == m.expected {
		m.ownPages[info.TargetID] = true
		m.expected = ""
	}
	return m.ownPages[info.TargetID]
}

// attachedOwn reports whether a CDP session is that of an own page, and sets it up. A service worker of the site would
// answer in its own way, and is not asked.
func (m *Targets) attachedOwn(session string, info *core.TargetInfo) bool {
	if !m.own(info) {
		return false
	}
	m.Sessions[session] = core.Session{Kind: core.KindOwn, Target: info.TargetID, Context: info.Context}
	m.fetch.AnswerAll(session)
	m.Send(session, "Network.enable", nil, core.Tag{})
	m.Send(session, "Network.setBypassServiceWorker", core.Params{"bypass": true}, core.Tag{})
	m.Send(session, "Runtime.runIfWaitingForDebugger", nil, core.Tag{})
	return true
}
