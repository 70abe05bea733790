// Package stream has the commands of agent-browser about watching a session from outside and talking to it: stream, dashboard
// and chat. This version has none of the three. The commands answer what is true all the same: nothing is streamed, no
// dashboard runs; what would start one fails with [api.Unsupported].
package stream

import (
	"context"
	"strings"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/command/run"
	"github.com/usher-browser/usher/internal/verb"
)

// Family returns the commands.
func Family() run.Family {
	return run.Family{Grammar: grammar(), Handlers: map[string]run.Handler{
		"stream status":   run.Handle(status),
		"stream enable":   run.Handle(enable),
		"stream disable":  run.Handle(disable),
		"dashboard start": run.Handle(startDashboard),
		"dashboard stop":  run.Handle(stopDashboard),
		"chat":            run.Handle(chat),
	}}
}

// Status is the result of `stream status`, with the members that agent-browser has.
type Status struct {
	Enabled    bool `json:"enabled"`       // always false: this version does not stream
	Connected  bool `json:"connected"`     // whether a client is connected: false
	Screencast bool `json:"screencasting"` // whether frames are sent: false
	Port       *int `json:"port"`          // null: nothing listens
}

// Enabled is the result of `stream enable`, which always fails.
type Enabled struct{}

// Disabled is the result of `stream disable`, which always fails: there is nothing to disable.
type Disabled struct{}

// Dashboard is the result of `dashboard stop`. `dashboard start` always fails.
type Dashboard struct {
	Stopped bool   `json:"stopped"` // always false: this version has no dashboard
	Reason  string `json:"reason"`  // "not running"
}

// Chat is the result of `chat`, which always fails.
type Chat struct{}

func status(context.Context, *run.Env, *verb.Call) (run.Reply[*Status], error) {
	return run.Reply[*Status]{Data: &Status{}, Text: "Streaming disabled"}, nil
}

func enable(context.Context, *run.Env, *verb.Call) (run.Reply[*Enabled], error) {
	return run.Reply[*Enabled]{}, unsupported("stream enable", "this version cannot stream the frames of a session")
}

func disable(context.Context, *run.Env, *verb.Call) (run.Reply[*Disabled], error) {
	return run.Reply[*Disabled]{}, api.Errorf(api.InvalidArgument, "Streaming is not enabled for this session").
		WithHint("There is nothing to disable: this version cannot stream.")
}

func startDashboard(context.Context, *run.Env, *verb.Call) (run.Reply[*Dashboard], error) {
	return run.Reply[*Dashboard]{}, unsupported("dashboard start", "this version has no dashboard")
}

func stopDashboard(context.Context, *run.Env, *verb.Call) (run.Reply[*Dashboard], error) {
	return run.Reply[*Dashboard]{Data: &Dashboard{Reason: "not running"}, Text: "Dashboard is not running"}, nil
}

func chat(context.Context, *run.Env, *verb.Call) (run.Reply[*Chat], error) {
	return run.Reply[*Chat]{}, unsupported("chat", "this version asks no language model")
}

// unsupported is the error of a command that this version does not have; the hint says what there is in its place.
func unsupported(command, why string) error {
	first, _, _ := strings.Cut(command, " ")
	return api.Errorf(api.Unsupported, "%s: %s", command, why).WithHint("%s", verb.MissingCommand(first).Instead)
}
