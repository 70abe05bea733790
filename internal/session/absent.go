package session

import (
	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/command/run"
	"github.com/usher-browser/usher/internal/config"
	"github.com/usher-browser/usher/internal/verb"
)

// WithoutDaemon returns the result of a verb with the mark [verb.DaemonOptional] while no daemon runs, whose directory
// would be runDir: there is no session then.
func WithoutDaemon(req *api.Request, call *verb.Call, runDir string) (data any, text string, err error) {
	set, err := config.Load(config.Source{Mode: call.Mode, Env: req.LookupEnv, Cwd: req.Cwd, Flags: call.Globals})
	if err != nil {
		return nil, "", err
	}
	o := sessionOptionsOf(set)
	switch call.Verb.Name {
	case "session list":
		return List{Sessions: []string{}}, noSessions, nil
	case "session info":
		info := &Info{Session: o.name, SocketDir: runDir, Namespace: run.OrNull(o.namespace)}
		if call.Mode == verb.AgentBrowser {
			if err := info.addRuntime(nil); err != nil {
				return nil, "", err
			}
		}
		return info, info.text(), nil
	}
	return nil, "", api.Errorf(api.Internal, "%s is not implemented without a daemon", call.Verb.Name)
}
