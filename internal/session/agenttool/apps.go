package agenttool

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/session/agenttool/result"
	"github.com/usher-browser/usher/internal/session/agenttool/snapshot"
	"github.com/usher-browser/usher/internal/session/agenttool/step"
	"github.com/usher-browser/usher/internal/supervisor/model"
)

// app returns the launch of the app that the session uses; "" for none.
func (c *call) app() string {
	c.agent.mu.Lock()
	defer c.agent.mu.Unlock()
	return c.agent.apps[c.session]
}

// reattached notes after `connect` that the session uses an app that the agent has launched.
func (c *call) reattached(ctx context.Context) {
	if s := c.steps[0]; c.batch || s.Status != step.Completed || s.Name() != "connect" {
		return
	}
	c.agent.mu.Lock()
	launches := slices.Compact(slices.Sorted(maps.Values(c.agent.apps)))
	c.agent.mu.Unlock()
	for _, id := range launches {
		res, err := c.h.Run(ctx, c.own("app", "status", id))
		if err != nil {
			continue // cleanup has removed its record
		}
		var status struct {
			Launches []struct {
				Sessions []string `json:"sessions"`
			} `json:"launches"`
		}
		result.Read(result.Encode(res.Data), &status)
		if len(status.Launches) == 1 && slices.Contains(status.Launches[0].Sessions, c.session) {
			c.agent.mu.Lock()
			c.agent.apps[c.session] = id
			c.agent.mu.Unlock()
		}
	}
}

// refFreshness says after an action on a ref in an app that refs may be of elements that are gone: such apps replace parts of a window
// without another address.
func (c *call) refFreshness() {
	id := c.app()
	if id == "" {
		return
	}
	for _, s := range c.steps {
		if s.Status != step.Completed || !step.Acts(s.Row.Call) || len(snapshot.RefsOf(s.Row.Call)) == 0 {
			continue
		}
		f := &result.ElectronRefFreshness{LaunchID: id, Command: s.Name(), NextActionIDs: []string{"refresh-electron-refs-after-rerender"},
			Summary: s.Name() + " acted on a ref in an app, which may have rendered its window anew: refs of elements that are gone are refused."}
		c.details.ElectronRefFreshness = f
		c.next.Add("refresh-electron-refs-after-rerender", "Takes refs of what the app shows now.", "snapshot", "-i")
		c.diag.Say("Ref freshness: " + f.Summary)
		return
	}
}

// broad are the selectors whose text is that of a whole window of an app: the reference's list.
var broad = []string{"body", "html", ":root", "*", "main", "div", "section", "article", "[role=application]"}

// textScope says of `get text` in an app that its selector is that of the whole window.
func (c *call) textScope() {
	id, d := c.app(), c.details
	if id == "" {
		return
	}
	for _, s := range c.steps {
		if s.Status != step.Completed || s.Name() != "get text" {
			continue
		}
		selector := s.Row.Call.Str("selector")
		if !slices.Contains(broad, strings.NewReplacer(`"`, "", "'", "").Replace(strings.ToLower(strings.TrimSpace(selector)))) {
			continue
		}
		w := &result.ElectronTextScope{Selector: selector, ElectronContext: result.ElectronContext{LaunchID: id, SessionName: c.session},
			Summary: "get text " + selector + " reads the whole window of the app; a ref of a snapshot, or a selector of one part, reads less."}
		if p := d.SessionTabTarget; p != nil {
			w.ElectronContext.URL = p.URL
		}
		c.next.Add(result.Numbered("snapshot-for-electron-text-scope", len(d.ElectronGetTextScopeWarnings)), "Takes refs of the parts of the window.", "snapshot", "-i")
		c.diag.Say("Text scope: " + w.Summary)
		d.ElectronGetTextScopeWarnings = append(d.ElectronGetTextScopeWarnings, w)
	}
	if len(d.ElectronGetTextScopeWarnings) > 0 {
		d.ElectronGetTextScopeWarning = d.ElectronGetTextScopeWarnings[0]
	}
	if len(d.ElectronGetTextScopeWarnings) < 2 {
		d.ElectronGetTextScopeWarnings = nil
	}
}

