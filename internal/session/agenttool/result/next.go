package result

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
	All      bool   `json:"all,omitzero"`
}

const toolName = "agent_browser"

// Actions collects next actions, one for each id.
type Actions struct {
	List []NextAction
	// prefix is --session with the session of the call, if it has one.
	Prefix []string
}

// Add adds an action that runs a command in the call's session.
func (a *Actions) Add(id, reason string, args ...string) *NextAction {
	words := slices.Clone(args)
	if !slices.Contains(args, "--session") {
		words = append(slices.Clone(a.Prefix), args...)
	}
	return a.Put(NextAction{ID: id, Reason: reason, Params: &ActionParams{Args: words}})
}

// Fresh adds an action that runs a command in a session of its own.
func (a *Actions) Fresh(id, reason string, args ...string) {
	a.Put(NextAction{ID: id, Reason: reason, Params: &ActionParams{Args: args, SessionMode: "fresh"}})
}

// File adds an action on a file.
func (a *Actions) File(id, reason, path string) {
	a.Put(NextAction{ID: id, Reason: reason, ArtifactPath: path})
}

// Put adds an action, unless there is one with its id. It returns the one that is in the list.
func (a *Actions) Put(n NextAction) *NextAction {
	n.Tool = toolName
	for i := range a.List {
		if a.List[i].ID == n.ID && (n.ArtifactPath == "" || a.List[i].ArtifactPath == n.ArtifactPath) {
			return &a.List[i]
		}
	}
	a.List = append(a.List, n)
	return &a.List[len(a.List)-1]
}

// IDs returns the ids in order.
func (a *Actions) IDs() (ids []string) {
	for i := range a.List {
		ids = append(ids, a.List[i].ID)
	}
	return ids
}

// Numbered returns an id with a number from the second on.
func Numbered(id string, i int) string {
	if i == 0 {
		return id
	}
	return id + "-" + string(rune('1'+i))
}

// most is how many actions the text of a failure has.
const mostActions = 6

// Text returns the actions for the model.
func (a *Actions) Text() string {
	if len(a.List) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("Next actions:")
	for i := range a.List {
		if i == mostActions {
			break
		}
		n := &a.List[i]
		b.WriteString("\n- " + n.ID)
		if p := n.Params; p != nil {
			shown := *p
			if shown.Stdin != "" {
				shown.Stdin = "<in details.nextActions>"
			}
			b.WriteString(" " + string(Encode(shown)))
		}
		if n.ArtifactPath != "" {
			b.WriteString(" " + n.ArtifactPath)
		}
		b.WriteString(": " + n.Reason)
	}
	b.WriteString("\nThe full list is in details.nextActions.")
	return b.String()
}
