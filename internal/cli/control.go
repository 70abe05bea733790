package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/api/client"
	"github.com/usher-browser/usher/internal/api/exchange"
	"github.com/usher-browser/usher/internal/api/frame"
	"github.com/usher-browser/usher/internal/config/dirs"
)

// DaemonHelp is the help of `usher daemon`. The command is not in the verb table: it controls the process that reads
// the table, and no session.
const DaemonHelp = `usher daemon: the background process that owns the browser sessions

It starts by itself with the first command and ends by itself when it has not
been needed for an hour and no window is open. Only one runs per user.

Usage:
  usher daemon status [--json]   is it running, which sessions are open
  usher daemon stop              close every session and end it
  usher daemon run               run it in the foreground (for service managers)

Its socket, lock and log lie in ~/.usher/run, or $USHER_HOME/run.
`

// daemonCommand implements `usher daemon …`.
func (p Program) daemonCommand(req *api.Request, paths dirs.Dirs) int {
	var words []string
	for _, word := range req.Argv {
		if word != "--json" {
			words = append(words, word)
		}
	}
	what := "help"
	switch {
	case words[0] == "help":
	case len(words) > 2 && words[2] != "--help" && words[2] != "-h":
		return fail(req, api.Errorf(api.InvalidArgument, "usher daemon %s accepts no argument %q", words[1], words[2]))
	case len(words) == 2:
		what = words[1]
	}
	switch what {
	case "run":
		d := Daemon{Home: paths.Home, RunDir: paths.Run, Build: req.Build, Version: p.Version}
		if dir := os.Getenv(startVariable); dir != "" {
			d.RunDir, d.Detached = dir, true
			// What the daemon starts may start what it likes.
			_ = os.Unsetenv(startVariable) // fails only for impossible names
		}
		return p.Daemon(d)
	case "status":
		return askDaemon(req, paths, frame.OpStatus)
	case "stop":
		return askDaemon(req, paths, frame.OpStop)
	case "help", "--help", "-h":
		write([]byte(DaemonHelp), nil)
		return 0
	}
	return fail(req, api.Errorf(api.UnknownSubcommand, "there is no command \"daemon %s\"", what).
		WithHint("It is one of: %s.", strings.Join([]string{"status", "stop", "run"}, ", ")))
}

// askDaemon sends an operation that every build understands. No daemon is an
// answer, not an error.
func askDaemon(req *api.Request, paths dirs.Dirs, op string) int {
	req.Op = op
	result := try(req, paths)
	if result.Outcome == exchange.Lost {
		// It ended during the request. Unlike a command, this may be repeated.
		result = try(req, paths)
	}
	switch result.Outcome {
	case exchange.Done:
		if op == frame.OpStop && result.Frame.Status == 0 {
			return report(req, "stopped", "The daemon has ended; every session is closed.")
		}
		return result.Frame.Status
	case exchange.NoDaemon:
		if op == frame.OpStop {
			return report(req, "not running", "No daemon is running.")
		}
		status := api.DaemonStatus{Socket: paths.Socket, Log: filepath.Join(paths.Run, logName)}
		text, err := status.Append(nil, req.WantsJSON())
		if err != nil {
			return fail(req, err)
		}
		write(text, nil)
		return 0
	}
	return fail(req, client.Failure(result))
}

func report(req *api.Request, state, sentence string) int {
	if !req.WantsJSON() {
		write(fmt.Appendln(nil, sentence), nil)
		return 0
	}
	text, err := api.Envelope{Data: map[string]any{"state": state}}.Append(nil)
	if err != nil {
		return fail(req, err)
	}
	write(append(text, '\n'), nil)
	return 0
}
