package api

import (
	"fmt"
	"strings"
	"time"
)

// DaemonStatus is the result of `usher daemon status`. If no daemon runs, the client fills it in, with PID 0.
type DaemonStatus struct {
	PID int
	// Build identifies the daemon's binary. Version is its version for people.
	Build, Version string
	Up             time.Duration
	// Sessions are the names of the open sessions, sorted. Active is the number of running commands.
	Sessions []string
	Active   int
	// Socket and Log are paths, set whether or not the files exist.
	Socket, Log string
}

// Append appends the status as one envelope, or as lines for people. The envelope has the same keys whether or not a
// daemon runs.
func (s DaemonStatus) Append(dst []byte, asJSON bool) ([]byte, error) {
	if asJSON {
		data := map[string]any{
			"state": "running", "pid": s.PID, "build": s.Build, "version": s.Version, "uptimeSeconds": int(s.Up.Seconds()),
			"sessions": append([]string{}, s.Sessions...), "active": s.Active, "socket": s.Socket, "log": s.Log,
		}
		if s.PID == 0 {
			data["state"] = "not running"
			for _, key := range [...]string{"pid", "build", "version", "uptimeSeconds"} {
				data[key] = nil
			}
		}
		dst, err := Envelope{Data: data}.Append(dst)
		return append(dst, '\n'), err
	}
	if s.PID == 0 {
		return append(dst, "No daemon is running.\n"...), nil
	}
	names := strings.Join(s.Sessions, ", ")
	if names == "" {
		names = "none"
	}
	return fmt.Appendf(dst, "running:  pid %d, version %s, for %s\nsessions: %s\ncommands: %d\nsocket:   %s\nlog:      %s\n",
		s.PID, s.Version, s.Up.Round(time.Second), names, s.Active, s.Socket, s.Log), nil
}
