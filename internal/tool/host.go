package tool

import (
	"context"
	"errors"
	"sync"

	"github.com/usher-browser/usher/internal/api/client"
	"github.com/usher-browser/usher/internal/config/protect"
	"github.com/usher-browser/usher/internal/verb"
)

// Host is what the calls of one agent share: the browser session, and the capabilities of the MCP client.
type Host struct {
	// Daemon runs the commands.
	Daemon *client.Client
	// Session is the name of the browser session; `usher --session` reaches the same one.
	Session string
	// Globals are global flags for every command, such as blocked-sites. session and site-guard are always set by
	// [Host.Command].
	Globals verb.Values
	// Reader identifies this agent in the session: deltas are relative to the last snapshot with the same reader.
	Reader string
	// Env are NAME=value pairs of the caller's environment. Cwd is the directory for relative paths.
	Env []string
	Cwd string
	// Roots are the directories open to the file tools, as absolute clean paths. ClientRoots reports that the MCP
	// client named them; uploads are then limited to them, unless OwnUploadRoots reports that the person set
	// --upload-root.
	Roots                       []string
	ClientRoots, OwnUploadRoots bool
	// Protected returns the paths that the file tools must not touch even below a root. If nil, the defaults of package
	// protect apply.
	Protected func(*Host) *protect.Paths
	// StateDir is the directory of data that persist across sessions: task lists and memory.
	StateDir string
	// ArtifactDir is the directory of files with content that is too long for a result.
	ArtifactDir string
	// Person asks the user of the client; nil if the client does not support elicitation.
	Person Person
	// Model asks the client's model; nil if the client does not support sampling.
	Model Model
	// Fallback is the configured vision model, used if Model is nil; nil if none is configured.
	Fallback Model
	// AcceptsImages reports that the agent's model accepts images in results. If false, Model or Fallback is asked
	// about them.
	AcceptsImages bool
	// Progress, if not nil, is called with status lines of long calls.
	Progress func(text string)
	// Reported suppresses frame trees and closed dialogs that the agent has seen already; if nil, they are reported
	// each time.
	Reported *Reported
	// States are the agents whose code has state in the daemon.
	States *States
	// Tabs are the tabs that the agent's code drives, by name.
	Tabs *Tabs
	// Client identifies the MCP client, also after it has started its server again. OwnSession reports that the person chose Session.
	Client     string
	OwnSession bool
	// UserPrompt is what the user asked for, in the user's words, if the client passes it on with the call
	// ([UserPromptMeta]).
	UserPrompt string
	// Ends is run when the client disconnects; nil without that.
	Ends *Ends
}

// UserPromptMeta is the member of a call's _meta in which clients pass on what the user asked for.
const UserPromptMeta = "usher/user-prompt"

// Anonymous returns the host for a command that chooses the session itself, unless the person has chosen it.
func (h *Host) Anonymous() *Host {
	if h.OwnSession {
		return h
	}
	other := *h
	other.Session = ""
	return &other
}

// Ends are functions that run when a client disconnects. It is safe for concurrent use.
type Ends struct {
	mu   sync.Mutex
	all  map[string]func(context.Context) error // guarded by mu, by tool and client
	done bool                                   // guarded by mu
}

// AtEnd has f run when the client disconnects, once for each name and client.
func (h *Host) AtEnd(name string, f func(context.Context, *Host) error) {
	if h.Ends == nil {
		return
	}
	h.Ends.mu.Lock()
	defer h.Ends.mu.Unlock()
	if h.Ends.all == nil {
		h.Ends.all = map[string]func(context.Context) error{}
	}
	last := *h
	last.Progress = nil
	if !h.Ends.done {
		h.Ends.all[name+" "+h.Client] = func(ctx context.Context) error { return f(ctx, &last) }
	}
}

// Run runs the functions, once.
func (e *Ends) Run(ctx context.Context) error {
	e.mu.Lock()
	all := e.all
	e.all, e.done = nil, true
	e.mu.Unlock()
	var errs []error
	for _, f := range all {
		errs = append(errs, f(ctx))
	}
	return errors.Join(errs...)
}

// Person asks the user of an MCP client.
type Person interface {
	// Ask shows a question with form fields and returns the values by name. ok is false if the person declined.
	Ask(ctx context.Context, question string, answers []Param) (given map[string]any, ok bool, err error)
}

// Model asks a language model.
type Model interface {
	// Ask sends a question, with an image unless that is nil, and returns the answer.
	Ask(ctx context.Context, question string, image *Image) (string, error)
}
