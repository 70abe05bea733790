package model

// InitCommand is a command sent to each page of a context before the page's own
// scripts run: emulation, extra headers and the like.
type InitCommand struct {
	Method string
	Params any
	// Name distinguishes commands of one method, for Browser.KeepRoot.
	Name string
	// Frames sends it to frames in their own process and to workers too.
	Frames bool
}