// blankInApp says of a session that shows a blank page which window of its app has a page.
func (c *call) blankInApp(state *model.State, work model.ContextID, active *model.Tab) {
	id := c.app()
	if id == "" {
		return
	}
	m := &result.ElectronSessionMismatch{LaunchID: id, Reason: "managed-session-about-blank-while-launch-target-live",
		ManagedSession: result.ElectronSession{SessionName: c.session, URL: active.URL}}
	var targets []result.ElectronTarget
	for _, t := range state.ContextTabs(work) {
		target := result.ElectronTarget{ID: string(t.ID), Type: "page", Title: t.Title, URL: t.URL}
		targets = append(targets, target)
		if m.LiveTarget == nil && t.URL != "about:blank" {
			m.LiveTarget = &target
		}
	}
	if m.LiveTarget == nil {
		return
	}
	m.StatusTargets = result.Encode(targets)
	m.Summary = "The session shows a blank window of the app, which has another that shows " + m.LiveTarget.URL + "."
	c.next.Add("select-intended-tab-after-drift", "Goes to the window of the app that shows a page.", "tab", "switch", m.LiveTarget.ID)
	m.NextActionIDs = []string{"select-intended-tab-after-drift"}
	c.details.ElectronSessionMismatch = m
	c.notes = append(c.notes, m.Summary)
}

// health looks at the app of the session after a command in it has failed. An app that is gone explains the failure, whatever its code.
func (c *call) health(ctx context.Context) {
	s, id := step.First(c.steps), c.app()
	if s == nil || id == "" || c.in.Electron != nil {
		return
	}
	res, err := c.h.Run(ctx, c.own("app", "status", id))
	if err != nil {
		return // the record is gone: cleanup has removed it
	}
	var status struct {
		Launches []jsontext.Value `json:"launches"`
	}
	result.Read(result.Encode(res.Data), &status)
	if len(status.Launches) != 1 {
		return
	}
	var app struct {
		Name         string `json:"appName"`
		ProcessAlive bool   `json:"processAlive"`
		PortAlive    bool   `json:"portAlive"`
		Targets      []struct {
			URL string `json:"url"`
		} `json:"targets"`
	}
	result.Read(status.Launches[0], &app)
	h := &result.ElectronHealth{AppName: app.Name, Command: s.Name(), LaunchID: id, Status: status.Launches[0]}
	live := false
	for _, t := range app.Targets {
		live = live || t.URL != "" && t.URL != "about:blank"
	}
	switch {
	case !app.ProcessAlive:
		h.Reason, h.Summary = "process-dead", "The app has ended."
	case !app.PortAlive:
		h.Reason, h.Summary = "debug-port-dead", "The app runs, and does not answer at its debugging port."
	case !live:
		h.Reason, h.Summary = "about-blank-no-live-target", "The app runs, and has no window with a page."
	default:
		return
	}
	before := len(c.next.List)
	c.next.Put(result.NextAction{ID: "status-electron-launch", Reason: "Shows the state of the app.", Params: &result.ActionParams{Electron: &result.ElectronParams{Action: "status", LaunchID: id}}})
	c.next.Put(result.NextAction{ID: "cleanup-electron-launch", Reason: "Removes what the launch left.", Params: &result.ActionParams{Electron: &result.ElectronParams{Action: "cleanup", LaunchID: id}}})
	for _, n := range c.next.List[before:] {
		h.NextActionIDs = append(h.NextActionIDs, n.ID)
	}
	c.details.ElectronPostCommandHealth = h
	c.diag.Say("App: " + h.Summary)
	s.Fail(result.TabDrift, s.Message()+". "+h.Summary)
}
