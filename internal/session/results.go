package session

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/command/run"
	"github.com/usher-browser/usher/internal/command/state"
	"github.com/usher-browser/usher/internal/plain"
	"github.com/usher-browser/usher/internal/session/code"
	"github.com/usher-browser/usher/internal/session/host"
)

// Closed is the result of `close`.
type Closed struct {
	Closed   bool     `json:"closed"`
	Sessions []string `json:"sessions,omitzero"` // the closed sessions, with --all
	// RestoreStatus, with --restore, is missing (there was no saved state), loaded, loaded_but_invalid (a check failed) or
	// failed.
	RestoreStatus string `json:"restoreStatus,omitzero"`
	// SaveStatus is saved, skipped_restore_failed, disabled (--restore-save never) or failed. Under the program name
	// agent-browser both are not_configured without --restore.
	SaveStatus string `json:"saveStatus,omitzero"`
	StatePath  string `json:"statePath,omitzero"` // the file
	SaveError  string `json:"saveError,omitzero"`
}

// ClosedAll is the result of `close --all` under the program name agent-browser.
type ClosedAll struct {
	Closed   int      `json:"closed"`   // how many sessions
	Failed   []string `json:"failed"`   // always empty: a session that cannot be closed is an error
	Sessions []string `json:"sessions"` // their names
}

// List is the result of `session list`: names, sorted.
type List struct {
	Sessions []string `json:"sessions"`
	Rented   []Rented `json:"rented,omitzero"` // those whose browser is rented
}

// Rented is a session whose browser is rented (--provider).
type Rented struct {
	Session       string `json:"session"`
	Provider      string `json:"provider"`
	RemoteSession string `json:"remoteSession"` // its id at the provider
}

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

// addRuntime adds agent-browser's members. Programs read the restore key to see whether the session's state is saved.
// restore is nil if it is not.
func (i *Info) addRuntime(restore *state.Restore, engine string) error {
	null := jsontext.Value("null")
	i.Runtime, i.RuntimeError = null, null
	if !i.Active {
		return nil
	}
	saved := restore.Status()
	life := lifecycle(run.Launch{Running: true}, saved, engine)
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

// text returns the result for people.
func (i *Info) text() string {
	var b strings.Builder
	daemon := "not running"
	if i.PID != nil {
		daemon = fmt.Sprintf("pid %d", *i.PID)
	}
	fmt.Fprintf(&b, "session  %s\nactive   %v\ndaemon   %s", i.Session, i.Active, daemon)
	i.about(func(name, value string) { fmt.Fprintf(&b, "\n%-8s %s", name, value) })
	return b.String()
}

// about gives add a name and a value for each line about the browser.
func (i *Info) about(add func(name, value string)) {
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

// Row is a row of the result of `batch`, which is an array of them.
type Row struct {
	Success bool     `json:"success"`
	Command []string `json:"command,omitzero"` // its arguments
	Index   *int     `json:"index,omitzero"`   // its index from 0, with --omit-command
	Result  any      `json:"result"`           // the command's own result; the error data of a failure, or null
	Error   *string  `json:"error"`            // null on success
	Code    string   `json:"code,omitzero"`
	Warning string   `json:"warning,omitzero"`
	// Boundary is present with --content-boundaries.
	Boundary *api.Boundary `json:"_boundary,omitzero"`
}

// ResultTypes returns the result types of the session's own commands, by name.
func ResultTypes() map[string]reflect.Type {
	return map[string]reflect.Type{
		"close": reflect.TypeFor[*Closed](), "connect": reflect.TypeFor[*Connected](), "confirm": reflect.TypeFor[*Confirmed](), "deny": reflect.TypeFor[*Denied](), "session list": reflect.TypeFor[List](), "session info": reflect.TypeFor[*Info](),
		"batch": reflect.TypeFor[[]Row](), "run": reflect.TypeFor[*code.Ran](),
	}
}
