// Package agenttool is the tool agent_browser: one call that runs a command line, a batch, or a mode that is compiled to one, and a
// result that says what happened, what is proven and what can be done next. Names, fields and defaults are those of
// pi-agent-browser-native 0.5.0. What that program guesses from texts is known here: error codes, the receipts of input events, hit
// tests, committed navigations, and which rows of a batch have run.
//
// It runs in the daemon as the command `agent-tool`, so a call of any mode is one request. The modes electron, sourceLookup and
// networkSourceLookup are commands of the table, too.
package agenttool

// Request is a call of the tool.
type Request struct {
	// Input is the JSON object of the arguments; see package input.
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
