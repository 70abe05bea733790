// Package command lists the families of commands that work with a browser or the web. The packages of sessions, the
// command line and the tools of agents have the other commands; see package program for all of them.
package command

import (
	"reflect"
	"sync"

	"github.com/usher-browser/usher/internal/command/act"
	"github.com/usher-browser/usher/internal/command/auth"
	"github.com/usher-browser/usher/internal/command/capture"
	"github.com/usher-browser/usher/internal/command/clipboard"
	"github.com/usher-browser/usher/internal/command/codegen"
	"github.com/usher-browser/usher/internal/command/debug"
	"github.com/usher-browser/usher/internal/command/dialogs"
	"github.com/usher-browser/usher/internal/command/diff"
	"github.com/usher-browser/usher/internal/command/download"
	"github.com/usher-browser/usher/internal/command/emulation"
	"github.com/usher-browser/usher/internal/command/frames"
	"github.com/usher-browser/usher/internal/command/initscript"
	"github.com/usher-browser/usher/internal/command/navigate"
	"github.com/usher-browser/usher/internal/command/network"
	"github.com/usher-browser/usher/internal/command/plugin"
	"github.com/usher-browser/usher/internal/command/raw"
	"github.com/usher-browser/usher/internal/command/react"
	"github.com/usher-browser/usher/internal/command/read"
	"github.com/usher-browser/usher/internal/command/record"
	"github.com/usher-browser/usher/internal/command/run"
	"github.com/usher-browser/usher/internal/command/source"
	"github.com/usher-browser/usher/internal/command/state"
	"github.com/usher-browser/usher/internal/command/stream"
	"github.com/usher-browser/usher/internal/command/tabs"
	"github.com/usher-browser/usher/internal/command/upload"
	"github.com/usher-browser/usher/internal/command/wait"
	"github.com/usher-browser/usher/internal/command/web"
	"github.com/usher-browser/usher/internal/command/webmcp"
	"github.com/usher-browser/usher/internal/verb"
)

// Families returns the families in the order of help.
func Families() []run.Family {
	return []run.Family{
		navigate.Family(), read.Family(), capture.Family(), record.Family(), diff.Family(), act.Family(), upload.Family(), download.Family(), wait.Family(), tabs.Family(),
		frames.Family(), dialogs.Family(), network.Family(), debug.Family(), stream.Family(), codegen.Family(), react.Family(), source.Family(), state.Family(), auth.Family(), plugin.Family(), emulation.Family(), initscript.Family(), clipboard.Family(), web.Family(), webmcp.Family(), raw.Family(),
	}
}

// Grammar returns the families' part of the table of verbs.
func Grammar() []verb.Set {
	var out []verb.Set
	for _, f := range Families() {
		out = append(out, f.Grammar)
	}
	return out
}

// Find returns the function of the command of that name, with what is around every command; nil for commands of a
// session or a frontend.
func Find(name string) run.Func { return handlers()[name] }

var handlers = sync.OnceValue(func() map[string]run.Func {
	all := map[string]run.Func{}
	for _, f := range Families() {
		for i := range f.Grammar.Verbs {
			v := &f.Grammar.Verbs[i]
			all[v.Name] = run.Around(v, f.Handlers[v.Name].Run)
		}
	}
	return all
})

// Result returns the type of the data of a command's results; nil for commands of others.
func Result(name string) reflect.Type {
	for _, f := range Families() {
		if h, ok := f.Handlers[name]; ok {
			return h.Result
		}
	}
	return nil
}
