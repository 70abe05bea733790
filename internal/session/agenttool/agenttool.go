// Package agenttool is the tool agent_browser: one call that runs a command line, a batch, or a mode that is compiled to one, and a
// result that says what happened, what is proven and what can be done next. Names, fields and defaults are those of
// pi-agent-browser-native 0.5.0. What that program guesses from texts is known here: error codes, the receipts of input events, hit
// tests, committed navigations, and which rows of a batch have run.
//
// It runs in the daemon as the command `agent-tool`, so a call of any mode is one request. The modes electron, sourceLookup and
// networkSourceLookup are commands of the table, too.
package agenttool

import (
	"context"

	"github.com/usher-browser/usher/internal/command/run"
	"github.com/usher-browser/usher/internal/verb"
)

// Host runs the commands of a call.
type Host interface {
	// Table is the table of all commands.
	Table() *verb.Table
	// Run runs a command in the session that its global flags name.
	Run(ctx context.Context, row Row) (run.Result, error)
	// Work returns a session's work in its browser; nil without a browser.
	Work(namespace, session string) *run.BrowserContext
	// Guarded reports whether the site guard is on. Flags that could loosen it, or choose another program as the browser, are then
	// refused.
	Guarded() bool
	// MayWrite returns an error for a file that agents must not write.
	MayWrite(path string) error
	// Artifacts is the directory of files without a path.
	Artifacts() string
}

// Row is a command with what it reads.
type Row struct {
	Call  *verb.Call
	Stdin string
}

// Request is a call of the tool.
type Request struct {
	// Input is the JSON object of the arguments; see [Input].
	Input []byte
	// Client identifies the client over its restarts, for the names of its sessions; empty for any.
	Client string
	// Session is the session that the person chose for the tool; empty for one that is named after Client and Cwd.
	Session string
	// Cwd is the caller's working directory.
	Cwd string
	// Prompt is what the user asked for, in the user's words. The guards on final controls and on closing read it; empty turns them
	// off.
	Prompt string
}

// Result is the result of a call.
type Result struct {
	// Content is the text for the model, with the pictures.
	Content []Content `json:"content"`
	// Details are the same as data.
	Details *Details `json:"details"`
	// IsError reports that the call failed: resultCategory is failure.
	IsError bool `json:"isError"`
}

// Content is a text or an image.
type Content struct {
	Type string `json:"type"` // text or image
	Text string `json:"text,omitzero"`
	// Own marks text of the tool itself. Everything else may quote a page.
	Own      bool   `json:"own,omitzero"`
	Data     []byte `json:"data,omitzero"` // of an image, in base64
	MIMEType string `json:"mimeType,omitzero"`
}

// Failed reports that the call failed, for the exit status.
func (r *Result) Failed() bool { return r.IsError }

// Text returns the text of the content.
func (r *Result) Text() string {
	text := ""
	for _, c := range r.Content {
		if c.Text == "" {
			continue
		}
		if text != "" {
			text += "\n"
		}
		text += c.Text
	}
	return text
}
