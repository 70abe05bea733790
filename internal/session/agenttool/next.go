package agenttool

import (
	"slices"
	"strings"
)

// NextAction is a call that can follow, with its exact arguments.
type NextAction struct {
	Tool   string        `json:"tool"`
	ID     string        `json:"id"`
	Reason string        `json:"reason"`
	Safety string        `json:"safety,omitzero"`
	Params *ActionParams `json:"params,omitzero"`
	// ArtifactPath is the file that the action is about.
	ArtifactPath string `json:"artifactPath,omitzero"`
}

// ActionParams are arguments of the tool.
type ActionParams struct {
	Args                []string        `json:"args,omitzero"`
	Stdin               string          `json:"stdin,omitzero"`
	SessionMode         string          `json:"sessionMode,omitzero"`
	NetworkSourceLookup *LookupParams   `json:"networkSourceLookup,omitzero"`
	Electron            *ElectronParams `json:"electron,omitzero"`
}

// LookupParams are arguments of networkSourceLookup.
type LookupParams struct {
	RequestID string `json:"requestId"`
	Session   string `json:"session,omitzero"`
}

// ElectronParams are arguments of electron.
type ElectronParams struct {
	Action   string `json:"action"`
	LaunchID string `json:"launchId,omitzero"`
}

const toolName = "agent_browser"

// actions collects next actions, one for each id.
type actions struct {
	list []NextAction
	// prefix is --session with the session of the call, if it has one.
	prefix []string
}

// add adds an action that runs a command in the call's session.
func (a *actions) add(id, reason string, args ...string) *NextAction {
	words := slices.Clone(args)
	if !slices.Contains(args, "--session") {
		words = append(slices.Clone(a.prefix), args...)
	}
	return a.put(NextAction{ID: id, Reason: reason, Params: &ActionParams{Args: words}})
}

// fresh adds an action that runs a command in a session of its own.
func (a *actions) fresh(id, reason string, args ...string) {
	a.put(NextAction{ID: id, Reason: reason, Params: &ActionParams{Args: args, SessionMode: "fresh"}})
}

// file adds an action on a file.
func (a *actions) file(id, reason, path string) {
	a.put(NextAction{ID: id, Reason: reason, ArtifactPath: path})
}

func (a *actions) put(n NextAction) *NextAction {
	n.Tool = toolName
	for i := range a.list {
		if a.list[i].ID == n.ID && (n.ArtifactPath == "" || a.list[i].ArtifactPath == n.ArtifactPath) {
			return &a.list[i]
		}
	}
	a.list = append(a.list, n)
	return &a.list[len(a.list)-1]
}

func (a *actions) ids() (ids []string) {
	for i := range a.list {
		ids = append(ids, a.list[i].ID)
	}
	return ids
}

// numbered returns an id with a number from the second on.
func numbered(id string, i int) string {
	if i == 0 {
		return id
	}
	return id + "-" + string(rune('1'+i))
}

// most is how many actions the text of a failure has.
const mostActions = 6

// text returns the actions for the model.
func (a *actions) text() string {
	if len(a.list) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("Next actions:")
	for i := range a.list {
		if i == mostActions {
			break
		}
		n := &a.list[i]
		b.WriteString("\n- " + n.ID)
		if p := n.Params; p != nil {
			shown := *p
			if shown.Stdin != "" {
				shown.Stdin = "<in details.nextActions>"
			}
			b.WriteString(" " + string(encode(shown)))
		}
		if n.ArtifactPath != "" {
			b.WriteString(" " + n.ArtifactPath)
		}
		b.WriteString(": " + n.Reason)
	}
	b.WriteString("\nThe full list is in details.nextActions.")
	return b.String()
}
