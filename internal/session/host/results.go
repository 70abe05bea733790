package host

import "fmt"

// Connection is the state of a connection: connected or reconnecting.
type Connection struct {
	State string `json:"state"`
	Since string `json:"since,omitzero"` // when it was lost: RFC 3339, in UTC
	Cause string `json:"cause,omitzero"`
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
	// Provider is the service where the browser is rented, RemoteSession its id there (--provider).
	Provider      string `json:"provider,omitzero"`
	RemoteSession string `json:"remoteSession,omitzero"`
}

// Text returns the result for people.
func (br *Browser) Text() string {
	var text string
	switch {
	case br.Provider != "" && br.RemoteSession == "": // of a plugin
		text = "of " + br.Provider
	case br.Provider != "":
		text = "rented at " + br.Provider + ", session " + br.RemoteSession
	case br.Product == "":
		text = fmt.Sprintf("attached, shared by %d", br.Sessions)
	default:
		text = fmt.Sprintf("%s, pid %d, shared by %d", br.Product, br.PID, br.Sessions)
	}
	if br.Crashed {
		text += "; it is gone: `open <url>` starts another"
	}
	return text
}
