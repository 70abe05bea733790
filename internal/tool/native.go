package tool

import "slices"

// Native are all the tools that usher carries itself. A new family joins here; which of
// them an agent is offered is the business of package toolset.
func Native() []Tool {
	return slices.Concat(Browser(), Web(), Files(), Todo(), Memory(), Clarify(), Vision(), SessionSearch())
}
