package agenttool

import (
	"context"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/session/agenttool/result"
	"github.com/usher-browser/usher/internal/session/agenttool/step"
)

// health looks at the app of the session after a command in it has failed. An app that is gone explains the failure, whatever its code.
func (c *call) health(ctx context.Context) {
	s := step.First(c.steps)
	c.agent.mu.Lock()
	id := c.agent.apps[c.session]
	c.agent.mu.Unlock()
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
