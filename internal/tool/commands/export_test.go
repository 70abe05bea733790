package commands

import (
	"github.com/usher-browser/usher/internal/tool"
	"github.com/usher-browser/usher/internal/verb"
)

// CallOf returns the command that a tool runs for some arguments, nil if there is no tool of that name.
func CallOf(o Options, name string, a tool.Args) (*verb.Call, error) {
	for _, r := range rows() {
		if Prefix+r.name == name {
			call, _, err := newCommand(o, r).prepare(a)
			return call, err
		}
	}
	return nil, nil
}
