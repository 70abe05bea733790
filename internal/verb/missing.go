package verb

import "slices"

// Missing is a command of agent-browser that this program does not have yet. Its commands are in the table all the same: they
// answer what is true without it, and fail otherwise.
type Missing struct {
	Name    string // its first word, as agent-browser spells it: "stream"
	Instead string // the closest replacement
}

// MissingCommands returns the commands of agent-browser that are missing here, in the order of that tool's help. The
// README has the same list.
func MissingCommands() []Missing {
	return []Missing{
		{"stream", "It comes in a later version. Meanwhile `events --follow` tells what happens, and `record` and `screenshot` show it."},
		{"dashboard", "It comes in a later version. Meanwhile use `session list`, and `events --follow` for a session."},
		{"chat", "It comes in a later version. Meanwhile any agent can use the browser over `mcp`."},
	}
}

// MissingCommand returns the entry of [MissingCommands] with that first word; without a name if there is none.
func MissingCommand(first string) Missing {
	all := MissingCommands()
	if i := slices.IndexFunc(all, func(m Missing) bool { return m.Name == first }); i >= 0 {
		return all[i]
	}
	return Missing{}
}

// MissingFlags returns the global flags of agent-browser that this program does not have yet, without dashes.
func MissingFlags() []string {
	return []string{"model"}
}
