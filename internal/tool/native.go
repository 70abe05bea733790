package tool

import "slices"

// Native returns all tools that are part of usher. Add a new group of tools here. Package toolset decides which of them
// an agent is offered.
func Native() []Tool {
	return slices.Concat(Browser(), Web(), Files(), Todo(), Memory(), Clarify(), Vision(), SessionSearch())
}
