package options

import (
	"strings"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/command/state"
	"github.com/usher-browser/usher/internal/verb"
)

// Stored are the options about saved states. They take effect when the session gets its browser.
type Stored struct {
	State   string // the file of --state
	restore string // of --restore; empty for the name of the session
	given   bool   // --restore was
	name    string // of --session-name
	Policy  string
	Checks  state.Checks
}

// ofState reports whether a launch option concerns the session's state and not its browser.
func ofState(name string) bool {
	return name == "state" || name == "session-name" || name == "restore" || strings.HasPrefix(name, "restore-")
}

// Key returns the name of --restore for a session, under which its state is saved; empty for not at all.
func (o *Stored) Key(session string) (string, error) {
	key := o.name
	switch {
	case o.given && o.restore == "false":
		return "", nil
	case o.given && o.restore != "" && o.restore != "true":
		key = o.restore
	case o.given:
		key = session
	}
	if key == "" {
		return "", nil
	}
	if err := verb.CheckName(key); err != nil {
		return "", api.Errorf(api.InvalidArgument, "--restore: %w", err)
	}
	return key, nil
}
