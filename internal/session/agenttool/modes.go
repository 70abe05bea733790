package agenttool

import (
	"context"
	"fmt"
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
	res, err := c.h.Run(ctx, step.Command(c.h, c.session, words...))
	if err != nil {
		s.Result.Warning = api.JoinWarnings(s.Result.Warning, strings.Join(words, " ")+": "+api.AsError(err).Sentence())
		return
	}
	t.Note(result.Encode(res.Data))
	s.Result.Text += "\n" + res.Text
}

// electron suggests what can follow an action on an app.
func (c *call) electron(s *step.Step) {
	var data struct {
		Launch struct {
			ID string `json:"launchId"`
		} `json:"launch"`
		LaunchID string `json:"launchId"`
		Launches []struct {
			Port     int            `json:"port"`
			Mismatch jsontext.Value `json:"sessionMismatch"`
		} `json:"launches"`
	}
	result.Read(s.Data, &data)
	for _, l := range data.Launches {
		if len(l.Mismatch) > 0 && l.Port > 0 {
			c.next.Fresh("reattach-electron-launch", "Connects to the app again.", "connect", fmt.Sprint(l.Port))
		}
	}
	id := data.Launch.ID
	if id == "" {
		id = data.LaunchID
	}
	if id == "" {
		return
	}
	put := func(name, action, reason string) {
		c.next.Put(result.NextAction{ID: name, Reason: reason, Params: &result.ActionParams{Electron: &result.ElectronParams{Action: action, LaunchID: id}}})
	}
	switch {
	case s.Status == step.Completed && c.in.Electron.Action == "launch":
		put("status-electron-launch", "status", "Shows whether the app lives.")
		put("probe-electron-launch", "probe", "Reads the present window.")
		put("cleanup-electron-launch", "cleanup", "Ends the app, and deletes its profile.")
		c.next.Add("list-electron-tabs", "Lists its windows.", "tab", "list")
		c.next.Add("snapshot-electron-session", "Takes refs of the window.", "snapshot", "-i")
	case s.FailureCategory() == result.CleanupFailed && s.Failed():
		put("retry-electron-cleanup", "cleanup", "Tries again what is left.")
	}
}
