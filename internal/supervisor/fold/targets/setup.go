package targets

import (
	"github.com/usher-browser/usher/internal/supervisor/fold/core"
	"github.com/usher-browser/usher/internal/supervisor/model"
)

func autoAttach() core.Params {
	return core.Params{"autoAttach": true, "waitForDebuggerOnStart": true, "flatten": true}
}

// SetInit sets the commands that new pages of a context receive first.
func (m *Targets) SetInit(c model.ContextID, cmds []model.InitCommand) { m.inits[c] = cmds }

// Inits returns them.
func (m *Targets) Inits(c model.ContextID) []model.InitCommand { return m.inits[c] }

// enabled records that a page's CDP session reports dialogs from now on. That it could be enabled at all means that no
// dialog holds the page: one that was open before the session is closed.
func (m *Targets) enabled(r *core.Reply) {
	info, ok := m.Sessions[r.Session]
	if !ok || info.Kind != "page" || r.Err != nil {
		return
	}
	info.Enabled = true
	m.Sessions[r.Session] = info
	m.dialogs.CloseEarlier(info.Tab, r.Session)
}

// setUp sends a new session all its commands at once; the target is paused until the last of them. waiting reports
// whether nothing has run in it yet.
func (m *Targets) setUp(session string, info core.Session, waiting bool) {
	frames := core.HasFrames(info.Kind)
	if frames {
		m.Send(session, "Page.enable", nil, core.Tag{Kind: core.TagEnable})
		// The tree first: enabling the lifecycle events repeats the past ones, which include the loaded frames.
		m.Send(session, "Page.getFrameTree", nil, core.Tag{Kind: core.TagTree})
		m.Send(session, "Page.setLifecycleEventsEnabled", core.Params{"enabled": true}, core.Tag{})
	}
	if frames || core.IsWorker(info.Kind) {
		if m.Stealth {
			m.enableConsole(session, frames, waiting)
		} else {
			m.Send(session, "Runtime.enable", nil, core.Tag{})
		}
		m.Send(session, "Network.enable", nil, core.Tag{})
		if core.ControlsTraffic(info.Kind) {
			m.conditions.SetUp(session, info.Context)
		}
		m.Send(session, "Target.setAutoAttach", autoAttach(), core.Tag{Kind: core.TagChildren})
	}
	if t := m.State().Tabs[info.Tab]; frames && t != nil && t.Choosers {
		m.interrupts.Intercept(session, true, false)
	}
	m.sendInits(session, info, false)
	if frames {
		if _, on := m.State().Bridges[info.Context]; on {
			m.bridge.SetUp(session)
		}
	}
	if info.Kind == "page" && !m.Stealth {
		m.listen(session)
	}
	if frames {
		m.permissions.SetUp(session, info.Context)
		m.scripts.SetUp(session, info.Context, waiting)
	}
	if core.ControlsTraffic(info.Kind) {
		m.fetch.SetUp(session, info.Context)
	}
	m.Send(session, "Runtime.runIfWaitingForDebugger", nil, core.Tag{Kind: core.TagRun})
	m.sendInits(session, info, true)
	if !waiting {
		m.addScript(session)
	}
}

// sendInits sends those commands of the context that come before the target may run, or those that come right behind.
func (m *Targets) sendInits(session string, info core.Session, behind bool) {
	for _, cmd := range m.inits[info.Context] {
		if cmd.Behind == behind && (info.Kind == "page" || cmd.Frames && info.Kind == "iframe" || cmd.Workers && core.IsWorker(info.Kind)) {
			m.Send(session, cmd.Method, cmd.Params, core.Tag{})
		}
	}
}

// addScript adds the script for our world to the documents that a page will have. A renderer takes 10 ms to read it the first time
// (measured on Chromium 156), so that a new tab gets it once its first document is there: frames of that document have it then, the
// document itself gets it from the first command.
func (m *Targets) addScript(session string) {
	info, ok := m.Sessions[session]
	if !ok || info.Kind != "page" || info.Script || m.Stealth || m.script == nil {
		return
	}
	info.Script = true
	m.Sessions[session] = info
	m.Send(session, "Page.addScriptToEvaluateOnNewDocument", m.script, core.Tag{})
}

// enableConsole reports the console without Runtime.enable, which makes the browser read the logged objects, so that a
// page can detect it. A document or worker that already runs could have replaced what the reporter uses, and does not
// get it.
func (m *Targets) enableConsole(session string, framed, waiting bool) {
	m.Send(session, "Console.enable", nil, core.Tag{})
	switch {
	case m.reporter == "":
	case framed:
		m.Send(session, "Page.addScriptToEvaluateOnNewDocument", core.Params{"source": m.reporter}, core.Tag{})
	case waiting:
		m.Send(session, "Runtime.evaluate", core.Params{"expression": m.reporter, "silent": true}, core.Tag{})
	}
}

// repeat sends the commands for renderer processes to the remaining sessions of a context, after one has ended.
func (m *Targets) repeat(c model.ContextID) {
	for _, cmd := range m.inits[c] {
		if !cmd.Process {
			continue
		}
		for _, id := range m.ContextSessions(c) {
			m.Send(id, cmd.Method, cmd.Params, core.Tag{})
		}
	}
}

// running ends the set-up of a page.
func (m *Targets) running(r *core.Reply) {
	info, ok := m.Sessions[r.Session]
	if !ok || r.Err != nil {
		return
	}
	info.Running = true
	m.Sessions[r.Session] = info
	if info.Kind != "page" {
		return
	}
	if m.unverified[info.Tab] {
		m.removeVanished(r.Session)
		return
	}
	if t := m.Tab(info.Tab); t != nil && t.Session == r.Session {
		t.Ready = true
	}
}

// childrenAttached records that the frames of a CDP session that live in processes of their own are attached.
func (m *Targets) childrenAttached(r *core.Reply) {
	info, ok := m.Sessions[r.Session]
	if !ok || r.Err != nil {
		return
	}
	info.Children = true
	m.Sessions[r.Session] = info
	m.removeVanished(r.Session)
}
