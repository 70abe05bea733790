package session

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/api"
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

// List is the result of `session list`: names, sorted.
type List struct {
	Sessions []string `json:"sessions"`
}

// Info is the result of `session info`. The members about the browser are absent while there is none.
type Info struct {
	Session   string  `json:"session"`
	Active    bool    `json:"active"` // it has a browser
	PID       int     `json:"pid"`    // of the daemon
	Version   string  `json:"version"`
	SocketDir string  `json:"socketDir"`
	Namespace *string `json:"namespace"` // null for the default one
	// Connection is the connection to an attached browser.
	Connection *Connection `json:"connection,omitempty"`
	Recording  *Recording  `json:"recording,omitempty"`
	Browser    *Browser    `json:"browser,omitempty"`
	StartedAt  string      `json:"startedAt,omitzero"` // RFC 3339, in UTC
	LastURL    *string     `json:"lastUrl,omitzero"`   // of the active tab when the last command ended
	Tabs       *int        `json:"tabs,omitzero"`
	Dialog     *api.Dialog `json:"dialog,omitempty"` // the dialog that blocks a tab
	URL        string      `json:"url,omitzero"`     // of the active tab
	// Runtime and RuntimeError exist under the program name agent-browser.
	Runtime      *Browser       `json:"runtime,omitempty"`
	RuntimeError jsontext.Value `json:"runtimeError,omitzero"`
}

// Connection is the state of a connection: connected or reconnecting.
type Connection struct {
	State string `json:"state"`
	Since string `json:"since,omitzero"` // when it was lost: RFC 3339, in UTC
	Cause string `json:"cause,omitzero"`
}

// Recording is the file of --record.
type Recording struct {
	Path  string `json:"path"`
	Bytes int64  `json:"bytes"`
	Ended string `json:"ended,omitzero"` // why it ended before the browser
}

// Browser is the browser of a session. PID, Product and Executable are set if usher launched it.
type Browser struct {
	Attached   bool   `json:"attached"`
	Headed     bool   `json:"headed"`
	Crashed    bool   `json:"crashed"` // it ended unexpectedly
	PID        int    `json:"pid,omitzero"`
	Product    string `json:"product,omitzero"`
	Executable string `json:"executable,omitzero"`
	Sessions   int    `json:"sessions"` // number of sessions that share it
}

// text returns the result for people.
func (i *Info) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "session  %s\nactive   %v\ndaemon   pid %d", i.Session, i.Active, i.PID)
	line := func(name, value string) {
		if value != "" {
			fmt.Fprintf(&b, "\n%-8s %s", name, value)
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
		fmt.Fprintf(&b, "\nlost     the connection to the browser, since %s: %s; usher reconnects automatically", c.Since, c.Cause)
	}
	if br := i.Browser; br != nil {
		if br.Product == "" {
			line("browser", fmt.Sprintf("attached, shared by %d", br.Sessions))
		} else {
			line("browser", fmt.Sprintf("%s, pid %d, shared by %d", br.Product, br.PID, br.Sessions))
		}
		if br.Crashed {
			b.WriteString("; it is gone: `open <url>` starts another")
		}
	}
	return b.String()
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
}

// ResultTypes returns the result types of the session's own commands, by name.
func ResultTypes() map[string]reflect.Type {
	return map[string]reflect.Type{
		"close": reflect.TypeFor[*Closed](), "session list": reflect.TypeFor[List](), "session info": reflect.TypeFor[*Info](),
		"batch": reflect.TypeFor[[]Row](),
	}
}
