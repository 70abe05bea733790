package model

// InitCommand is a command sent to each page of a context before the page's own
// scripts run: emulation, extra headers and the like.
type InitCommand struct {
	Method string
	Params any
	// Name distinguishes commands of one method, for Browser.KeepRoot.
	Name string
	// Frames sends it to frames in their own process, too, and Workers to workers.
	Frames, Workers bool
	// Behind sends it right behind the command that lets a new page run, which is not held up by it then. The page has it before its
	// first document that comes from a server.
	Behind bool
	// Process says that Chromium applies it to the renderer process, at least in part: it may refuse it for other pages of
	// that process, and resets it when the CDP session ends that sent it. Then it is sent again to the others.
	Process bool
}
