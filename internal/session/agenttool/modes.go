package agenttool

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/session/agenttool/result"
	"github.com/usher-browser/usher/internal/session/agenttool/snapshot"
	"github.com/usher-browser/usher/internal/session/agenttool/step"
)

// mode sets the members of the modes that are commands.
func (c *call) mode() {
	s, d := c.steps[0], c.details
	switch {
	case c.in.Electron != nil:
		d.Electron = s.Data
		c.electron(s)
	case c.in.SourceLookup != nil:
		d.SourceLookup = s.Data
	case c.in.NetworkSourceLookup != nil:
		d.NetworkSourceLookup = s.Data
	}
}

// handoff looks at the app that a launch has started, as the launch asks.
func (c *call) handoff(ctx context.Context, t *snapshot.Told) {
	s := c.steps[0]
	if c.in.Electron == nil || c.in.Electron.Action != "launch" || s.Status != step.Completed {
		return
	}
	words := []string{"snapshot", "-i"}
	if how := c.in.Electron.Handoff; how != nil && *how == "connect" {
		return
	} else if how != nil && *how == "tabs" {
		words = []string{"tab", "list"}
	}
	res, err := c.h.Run(ctx, c.own(words...))
	if err != nil {
		s.Result.Warning = api.JoinWarnings(s.Result.Warning, strings.Join(words, " ")+": "+api.AsError(err).Sentence())
		return
	}
	t.Note(result.Encode(res.Data))
	s.Result.Text += "\n" + res.Text
}

// electron suggests what can follow an action on an app.
func (c *call) electron(s *step.Step) {
	type cleaned struct {
		ID       string `json:"launchId"`
		Complete bool   `json:"complete"`
	}
	var data struct {
		Launch struct {
			ID        string `json:"launchId"`
			Port      int    `json:"port"`
			PortAlive bool   `json:"portAlive"`
		} `json:"launch"`
		Launches []struct {
			ID       string         `json:"launchId"`
			Port     int            `json:"port"`
			Session  string         `json:"sessionName"`
			Targets  jsontext.Value `json:"targets"`
			Mismatch *struct {
				Reason  string `json:"reason"`
				Summary string `json:"summary"`
			} `json:"sessionMismatch"`
		} `json:"launches"`
		Cleanup struct {
			cleaned            // of a launch that failed
			Launches []cleaned `json:"launches"`
		} `json:"cleanup"`
	}
	result.Read(s.Data, &data)
	for _, l := range data.Launches {
		if l.Mismatch == nil || l.Port == 0 {
			continue
		}
		c.reattach(l.Port)
		if c.details.ElectronSessionMismatch == nil {
			m := &result.ElectronSessionMismatch{LaunchID: l.ID, Reason: l.Mismatch.Reason, Summary: l.Mismatch.Summary, StatusTargets: l.Targets,
				ManagedSession: result.ElectronSession{SessionName: l.Session}, NextActionIDs: []string{"reattach-electron-launch"}}
			var targets []result.ElectronTarget
			result.Read(l.Targets, &targets)
			if at := slices.IndexFunc(targets, func(t result.ElectronTarget) bool { return t.URL != "" && t.URL != "about:blank" }); at >= 0 {
				m.LiveTarget = &targets[at]
			}
			c.details.ElectronSessionMismatch = m
		}
	}
	if s.Failed() && data.Launch.PortAlive { // no session is connected to it
		c.reattach(data.Launch.Port)
	}
	put := func(name, reason string, params result.ElectronParams) {
		c.next.Put(result.NextAction{ID: name, Reason: reason, Params: &result.ActionParams{Electron: &params}})
	}
	var left []string
	for _, l := range append(data.Cleanup.Launches, data.Cleanup.cleaned) {
		if l.ID != "" && !l.Complete {
			left = append(left, l.ID)
		}
	}
	switch len(left) {
	case 0:
	case 1:
		put("retry-electron-cleanup", "Tries again what is left.", result.ElectronParams{Action: "cleanup", LaunchID: left[0]})
	default:
		put("retry-electron-cleanup", "Tries again what is left.", result.ElectronParams{Action: "cleanup", All: true})
	}
	id := data.Launch.ID
	if s.Status != step.Completed || c.in.Electron.Action != "launch" || id == "" {
		return
	}
	c.agent.mu.Lock()
	if c.agent.apps == nil {
		c.agent.apps = map[string]string{}
	}
	c.agent.apps[c.session] = id
	c.agent.mu.Unlock()
	put("status-electron-launch", "Shows whether the app lives.", result.ElectronParams{Action: "status", LaunchID: id})
	put("probe-electron-launch", "Reads the present window.", result.ElectronParams{Action: "probe", LaunchID: id})
	put("cleanup-electron-launch", "Ends the app, and deletes its profile.", result.ElectronParams{Action: "cleanup", LaunchID: id})
	c.next.Add("list-electron-tabs", "Lists its windows.", "tab", "list")
	c.next.Add("snapshot-electron-session", "Takes refs of the window.", "snapshot", "-i")
}

// reattach suggests to connect to an app that runs.
func (c *call) reattach(port int) {
	c.next.Fresh("reattach-electron-launch", "Connects to the app again.", "connect", fmt.Sprint(port))
}
