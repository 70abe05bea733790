// Package results has the results of the commands about sessions: what --json prints as data.
package results

import (
	"reflect"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/browserhost/app"
	"github.com/usher-browser/usher/internal/session/agenttool/result"
	"github.com/usher-browser/usher/internal/session/code/report"
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

// Connected is the result of `connect`. Its members are those of `open` without an address.
type Connected struct {
	Launched bool `json:"launched"` // the session has a browser
	// RelaunchedBrowser, under the program name agent-browser: this one replaces one that had ended.
	RelaunchedBrowser *bool `json:"relaunchedBrowser,omitempty"`
	Reused            bool  `json:"reused,omitzero"` // the session was connected before
	// App is the app of --app.
	App *App `json:"app,omitempty"`
}

// App is an app that a session uses as its browser (connect --app).
type App struct {
	Path     string `json:"path"`
	PID      int    `json:"pid"`
	Endpoint string `json:"endpoint"` // its debugging port
	Started  bool   `json:"started"`  // usher started it, and close --kill ends it
}

// AppOf returns the result about an app; nil for none.
func AppOf(a *app.App) *App {
	if a == nil {
		return nil
	}
	return &App{Path: a.Path, PID: a.PID, Endpoint: a.Endpoint, Started: a.Started}
}

// NeedsConfirmation is the result of a command that waits for a confirmation, in agent-browser's form. Under the name
// usher it is an error with the code confirmation_required.
type NeedsConfirmation struct {
	Action               string `json:"action"`          // the name of the command
	ConfirmationID       string `json:"confirmation_id"` // for confirm and deny, for a minute
	ConfirmationRequired bool   `json:"confirmation_required"`
}

// Confirmed is the result of `confirm`.
type Confirmed struct {
	Action    string          `json:"action"` // the name of the command
	Confirmed bool            `json:"confirmed"`
	Result    ConfirmedResult `json:"result"`
}

// ConfirmedResult is what the confirmed command returned.
type ConfirmedResult struct {
	ID      string `json:"id"` // of the confirmation
	Success bool   `json:"success"`
	Data    any    `json:"data"` // as the command itself prints it
}

// Denied is the result of `deny`.
type Denied struct {
	Action string `json:"action"` // the name of the command
	Denied bool   `json:"denied"`
}

// Batch is the result of `batch`: a bare array in JSON.
type Batch struct {
	Rows   []Row
	Failed int // how many of them
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

// Types returns the types by the names of the commands.
func Types() map[string]reflect.Type {
	return map[string]reflect.Type{
		"close": reflect.TypeFor[*Closed](), "connect": reflect.TypeFor[*Connected](), "confirm": reflect.TypeFor[*Confirmed](), "deny": reflect.TypeFor[*Denied](), "session list": reflect.TypeFor[List](), "session info": reflect.TypeFor[*Info](),
		"batch": reflect.TypeFor[[]Row](), "run": reflect.TypeFor[*report.Ran](), "agent-tool": reflect.TypeFor[*result.Result](),
		"relay start": reflect.TypeFor[*Relay](), "relay status": reflect.TypeFor[*Relay](), "relay stop": reflect.TypeFor[*RelayStopped](), "extension pair": reflect.TypeFor[*Pairing](),
		"extension doctor": reflect.TypeFor[*ExtensionReport](), "extension try": reflect.TypeFor[*Tried](),
	}
}
