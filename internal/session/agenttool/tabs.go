package agenttool

import (
	"context"
	"strings"

	"github.com/usher-browser/usher/internal/command/run"
	"github.com/usher-browser/usher/internal/session/agenttool/result"
	"github.com/usher-browser/usher/internal/session/agenttool/step"
	"github.com/usher-browser/usher/internal/supervisor/model"
	"github.com/usher-browser/usher/internal/verb"
)

// place of an agent: the tab that its last call left active.
type tabPlace struct {
	session string
	id      model.TargetID
	page    result.Target
}

// openIn returns the address of the page in the active tab.
func openIn(work *run.BrowserContext) string {
	if id, ok := work.Active(); ok {
		if t := work.Browser.State().Tabs[id]; t != nil {
			return t.URL
		}
	}
	return ""
}

// own returns a command of the tool's own in the session of the call.
func (c *call) own(words ...string) step.Row {
	return step.Command(c.h, c.namespace, c.session, words...)
}

// keepTab makes the tab of the calls before active again, if another has become active since: a person, or a page, has switched. In a
// session of a person's, it only says so.
func (c *call) keepTab(ctx context.Context) {
	c.agent.mu.Lock()
	last := c.agent.tab
	c.agent.mu.Unlock()
	call := c.steps[0].Row.Call
	if c.managed == nil || c.managed.fresh || last.session != c.session || last.id == "" || choosesTab(call) {
		return
	}
	work := c.h.Work("", c.session)
	if work == nil {
		return
	}
	id, ok := work.Active()
	if !ok || id == last.id {
		return
	}
	state, d := work.Browser.State(), c.details
	intended, active := state.Tabs[last.id], state.Tabs[id]
	switch {
	case intended != nil && intended.Context == work.Context:
		words := []string{"tab", "switch", string(last.id)}
		if c.agent.owned {
			if _, err := c.h.Run(ctx, c.own(words...)); err == nil {
				d.SessionTabCorrection = &result.TabCorrection{SelectedTab: string(last.id), SelectionKind: "tabId", TargetTitle: last.page.Title, TargetURL: intended.URL}
				c.notes = append(c.notes, "Another tab had become active. The tab of the calls before is active again: "+intended.URL)
				c.next.Add("list-tabs-for-tab-drift-recovery", "Shows which other tab was active.", "tab", "list")
				c.next.Add("snapshot-after-tab-recovery", "Shows the tab of the calls before.", "snapshot", "-i")
				return
			}
		}
		c.notes = append(c.notes, "Another tab is active than after the last call, which left "+intended.URL)
		c.next.Add("select-intended-tab-after-drift", "Goes back to the tab of the calls before.", words...)
		c.next.Add("list-tabs-for-recovery", "Shows which tabs are open.", "tab", "list")
	case active != nil && active.URL == "about:blank" && last.page.URL != "" && last.page.URL != "about:blank":
		d.AboutBlankSessionMismatch = &result.AboutBlankMismatch{ActiveURL: active.URL, TargetURL: last.page.URL, TargetTitle: last.page.Title,
			RecoveryHint: "The tab of the calls before was closed, and a blank one is active. Open the address again if you need it."}
		c.notes = append(c.notes, d.AboutBlankSessionMismatch.RecoveryHint)
		c.next.Add("list-tabs-for-about-blank-recovery", "Shows which tabs are open.", "tab", "list")
		c.next.Add("snapshot-after-tab-recovery", "Shows the active tab.", "snapshot", "-i")
		c.blankInApp(state, work.Context, active)
	}
}

// choosesTab reports whether a command says itself in which tab it works.
func choosesTab(call *verb.Call) bool {
	v := call.Verb
	return v.Category == verb.CatTab || v.Category == verb.CatSession || v.Name == "open" || strings.HasPrefix(v.Name, "window")
}

// noteTab remembers the tab that the call has left active.
func (c *call) noteTab() {
	work := c.h.Work("", c.session)
	if c.managed == nil || work == nil {
		return
	}
	id, ok := work.Active()
	if !ok {
		return
	}
	page := result.Target{}
	if t := work.Browser.State().Tabs[id]; t != nil {
		page.URL = t.URL
	}
	if p := c.details.SessionTabTarget; p != nil {
		page = *p
	}
	c.agent.mu.Lock()
	c.agent.tab = tabPlace{c.session, id, page}
	c.agent.mu.Unlock()
}
