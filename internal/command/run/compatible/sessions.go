package compatible

import (
	"fmt"
	"strings"
)

// noSessions is the text of lists of sessions that are empty.
const noSessions = "No active sessions"

// Closed is the text of `close --all`, of the names of the sessions.
func Closed(names []string) string {
	if len(names) == 0 {
		return noSessions
	}
	return "✓ Closed session: " + strings.Join(names, "\n✓ Closed session: ")
}

// Sessions is the text of `session list`, of its lines.
func Sessions(lines []string) string {
	if len(lines) == 0 {
		return noSessions
	}
	return "Active sessions:\n" + strings.Join(lines, "\n")
}

// Rows is the text of `batch`: an empty line is between the texts of two commands. That tool leaves out what failed.
func Rows(texts []string) string {
	var b strings.Builder
	for i, text := range texts {
		if i > 0 {
			b.WriteString("\n")
		}
		if text != "" {
			b.WriteString(text + "\n")
		}
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// Session is what `session info` prints of a session. PID is nil while no daemon runs for it.
type Session struct {
	Name, SocketDir         string
	Namespace, Version      *string
	PID                     *int
	Restored, Saved, Engine string
	Launched                bool
}

// Text returns that tool's lines, and then those that more gives, in the same form.
func (s *Session) Text(more func(add func(name, value string))) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Session: %s\nSocket dir: %s", s.Name, s.SocketDir)
	if s.Namespace != nil {
		b.WriteString("\nNamespace: " + *s.Namespace)
	}
	if s.PID == nil {
		b.WriteString("\nDaemon: not running")
		return b.String()
	}
	fmt.Fprintf(&b, "\nDaemon: running (pid %d)", *s.PID)
	if s.Version != nil {
		b.WriteString("\nVersion: " + *s.Version)
	}
	fmt.Fprintf(&b, "\nRestore status: %s\nSave status: %s\nEngine: %s\nBrowser launched: %t", s.Restored, s.Saved, s.Engine, s.Launched)
	more(func(name, value string) { b.WriteString("\n" + label(name) + ": " + value) })
	return b.String()
}

// label is the name of a line of `session info` in that tool's manner.
func label(name string) string {
	switch name {
	case "url":
		return "URL"
	case "lastUrl":
		return "Last URL"
	case "startedAt":
		return "Started at"
	}
	return strings.ToUpper(name[:1]) + name[1:]
}
