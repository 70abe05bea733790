package session

import (
	"fmt"
	"strings"

	"github.com/usher-browser/usher/internal/command/state"
)

// The texts of the session's own commands under the program name agent-browser, whose scripts read them line by line.

// theirClosed is the text of `close --all`.
func theirClosed(names []string) string {
	if len(names) == 0 {
		return "No active sessions"
	}
	return "✓ Closed session: " + strings.Join(names, "\n✓ Closed session: ")
}

// theirSessions is the text of `session list`, of its lines.
func theirSessions(lines []string) string {
	if len(lines) == 0 {
		return "No active sessions"
	}
	return "Active sessions:\n" + strings.Join(lines, "\n")
}

// theirText is the text of `session info`: that tool's lines, and then ours in the same form.
func (i *Info) theirText(saved state.Status, engine string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Session: %s\nSocket dir: %s", i.Session, i.SocketDir)
	if i.Namespace != nil {
		b.WriteString("\nNamespace: " + *i.Namespace)
	}
	if i.PID == nil {
		b.WriteString("\nDaemon: not running")
		return b.String()
	}
	fmt.Fprintf(&b, "\nDaemon: running (pid %d)", *i.PID)
	if i.Version != nil {
		b.WriteString("\nVersion: " + *i.Version)
	}
	fmt.Fprintf(&b, "\nRestore status: %s\nSave status: %s\nEngine: %s\nBrowser launched: %t", saved.Restored, saved.Saved, engine, i.Active)
	i.about(func(name, value string) { b.WriteString("\n" + theirLabel(name) + ": " + value) })
	return b.String()
}

// theirLabel is the name of a line of `session info` in agent-browser's manner.
func theirLabel(name string) string {
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

// theirRows is the text of `batch`: an empty line is between the texts of two commands. That tool leaves out what failed.
func theirRows(rows []string) string {
	var b strings.Builder
	for i, row := range rows {
		if i > 0 {
			b.WriteString("\n")
		}
		if row != "" {
			b.WriteString(row + "\n")
		}
	}
	return strings.TrimSuffix(b.String(), "\n")
}
