package results

import (
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/command/run"
	"github.com/usher-browser/usher/internal/command/state"
	"github.com/usher-browser/usher/internal/plain"
	"github.com/usher-browser/usher/internal/session/host"
)

// Info is the result of `session info`. The members about the browser are absent while there is none.
type Info struct {
	Session   string  `json:"session"`
	Active    bool    `json:"active"` // it has a browser
	PID       *int    `json:"pid"`    // of the daemon; null when none runs, and under the name agent-browser when the session has no browser
	Version   *string `json:"version"`
	SocketDir string  `json:"socketDir"`
	Namespace *string `json:"namespace"` // null for the default one
	// Connection is the connection to an attached browser.
	Connection *host.Connection `json:"connection,omitempty"`
	Recording  *host.Recording  `json:"recording,omitempty"`
	Extensions []host.Extension `json:"extensions,omitzero"`
	Browser    *host.Browser    `json:"browser,omitempty"`
	App        *App             `json:"app,omitempty"`      // of connect --app
	StartedAt  string           `json:"startedAt,omitzero"` // RFC 3339, in UTC
	LastURL    *string          `json:"lastUrl,omitzero"`   // of the active tab when the last command ended
	Tabs       *int             `json:"tabs,omitzero"`
	Dialog     *api.Dialog      `json:"dialog,omitempty"` // the dialog that blocks a tab
	URL        string           `json:"url,omitzero"`     // of the active tab
	// Runtime and RuntimeError exist under the program name agent-browser: agent-browser's report of its daemon, or null
	// while the session has no browser; and null.
	Runtime      jsontext.Value `json:"runtime,omitzero"`
	RuntimeError jsontext.Value `json:"runtimeError,omitzero"`
}

// runtime is agent-browser's report of the daemon of a session, with the values for a session whose state is not saved.
type runtime struct {
	BackgroundPID int `json:"backgroundPid"`
	api.EffectiveLaunch
	EffectiveLaunchIn        api.EffectiveLaunch `json:"effectiveLaunch"`
	CompatibilityStatus      string              `json:"compatibilityStatus"`
	Lifecycle                *api.Lifecycle      `json:"lifecycle"`
	Namespace                *string             `json:"namespace"`
	PageCount                int                 `json:"pageCount"`
	RestoreCheckFn           *string             `json:"restoreCheckFn"`
	RestoreCheckText         *string             `json:"restoreCheckText"`
	RestoreCheckURL          *string             `json:"restoreCheckUrl"`
	RestoreKey               *string             `json:"restoreKey"`
	RestoreLoadedPath        *string             `json:"restoreLoadedPath"`
	RestoreSave              string              `json:"restoreSave"`
	RestoreSavedPath         *string             `json:"restoreSavedPath"`
	RestoreSkippedOrigins    []string            `json:"restoreSkippedOrigins"`
	RestoreStatus            string              `json:"restoreStatus"`
	RestoreStatusDetail      *string             `json:"restoreStatusDetail"`
	RestoreValidationPending bool                `json:"restoreValidationPending"`
	SaveStatus               string              `json:"saveStatus"`
	Session                  string              `json:"session"`
	SocketDir                string              `json:"socketDir"`
}

// AddRuntime adds agent-browser's members; life is part of its report. Programs read the restore key to see whether
// the session's state is saved. restore is nil if it is not.
func (i *Info) AddRuntime(restore *state.Restore, life *api.Lifecycle) error {
	null := jsontext.Value("null")
	i.Runtime, i.RuntimeError = null, null
	if !i.Active {
		return nil
	}
	saved := restore.Status()
	report := runtime{
		BackgroundPID: *i.PID, EffectiveLaunch: life.EffectiveLaunch, EffectiveLaunchIn: life.EffectiveLaunch, CompatibilityStatus: "current",
		Lifecycle: life, Namespace: i.Namespace, PageCount: *i.Tabs, RestoreSave: "auto", RestoreStatus: saved.Restored, SaveStatus: saved.Saved,
		Session: i.Session, SocketDir: i.SocketDir,
	}
	if restore != nil {
		report.RestoreKey, report.RestoreSave = new(restore.Key), restore.Policy
		report.RestoreSavedPath = run.OrNull(saved.Path)
	}
	raw, err := json.Marshal(report)
	if err != nil {
		return fmt.Errorf("encode the runtime report: %w", err)
	}
	i.Runtime = raw
	return nil
}

// Text returns the result for people.
func (i *Info) Text() string {
	var b strings.Builder
	daemon := "not running"
	if i.PID != nil {
		daemon = fmt.Sprintf("pid %d", *i.PID)
	}
	fmt.Fprintf(&b, "session  %s\nactive   %v\ndaemon   %s", i.Session, i.Active, daemon)
	i.About(func(name, value string) { fmt.Fprintf(&b, "\n%-8s %s", name, value) })
	return b.String()
}

// About gives add a name and a value for each line about the browser.
func (i *Info) About(add func(name, value string)) {
	line := func(name, value string) {
		if value != "" {
			add(name, value)
		}
	}
	line("url", i.URL)
	if i.Tabs != nil {
		line("tabs", fmt.Sprint(*i.Tabs))
	}
	line("startedAt", i.StartedAt)
	if i.LastURL != nil {
		line("lastUrl", *i.LastURL)
	}
	if c := i.Connection; c != nil && c.State != "connected" {
		line("lost", fmt.Sprintf("the connection to the browser, since %s: %s; usher reconnects automatically", c.Since, c.Cause))
	}
	for _, e := range i.Extensions {
		line("extension", fmt.Sprintf("%s %s, chrome-extension://%s/, from %s", plain.Line(e.Name), plain.Line(e.Version), e.ID, e.Path))
	}
	if br := i.Browser; br != nil {
		line("browser", br.Text())
	}
}
