package commands

import (
	"github.com/usher-browser/usher/internal/tool"
	"github.com/usher-browser/usher/internal/verb"
)

// CallOf returns the command that a tool runs for some arguments.
func CallOf(o Options, name string, a tool.Args) (*verb.Call, error) {
	for _, r := range rows() {
		if Prefix+r.name == name {
			c := newCommand(o, r)
			v, err := c.choose(a)
			if err != nil {
				return nil, err
			}
			values, err := c.values(v, a)
			if err != nil {
				return nil, err
			}
			call, err := o.Table.NewCall(v.Name, values, o.Mode)
			if err != nil {
				return nil, err
			}
			own := call.Globals.Names()
			if extra := a.Strings("extraArgs"); len(extra) > 0 {
				if call, err = c.withExtra(call, extra, values); err != nil {
					return nil, err
				}
			}
			return call, c.check(call, own)
		}
	}
	return nil, nil
}
