package stream

import "github.com/usher-browser/usher/internal/verb"

func grammar() verb.Set {
	instead := func(first string) string { return verb.MissingCommand(first).Instead }
	own := func(v verb.Verb) verb.Verb {
		v.Group, v.Category = verb.GroupDebug, verb.CatTool
		return v
	}
	port := verb.Flag{Name: "port", Kind: verb.Int, Value: "n", Min: 1, Max: 65535, Doc: "the port"}
	return verb.Set{Families: []verb.Family{
		{Name: "stream", Summary: "send the frames of a session to WebSocket clients (not in this version)"},
		{Name: "dashboard", Summary: "a page that shows all sessions (not in this version)", Bare: "dashboard start"},
	}, Verbs: []verb.Verb{
		own(verb.Verb{Name: "stream enable", Summary: "send the frames of the session to WebSocket clients (not in this version)",
			Help:  "Fails with unsupported. " + instead("stream"),
			Flags: []verb.Flag{port}, Examples: []string{"stream enable"}, Next: []string{"events --follow"}}),
		own(verb.Verb{Name: "stream disable", Summary: "stop streaming", Help: "Fails: streaming cannot be enabled in this version.", Examples: []string{"stream disable"}}),
		own(verb.Verb{Name: "stream status", Summary: "whether the session is streamed: in this version never", Examples: []string{"stream status"}}),
		own(verb.Verb{Name: "dashboard start", Summary: "start the dashboard (not in this version)",
			Help:     "Fails with unsupported. " + instead("dashboard"),
			Flags:    []verb.Flag{port, {Name: "allowed-origins", Value: "origins", Doc: "origins of a reverse proxy"}},
			Examples: []string{"dashboard start"}, Next: []string{"session list"}}),
		own(verb.Verb{Name: "dashboard stop", Summary: "stop the dashboard: in this version none runs", Examples: []string{"dashboard stop"}}),
		own(verb.Verb{Name: "chat", Summary: "ask a language model to drive the browser (not in this version)",
			Help: "Fails with unsupported. " + instead("chat"),
			Args: []verb.Arg{{Name: "message", Rest: true, Doc: "what to do"}},
			Flags: []verb.Flag{{Name: "model", Value: "name", Doc: "the model"}, {Name: "verbose", Short: "v", Kind: verb.Bool, Doc: "show the commands that run"},
				{Name: "quiet", Short: "q", Kind: verb.Bool, Doc: "show only the answer"}},
			Examples: []string{"chat \"what is on this page?\""}, Next: []string{"mcp install"}}),
	}}
}
